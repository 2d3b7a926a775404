use assay_model::{Timestamp, skeleton};

use crate::backend::Connection;
use crate::row::Cells;
use crate::{Error, Taken, Tx, sql};

/// The identifier of an account, whatever its name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub i64);

/// The kind of an account.
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
    /// The identifier of the account.
    pub id: AccountId,
    /// Its name as it was written.
    pub name: String,
    /// The kind of the account.
    pub kind: AccountKind,
    /// The name for people.
    pub fullname: Option<String>,
    /// The address, of a user.
    pub email: Option<String>,
    /// True if it may do everything.
    pub operator: bool,
    /// Time at which it was made.
    pub created: Timestamp,
    /// True if it may no longer sign in.
    pub disabled: bool,
}

/// An account that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Its name: one part of a repository id, which the caller has checked.
    pub name: String,
    /// The kind of the account.
    pub kind: AccountKind,
    /// The name for people.
    pub fullname: Option<String>,
    /// The address, of a user.
    pub email: Option<String>,
    /// True if it may do everything.
    pub operator: bool,
    /// Time at which it is made.
    pub created: Timestamp,
    /// The user who founds an organisation.
    pub founder: Option<AccountId>,
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
    /// The name of an account that looks like this name: equal [skeletons](assay_model::skeleton).
    fn account_that_looks_like(name: &str) -> Option<String>;
    /// The number of organisations that a user founded.
    fn organisations_founded(founder: AccountId) -> u64;
}

impl Tx {
    /// Makes an account. [`Error::Taken`] when there is one of this name in any case.
    pub async fn add_account(&mut self, new: &NewAccount) -> Result<AccountId, Error> {
        let query = sql::query(
            "INSERT INTO accounts (name, name_lower, kind, fullname, email, operator, created_ms, disabled, founder, skeleton)
             VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, $8, $9) RETURNING id",
        )
        .bind(&new.name)
        .bind(new.name.to_ascii_lowercase())
        .bind(new.kind.as_str())
        .bind(&new.fullname)
        .bind(&new.email)
        .bind(new.operator)
        .bind(new.created.millis())
        .bind(new.founder.map(|founder| founder.0))
        .bind(skeleton(&new.name));
        let id = self.add("add_account", Taken::Account, query).await?;
        Ok(AccountId(id.unwrap_or_default()))
    }

    /// Writes the names, address, rights and state of an account; its id and kind stay. The answer
    /// is whether it exists.
    pub async fn update_account(&mut self, account: &Account) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE accounts SET name = $2, name_lower = $3, fullname = $4, email = $5, operator = $6, disabled = $7,
                 skeleton = $8
             WHERE id = $1 RETURNING id",
        )
        .bind(account.id.0)
        .bind(&account.name)
        .bind(account.name.to_ascii_lowercase())
        .bind(&account.fullname)
        .bind(&account.email)
        .bind(account.operator)
        .bind(account.disabled)
        .bind(skeleton(&account.name));
        let id = self.add("update_account", Taken::Account, query).await?;
        Ok(id.is_some())
    }

    /// Removes an account with its tokens and memberships; what it wrote in discussions stays,
    /// without an author. [`Error::Related`] when it owns repositories. The answer is whether it
    /// existed.
    pub async fn remove_account(&mut self, id: AccountId) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM accounts WHERE id = $1").bind(id.0);
        Ok(self.change("remove_account", query).await? > 0)
    }
}

/// The columns that [`read_account`] reads, of a table called `a`.
macro_rules! account_columns {
    () => {
        "a.id, a.name, a.kind, a.fullname, a.email, a.operator, a.created_ms, a.disabled"
    };
}
pub(crate) use account_columns;

pub(crate) fn read_account(cells: &mut Cells<'_>) -> sqlx::Result<Account> {
    Ok(Account {
        id: AccountId(cells.get()?),
        name: cells.get()?,
        kind: cells.parse()?,
        fullname: cells.get()?,
        email: cells.get()?,
        operator: cells.get()?,
        created: cells.time()?,
        disabled: cells.get()?,
    })
}

pub(crate) async fn account(
    connection: &mut Connection,
    id: AccountId,
) -> sqlx::Result<Option<Account>> {
    let query = concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.id = $1"
    );
    let row = sql::query(query)
        .bind(id.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_account(&mut Cells::of(&row)))
        .transpose()
}

async fn account_named(connection: &mut Connection, name: &str) -> sqlx::Result<Option<Account>> {
    let query = concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.name_lower = $1"
    );
    let row = sql::query(query)
        .bind(name.to_ascii_lowercase())
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_account(&mut Cells::of(&row)))
        .transpose()
}

async fn accounts(
    connection: &mut Connection,
    kind: Option<AccountKind>,
    after: Option<&str>,
    limit: u32,
) -> sqlx::Result<Vec<Account>> {
    // No name is empty, so all of them come after the empty text.
    let query = concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.name_lower > $1 AND ($2 IS NULL OR a.kind = $2)
          ORDER BY a.name_lower LIMIT $3"
    );
    let rows = sql::query(query)
        .bind(after.unwrap_or_default().to_ascii_lowercase())
        .bind(kind.map(AccountKind::as_str))
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_account(&mut Cells::of(row)))
        .collect()
}

async fn account_that_looks_like(
    connection: &mut Connection,
    name: &str,
) -> sqlx::Result<Option<String>> {
    sql::query_scalar(
        "SELECT name FROM accounts WHERE skeleton = $1 AND name_lower <> $2 ORDER BY id LIMIT 1",
    )
    .bind(skeleton(name))
    .bind(name.to_ascii_lowercase())
    .fetch_optional(connection)
    .await
}

async fn organisations_founded(
    connection: &mut Connection,
    founder: AccountId,
) -> sqlx::Result<u64> {
    let row = sql::query("SELECT COUNT(*) FROM accounts WHERE founder = $1")
        .bind(founder.0)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}
