//! The description of a route: its parameters, answers, access and refusals.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{
    Content, ContentBuilder, Header, HttpMethod, Required, Response, ResponseBuilder,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{IntoParams, ToSchema};

pub(crate) mod operation;
mod refusal;
mod segment;
mod subject;

pub(crate) use refusal::Refusal;
pub(crate) use subject::Subject;

/// A route with its method, its name and what is said of it.
pub(crate) struct Described {
    /// The subject of the route.
    pub(crate) subject: Subject,
    /// The method.
    pub(crate) method: HttpMethod,
    /// The name of its handler.
    pub(crate) name: String,
    /// The rest.
    pub(crate) told: RouteDoc,
}

/// The access that a route needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody; nobody is asked who they are.
    Open,
    /// Everybody, and each sees what they may see.
    Seen,
    /// Those who give a token.
    SignedIn,
    /// Those who run the hub.
    Operators,
    /// Whoever has the link, which carries its own permission.
    Link,
    /// Machines that have proved who they are to the issuer.
    Machines,
}

/// The description of one method of one path.
pub(crate) struct RouteDoc {
    summary: &'static str,
    detail: &'static str,
    form: Option<&'static str>,
    door: Access,
    query: Vec<Parameter>,
    body: Option<RequestBody>,
    answers: BTreeMap<u16, Response>,
    refusals: BTreeSet<Refusal>,
    schemas: Vec<(String, RefOr<Schema>)>,
}

/// Begins with one sentence, in the third person: `Lists …`.
pub(crate) fn says(summary: &'static str) -> RouteDoc {
    RouteDoc {
        summary,
        detail: "",
        form: None,
        door: Access::Seen,
        query: Vec::new(),
        body: None,
        answers: BTreeMap::new(),
        refusals: BTreeSet::new(),
        schemas: Vec::new(),
    }
}

impl RouteDoc {
    /// Adds details beyond the first sentence.
    pub(crate) fn more(mut self, detail: &'static str) -> Self {
        self.detail = detail;
        self
    }

    /// Names the form of the answer, where there are several.
    pub(crate) fn in_form(mut self, form: &'static str) -> Self {
        self.form = Some(form);
        self
    }

    /// The form, when there are several.
    pub(crate) fn form(&self) -> Option<&'static str> {
        self.form
    }

    /// Sets the access, when it is not that of everybody who can see the repository.
    pub(crate) fn asks(mut self, door: Access) -> Self {
        self.door = door;
        self
    }

    /// Adds the parameters of the query.
    pub(crate) fn query<T: IntoParams>(mut self) -> Self {
        self.query
            .extend(T::into_params(|| Some(ParameterIn::Query)));
        self.refusals.insert(Refusal::Invalid);
        self
    }

    /// Takes a body in JSON.
    pub(crate) fn takes<T: ToSchema>(self) -> Self {
        self.takes_json::<T>(Required::True)
    }

    /// Takes a body in JSON, or none.
    pub(crate) fn may_take<T: ToSchema>(self) -> Self {
        self.takes_json::<T>(Required::False)
    }

    fn takes_json<T: ToSchema>(mut self, required: Required) -> Self {
        let content = Content::new(Some(self.named::<T>()));
        let body = RequestBodyBuilder::new()
            .content("application/json", content)
            .required(Some(required));
        self.body = Some(body.build());
        self.refusals.extend([Refusal::Invalid, Refusal::TooLarge]);
        self
    }

    /// Takes the same body in another spelling too.
    pub(crate) fn also_as(mut self, content_type: &str) -> Self {
        if let Some(body) = &mut self.body
            && let Some(content) = body.content.values().next().cloned()
        {
            body.content.insert(content_type.to_owned(), content);
        }
        self
    }

    /// Takes bytes of some type.
    pub(crate) fn takes_bytes(
        mut self,
        content_type: &str,
        description: &str,
        example: Option<&str>,
    ) -> Self {
        let content = ContentBuilder::new()
            .schema(Some(text()))
            .example(example.map(Value::from));
        let body = RequestBodyBuilder::new()
            .description(Some(description))
            .content(content_type, content.build())
            .required(Some(Required::True));
        self.body = Some(body.build());
        self.refusals.extend([Refusal::Invalid, Refusal::TooLarge]);
        self
    }

    /// Answers with a shape in JSON.
    pub(crate) fn answers<T: ToSchema>(mut self, description: &str) -> Self {
        let schema = self.named::<T>();
        self.answer(200, description, "application/json", schema)
    }

    /// Answers with a list of a shape in JSON.
    pub(crate) fn lists<T: ToSchema>(mut self, description: &str) -> Self {
        let schema = ArrayBuilder::new().items(self.named::<T>());
        self.answer(200, description, "application/json", schema)
    }

    /// Answers `OK`.
    pub(crate) fn answers_ok(self) -> Self {
        self.answers_bytes("text/plain", "It is done: `OK`.")
    }

    /// Answers with bytes of some type.
    pub(crate) fn answers_bytes(self, content_type: &str, description: &str) -> Self {
        let is_json = content_type.ends_with("/json") || content_type.ends_with("+json");
        let schema = if is_json {
            ObjectBuilder::new().schema_type(Type::Object)
        } else {
            text()
        };
        self.answer(200, description, content_type, schema)
    }

    /// Answers with another type of bytes as well, wherever it answers with bytes.
    pub(crate) fn or_bytes(mut self, content_type: &str) -> Self {
        let with_content = |response: &&mut Response| !response.content.is_empty();
        for response in self.answers.values_mut().filter(with_content) {
            let content = Content::new(Some(text()));
            response.content.insert(content_type.to_owned(), content);
        }
        self
    }

    /// Answers with a status and no body.
    pub(crate) fn answers_nothing(mut self, status: u16, description: &str) -> Self {
        self.answers.insert(status, Response::new(description));
        self
    }

    /// Answers otherwise, with bytes.
    pub(crate) fn or_answers(self, status: u16, content_type: &str, description: &str) -> Self {
        self.answer(status, description, content_type, text())
    }

    /// Answers otherwise, with a shape in JSON.
    pub(crate) fn or_answers_json<T: ToSchema>(mut self, status: u16, description: &str) -> Self {
        let schema = self.named::<T>();
        self.answer(status, description, "application/json", schema)
    }

    /// Answers otherwise, with a shape in some spelling of JSON.
    pub(crate) fn or_answers_as<T: ToSchema>(
        mut self,
        status: u16,
        content_type: &str,
        description: &str,
    ) -> Self {
        let schema = self.named::<T>();
        self.answer(status, description, content_type, schema)
    }

    /// Has a header in every answer that is none of a failure.
    pub(crate) fn header(mut self, name: &str, description: &str) -> Self {
        for response in self.answers.values_mut() {
            let mut header = Header::new(text());
            header.description = Some(description.to_owned());
            response.headers.insert(name.to_owned(), header);
        }
        self
    }

    /// Refuses in ways that do not follow from the rest.
    pub(crate) fn refuses(mut self, refusals: &[Refusal]) -> Self {
        self.refusals.extend(refusals);
        self
    }

    /// The shapes that are spoken of, by name.
    pub(crate) fn schemas(&self) -> &[(String, RefOr<Schema>)] {
        &self.schemas
    }

    fn answer(
        mut self,
        status: u16,
        description: &str,
        content_type: &str,
        schema: impl Into<RefOr<Schema>>,
    ) -> Self {
        let response = ResponseBuilder::new()
            .description(description)
            .content(content_type, Content::new(Some(schema)));
        self.answers.insert(status, response.build());
        self
    }

    /// Speaks of a shape by its name.
    fn named<T: ToSchema>(&mut self) -> Ref {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        Ref::from_schema_name(T::name())
    }
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}
