use assay_model::RepoKind;
use axum::routing::MethodRouter;
use axum::{Extension, Router};

use crate::state::AppState;

/// Pages and what they show, added together: the same rule as for the API, whose document does not
/// list pages.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    router: Router<AppState>,
    told: Vec<(String, &'static str)>,
}

impl Pages {
    /// No pages yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a page and says what it shows.
    pub(crate) fn page(
        mut self,
        path: &str,
        shows: &'static str,
        methods: MethodRouter<AppState>,
    ) -> Self {
        self.told.push((path.to_owned(), shows));
        self.router = self.router.route(path, methods);
        self
    }

    /// Adds the pages of others.
    #[must_use]
    pub(crate) fn merge(mut self, others: Self) -> Self {
        self.told.extend(others.told);
        self.router = self.router.merge(others.router);
        self
    }

    /// The same pages below a path, for repositories of one kind.
    #[must_use]
    pub(crate) fn below(self, path: &str, kind: RepoKind) -> Self {
        let router = self.router.layer(Extension(kind));
        let told = self.told.into_iter();
        Self {
            told: told
                .map(|(own, shows)| (format!("{path}{own}"), shows))
                .collect(),
            router: match path {
                "" => router,
                _ => Router::new().nest(path, router),
            },
        }
    }

    /// Each address with what is shown there.
    #[cfg(feature = "testing")]
    pub(crate) fn told(&self) -> &[(String, &'static str)] {
        &self.told
    }

    /// The service, without what is said of it.
    pub(crate) fn into_router(self) -> Router<AppState> {
        self.router
    }
}
