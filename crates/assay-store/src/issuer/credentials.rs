use assay_model::Timestamp;

use crate::backend::{Connection, Row};
use crate::row::Cells;
use crate::{Error, Sha256, Taken, Tx, sql};

/// Something that an identity proves with who it is: the hash of a secret, or a public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerCredential {
    /// Its public part.
    pub id: String,
    /// The integration of its identity.
    pub integration: String,
    /// The name of its identity.
    pub name: String,
    /// The kind of the credential.
    pub kind: CredentialKind,
    /// The label that its owner gave it.
    pub label: String,
    /// The hash of a secret.
    pub hash: Option<Sha256>,
    /// A public key, as a JWK.
    pub jwk: Option<String>,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Timestamp,
    /// The time of its last use, to the precision that the caller writes.
    pub last_used: Option<Timestamp>,
    /// Time at which it was revoked.
    pub revoked: Option<Timestamp>,
}

/// A kind of credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// The hash of a personal token.
    Personal,
    /// The hash of the secret of a client.
    Client,
    /// The public key of a client.
    Key,
}

impl CredentialKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Personal, Self::Client, Self::Key];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Client => "client",
            Self::Key => "key",
        }
    }
}

words!(CredentialKind, "`personal`, `client` or `key`");

questions! {
    /// A credential by its public part, revoked and expired ones too.
    fn issuer_credential(id: &str) -> Option<IssuerCredential>;
    /// The credentials of an identity, newest first, revoked and expired ones too.
    fn issuer_credentials(integration: &str, name: &str) -> Vec<IssuerCredential>;
    /// Every credential, by identity.
    fn all_issuer_credentials() -> Vec<IssuerCredential>;
}

impl Tx {
    /// Keeps a credential. [`Error::Taken`] when its public part exists.
    pub async fn add_credential(&mut self, new: &IssuerCredential) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO credentials (id, integration, name, kind, label, hash, jwk, created_ms, expires_ms)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(&new.id)
        .bind(&new.integration)
        .bind(&new.name)
        .bind(new.kind.as_str())
        .bind(&new.label)
        .bind(new.hash.as_ref().map(|hash| hash.as_bytes().as_slice()))
        .bind(&new.jwk)
        .bind(new.created.millis())
        .bind(new.expires.millis());
        self.quietly_add("add_credential", Taken::Token, query)
            .await
    }

    /// Writes when a credential was used; how often that is done is for the caller to limit.
    pub async fn touch_credential(&mut self, id: &str, used: Timestamp) -> Result<(), Error> {
        let query = sql::query("UPDATE credentials SET last_used_ms = $2 WHERE id = $1")
            .bind(id)
            .bind(used.millis());
        self.quietly("touch_credential", query).await?;
        Ok(())
    }

    /// Revokes a credential. The answer is whether it existed and was not revoked before.
    pub async fn revoke_credential(&mut self, id: &str, at: Timestamp) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE credentials SET revoked_ms = $2 WHERE id = $1 AND revoked_ms IS NULL",
        )
        .bind(id)
        .bind(at.millis());
        Ok(self.quietly("revoke_credential", query).await? > 0)
    }
}

macro_rules! columns {
    () => {
        "SELECT id, integration, name, kind, label, hash, jwk, created_ms, expires_ms, last_used_ms, revoked_ms FROM credentials "
    };
}

async fn issuer_credential(
    connection: &mut Connection,
    id: &str,
) -> sqlx::Result<Option<IssuerCredential>> {
    let row = sql::query(concat!(columns!(), "WHERE id = $1"))
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read(&row)).transpose()
}

async fn issuer_credentials(
    connection: &mut Connection,
    integration: &str,
    name: &str,
) -> sqlx::Result<Vec<IssuerCredential>> {
    let query = concat!(
        columns!(),
        "WHERE integration = $1 AND name = $2 ORDER BY created_ms DESC, id"
    );
    let rows = sql::query(query)
        .bind(integration)
        .bind(name)
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

async fn all_issuer_credentials(
    connection: &mut Connection,
) -> sqlx::Result<Vec<IssuerCredential>> {
    let query = concat!(
        columns!(),
        "ORDER BY integration, name, created_ms DESC, id"
    );
    let rows = sql::query(query).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> sqlx::Result<IssuerCredential> {
    let mut cells = Cells::of(row);
    Ok(IssuerCredential {
        id: cells.get()?,
        integration: cells.get()?,
        name: cells.get()?,
        kind: cells.parse()?,
        label: cells.get()?,
        hash: hash(&mut cells)?,
        jwk: cells.get()?,
        created: cells.time()?,
        expires: cells.time()?,
        last_used: cells.time_option()?,
        revoked: cells.time_option()?,
    })
}

/// The next column, a hash or nothing.
pub(super) fn hash(cells: &mut Cells<'_>) -> sqlx::Result<Option<Sha256>> {
    let bytes: Option<Vec<u8>> = cells.get()?;
    Ok(bytes
        .and_then(|bytes| bytes.try_into().ok())
        .map(Sha256::from_bytes))
}
