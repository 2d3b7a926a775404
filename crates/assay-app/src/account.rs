use assay_model::{Role, Timestamp};
use assay_store::{self as store, AccountId, AuditAction, AuditSubject};

use crate::access::{Caller, CallerKind, Scope};
use crate::config::Founders;
use crate::error::{Conflict, Denied, Error, Existing, Missing};
use crate::name;
use crate::new_account::{LookAlike, NewAccount};
use crate::services::AccountService;

/// Number of accounts that are read at once.
const PAGE: u32 = 1_000;

/// A user or an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The name, which is also its namespace.
    pub name: String,
    /// The kind of the account.
    pub kind: AccountKind,
    /// The name for people.
    pub full_name: String,
    /// True if it runs the hub.
    pub operator: bool,
    /// True if it may no longer sign in.
    pub disabled: bool,
    /// Time at which it was made.
    pub created: Timestamp,
}

/// A kind of account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountKind {
    /// A person or a machine.
    User,
    /// A group of users.
    Organisation,
}

/// A user's part in an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The organisation.
    pub organisation: Account,
    /// The role of the user there.
    pub role: Role,
}

/// The identity of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The account.
    pub account: Account,
    /// The organisations in which it may work.
    pub memberships: Vec<Membership>,
    /// The token that was used.
    pub token: TokenInfo,
}

/// A token to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// The label of the token.
    pub label: String,
    /// The scope of the token.
    pub scope: Scope,
    /// The time at which it expires; never when absent.
    pub expires: Option<Timestamp>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its number.
    pub id: i64,
    /// The label of the token.
    pub label: String,
    /// The scope of the token.
    pub scope: Scope,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Option<Timestamp>,
    /// Time at which it was last used.
    pub last_used: Option<Timestamp>,
    /// The number of the token that it was made with, which it ends with.
    pub parent: Option<i64>,
}

/// The secret of a new token, shown once: only its hash is kept.
pub struct TokenSecret(pub(crate) String);

impl TokenSecret {
    /// The secret, to show it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenSecret(hidden)")
    }
}

impl Account {
    /// The account as others see it.
    pub(crate) fn of(account: store::Account) -> Self {
        Self {
            full_name: account.fullname.unwrap_or_else(|| account.name.clone()),
            name: account.name,
            kind: account.kind.into(),
            operator: account.operator,
            disabled: account.disabled,
            created: account.created,
        }
    }
}

impl From<store::AccountKind> for AccountKind {
    fn from(kind: store::AccountKind) -> Self {
        match kind {
            store::AccountKind::User => Self::User,
            store::AccountKind::Organisation => Self::Organisation,
        }
    }
}

impl AccountService<'_> {
    /// Makes a user. For operators.
    pub async fn create_user(
        self,
        caller: &Caller,
        name: &str,
        full_name: &str,
        email: Option<&str>,
        operator: bool,
    ) -> Result<Account, Error> {
        let new = NewAccount {
            name,
            full_name,
            email,
            operator,
            look_alike: LookAlike::Refused,
        };
        self.create_account(caller, AccountKind::User, &new).await
    }

    /// Makes an organisation, with the caller as its first admin.
    pub async fn create_organisation(
        self,
        caller: &Caller,
        name: &str,
        full_name: &str,
    ) -> Result<Account, Error> {
        let new = NewAccount {
            name,
            full_name,
            email: None,
            operator: false,
            look_alike: LookAlike::Refused,
        };
        self.create_account(caller, AccountKind::Organisation, &new)
            .await
    }

    /// Makes an account: a user for operators alone, an organisation for whom the configuration
    /// allows it.
    pub async fn create_account(
        self,
        caller: &Caller,
        kind: AccountKind,
        new: &NewAccount<'_>,
    ) -> Result<Account, Error> {
        if new.look_alike == LookAlike::Allowed {
            caller.check_operator()?;
        }
        let founder = match kind {
            AccountKind::User => {
                caller.check_operator()?;
                None
            }
            AccountKind::Organisation => self.check_founder(caller)?,
        };
        let stored = store::NewAccount {
            name: new.name.to_owned(),
            kind: match kind {
                AccountKind::User => store::AccountKind::User,
                AccountKind::Organisation => store::AccountKind::Organisation,
            },
            fullname: full_name_of(new.full_name),
            email: new.email.map(ToOwned::to_owned),
            operator: new.operator,
            created: self.hub.now(),
            founder,
        };
        self.add_account(caller, &stored, new.look_alike).await
    }

    /// Returns the first admin of an organisation that the caller makes; none for the shell.
    fn check_founder(self, caller: &Caller) -> Result<Option<AccountId>, Error> {
        match &caller.inner {
            CallerKind::Shell => return Ok(None),
            CallerKind::User(_) | CallerKind::Anonymous => {}
        }
        let founder = writer(caller)?;
        match self.hub.config.limits.founders {
            Founders::Users => {}
            Founders::Operators => caller
                .check_operator()
                .map_err(|_| Error::Denied(Denied::OrganisationsByOperators))?,
        }
        Ok(Some(founder))
    }

    async fn add_account(
        self,
        caller: &Caller,
        new: &store::NewAccount,
        look_alike: LookAlike,
    ) -> Result<Account, Error> {
        name::check_account(&new.name)?;
        let mut tx = self.hub.begin_as(caller).await?;
        if look_alike == LookAlike::Refused {
            name::check_look(&mut tx, &new.name).await?;
        }
        if let Some(founder) = new.founder
            && caller.check_operator().is_err()
        {
            let limit = self.hub.config.limits.organizations;
            if tx.organisations_founded(founder).await? >= limit {
                return Err(Error::Denied(Denied::OrganisationLimit { most: limit }));
            }
        }
        let id = tx.add_account(new).await.map_err(|error| match error {
            store::Error::Taken { .. } => Error::Exists(Existing::Account(new.name.clone())),
            other => other.into(),
        })?;
        if let Some(founder) = new.founder {
            tx.set_member(id, founder, Role::Admin).await?;
        }
        let account = tx.account(id).await?;
        self.hub
            .operations()
            .audit(&mut tx, caller, creation_of(new), creation_words(new))
            .await?;
        tx.commit().await?;
        self.hub.sessions.forget();
        account
            .map(Account::of)
            .ok_or_else(|| Error::internal("the account that was made is not there"))
    }

    /// Gives a user a role in an organisation, or takes it away.
    pub async fn set_member(
        self,
        caller: &Caller,
        organisation: &str,
        user: &str,
        role: Option<Role>,
    ) -> Result<(), Error> {
        let organisation = self
            .account_of_kind(organisation, AccountKind::Organisation)
            .await?;
        self.check_manager(caller, organisation.id).await?;
        let user = self.account_of_kind(user, AccountKind::User).await?;
        let mut tx = self.hub.begin_as(caller).await?;
        let before = tx.role_in(organisation.id, user.id).await?;
        match role {
            Some(role) => tx.set_member(organisation.id, user.id, role).await?,
            None => {
                tx.remove_member(organisation.id, user.id).await?;
            }
        }
        let members = tx.members_of(organisation.id).await?;
        let is_led = members.iter().any(|member| member.role == Role::Admin);
        if !is_led && caller.check_operator().is_err() {
            return Err(Error::Conflict(Conflict::LastAdmin));
        }
        if let Some((action, words)) = membership_change(&user.name, before, role) {
            let subject = AuditSubject::account(&organisation.name).with(words);
            self.hub
                .operations()
                .audit(&mut tx, caller, action, subject)
                .await?;
        }
        tx.commit().await?;
        self.hub.sessions.forget();
        Ok(())
    }

    /// The members of an organisation.
    pub async fn members(
        self,
        caller: &Caller,
        organisation: &str,
    ) -> Result<Vec<(Account, Role)>, Error> {
        let organisation = self
            .account_of_kind(organisation, AccountKind::Organisation)
            .await?;
        if caller.check_operator().is_err() {
            let user = caller.signed_in()?;
            if self
                .hub
                .store
                .role_in(organisation.id, user.account)
                .await?
                .is_none()
            {
                return Err(Error::Denied(Denied::NotAMember));
            }
        }
        let members = self.hub.store.members_of(organisation.id).await?;
        Ok(members
            .into_iter()
            .map(|member| (Account::of(member.account), member.role))
            .collect())
    }

    /// Every account. For operators.
    pub async fn accounts(self, caller: &Caller) -> Result<Vec<Account>, Error> {
        caller.check_operator()?;
        let mut accounts: Vec<store::Account> = Vec::new();
        loop {
            let after = accounts.last().map(|account| account.name.clone());
            let page = self
                .hub
                .store
                .accounts(None, after.as_deref(), PAGE)
                .await?;
            let is_last = page.len() < PAGE as usize;
            accounts.extend(page);
            if is_last {
                return Ok(accounts.into_iter().map(Account::of).collect());
            }
        }
    }

    /// A public account by name.
    pub async fn account(self, name: &str) -> Result<Account, Error> {
        Ok(Account::of(self.account_named(name).await?))
    }

    /// Disables an account: its tokens stop working, what it made stays. Nobody disables their own:
    /// it takes another operator, or the command line.
    pub async fn disable_account(self, caller: &Caller, name: &str) -> Result<(), Error> {
        caller.check_operator()?;
        if caller
            .name()
            .is_some_and(|own| own.eq_ignore_ascii_case(name))
        {
            return Err(Error::Invalid(format!(
                "you cannot suspend your own account: another operator has to, or `assay admin user disable {name}`"
            )));
        }
        let mut account = self.account_named(name).await?;
        account.disabled = true;
        let mut tx = self.hub.begin_as(caller).await?;
        tx.update_account(&account).await?;
        let subject = AuditSubject::account(&account.name);
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::AccountDisabled, subject)
            .await?;
        tx.commit().await?;
        self.hub.sessions.forget();
        Ok(())
    }

    pub(crate) async fn account_named(self, name: &str) -> Result<store::Account, Error> {
        self.hub
            .store
            .account_named(name)
            .await?
            .ok_or_else(|| no_account(name))
    }

    async fn account_of_kind(self, name: &str, kind: AccountKind) -> Result<store::Account, Error> {
        let account = self.account_named(name).await?;
        if AccountKind::from(account.kind) == kind {
            Ok(account)
        } else {
            Err(no_account(name))
        }
    }

    /// Refuses everyone but the admins of an organisation and the operator.
    pub(crate) async fn check_manager(
        self,
        caller: &Caller,
        organisation: AccountId,
    ) -> Result<(), Error> {
        if caller.check_operator().is_ok() {
            return Ok(());
        }
        let user = writer(caller)?;
        match self.hub.store.role_in(organisation, user).await? {
            Some(Role::Admin) => Ok(()),
            Some(Role::Read | Role::Contribute | Role::Write) | None => {
                Err(Error::Denied(Denied::NotAnOrganisationAdmin))
            }
        }
    }
}

/// The account behind a token that may do more than read, and not only to some repositories.
pub(crate) fn writer(caller: &Caller) -> Result<AccountId, Error> {
    let user = caller.signed_in()?;
    match &user.scope {
        Scope::Write | Scope::Admin => Ok(user.account),
        Scope::Read | Scope::Fine(_) => Err(Error::Denied(Denied::TokenOfScopeWrite)),
    }
}

/// The action that a new account is recorded as.
fn creation_of(new: &store::NewAccount) -> AuditAction {
    match new.kind {
        store::AccountKind::User => AuditAction::AccountCreated,
        store::AccountKind::Organisation => AuditAction::OrganisationCreated,
    }
}

/// A new account in the words of the audit log.
fn creation_words(new: &store::NewAccount) -> AuditSubject {
    let subject = AuditSubject::account(&new.name);
    if new.operator {
        subject.with("an operator")
    } else {
        subject
    }
}

/// The action that a change of a membership is recorded as, with its words; none when nothing
/// changed.
fn membership_change(
    user: &str,
    before: Option<Role>,
    after: Option<Role>,
) -> Option<(AuditAction, String)> {
    match (before, after) {
        (None, Some(role)) => Some((AuditAction::MemberAdded, format!("{user}, {role}"))),
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => Some((
            AuditAction::MemberChanged,
            format!("{user}, from {old} to {new}"),
        )),
        (Some(role), None) => Some((AuditAction::MemberRemoved, format!("{user}, {role}"))),
        (None, None) => None,
    }
}

fn no_account(name: &str) -> Error {
    Error::NotFound(Missing::Other(format!("there is no account `{name}`")))
}

fn full_name_of(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
