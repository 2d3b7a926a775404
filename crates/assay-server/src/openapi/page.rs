//! The document as a page: one answer, no script, nothing from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

mod escape;
mod shape;

use escape::{Escaped, prose};

const STYLE: &str = include_str!("page/style.css");
/// The methods, in the order of a page.
const METHODS: [&str; 5] = ["get", "head", "post", "put", "delete"];

/// Returns the content security policy of the page: its own style, and nothing else.
pub(super) fn policy() -> HeaderValue {
    let digest = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// One thing that can be asked, at one path or at two: models and datasets have the same questions.
struct Question<'d> {
    method: &'static str,
    paths: Vec<&'d str>,
    operation: &'d Value,
}

/// The page of a document.
pub(super) fn page(document: &Value) -> String {
    let mut page = String::new();
    let info = &document["info"];
    let title = Escaped(text(&info["title"]));
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} API</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<header>\n<h1>{title} API</h1>\n<p class=\"version\">Version {}. As JSON: \
         <a href=\"/api/openapi.json\">openapi.json</a></p>\n",
        Escaped(text(&info["version"]))
    );
    for paragraph in text(&info["description"]).split("\n\n") {
        let _ = writeln!(page, "<p>{}</p>", prose(paragraph));
    }
    page.push_str("</header>\n");
    let subjects = subjects(document);
    contents(&mut page, document, &subjects);
    page.push_str("<main>\n");
    for tag in list(&document["tags"]) {
        let name = text(&tag["name"]);
        let _ = writeln!(
            page,
            "<section>\n<h2 id=\"{}\">{}</h2>\n<p>{}</p>",
            anchor(name),
            Escaped(name),
            prose(text(&tag["description"]))
        );
        for question in subjects.get(name).into_iter().flatten() {
            show(&mut page, question);
        }
        page.push_str("</section>\n");
    }
    refusals(&mut page, document);
    shapes(&mut page, document);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// The questions by subject. What is asked alike of models and datasets is shown once, with both
/// paths.
fn subjects(document: &Value) -> BTreeMap<&str, Vec<Question<'_>>> {
    let mut subjects: BTreeMap<&str, Vec<Question<'_>>> = BTreeMap::new();
    for (path, item) in object(&document["paths"]) {
        for method in METHODS {
            let operation = &item[method];
            if operation.is_null() {
                continue;
            }
            let questions = subjects.entry(text(&operation["tags"][0])).or_default();
            let name = of_any_kind(operation);
            match questions
                .iter_mut()
                .find(|own| of_any_kind(own.operation) == name && own.method == method)
            {
                Some(own) => own.paths.push(path),
                None => questions.push(Question {
                    method,
                    paths: vec![path],
                    operation,
                }),
            }
        }
    }
    subjects
}

/// The name of an operation without the kind of repository.
fn of_any_kind(operation: &Value) -> &str {
    let name = text(&operation["operationId"]);
    name.strip_prefix("models.")
        .or_else(|| name.strip_prefix("datasets."))
        .unwrap_or(name)
}

fn contents(page: &mut String, document: &Value, subjects: &BTreeMap<&str, Vec<Question<'_>>>) {
    page.push_str("<nav aria-label=\"Contents\">\n<ul>\n");
    for tag in list(&document["tags"]) {
        let name = text(&tag["name"]);
        let count = subjects.get(name).map_or(0, Vec::len);
        let _ = writeln!(
            page,
            "<li><a href=\"#{}\">{}</a> <span>{count}</span></li>",
            anchor(name),
            Escaped(name)
        );
    }
    page.push_str(
        "<li><a href=\"#refusals\">Refusals</a></li>\n<li><a href=\"#shapes\">Shapes</a></li>\n</ul>\n</nav>\n",
    );
}

fn show(page: &mut String, question: &Question<'_>) {
    let Question {
        method,
        paths,
        operation,
    } = question;
    let name = text(&operation["operationId"]);
    let _ = write!(
        page,
        "<details id=\"{}\">\n<summary><span class=\"method {method}\">{}</span> <span class=\"what\">",
        anchor(name),
        method.to_uppercase()
    );
    for path in paths {
        let _ = write!(page, "<code>{}</code> ", Escaped(path));
    }
    let _ = writeln!(
        page,
        "<span>{}</span></span></summary>",
        prose(text(&operation["summary"]))
    );
    if let Some(detail) = operation["description"].as_str() {
        let _ = writeln!(page, "<p>{}</p>", prose(detail));
    }
    parameters(page, operation);
    body(page, operation);
    answers(page, operation);
    page.push_str("</details>\n");
}

fn parameters(page: &mut String, operation: &Value) {
    let parameters = list(&operation["parameters"]);
    if parameters.is_empty() {
        return;
    }
    page.push_str("<h4>Parameters</h4>\n<dl>\n");
    for parameter in parameters {
        let required = if parameter["required"] == true {
            ", required"
        } else {
            ""
        };
        let _ = writeln!(
            page,
            "<dt><code>{}</code> <small>{}, {}{required}</small></dt>\n<dd>{}</dd>",
            Escaped(text(&parameter["name"])),
            Escaped(text(&parameter["in"])),
            shape::words(&parameter["schema"]),
            prose(text(&parameter["description"]))
        );
    }
    page.push_str("</dl>\n");
}

fn body(page: &mut String, operation: &Value) {
    let body = &operation["requestBody"];
    if body.is_null() {
        return;
    }
    page.push_str("<h4>Body</h4>\n");
    if let Some(description) = body["description"].as_str() {
        let _ = writeln!(page, "<p>{}</p>", prose(description));
    }
    content(page, &body["content"]);
}

fn answers(page: &mut String, operation: &Value) {
    page.push_str("<h4>Answers</h4>\n<dl>\n");
    let mut refusals = Vec::new();
    for (status, response) in object(&operation["responses"]) {
        if let Some(place) = response["$ref"].as_str() {
            refusals.push((status, place.rsplit('/').next().unwrap_or(place)));
            continue;
        }
        let _ = writeln!(
            page,
            "<dt><strong>{}</strong></dt>\n<dd>{}",
            Escaped(status),
            prose(text(&response["description"]))
        );
        content(page, &response["content"]);
        for (name, header) in object(&response["headers"]) {
            let _ = writeln!(
                page,
                "<p class=\"header\"><code>{}</code> {}</p>",
                Escaped(name),
                prose(text(&header["description"]))
            );
        }
        page.push_str("</dd>\n");
    }
    page.push_str("</dl>\n<p class=\"refusals\">Refusals:");
    for (status, name) in refusals {
        let _ = write!(
            page,
            " <a href=\"#refusal-{}\">{}</a>",
            anchor(name),
            Escaped(status)
        );
    }
    page.push_str("</p>\n");
}

fn content(page: &mut String, content: &Value) {
    for (kind, content) in object(content) {
        let _ = writeln!(
            page,
            "<p><code>{}</code> {}</p>",
            Escaped(kind),
            shape::words(&content["schema"])
        );
        if let Some(example) = content["example"].as_str() {
            let _ = writeln!(page, "<pre>{}</pre>", Escaped(example));
        }
    }
}

fn refusals(page: &mut String, document: &Value) {
    page.push_str("<section>\n<h2 id=\"refusals\">Refusals</h2>\n<dl>\n");
    let responses = &document["components"]["responses"];
    for refusal in crate::describe::Refusal::ALL {
        let name = refusal.name();
        let _ = writeln!(
            page,
            "<dt id=\"refusal-{}\"><strong>{}</strong> {name}</dt>\n<dd>{}</dd>",
            anchor(name),
            refusal.status(),
            prose(text(&responses[name]["description"]))
        );
    }
    page.push_str("</dl>\n</section>\n");
}

fn shapes(page: &mut String, document: &Value) {
    page.push_str("<section>\n<h2 id=\"shapes\">Shapes</h2>\n");
    for (name, schema) in object(&document["components"]["schemas"]) {
        let _ = writeln!(
            page,
            "<article id=\"{}\">\n<h3>{}</h3>",
            shape::anchor(name),
            Escaped(name)
        );
        shape::show(page, schema);
        page.push_str("</article>\n");
    }
    page.push_str("</section>\n");
}

/// Returns the anchor of an element of the page.
fn anchor(name: &str) -> String {
    name.to_ascii_lowercase()
        .replace(|character: char| !character.is_ascii_alphanumeric(), "-")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn object(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let pairs = value.as_object().into_iter().flat_map(Map::iter);
    pairs.map(|(key, value)| (key.as_str(), value))
}
