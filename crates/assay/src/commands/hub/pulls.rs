use assay_model::{RepoId, RepoKind};
use serde_json::{Value as Json, json};

use super::args::{Pr, PrAction};
use super::show::{cell, day, table};
use super::{Answer, HubCommandError};
use crate::client::Client;

/// How many pull requests are listed at most.
const MAX_LISTED: usize = 10_000;

/// Lists, shows, merges or closes pull requests.
pub(super) fn run(command: &Pr, client: &Client) -> Result<Answer, HubCommandError> {
    let kind = command.kind.get();
    match &command.action {
        PrAction::List { id, all } => list(client, kind, id, *all),
        PrAction::Show { id, num } => show(client, kind, id, *num),
        PrAction::Merge { id, num, comment } => {
            let body = comment
                .as_ref()
                .map_or(json!({}), |text| json!({ "comment": text }));
            let answer = client.send("POST", &format!("{}/{num}/merge", base(kind, id)), &body)?;
            Ok(Answer {
                text: format!("merged pull request {num} of {id}\n"),
                json: answer,
            })
        }
        PrAction::Close { id, num, comment } => {
            let mut body = json!({ "status": "closed" });
            if let Some(text) = comment {
                body["comment"] = json!(text);
            }
            let answer = client.send("POST", &format!("{}/{num}/status", base(kind, id)), &body)?;
            Ok(Answer {
                text: format!("closed pull request {num} of {id}\n"),
                json: answer,
            })
        }
    }
}

fn base(kind: RepoKind, id: &RepoId) -> String {
    format!("/api/{}/{id}/discussions", kind.plural())
}

fn list(
    client: &Client,
    kind: RepoKind,
    id: &RepoId,
    all: bool,
) -> Result<Answer, HubCommandError> {
    let status = if all { "all" } else { "open" };
    let mut found: Vec<Json> = Vec::new();
    for page in 0.. {
        let path = format!(
            "{}?p={page}&type=pull_request&status={status}",
            base(kind, id)
        );
        let mut answer = client.get(&path)?;
        let count = answer["count"].as_u64().unwrap_or_default();
        let Json::Array(items) = answer["discussions"].take() else {
            break;
        };
        let is_last = items.is_empty();
        found.extend(items);
        if is_last || found.len() as u64 >= count || found.len() >= MAX_LISTED {
            break;
        }
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|pull| {
            vec![
                cell(&pull["num"]),
                cell(&pull["status"]),
                day(&pull["createdAt"]),
                cell(&pull["author"]["name"]),
                cell(&pull["title"]),
            ]
        })
        .collect();
    Ok(Answer {
        text: if rows.is_empty() {
            "there are none\n".to_owned()
        } else {
            table(&["NUMBER", "STATUS", "OPENED", "BY", "TITLE"], &rows)
        },
        json: Json::Array(found),
    })
}

fn show(client: &Client, kind: RepoKind, id: &RepoId, num: u64) -> Result<Answer, HubCommandError> {
    let pull = client.get(&format!("{}/{num}?diff=1", base(kind, id)))?;
    let mut text = format!(
        "{} (#{num}, {}, by {}, {})\n",
        cell(&pull["title"]),
        cell(&pull["status"]),
        cell(&pull["author"]["name"]),
        day(&pull["createdAt"])
    );
    for event in pull["events"].as_array().into_iter().flatten() {
        text.push_str(&told(event));
    }
    if let Some(diff) = pull["diff"].as_str() {
        text.push('\n');
        for line in diff.lines() {
            text.push_str(&assay_render::visible(line));
            text.push('\n');
        }
    }
    Ok(Answer { text, json: pull })
}

/// One event in a line.
fn told(event: &Json) -> String {
    let data = &event["data"];
    let what = match event["type"].as_str() {
        Some("comment") if data["hidden"] == true => "hid a comment".to_owned(),
        Some("comment") => format!("said: {}", cell(&data["latest"]["raw"])),
        Some("commit") => format!(
            "committed {}: {}",
            cell(&data["oid"]),
            cell(&data["subject"])
        ),
        Some("status-change") => format!("made it {}", cell(&data["status"])),
        Some("title-change") => format!("called it `{}`", cell(&data["to"])),
        Some(other) => other.to_owned(),
        None => return String::new(),
    };
    format!(
        "  {}  {} {what}\n",
        day(&event["createdAt"]),
        cell(&event["author"]["name"])
    )
}
