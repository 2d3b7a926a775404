use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{meaning, parts};
use crate::endpoints::Operation;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
                     code{font-size:.95em}h3{margin:2rem 0 .25rem;font-size:1rem}dt{float:left;clear:left;\
                     min-width:10rem}dd{margin:0 0 0 10rem}@media(prefers-color-scheme:dark){body{background:#111;\
                     color:#ddd}a{color:#8cf}}";

/// The API for people: every operation under its heading, with no script.
pub(super) fn of(operations: &[Operation]) -> String {
    let mut headings: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in operations {
        headings.entry(operation.tag).or_default().push(operation);
    }
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>API of this hub</title><style>{STYLE}</style></head><body>\
         <h1>API of this hub</h1><p>For machines: <a href=\"/api/openapi.json\">/api/openapi.json</a>.</p>"
    );
    for (heading, operations) in headings {
        let _ = write!(html, "<h2>{}</h2>", text(heading));
        for operation in operations {
            one(&mut html, operation);
        }
    }
    html.push_str("</body></html>");
    html
}

fn one(html: &mut String, operation: &Operation) {
    let path = operation.path.replace("{*", "{");
    let _ = write!(
        html,
        "<h3 id=\"{}\"><code>{} {}</code></h3><p>{}</p><dl>",
        text(&operation.id),
        operation.method,
        text(&path),
        text(operation.summary)
    );
    for (name, _) in parts(&operation.path) {
        row(html, name, meaning(name));
    }
    for param in operation.query {
        row(html, &format!("?{}", param.name), param.about);
    }
    if let Some(body) = operation.body {
        row(html, "sends", &format!("{}: {}", body.media, body.about));
    }
    let answer = operation.answer;
    row(
        html,
        "answers",
        &format!("{}: {}", answer.media, answer.about),
    );
    html.push_str("</dl>");
}

fn row(html: &mut String, name: &str, about: &str) {
    let _ = write!(
        html,
        "<dt><code>{}</code></dt><dd>{}</dd>",
        text(name),
        text(about)
    );
}

fn text(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
