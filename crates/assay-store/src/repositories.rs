use assay_model::{RepoId, RepoKey, RepoKind, Timestamp};

use crate::backend::Connection;
use crate::row::Cells;
use crate::{AccountId, Error, Taken, Tx, sql};

/// A repository, as the hub knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The identifier of the repository.
    pub key: RepoKey,
    /// Its identity to the world outside, drawn at random when it was made. No other repository
    /// ever has it.
    pub uid: [u8; 16],
    /// The kind of the repository.
    pub kind: RepoKind,
    /// Its name at the moment.
    pub id: RepoId,
    /// The account of its namespace.
    pub owner: AccountId,
    /// The creator, unless that account is gone.
    pub creator: Option<AccountId>,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The time of the last change in it.
    pub updated: Timestamp,
    /// The settings of its owner.
    pub settings: Settings,
}

/// The settings that the owner of a repository can change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// True if only those with access see it.
    pub private: bool,
    /// A description in a sentence.
    pub description: Option<String>,
    /// True if readers ask for access first.
    pub gate: Gate,
    /// True if the operator has closed it.
    pub disabled: bool,
}

/// A choice whether readers ask for access first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gate {
    /// They do not.
    #[default]
    Open,
    /// They ask, and are let in at once.
    Auto,
    /// They ask, and the owner decides.
    Manual,
}

/// A repository that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRepository {
    /// The kind of the repository.
    pub kind: RepoKind,
    /// Its name, with a namespace.
    pub id: RepoId,
    /// The account of its namespace.
    pub owner: AccountId,
    /// The creator.
    pub creator: Option<AccountId>,
    /// Time at which it is made.
    pub created: Timestamp,
    /// The settings of its owner.
    pub settings: Settings,
}

/// The answer for a name, which takes the same work whether there is a repository of the name or
/// not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedUp {
    /// The repository of the name, or any other in place of one that is missing.
    pub found: LocatedRepository,
    /// True if there is no repository of the name, and this is another one.
    pub is_stand_in: bool,
}

/// A repository that was asked for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedRepository {
    /// The repository.
    pub repository: Repository,
    /// True if the name is one that it had before.
    pub moved: bool,
}

impl Gate {
    /// Every kind of gate.
    pub const ALL: [Self; 3] = [Self::Open, Self::Auto, Self::Manual];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

words!(Gate, "`open`, `auto` or `manual`");

questions! {
    /// The repository of this key.
    fn repository(key: RepoKey) -> Option<Repository>;
    /// The repository that has this name in any case, or that had it last.
    fn find_repository(kind: RepoKind, id: &RepoId) -> Option<LocatedRepository>;
    /// The same for strangers, who must not learn from the time it takes whether there is one:
    /// where there is none, the row of another is read. None when there are no repositories at all.
    fn look_up_repository(kind: RepoKind, id: &RepoId) -> Option<LookedUp>;
    /// The repository of this identity.
    fn repository_of_uid(uid: &[u8; 16]) -> Option<Repository>;
    /// The keys of all repositories, in order, those after a key when one is given.
    fn repository_keys(after: Option<RepoKey>, limit: u32) -> Vec<RepoKey>;
    /// The kind and the identity of every repository that everybody may see.
    fn public_repositories() -> Vec<(RepoKind, [u8; 16])>;
    /// Returns the number of repositories of an account.
    fn repositories_owned(owner: AccountId) -> u64;
}

impl Tx {
    /// Makes a repository and takes the name from any that had it before. [`Error::Taken`] when one
    /// of this kind has the name in any case.
    ///
    /// The key is new among all that were ever committed. A transaction that is rolled back gives
    /// its key back, so a directory of that key that is found when a repository is made is the
    /// remains of a crash.
    pub async fn add_repository(&mut self, new: &NewRepository) -> Result<RepoKey, Error> {
        let query = sql::query(
            "INSERT INTO repositories (kind, name, name_lower, namespace_lower, owner, creator, created_ms, updated_ms,
                 private, description, gated, disabled, uid)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, randomblob(16)) RETURNING repo",
        )
        .bind(new.kind.as_str())
        .bind(new.id.as_str())
        .bind(lower(&new.id))
        .bind(namespace(&new.id))
        .bind(new.owner.0)
        .bind(new.creator.map(|creator| creator.0))
        .bind(new.created.millis())
        .bind(new.settings.private)
        .bind(&new.settings.description)
        .bind(new.settings.gate.as_str())
        .bind(new.settings.disabled);
        let key = self.add("add_repository", Taken::Repository, query).await?;
        self.forget_name(new.kind, &new.id).await?;
        Ok(RepoKey(key.unwrap_or_default()))
    }

    /// Gives a repository the identity that it had before its record was lost. [`Error::Taken`]
    /// when another has it.
    pub async fn set_uid(&mut self, key: RepoKey, uid: &[u8; 16]) -> Result<(), Error> {
        let query = sql::query("UPDATE repositories SET uid = $2 WHERE repo = $1")
            .bind(key.0)
            .bind(uid.to_vec());
        self.insert("set_uid", Taken::Repository, query).await
    }

    /// Gives a repository another name, and redirects the old one to it. [`Error::Taken`] when
    /// another has the name. The answer is whether it exists.
    pub async fn rename_repository(
        &mut self,
        key: RepoKey,
        id: &RepoId,
        owner: AccountId,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let Some(before) = self.repository(key).await? else {
            return Ok(false);
        };
        let query = sql::query(
            "UPDATE repositories SET name = $2, name_lower = $3, namespace_lower = $4, owner = $5, updated_ms = $6
             WHERE repo = $1 RETURNING repo",
        )
        .bind(key.0)
        .bind(id.as_str())
        .bind(lower(id))
        .bind(namespace(id))
        .bind(owner.0)
        .bind(at.max(before.updated).millis());
        self.add("rename_repository", Taken::Repository, query)
            .await?;
        self.forget_name(before.kind, id).await?;
        // A change of case is no change of name: both find the repository as it is.
        if lower(&before.id) != lower(id) {
            self.add_redirect(before.kind, &before.id, key).await?;
        }
        Ok(true)
    }

    /// Writes what an owner can set. The answer is whether the repository exists.
    pub async fn set_repository(
        &mut self,
        key: RepoKey,
        settings: &Settings,
    ) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE repositories SET private = $2, description = $3, gated = $4, disabled = $5 WHERE repo = $1",
        )
        .bind(key.0)
        .bind(settings.private)
        .bind(&settings.description)
        .bind(settings.gate.as_str())
        .bind(settings.disabled);
        Ok(self.change("set_repository", query).await? > 0)
    }

    /// Writes when something in a repository changed, unless a later change is known.
    pub async fn touch_repository(&mut self, key: RepoKey, at: Timestamp) -> Result<(), Error> {
        let query = sql::query(
            "UPDATE repositories SET updated_ms = $2 WHERE repo = $1 AND updated_ms < $2",
        )
        .bind(key.0)
        .bind(at.millis());
        self.change("touch_repository", query).await?;
        Ok(())
    }

    /// Removes a repository with everything about it: discussions, redirects, index. The answer is
    /// whether it existed.
    pub async fn remove_repository(&mut self, key: RepoKey) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM repositories WHERE repo = $1").bind(key.0);
        Ok(self.change("remove_repository", query).await? > 0)
    }
}

/// A name as it is compared.
pub(crate) fn lower(id: &RepoId) -> String {
    id.as_str().to_ascii_lowercase()
}

fn namespace(id: &RepoId) -> String {
    id.namespace().unwrap_or_default().to_ascii_lowercase()
}

/// The columns that [`read_repository`] reads, of a table called `r`.
macro_rules! repository_columns {
    () => {
        "r.repo, r.kind, r.name, r.owner, r.creator, r.created_ms, r.updated_ms, r.private, r.description, r.gated, \
         r.disabled, r.uid"
    };
}
pub(crate) use repository_columns;

pub(crate) fn read_repository(cells: &mut Cells<'_>) -> sqlx::Result<Repository> {
    Ok(Repository {
        key: RepoKey(cells.get()?),
        kind: cells.parse()?,
        id: cells.parse()?,
        owner: AccountId(cells.get()?),
        creator: cells.get::<Option<i64>>()?.map(AccountId),
        created: cells.time()?,
        updated: cells.time()?,
        settings: Settings {
            private: cells.get()?,
            description: cells.get()?,
            gate: cells.parse()?,
            disabled: cells.get()?,
        },
        uid: cells.bytes()?,
    })
}

pub(crate) async fn repository(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Option<Repository>> {
    let query = concat!(
        "SELECT ",
        repository_columns!(),
        " FROM repositories r WHERE r.repo = $1"
    );
    let row = sql::query(query)
        .bind(key.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_repository(&mut Cells::of(&row)))
        .transpose()
}

async fn repository_of_uid(
    connection: &mut Connection,
    uid: &[u8; 16],
) -> sqlx::Result<Option<Repository>> {
    let query = concat!(
        "SELECT ",
        repository_columns!(),
        " FROM repositories r WHERE r.uid = $1"
    );
    let row = sql::query(query)
        .bind(uid.to_vec())
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_repository(&mut Cells::of(&row)))
        .transpose()
}

async fn find_repository(
    connection: &mut Connection,
    kind: RepoKind,
    id: &RepoId,
) -> sqlx::Result<Option<LocatedRepository>> {
    // A name is held by a repository or redirects to one, never both: whoever takes it ends the
    // redirect.
    let query = concat!(
        "SELECT ",
        repository_columns!(),
        ", r.name_lower <> $2 FROM repositories r WHERE r.repo = COALESCE(
             (SELECT repo FROM repositories WHERE kind = $1 AND name_lower = $2),
             (SELECT repo FROM redirects WHERE kind = $1 AND name_lower = $2))"
    );
    let row = sql::query(query)
        .bind(kind.as_str())
        .bind(lower(id))
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some(LocatedRepository {
        repository: read_repository(&mut cells)?,
        moved: cells.get()?,
    }))
}

async fn look_up_repository(
    connection: &mut Connection,
    kind: RepoKind,
    id: &RepoId,
) -> sqlx::Result<Option<LookedUp>> {
    let query = concat!(
        "SELECT ",
        repository_columns!(),
        ", r.name_lower <> $2, n.own IS NULL AND n.former IS NULL FROM (SELECT
             (SELECT repo FROM repositories WHERE kind = $1 AND name_lower = $2) AS own,
             (SELECT repo FROM redirects WHERE kind = $1 AND name_lower = $2) AS former) n
         JOIN repositories r ON r.repo = COALESCE(n.own, n.former, (SELECT MIN(repo) FROM repositories))"
    );
    let row = sql::query(query)
        .bind(kind.as_str())
        .bind(lower(id))
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some(LookedUp {
        found: LocatedRepository {
            repository: read_repository(&mut cells)?,
            moved: cells.get()?,
        },
        is_stand_in: cells.get()?,
    }))
}

async fn repository_keys(
    connection: &mut Connection,
    after: Option<RepoKey>,
    limit: u32,
) -> sqlx::Result<Vec<RepoKey>> {
    let query = "SELECT repo FROM repositories WHERE repo > $1 ORDER BY repo LIMIT $2";
    let keys: Vec<i64> = sql::query_scalar(query)
        .bind(after.map_or(0, |key| key.0))
        .bind(limit)
        .fetch_all(connection)
        .await?;
    Ok(keys.into_iter().map(RepoKey).collect())
}

async fn public_repositories(
    connection: &mut Connection,
) -> sqlx::Result<Vec<(RepoKind, [u8; 16])>> {
    let query = "SELECT r.kind, r.uid FROM repositories r WHERE NOT r.private AND NOT r.disabled";
    let rows = sql::query(query).fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
            let mut cells = Cells::of(row);
            Ok((cells.parse()?, cells.bytes()?))
        })
        .collect()
}

async fn repositories_owned(connection: &mut Connection, owner: AccountId) -> sqlx::Result<u64> {
    let query = "SELECT COUNT(*) FROM repositories WHERE owner = $1";
    let row = sql::query(query)
        .bind(owner.0)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}
