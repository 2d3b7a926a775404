use assay_model::{Role, Timestamp};

use crate::backend::Connection;
use crate::row::Cells;
use crate::{AccountId, Error, Sha256, Taken, TokenId, Tx, sql};

/// Number of a sign-in by device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceCodeId(pub i64);

/// A sign-in by device code (RFC 8628) that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCode {
    /// Its number.
    pub id: DeviceCodeId,
    /// The time at which it expires.
    pub expires: Timestamp,
    /// The time of the last poll by the device.
    pub polled: Option<Timestamp>,
    /// True if somebody denied it.
    pub denied: bool,
    /// The approval; none until then.
    pub approved: Option<DeviceApproval>,
}

/// An approval for a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceApproval {
    /// The account that approved.
    pub account: AccountId,
    /// The most that the token of the device allows.
    pub scope: Role,
    /// The token that whoever approved it signed in with, which the new token ends with.
    pub parent: Option<TokenId>,
}

questions! {
    /// The sign-in whose device code has this hash, expired ones too.
    fn device_code(hash: &Sha256) -> Option<DeviceCode>;
    /// The sign-in whose user code has this hash, expired ones too.
    fn device_code_of_user(hash: &Sha256) -> Option<DeviceCode>;
    /// Returns the number of sign-ins by device code that are kept.
    fn count_device_codes() -> i64;
}

impl Tx {
    /// Adds a sign-in by device code and forgets those that have expired. [`Error::Taken`] when a
    /// code exists.
    pub async fn add_device_code(
        &mut self,
        device: &Sha256,
        user: &Sha256,
        now: Timestamp,
        expires: Timestamp,
    ) -> Result<DeviceCodeId, Error> {
        let doing = "add_device_code";
        let query =
            sql::query("DELETE FROM device_codes WHERE expires_ms <= $1").bind(now.millis());
        self.quietly(doing, query).await?;
        let query = sql::query(
            "INSERT INTO device_codes (device_hash, user_hash, expires_ms, denied)
             VALUES ($1, $2, $3, FALSE) RETURNING id",
        )
        .bind(device.as_bytes().as_slice())
        .bind(user.as_bytes().as_slice())
        .bind(expires.millis());
        let id = self.add(doing, Taken::DeviceCode, query).await?;
        Ok(DeviceCodeId(id.unwrap_or_default()))
    }

    /// Notes when a device asked.
    pub async fn note_device_poll(&mut self, id: DeviceCodeId, at: Timestamp) -> Result<(), Error> {
        let query = sql::query("UPDATE device_codes SET polled_ms = $2 WHERE id = $1")
            .bind(id.0)
            .bind(at.millis());
        self.quietly("note_device_poll", query).await?;
        Ok(())
    }

    /// Approves a sign-in that nobody approved or denied before. Returns whether there was one.
    pub async fn approve_device_code(
        &mut self,
        id: DeviceCodeId,
        approval: &DeviceApproval,
    ) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE device_codes SET account = $2, scope = $3, parent = $4
             WHERE id = $1 AND account IS NULL AND NOT denied",
        )
        .bind(id.0)
        .bind(approval.account.0)
        .bind(approval.scope.as_str())
        .bind(approval.parent.map(|parent| parent.0));
        Ok(self.quietly("approve_device_code", query).await? > 0)
    }

    /// Denies a sign-in that nobody approved or denied before. Returns whether there was one.
    pub async fn deny_device_code(&mut self, id: DeviceCodeId) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE device_codes SET denied = TRUE WHERE id = $1 AND account IS NULL AND NOT denied",
        )
        .bind(id.0);
        Ok(self.quietly("deny_device_code", query).await? > 0)
    }

    /// Removes a sign-in. Returns whether there was one: of two that race, one gets it.
    pub async fn remove_device_code(&mut self, id: DeviceCodeId) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM device_codes WHERE id = $1").bind(id.0);
        Ok(self.quietly("remove_device_code", query).await? > 0)
    }
}

fn read_device_code(cells: &mut Cells<'_>) -> sqlx::Result<DeviceCode> {
    let id = DeviceCodeId(cells.get()?);
    let expires = cells.time()?;
    let polled = cells.time_option()?;
    let denied = cells.get()?;
    let account: Option<i64> = cells.get()?;
    let scope: Option<String> = cells.get()?;
    let parent: Option<i64> = cells.get()?;
    let scope = scope.and_then(|scope| scope.parse::<Role>().ok());
    let approved = account.zip(scope).map(|(account, scope)| DeviceApproval {
        account: AccountId(account),
        scope,
        parent: parent.map(TokenId),
    });
    Ok(DeviceCode {
        id,
        expires,
        polled,
        denied,
        approved,
    })
}

macro_rules! select_device_code {
    ($condition:literal) => {
        concat!(
            "SELECT id, expires_ms, polled_ms, denied, account, scope, parent FROM device_codes WHERE ",
            $condition
        )
    };
}

async fn device_code(
    connection: &mut Connection,
    hash: &Sha256,
) -> sqlx::Result<Option<DeviceCode>> {
    let row = sql::query(select_device_code!("device_hash = $1"))
        .bind(hash.as_bytes().as_slice())
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_device_code(&mut Cells::of(&row)))
        .transpose()
}

async fn device_code_of_user(
    connection: &mut Connection,
    hash: &Sha256,
) -> sqlx::Result<Option<DeviceCode>> {
    let row = sql::query(select_device_code!("user_hash = $1"))
        .bind(hash.as_bytes().as_slice())
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_device_code(&mut Cells::of(&row)))
        .transpose()
}

async fn count_device_codes(connection: &mut Connection) -> sqlx::Result<i64> {
    sql::query_scalar("SELECT COUNT(*) FROM device_codes")
        .fetch_one(connection)
        .await
}
