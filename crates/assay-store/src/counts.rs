use crate::backend::Connection;
use crate::row::Cells;
use crate::sql;

/// The totals of the hub, for its metrics and its first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Users.
    pub users: u64,
    /// Organisations.
    pub organisations: u64,
    /// Model repositories.
    pub models: u64,
    /// Dataset repositories.
    pub datasets: u64,
    /// Valid benchmarks.
    pub benchmarks: u64,
    /// Discussions that are not pull requests.
    pub discussions: u64,
    /// Pull requests.
    pub pulls: u64,
    /// Current entries.
    pub entries: u64,
    /// Current entries whose token holds.
    pub verified: u64,
    /// Every Eval Ever records.
    pub records: u64,
}

/// The totals that everyone sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PublicCounts {
    /// Models.
    pub models: u64,
    /// Valid benchmarks.
    pub benchmarks: u64,
    /// Current entries of these models.
    pub entries: u64,
    /// Those whose token holds.
    pub verified: u64,
}

questions! {
    /// The size of the database, in bytes.
    fn database_bytes() -> u64;
    /// Returns the totals of everything.
    fn counts() -> Counts;
    /// Returns the totals of everything public.
    fn public_counts() -> PublicCounts;
}

async fn counts(connection: &mut Connection) -> sqlx::Result<Counts> {
    let query = "SELECT
        (SELECT COUNT(*) FROM accounts WHERE kind = 'user'),
        (SELECT COUNT(*) FROM accounts WHERE kind = 'org'),
        (SELECT COUNT(*) FROM repositories WHERE kind = 'model'),
        (SELECT COUNT(*) FROM repositories WHERE kind = 'dataset'),
        (SELECT COUNT(*) FROM benchmarks WHERE valid),
        (SELECT COUNT(*) FROM discussions WHERE NOT pull),
        (SELECT COUNT(*) FROM discussions WHERE pull),
        (SELECT COUNT(*) FROM entries WHERE until_ms IS NULL),
        (SELECT COUNT(*) FROM entries WHERE until_ms IS NULL AND verified),
        (SELECT COUNT(*) FROM records)";
    let row = sql::query(query).fetch_one(connection).await?;
    let mut cells = Cells::of(&row);
    Ok(Counts {
        users: cells.number()?,
        organisations: cells.number()?,
        models: cells.number()?,
        datasets: cells.number()?,
        benchmarks: cells.number()?,
        discussions: cells.number()?,
        pulls: cells.number()?,
        entries: cells.number()?,
        verified: cells.number()?,
        records: cells.number()?,
    })
}

async fn public_counts(connection: &mut Connection) -> sqlx::Result<PublicCounts> {
    // Nearly all are to be seen, so those that are not are counted and taken away: an index alone
    // counts the rest.
    let query = "SELECT
        (SELECT COUNT(*) FROM repositories WHERE kind = 'model' AND NOT private AND NOT disabled),
        (SELECT COUNT(*) FROM benchmarks b JOIN repositories r ON r.repo = b.repo
         WHERE b.valid AND NOT r.private AND NOT r.disabled),
        (SELECT COUNT(*) FROM entries WHERE until_ms IS NULL)
        - (SELECT COUNT(*) FROM entries WHERE until_ms IS NULL
           AND repo IN (SELECT repo FROM repositories WHERE private OR disabled)),
        (SELECT COUNT(*) FROM entries WHERE until_ms IS NULL AND verified)
        - (SELECT COUNT(*) FROM entries WHERE until_ms IS NULL AND verified
           AND repo IN (SELECT repo FROM repositories WHERE private OR disabled))";
    let row = sql::query(query).fetch_one(connection).await?;
    let mut cells = Cells::of(&row);
    Ok(PublicCounts {
        models: cells.number()?,
        benchmarks: cells.number()?,
        entries: cells.number()?,
        verified: cells.number()?,
    })
}

async fn database_bytes(connection: &mut Connection) -> sqlx::Result<u64> {
    let statement = match connection {
        Connection::Sqlite(_) => {
            "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        }
        Connection::Postgres(_) => "SELECT pg_database_size(current_database())",
    };
    let row = sql::query(statement).fetch_one(connection).await?;
    Cells::of(&row).number()
}
