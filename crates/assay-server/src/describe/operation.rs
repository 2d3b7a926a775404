use utoipa::openapi::path::{Operation, OperationBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Ref, RefOr, Response};

use super::{Access, Described, Refusal, segment};

/// The name under which tokens are shown in the `Authorization` header.
pub(crate) const BEARER: &str = "token";
/// The name under which tokens are shown as a password, as git does.
pub(crate) const BASIC: &str = "password";

impl Described {
    /// The path as the document spells it.
    pub(crate) fn path(path: &str) -> String {
        segment::plain(path)
    }

    /// Returns the operation of the route at a path, for the document.
    pub(crate) fn operation(&self, path: &str) -> Operation {
        let told = &self.told;
        let mut operation = OperationBuilder::new()
            .tag(self.subject.title())
            .operation_id(Some(&self.name))
            .summary(Some(told.summary));
        let detail = [told.detail, told.door.words()].join(" ");
        if !detail.trim().is_empty() {
            operation = operation.description(Some(detail.trim()));
        }
        for name in segment::names(path) {
            operation = operation.parameter(segment::parameter(name));
        }
        for parameter in &told.query {
            operation = operation.parameter(parameter.clone());
        }
        operation = operation.request_body(told.body.clone());
        for (status, response) in &told.answers {
            operation = operation.response(status.to_string(), response.clone());
        }
        for refusal in self.refusals(path) {
            let response: RefOr<Response> = Ref::from_response_name(refusal.name()).into();
            operation = operation.response(refusal.status().to_string(), response);
        }
        for security in told.door.securities() {
            operation = operation.security(security);
        }
        operation.build()
    }

    /// Returns its refusals: those that were described, and those that follow from the access and
    /// from the segments of the path. An answer that was described goes before a refusal of the
    /// same status.
    fn refusals(&self, path: &str) -> Vec<Refusal> {
        let told = &self.told;
        let of_repository = segment::names(path).any(|name| name == "namespace");
        let mut refusals = told.refusals.clone();
        refusals.extend([Refusal::Unknown, Refusal::TooOften, Refusal::Ours]);
        if of_repository {
            refusals.extend([Refusal::Moved, Refusal::Missing]);
        }
        match told.door {
            Access::SignedIn | Access::Operators | Access::Link => {
                refusals.insert(Refusal::Forbidden);
            }
            Access::Open | Access::Seen | Access::Machines => {}
        }
        refusals
            .into_iter()
            .filter(|refusal| !told.answers.contains_key(&refusal.status()))
            .collect()
    }
}

impl Access {
    /// Returns the access as a sentence.
    fn words(self) -> &'static str {
        match self {
            Self::Open | Self::Seen => "",
            Self::SignedIn => "A token is needed.",
            Self::Operators => "Only operators of the hub may do this.",
            Self::Machines => {
                "A personal token (`evp_…`) or an access token (`eva_…`) of a machine is needed."
            }
            Self::Link => "The address carries its own permission; no token is sent along.",
        }
    }

    fn securities(self) -> Vec<SecurityRequirement> {
        let nothing = SecurityRequirement::default();
        let scheme = |name: &str| SecurityRequirement::new(name, [""; 0]);
        match self {
            Self::Open | Self::Link => vec![nothing],
            Self::Seen => vec![nothing, scheme(BEARER), scheme(BASIC)],
            Self::SignedIn | Self::Operators => vec![scheme(BEARER), scheme(BASIC)],
            Self::Machines => vec![scheme(BEARER)],
        }
    }
}
