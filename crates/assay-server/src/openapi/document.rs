use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{meaning, parts};
use crate::endpoints::{Operation, Param, ParamKind};

/// What the API is, in a paragraph.
const ABOUT: &str = "The API of a hub for models, datasets and evaluation results, as `huggingface_hub`, the `hf` \
                     command and `git` speak it. A token goes into `Authorization: Bearer`, or into the password of \
                     `Basic`. What is missing and what is private are answered alike: 401 for nobody, 404 for \
                     someone, both with `X-Error-Code: RepoNotFound`.";

/// The `OpenAPI` document of some operations.
pub(super) fn of(operations: &[Operation]) -> Value {
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for operation in operations {
        let path = operation.path.replace("{*", "{");
        let methods = paths.entry(path).or_default();
        let method = operation.method.as_str().to_ascii_lowercase();
        methods.insert(method, one(operation));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "paths": paths,
        "security": [{}, { "token": [] }, { "password": [] }],
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "password": { "type": "http", "scheme": "basic" },
            },
            "schemas": { "Error": error_schema() },
            "responses": { "Error": error_response() },
        },
    })
}

fn one(operation: &Operation) -> Value {
    let in_path = parts(&operation.path).map(|(name, _)| {
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": meaning(name),
            "schema": { "type": "string" },
        })
    });
    let in_query = operation.query.iter().map(in_query);
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let mut value = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag],
        "parameters": parameters,
        "responses": {
            "200": {
                "description": operation.answer.about,
                "content": { operation.answer.media: {} },
            },
            "4XX": { "$ref": "#/components/responses/Error" },
        },
    });
    if let Some(body) = operation.body {
        value["requestBody"] = json!({
            "description": body.about,
            "content": { body.media: {} },
        });
    }
    value
}

fn in_query(param: &Param) -> Value {
    let schema = match param.kind {
        ParamKind::Text => json!({ "type": "string" }),
        ParamKind::Flag => json!({ "type": "boolean" }),
        ParamKind::Number => json!({ "type": "integer", "minimum": 0 }),
        ParamKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
    };
    json!({
        "name": param.name,
        "in": "query",
        "required": false,
        "description": param.about,
        "schema": schema,
    })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": { "type": "string", "description": "what is wrong, for people" },
            "diagnostics": {
                "type": "array",
                "description": "what is wrong with the files that were sent, each with code, place and help",
                "items": { "type": "object" },
            },
            "url": { "type": "string", "description": "where the repository is that has the name already" },
        },
    })
}

fn error_response() -> Value {
    let header = |about: &str| json!({ "description": about, "schema": { "type": "string" } });
    json!({
        "description": "the request was refused",
        "headers": {
            "X-Error-Code": header("`RepoNotFound`, `RevisionNotFound` or `EntryNotFound`, when it is one of these"),
            "X-Error-Message": header("what is wrong, on one line"),
            "X-Request-Id": header("what to quote to the operator"),
        },
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    })
}
