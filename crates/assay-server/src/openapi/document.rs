use assay_hub_api::ErrorBody;
use serde_json::Value;
use utoipa::openapi::path::{PathItem, PathsBuilder};
use utoipa::openapi::schema::ComponentsBuilder;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, License, OpenApiBuilder};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::describe::operation::{BASIC, BEARER};
use crate::describe::{Described, Refusal, Subject};
use crate::routes::Routes;

/// The introduction before the routes.
const INTRODUCTION: &str = "The hub keeps models, benchmarks and evaluation results as git repositories. This is the API \
that the unmodified `huggingface_hub` client speaks, with what Assay adds to it: leaderboards by task, metric, policy and \
date, and diagnostics on refused commits.\n\nLists are paged: the `Link` header leads to the next page. Failures have \
`{\"error\": …}` as their body and its first line in `X-Error-Message`. A repository that is private and one that does \
not exist are answered alike.";

/// The document of some routes.
pub(super) fn document(routes: Routes) -> Value {
    let mut paths = PathsBuilder::new();
    let mut components = ComponentsBuilder::new()
        .schema(ErrorBody::name(), ErrorBody::schema())
        .schemas_from_iter(of_errors())
        .security_scheme(
            BEARER,
            scheme(HttpAuthScheme::Bearer, "A token of the hub."),
        )
        .security_scheme(
            BASIC,
            scheme(
                HttpAuthScheme::Basic,
                "A token as the password; the user name does not matter. Git does it so.",
            ),
        );
    for refusal in Refusal::ALL {
        components = components.response(refusal.name(), refusal.response());
    }
    for (path, described) in routes.described() {
        for one in described {
            let operation = one.operation(&path);
            let item = PathItem::new(one.method.clone(), operation);
            paths = paths.path(Described::path(&path), item);
            components = components.schemas_from_iter(one.told.schemas().iter().cloned());
        }
    }
    let tags = Subject::ALL.map(|subject| {
        TagBuilder::new()
            .name(subject.title())
            .description(Some(subject.description()))
            .build()
    });
    let info = InfoBuilder::new()
        .title("Assay hub")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(INTRODUCTION))
        .license(Some(License::new("MIT OR Apache-2.0")));
    let document = OpenApiBuilder::new()
        .info(info.build())
        .paths(paths.build())
        .components(Some(components.build()))
        .tags(Some(tags))
        .build();
    let mut document = serde_json::to_value(document).unwrap_or_default();
    forbid_null(&mut document["paths"]);
    document
}

/// Removes null from the parameters of queries: they are text, and a missing one is never null.
fn forbid_null(paths: &mut Value) {
    let items = paths.as_object_mut().into_iter().flatten();
    let operations = items.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten());
    for (_, operation) in operations {
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            let names = &mut parameter["schema"]["type"];
            let kept = names
                .as_array()
                .and_then(|names| names.iter().find(|name| *name != "null"));
            if let Some(kept) = kept.cloned() {
                *names = kept;
            }
        }
    }
}

fn of_errors() -> Vec<(
    String,
    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
)> {
    let mut schemas = Vec::new();
    ErrorBody::schemas(&mut schemas);
    schemas
}

fn scheme(kind: HttpAuthScheme, description: &str) -> SecurityScheme {
    let http = HttpBuilder::new()
        .scheme(kind)
        .description(Some(description));
    SecurityScheme::Http(http.build())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn two_shapes_of_one_name_are_one_shape() {
        let mut seen: BTreeMap<String, Value> = BTreeMap::new();

        for described in crate::router::routes().described().into_values().flatten() {
            for (name, schema) in described.told.schemas() {
                let schema = serde_json::to_value(schema).unwrap();
                let known = seen.entry(name.clone()).or_insert_with(|| schema.clone());

                assert_eq!(*known, schema, "{name}");
            }
        }
    }
}
