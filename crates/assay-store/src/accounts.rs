use assay_model::Timestamp;

use crate::{Error, Tx};

/// What an account is known by, whatever its name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub i64);

/// Who an account stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccountKind {
    /// A person, who can sign in.
    User,
    /// An organisation, which has members.
    Organisation,
}

/// A user or an organisation; both share one space of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What it is known by.
    pub id: AccountId,
    /// Its name as it was written.
    pub name: String,
    /// Who it stands for.
    pub kind: AccountKind,
    /// The name for people.
    pub fullname: Option<String>,
    /// The address, of a user.
    pub email: Option<String>,
    /// Whether it may do everything.
    pub operator: bool,
    /// When it was made.
    pub created: Timestamp,
    /// Whether it may no longer sign in.
    pub disabled: bool,
}

/// An account that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Its name: one part of a repository id, which the caller has checked.
    pub name: String,
    /// Who it stands for.
    pub kind: AccountKind,
    /// The name for people.
    pub fullname: Option<String>,
    /// The address, of a user.
    pub email: Option<String>,
    /// Whether it may do everything.
    pub operator: bool,
    /// When it is made.
    pub created: Timestamp,
}

impl AccountKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::User, Self::Organisation];

    /// The word for it, as clients read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Organisation => "org",
        }
    }
}

words!(AccountKind, "`user` or `org`");

questions! {
    /// The account of this id.
    fn account(id: AccountId) -> Option<Account>;
    /// The account of this name, whatever its case.
    fn account_named(name: &str) -> Option<Account>;
    /// Accounts in the order of their names, those after a name when one is given.
    fn accounts(kind: Option<AccountKind>, after: Option<&str>, limit: u32) -> Vec<Account>;
}

impl Tx {
    /// Makes an account. [`Error::Taken`] when there is one of this name in any case.
    pub async fn add_account(&mut self, new: &NewAccount) -> Result<AccountId, Error> {
        let _ = new;
        todo!()
    }

    /// Writes the names, address, rights and state of an account; its id and kind stay. The answer is whether it exists.
    pub async fn update_account(&mut self, account: &Account) -> Result<bool, Error> {
        let _ = account;
        todo!()
    }

    /// Removes an account with its tokens and memberships; what it wrote in discussions stays, without an author.
    /// [`Error::Related`] when it owns repositories. The answer is whether it existed.
    pub async fn remove_account(&mut self, id: AccountId) -> Result<bool, Error> {
        let _ = id;
        todo!()
    }
}
