//! Routes and what is said of them, added together: a route that the document does not describe
//! cannot be added.

use std::collections::BTreeMap;

use assay_model::RepoKind;
use axum::handler::Handler;
use axum::routing::MethodRouter;
use axum::{Extension, Router};
use utoipa::openapi::HttpMethod;

use crate::describe::{Described, RouteDoc, Subject};
use crate::state::AppState;

/// Routes of one subject, or of several when they are merged.
pub(crate) struct Routes {
    subject: Subject,
    router: Router<AppState>,
    described: BTreeMap<String, Vec<Described>>,
}

/// The handlers of one path, method by method.
pub(crate) struct Methods {
    router: MethodRouter<AppState>,
    told: Vec<(HttpMethod, String, RouteDoc)>,
}

/// Answers `GET`, and `HEAD` with it.
pub(crate) fn get<H, T>(handler: H, told: RouteDoc) -> Methods
where
    H: Handler<T, AppState>,
    T: 'static,
{
    Methods::none().get(handler, told)
}

/// Answers `POST`.
pub(crate) fn post<H, T>(handler: H, told: RouteDoc) -> Methods
where
    H: Handler<T, AppState>,
    T: 'static,
{
    Methods::none().post(handler, told)
}

/// Answers `PUT`.
pub(crate) fn put<H, T>(handler: H, told: RouteDoc) -> Methods
where
    H: Handler<T, AppState>,
    T: 'static,
{
    Methods::none().put(handler, told)
}

/// Answers `DELETE`.
pub(crate) fn delete<H, T>(handler: H, told: RouteDoc) -> Methods
where
    H: Handler<T, AppState>,
    T: 'static,
{
    Methods::none().delete(handler, told)
}

impl Methods {
    fn none() -> Self {
        Self {
            router: MethodRouter::new(),
            told: Vec::new(),
        }
    }

    /// Changes how they are served, and nothing that is said of them.
    pub(crate) fn map_router(
        mut self,
        change: impl FnOnce(MethodRouter<AppState>) -> MethodRouter<AppState>,
    ) -> Self {
        self.router = change(self.router);
        self
    }

    /// Answers `GET` as well.
    pub(crate) fn get<H, T>(mut self, handler: H, told: RouteDoc) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.told.push((HttpMethod::Get, name_of::<H>(), told));
        self.router = self.router.get(handler);
        self
    }

    /// Answers `HEAD` by a handler of its own.
    pub(crate) fn head<H, T>(mut self, handler: H, told: RouteDoc) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.told.push((HttpMethod::Head, name_of::<H>(), told));
        self.router = self.router.head(handler);
        self
    }

    /// Answers `POST` as well.
    pub(crate) fn post<H, T>(mut self, handler: H, told: RouteDoc) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.told.push((HttpMethod::Post, name_of::<H>(), told));
        self.router = self.router.post(handler);
        self
    }

    /// Answers `PUT` as well.
    pub(crate) fn put<H, T>(mut self, handler: H, told: RouteDoc) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.told.push((HttpMethod::Put, name_of::<H>(), told));
        self.router = self.router.put(handler);
        self
    }

    /// Answers `DELETE` as well.
    pub(crate) fn delete<H, T>(mut self, handler: H, told: RouteDoc) -> Self
    where
        H: Handler<T, AppState>,
        T: 'static,
    {
        self.told.push((HttpMethod::Delete, name_of::<H>(), told));
        self.router = self.router.delete(handler);
        self
    }
}

impl Routes {
    /// No routes yet; those to come are about this.
    pub(crate) fn about(subject: Subject) -> Self {
        Self {
            subject,
            router: Router::new(),
            described: BTreeMap::new(),
        }
    }

    /// Adds what is answered at a path.
    pub(crate) fn route(mut self, path: &str, methods: Methods) -> Self {
        let described = self.described.entry(path.to_owned()).or_default();
        for (method, mut name, told) in methods.told {
            // One handler may answer several forms and methods; their names tell them apart all the
            // same.
            if let Some(form) = told.form() {
                name.push('.');
                name.push_str(form);
            }
            if described.iter().any(|other| other.name == name) {
                name.push('.');
                name.push_str(word(&method));
            }
            described.push(Described {
                subject: self.subject,
                method,
                name,
                told,
            });
        }
        self.router = self.router.route(path, methods.router);
        self
    }

    /// Adds the routes of others.
    pub(crate) fn merge(mut self, others: Self) -> Self {
        for (path, described) in others.described {
            self.described.entry(path).or_default().extend(described);
        }
        self.router = self.router.merge(others.router);
        self
    }

    /// Changes how the routes are served, and nothing that is said of them.
    pub(crate) fn map_router(
        mut self,
        change: impl FnOnce(Router<AppState>) -> Router<AppState>,
    ) -> Self {
        self.router = change(self.router);
        self
    }

    /// The same routes below a path, for repositories of one kind. Which kind it is stands in an
    /// extension, so that a handler has one form for both.
    pub(crate) fn below(self, path: &str, kind: RepoKind) -> Self {
        let router = self.router.layer(Extension(kind));
        let described = self.described.into_iter().map(|(own, described)| {
            let whole = format!("{path}{}", own.trim_end_matches('/'));
            let named = described.into_iter().map(|one| Described {
                name: format!("{}.{}", kind.plural(), one.name),
                ..one
            });
            (whole, named.collect())
        });
        Self {
            subject: self.subject,
            described: described.collect(),
            router: match path {
                "" => router,
                _ => Router::new().nest(path, router),
            },
        }
    }

    /// The service, without what is said of it.
    pub(crate) fn into_router(self) -> Router<AppState> {
        self.router
    }

    /// Returns the descriptions, path by path.
    pub(crate) fn described(self) -> BTreeMap<String, Vec<Described>> {
        self.described
    }
}

fn word(method: &HttpMethod) -> &'static str {
    match method {
        HttpMethod::Get => "get",
        HttpMethod::Post => "post",
        HttpMethod::Put => "put",
        HttpMethod::Delete => "delete",
        HttpMethod::Options => "options",
        HttpMethod::Head => "head",
        HttpMethod::Patch => "patch",
        HttpMethod::Trace => "trace",
    }
}

/// A handler's name in the document: its module and itself, such as `commits.commit`.
fn name_of<H>() -> String {
    let whole = std::any::type_name::<H>();
    let mut parts: Vec<&str> = whole.rsplit("::").take(2).collect();
    parts.reverse();
    parts.join(".")
}
