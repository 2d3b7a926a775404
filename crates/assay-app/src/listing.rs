use assay_model::RepoKind;
use assay_store::{BenchmarkFilter, Cursor, Filter, Sort, Viewer};

use crate::access::{Caller, CallerKind};
use crate::error::Error;
use crate::repo_info::RepoInfo;
use crate::services::RepositoryService;

/// The tag of a dataset that is a benchmark. It is computed; a card that claims it is not believed.
pub(crate) const BENCHMARK_TAG: &str = "benchmark";
/// The tag of a benchmark that the operator has listed.
pub(crate) const OFFICIAL_TAG: &str = "benchmark:official";
/// Number of repositories that a page has unless told otherwise.
const DEFAULT_PAGE: usize = 100;
/// Number of repositories that a page has at most.
const MAX_PAGE: usize = 1000;

/// A request for a list of repositories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// The kind of the repositories.
    pub kind: RepoKind,
    /// The namespace.
    pub author: Option<String>,
    /// Parts of the name, all of them.
    pub search: Vec<String>,
    /// Tags, all of them.
    pub tags: Vec<String>,
    /// The order.
    pub sort: ListSort,
    /// The most repositories on a page.
    pub limit: Option<usize>,
    /// The end of the last page.
    pub cursor: Option<String>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ListSort {
    /// Newest first.
    #[default]
    Created,
    /// Last changed first.
    Updated,
    /// By name.
    Name,
}

/// Some repositories.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The repositories.
    pub repositories: Vec<RepoInfo>,
    /// The end of this page, when there are more.
    pub next: Option<String>,
}

impl RepositoryService<'_> {
    /// Repositories that the caller may see.
    pub async fn list(self, caller: &Caller, query: &ListQuery) -> Result<ListPage, Error> {
        let filter = self.filter(caller, query).await?;
        let page = self.hub.store.repositories(&filter).await?;
        let repositories = page.items.into_iter().filter_map(|listed| {
            // A repository without a commit on main is being made at this moment.
            let head = listed.head?;
            Some(RepoInfo::of(listed, head))
        });
        Ok(ListPage {
            repositories: repositories.collect(),
            next: page.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Counts the repositories of an account that the caller may see.
    pub async fn count_repositories(
        self,
        caller: &Caller,
        kind: RepoKind,
        author: &str,
    ) -> Result<u64, Error> {
        let query = ListQuery {
            kind,
            author: Some(author.to_owned()),
            search: Vec::new(),
            tags: Vec::new(),
            sort: ListSort::default(),
            limit: None,
            cursor: None,
        };
        let filter = self.filter(caller, &query).await?;
        Ok(self.hub.store.count_repositories(&filter).await?)
    }

    /// Lists the repositories of the caller, or of an organisation that they are a member of, with
    /// the bytes that each takes.
    pub async fn stored_repositories(
        self,
        caller: &Caller,
        organisation: Option<&str>,
    ) -> Result<Vec<(RepoInfo, u64)>, Error> {
        let author = match organisation {
            Some(name) => {
                self.hub.accounts().members(caller, name).await?;
                name.to_owned()
            }
            None => caller.signed_in()?.name.clone(),
        };
        let mut stored = Vec::new();
        for kind in [RepoKind::Model, RepoKind::Dataset] {
            let mut query = ListQuery {
                kind,
                author: Some(author.clone()),
                search: Vec::new(),
                tags: Vec::new(),
                sort: ListSort::Name,
                limit: Some(MAX_PAGE),
                cursor: None,
            };
            loop {
                let page = self.list(caller, &query).await?;
                for info in page.repositories {
                    // A token for some repositories shows those alone.
                    let Ok(repo) = self.hub.repo(caller, kind, &info.id).await else {
                        continue;
                    };
                    let used = self.hub.storage_of(repo.key).await?;
                    stored.push((info, used.bytes()));
                }
                if page.next.is_none() {
                    break;
                }
                query.cursor = page.next;
            }
        }
        Ok(stored)
    }

    async fn filter(self, caller: &Caller, query: &ListQuery) -> Result<Filter, Error> {
        let limit = query.limit.unwrap_or(DEFAULT_PAGE).clamp(1, MAX_PAGE);
        let (computed, tags): (Vec<&String>, Vec<&String>) = query
            .tags
            .iter()
            .partition(|tag| [BENCHMARK_TAG, OFFICIAL_TAG].contains(&tag.as_str()));
        let official = computed.iter().any(|tag| *tag == OFFICIAL_TAG);
        let benchmark = (!computed.is_empty()).then_some(if official {
            BenchmarkFilter::Official
        } else {
            BenchmarkFilter::Any
        });
        let after = match &query.cursor {
            None => None,
            Some(text) => {
                let cursor: Cursor = text
                    .parse()
                    .map_err(|error: assay_store::CursorError| Error::Invalid(error.to_string()))?;
                Some(cursor)
            }
        };
        Ok(Filter {
            kind: query.kind,
            author: query.author.clone(),
            search: query.search.clone(),
            tags: tags.into_iter().cloned().collect(),
            benchmark,
            viewer: self.viewer(caller).await?,
            sort: match query.sort {
                ListSort::Created => Sort::Created,
                ListSort::Updated => Sort::Updated,
                ListSort::Name => Sort::Name,
            },
            after,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        })
    }

    /// Whose private repositories a caller sees: what `access::decide` answers for `Need::Read`,
    /// for all repositories at once.
    pub(crate) async fn viewer(self, caller: &Caller) -> Result<Viewer, Error> {
        let user = match &caller.inner {
            CallerKind::Anonymous => return Ok(Viewer::default()),
            CallerKind::Shell => return Ok(sees_all()),
            CallerKind::User(user) if user.operator => return Ok(sees_all()),
            CallerKind::User(user) => user,
        };
        let organisations = self.hub.store.organisations_of(user.account).await?;
        let others = organisations.into_iter().map(|member| member.account.id);
        Ok(Viewer {
            sees_all: false,
            accounts: std::iter::once(user.account).chain(others).collect(),
        })
    }
}

fn sees_all() -> Viewer {
    Viewer {
        sees_all: true,
        accounts: Vec::new(),
    }
}
