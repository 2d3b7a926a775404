use std::fmt;
use std::str::FromStr;

use assay_model::{ObjectId, RepoId, RepoKey, RepoKind, Timestamp};

use crate::backend::Connection;
use crate::cards::{card_columns, read_card};
use crate::repositories::{lower, read_repository, repository_columns};
use crate::row::Cells;
use crate::sql::Builder;
use crate::{AccountId, Card, Error, Repository, Store, sql};

/// A viewer, as far as private repositories go. Access is decided by the caller; this is the
/// outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Viewer {
    /// True if the viewer sees everything.
    pub sees_all: bool,
    /// The accounts whose private repositories they see.
    pub accounts: Vec<AccountId>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Newest first.
    Created,
    /// Last changed first.
    Updated,
    /// By name, whatever its case.
    Name,
}

/// A filter by benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchmarkFilter {
    /// Datasets with a valid definition.
    Any,
    /// Those among them that the operator has marked.
    Official,
}

/// A filter of repositories. Every condition must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The kind of repository.
    pub kind: RepoKind,
    /// Their namespace, whatever its case.
    pub author: Option<String>,
    /// Texts that their ids contain, whatever their case.
    pub search: Vec<String>,
    /// Tags that their cards have, exactly.
    pub tags: Vec<String>,
    /// A filter by benchmark.
    pub benchmark: Option<BenchmarkFilter>,
    /// The viewer.
    pub viewer: Viewer,
    /// The order.
    pub sort: Sort,
    /// The end of the page before.
    pub after: Option<Cursor>,
    /// The most that a page holds.
    pub limit: u32,
}

/// The end of a page: the sort key of its last repository. Clients pass it on as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cursor {
    /// In a list by [`Sort::Created`].
    Created(Timestamp, RepoKey),
    /// In a list by [`Sort::Updated`].
    Updated(Timestamp, RepoKey),
    /// In a list by [`Sort::Name`].
    Name(RepoId),
}

/// The text is not a cursor that this store has made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is not one that this hub has made")]
pub struct CursorError;

/// Number of repositories that are looked at one by one because of a tag or their names.
const FEW: u32 = 100;

/// A repository in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The repository.
    pub repository: Repository,
    /// The card, when it is indexed.
    pub card: Option<Card>,
    /// The commit of its main branch that is indexed.
    pub head: Option<ObjectId>,
    /// True if it is a benchmark: its definition is valid.
    pub benchmark: bool,
    /// True if the operator has marked it.
    pub official: bool,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The repositories.
    pub items: Vec<Listed>,
    /// The start of the next page, unless this is the last.
    pub next: Option<Cursor>,
}

impl Viewer {
    /// The most accounts that a viewer can belong to in a list.
    pub const MAX_ACCOUNTS: usize = 10_000;
}

impl Filter {
    /// The most texts and tags that a list can be narrowed by.
    pub const MAX_TERMS: usize = 256;

    /// Every public repository of a kind, newest first.
    pub fn new(kind: RepoKind, limit: u32) -> Self {
        Self {
            kind,
            author: None,
            search: Vec::new(),
            tags: Vec::new(),
            benchmark: None,
            viewer: Viewer::default(),
            sort: Sort::Created,
            after: None,
            limit,
        }
    }

    /// The order: that of the cursor, where there is one.
    fn order(&self) -> Sort {
        match self.after {
            None => self.sort,
            Some(Cursor::Created(..)) => Sort::Created,
            Some(Cursor::Updated(..)) => Sort::Updated,
            Some(Cursor::Name(_)) => Sort::Name,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let terms = self.search.len() + self.tags.len();
        if terms > Self::MAX_TERMS || self.viewer.accounts.len() > Viewer::MAX_ACCOUNTS {
            return Err(Error::Filter);
        }
        Ok(())
    }
}

impl Sort {
    /// Returns the end of a page in this order, by its last repository.
    fn after(self, last: &Repository) -> Cursor {
        match self {
            Self::Created => Cursor::Created(last.created, last.key),
            Self::Updated => Cursor::Updated(last.updated, last.key),
            Self::Name => Cursor::Name(last.id.clone()),
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created(at, key) => write!(f, "c{}.{key}", at.millis()),
            Self::Updated(at, key) => write!(f, "u{}.{key}", at.millis()),
            Self::Name(name) => write!(f, "n{name}"),
        }
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let moment = |rest: &str| {
            let (millis, key) = rest.split_once('.')?;
            let millis = Timestamp::from_millis(millis.parse().ok()?);
            Some((millis, RepoKey(key.parse().ok()?)))
        };
        let name = |rest: &str| rest.parse::<RepoId>().ok();
        let cursor = match text.split_at_checked(1) {
            Some(("c", rest)) => moment(rest).map(|(at, key)| Self::Created(at, key)),
            Some(("u", rest)) => moment(rest).map(|(at, key)| Self::Updated(at, key)),
            Some(("n", rest)) => name(rest).map(Self::Name),
            _ => None,
        };
        cursor.ok_or(CursorError)
    }
}

questions! {
    /// One repository as lists show it.
    fn listed(key: RepoKey) -> Option<Listed>;
}

impl Store {
    /// One page of a list. A cursor brings its order with it.
    pub async fn repositories(&self, filter: &Filter) -> Result<Page, Error> {
        filter.check()?;
        let mut reader = self.reader("repositories").await?;
        page(&mut reader, filter)
            .await
            .map_err(|error| Error::of("repositories", error))
    }

    /// Returns the number of repositories of a list on all its pages.
    pub async fn count_repositories(&self, filter: &Filter) -> Result<u64, Error> {
        filter.check()?;
        let mut reader = self.reader("count_repositories").await?;
        count(&mut reader, filter)
            .await
            .map_err(|error| Error::of("count_repositories", error))
    }
}

/// Selects what [`read_listed`] reads, and then the columns given.
macro_rules! select_listed {
    ($more:literal) => {
        concat!(
            "SELECT ",
            repository_columns!(),
            ", ",
            card_columns!(),
            ", h.target, COALESCE(b.valid, FALSE), o.repo IS NOT NULL",
            $more,
            " FROM repositories r LEFT JOIN cards c ON c.repo = r.repo \
             LEFT JOIN indexed_refs h ON h.repo = r.repo AND h.name = 'refs/heads/main' \
             LEFT JOIN benchmarks b ON b.repo = r.repo LEFT JOIN official o ON o.repo = r.repo "
        )
    };
}
pub(crate) use select_listed;

pub(crate) fn read_listed(cells: &mut Cells<'_>) -> sqlx::Result<Listed> {
    Ok(Listed {
        repository: read_repository(cells)?,
        card: read_card(cells)?,
        head: cells.parse_option()?,
        benchmark: cells.get()?,
        official: cells.get()?,
    })
}

async fn listed(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Option<Listed>> {
    let query = concat!(select_listed!(""), "WHERE r.repo = $1");
    let row = sql::query(query)
        .bind(key.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_listed(&mut Cells::of(&row))).transpose()
}

async fn page(connection: &mut Connection, filter: &Filter) -> sqlx::Result<Page> {
    let mut query = Builder::new(select_listed!(""));
    push_conditions(&mut query, filter);
    match few(connection, filter).await?.as_deref() {
        None => {}
        Some([]) => {
            return Ok(Page {
                items: Vec::new(),
                next: None,
            });
        }
        Some(few) => {
            query.push(" AND r.repo IN ").push_list(few);
        }
    }
    push_order(&mut query, filter);
    // One more than the page holds tells whether another page follows.
    query.push(" LIMIT ").push_bind(i64::from(filter.limit) + 1);
    let rows = query.build().fetch_all(connection).await?;
    let mut items = rows
        .iter()
        .map(|row| read_listed(&mut Cells::of(row)))
        .collect::<sqlx::Result<Vec<_>>>()?;
    let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().filter(|_| more);
    let next = last.map(|last| filter.order().after(&last.repository));
    Ok(Page { items, next })
}

/// The repositories among which all that are looked for are, when these are few. An index tells who
/// has a tag or a name with these words without a look at each repository; where there are many,
/// the first that are looked at have enough for a page.
async fn few(connection: &mut Connection, filter: &Filter) -> sqlx::Result<Option<Vec<i64>>> {
    for tag in &filter.tags {
        let mut query = Builder::new("SELECT t.repo FROM card_tags t WHERE t.tag = ");
        query.push_bind(tag);
        let found = at_most_few(connection, query).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    if filter.search.is_empty() {
        return Ok(None);
    }
    let mut query = Builder::new("SELECT r.repo FROM repositories r WHERE r.kind = ");
    query.push_bind(filter.kind.as_str());
    push_words(&mut query, filter);
    at_most_few(connection, query).await
}

async fn at_most_few(
    connection: &mut Connection,
    mut query: Builder<'_>,
) -> sqlx::Result<Option<Vec<i64>>> {
    query.push(" LIMIT ").push_bind(FEW + 1);
    let rows = query.build().fetch_all(connection).await?;
    let found = rows.iter().map(|row| Cells::of(row).get());
    let found = found.collect::<sqlx::Result<Vec<i64>>>()?;
    Ok((found.len() <= FEW as usize).then_some(found))
}

async fn count(connection: &mut Connection, filter: &Filter) -> sqlx::Result<u64> {
    let mut query = Builder::new("SELECT COUNT(*) FROM repositories r ");
    push_conditions(&mut query, filter);
    let row = query.build().fetch_one(connection).await?;
    Cells::of(&row).number()
}

fn push_conditions<'f>(query: &mut Builder<'f>, filter: &'f Filter) {
    query.push("WHERE r.kind = ");
    query.push_bind(filter.kind.as_str());
    push_visibility(query, &filter.viewer);
    if let Some(author) = &filter.author {
        query.push(" AND r.namespace_lower = ");
        query.push_bind(author.to_ascii_lowercase());
    }
    push_words(query, filter);
    for tag in &filter.tags {
        query.push(" AND r.repo IN (SELECT repo FROM card_tags WHERE tag = ");
        query.push_bind(tag).push(")");
    }
    if filter.benchmark.is_some() {
        query.push(" AND r.repo IN (SELECT repo FROM benchmarks WHERE valid)");
    }
    if filter.benchmark == Some(BenchmarkFilter::Official) {
        query.push(" AND r.repo IN (SELECT repo FROM official)");
    }
}

fn push_words<'f>(query: &mut Builder<'f>, filter: &'f Filter) {
    for text in &filter.search {
        query.push(" AND r.name_lower LIKE ");
        query.push_bind(pattern(text)).push(" ESCAPE '!'");
    }
}

fn push_visibility(query: &mut Builder<'_>, viewer: &Viewer) {
    if viewer.sees_all {
        return;
    }
    query.push(" AND (NOT r.private");
    if !viewer.accounts.is_empty() {
        query.push(" OR r.owner IN (");
        for (place, account) in viewer.accounts.iter().enumerate() {
            query.push(if place == 0 { "" } else { ", " });
            query.push_bind(account.0);
        }
        query.push(")");
    }
    query.push(")");
}

fn push_order(query: &mut Builder<'_>, filter: &Filter) {
    match &filter.after {
        None => {}
        Some(Cursor::Created(at, key)) => {
            query.push(" AND (r.created_ms, r.repo) < (");
            query.push_bind(at.millis()).push(", ");
            query.push_bind(key.0).push(")");
        }
        Some(Cursor::Updated(at, key)) => {
            query.push(" AND (r.updated_ms, r.repo) < (");
            query.push_bind(at.millis()).push(", ");
            query.push_bind(key.0).push(")");
        }
        Some(Cursor::Name(id)) => {
            query.push(" AND r.name_lower > ").push_bind(lower(id));
        }
    }
    query.push(match filter.order() {
        Sort::Created => " ORDER BY r.created_ms DESC, r.repo DESC",
        Sort::Updated => " ORDER BY r.updated_ms DESC, r.repo DESC",
        Sort::Name => " ORDER BY r.name_lower",
    });
}

/// A pattern for ids that contain a text. What `LIKE` reads as wild cards is only text here.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_ascii_lowercase().chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
