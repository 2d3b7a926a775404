use std::collections::BTreeMap;

use assay_model::{RepoKey, Timestamp};

use crate::backend::Connection;
use crate::row::{Cells, to_json};
use crate::{Error, Taken, TokenId, Tx, sql};

/// Number of a trusted publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublisherId(pub i64);

/// A workload that may write to a repository without a stored secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedPublisher {
    /// Its number.
    pub id: PublisherId,
    /// The repository that it may write to.
    pub repo: RepoKey,
    /// The token whose rights it has and that all its tokens end with.
    pub token: TokenId,
    /// The issuer of its ID tokens.
    pub issuer: String,
    /// The claims that its ID tokens must have, each with exactly this value.
    pub claims: BTreeMap<String, String>,
    /// Time at which it was added.
    pub created: Timestamp,
}

/// A trusted publisher that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTrustedPublisher {
    /// The repository that it may write to.
    pub repo: RepoKey,
    /// The token whose rights it has.
    pub token: TokenId,
    /// The issuer of its ID tokens.
    pub issuer: String,
    /// The claims that its ID tokens must have.
    pub claims: BTreeMap<String, String>,
    /// Time at which it is added.
    pub created: Timestamp,
}

questions! {
    /// The trusted publishers of a repository, oldest first.
    fn trusted_publishers_of(repo: RepoKey) -> Vec<TrustedPublisher>;
}

impl Tx {
    /// Adds a trusted publisher.
    pub async fn add_trusted_publisher(
        &mut self,
        new: &NewTrustedPublisher,
    ) -> Result<PublisherId, Error> {
        let doing = "add_trusted_publisher";
        let claims = to_json(&new.claims).map_err(|error| Error::of(doing, error))?;
        let query = sql::query(
            "INSERT INTO trusted_publishers (repo, token, issuer, claims, created_ms)
             VALUES ($1, $2, $3, $4, $5) RETURNING id",
        )
        .bind(new.repo.0)
        .bind(new.token.0)
        .bind(&new.issuer)
        .bind(claims)
        .bind(new.created.millis());
        let id = self.add(doing, Taken::Publisher, query).await?;
        Ok(PublisherId(id.unwrap_or_default()))
    }

    /// Removes a trusted publisher. Returns whether there was one.
    pub async fn remove_trusted_publisher(&mut self, id: PublisherId) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM trusted_publishers WHERE id = $1").bind(id.0);
        Ok(self.change("remove_trusted_publisher", query).await? > 0)
    }

    /// Deletes the tokens that were made with this one and have expired, unless others were made
    /// with them.
    pub async fn forget_expired_tokens(
        &mut self,
        parent: TokenId,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let query = sql::query(
            "DELETE FROM tokens WHERE parent = $1 AND expires_ms <= $2
             AND id NOT IN (SELECT parent FROM tokens WHERE parent IS NOT NULL)",
        )
        .bind(parent.0)
        .bind(now.millis());
        self.quietly("forget_expired_tokens", query).await
    }
}

async fn trusted_publishers_of(
    connection: &mut Connection,
    repo: RepoKey,
) -> sqlx::Result<Vec<TrustedPublisher>> {
    let rows = sql::query(
        "SELECT id, repo, token, issuer, claims, created_ms FROM trusted_publishers
         WHERE repo = $1 ORDER BY id",
    )
    .bind(repo.0)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            let mut cells = Cells::of(row);
            Ok(TrustedPublisher {
                id: PublisherId(cells.get()?),
                repo: RepoKey(cells.get()?),
                token: TokenId(cells.get()?),
                issuer: cells.get()?,
                claims: cells.json()?,
                created: cells.time()?,
            })
        })
        .collect()
}
