use assay_model::Role;

use crate::accounts::{account_columns, read_account};
use crate::backend::Connection;
use crate::row::Cells;
use crate::{Account, AccountId, Error, Tx, sql};

/// One side of a membership: a member of an organisation, or an organisation of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The account on the other side.
    pub account: Account,
    /// The role of the member.
    pub role: Role,
}

questions! {
    /// Returns the role of a user in an organisation, when they are a member.
    fn role_in(organisation: AccountId, user: AccountId) -> Option<Role>;
    /// The members of an organisation, in the order of their names.
    fn members_of(organisation: AccountId) -> Vec<Member>;
    /// The organisations of a user, in the order of their names.
    fn organisations_of(user: AccountId) -> Vec<Member>;
}

impl Tx {
    /// Makes a user a member, or changes what they may do.
    pub async fn set_member(
        &mut self,
        organisation: AccountId,
        user: AccountId,
        role: Role,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO members (organisation, account, role) VALUES ($1, $2, $3)
             ON CONFLICT (organisation, account) DO UPDATE SET role = excluded.role",
        )
        .bind(organisation.0)
        .bind(user.0)
        .bind(role.as_str());
        self.change("set_member", query).await?;
        Ok(())
    }

    /// Ends a membership. The answer is whether there was one.
    pub async fn remove_member(
        &mut self,
        organisation: AccountId,
        user: AccountId,
    ) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM members WHERE organisation = $1 AND account = $2")
            .bind(organisation.0)
            .bind(user.0);
        Ok(self.change("remove_member", query).await? > 0)
    }
}

pub(crate) async fn role_in(
    connection: &mut Connection,
    organisation: AccountId,
    user: AccountId,
) -> sqlx::Result<Option<Role>> {
    let query = "SELECT role FROM members WHERE organisation = $1 AND account = $2";
    let row = sql::query(query)
        .bind(organisation.0)
        .bind(user.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).parse()).transpose()
}

async fn members_of(
    connection: &mut Connection,
    organisation: AccountId,
) -> sqlx::Result<Vec<Member>> {
    let query = concat!(
        "SELECT ",
        account_columns!(),
        ", m.role FROM members m JOIN accounts a ON a.id = m.account
          WHERE m.organisation = $1 ORDER BY a.name_lower"
    );
    read_members(connection, query, organisation).await
}

async fn organisations_of(
    connection: &mut Connection,
    user: AccountId,
) -> sqlx::Result<Vec<Member>> {
    let query = concat!(
        "SELECT ",
        account_columns!(),
        ", m.role FROM members m JOIN accounts a ON a.id = m.organisation
          WHERE m.account = $1 ORDER BY a.name_lower"
    );
    read_members(connection, query, user).await
}

async fn read_members(
    connection: &mut Connection,
    query: &'static str,
    id: AccountId,
) -> sqlx::Result<Vec<Member>> {
    let rows = sql::query(query).bind(id.0).fetch_all(connection).await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(Member {
            account: read_account(&mut cells)?,
            role: cells.parse()?,
        })
    };
    rows.iter().map(read).collect()
}
