//! Routes that cannot be added without saying what they do: the router and the description of the API are made of the
//! same list.

use axum::Router;
use axum::http::Method;
use axum::routing::MethodRouter;

use crate::state::AppState;

/// Routes with what they do.
pub(crate) struct Endpoints {
    router: Router<AppState>,
    operations: Vec<Operation>,
}

/// What one method of one address does.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The method.
    pub(crate) method: Method,
    /// The address, with its parts in braces.
    pub(crate) path: String,
    /// What it is called; unique once the kind of repository is put before it.
    pub(crate) id: String,
    /// What it does, in a sentence.
    pub(crate) summary: &'static str,
    /// What can be asked in the query.
    pub(crate) query: &'static [Param],
    /// What is sent, and as what.
    pub(crate) body: Option<Content>,
    /// What is answered, and as what.
    pub(crate) answer: Content,
    /// Under which heading it stands.
    pub(crate) tag: &'static str,
}

/// One key of a query.
#[derive(Debug)]
pub(crate) struct Param {
    /// The key.
    pub(crate) name: &'static str,
    /// What its value is: `string`, `boolean` or `integer`; a list when it may be repeated.
    pub(crate) kind: ParamKind,
    /// What it means.
    pub(crate) about: &'static str,
}

/// What the value of a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamKind {
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Number,
    /// Text, as often as one likes.
    Texts,
}

/// What a body is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content {
    /// The media type.
    pub(crate) media: &'static str,
    /// What it holds.
    pub(crate) about: &'static str,
}

/// An operation that answers in JSON.
pub(crate) fn told(method: Method, id: &str, summary: &'static str) -> Operation {
    Operation {
        method,
        path: String::new(),
        id: id.to_owned(),
        summary,
        query: &[],
        body: None,
        answer: Content {
            media: "application/json",
            about: "what was asked for",
        },
        tag: "",
    }
}

/// A key of a query.
pub(crate) const fn param(name: &'static str, kind: ParamKind, about: &'static str) -> Param {
    Param { name, kind, about }
}

impl Operation {
    pub(crate) fn query(self, query: &'static [Param]) -> Self {
        Self { query, ..self }
    }

    /// What is sent in JSON.
    pub(crate) fn takes(self, about: &'static str) -> Self {
        self.takes_as("application/json", about)
    }

    pub(crate) fn takes_as(self, media: &'static str, about: &'static str) -> Self {
        let body = Some(Content { media, about });
        Self { body, ..self }
    }

    /// What is answered in JSON.
    pub(crate) fn answers(self, about: &'static str) -> Self {
        self.answers_as("application/json", about)
    }

    pub(crate) fn answers_as(self, media: &'static str, about: &'static str) -> Self {
        let answer = Content { media, about };
        Self { answer, ..self }
    }
}

impl Endpoints {
    pub(crate) fn new() -> Self {
        Self {
            router: Router::new(),
            operations: Vec::new(),
        }
    }

    /// Adds the methods of an address, each with what it does.
    pub(crate) fn route(
        mut self,
        path: &str,
        methods: MethodRouter<AppState>,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Self {
        self.router = self.router.route(path, methods);
        self.operations
            .extend(operations.into_iter().map(|own| Operation {
                path: path.to_owned(),
                ..own
            }));
        self
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.operations.extend(other.operations);
        self
    }

    /// Puts all that has no heading yet under one.
    pub(crate) fn under(mut self, tag: &'static str) -> Self {
        for operation in self.operations.iter_mut().filter(|own| own.tag.is_empty()) {
            operation.tag = tag;
        }
        self
    }

    /// Hangs all of it below an address, and puts a word before each id.
    pub(crate) fn below(mut self, prefix: &str, word: &str) -> Self {
        if !prefix.is_empty() {
            self.router = Router::new().nest(prefix, self.router);
        }
        for operation in &mut self.operations {
            operation.path = format!("{prefix}{}", operation.path.trim_end_matches('/'));
            operation.id = format!("{word}_{}", operation.id);
        }
        self
    }

    /// Changes the router alone, as layers do.
    pub(crate) fn map(mut self, change: impl FnOnce(Router<AppState>) -> Router<AppState>) -> Self {
        self.router = change(self.router);
        self
    }

    /// The router, and what it does.
    pub(crate) fn into_parts(self) -> (Router<AppState>, Vec<Operation>) {
        (self.router, self.operations)
    }
}
