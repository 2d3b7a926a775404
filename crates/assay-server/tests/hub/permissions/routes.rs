use std::collections::BTreeSet;

use assay_server::{Person, TestHub};
use serde_json::Value;

/// Every question that the hub answers, such as `GET /healthz`, from its own description. That this
/// lists each route of the router has a test beside it.
///
/// What is the same for models and datasets is told once, for models.
pub(super) async fn described(hub: &TestHub) -> BTreeSet<String> {
    let document = hub.get(Person::Nobody, "/api/openapi.json").await;
    let document = document.expect(200).json();
    let paths = document["paths"].as_object().unwrap();
    let mut routes = BTreeSet::new();
    for (path, methods) in paths {
        let of_models = for_models(path);
        let path = match paths.get(&of_models) {
            Some(twin) => {
                assert_eq!(methods_of(twin), methods_of(methods), "{path}");
                of_models
            }
            None => path.clone(),
        };
        let methods = methods_of(methods).into_iter();
        routes.extend(methods.map(|method| format!("{method} {path}")));
    }
    routes
}

/// Returns the path for models that corresponds to a path for datasets.
fn for_models(path: &str) -> String {
    if let Some(rest) = path.strip_prefix("/datasets/") {
        return format!("/{rest}");
    }
    match path.strip_prefix("/api/datasets") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("/api/models{rest}"),
        Some(_) | None => path.to_owned(),
    }
}

fn methods_of(item: &Value) -> BTreeSet<String> {
    let methods = item.as_object().unwrap().keys();
    methods.map(|method| method.to_uppercase()).collect()
}
