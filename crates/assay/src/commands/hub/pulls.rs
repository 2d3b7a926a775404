use assay_hub_api::client::{Client, Document};
use assay_hub_api::{Account, Discussion, Event, EventData};
use assay_model::{RepoId, RepoKind};
use assay_render::visible;
use serde_json::Value as Json;

use super::args::{Pr, PrAction};
use super::show::day;
use super::{Answer, HubCommandError};
use crate::table::table;

/// Number of pull requests that are listed at most.
const MAX_LISTED: usize = 10_000;

/// Lists, shows, merges or closes pull requests.
pub(super) fn run(command: &Pr, client: &Client) -> Result<Answer, HubCommandError> {
    let kind = command.kind.get();
    match &command.action {
        PrAction::List { id, all } => list(client, kind, id, *all),
        PrAction::Show { id, num } => show(client, kind, id, *num),
        PrAction::Merge { id, num, comment } => {
            let merged = client.merge(kind, id, *num, comment.clone())?;
            Ok(Answer {
                text: format!("merged pull request {num} of {id}\n"),
                json: merged.json,
            })
        }
        PrAction::Close { id, num, comment } => {
            let closed = client.close(kind, id, *num, comment.clone())?;
            Ok(Answer {
                text: format!("closed pull request {num} of {id}\n"),
                json: closed.json,
            })
        }
    }
}

fn list(
    client: &Client,
    kind: RepoKind,
    id: &RepoId,
    all: bool,
) -> Result<Answer, HubCommandError> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut documents: Vec<Json> = Vec::new();
    for page in 0.. {
        let Document { value, mut json } = client.pull_requests(kind, id, page, all)?;
        let is_last = value.discussions.is_empty();
        rows.extend(value.discussions.iter().map(row));
        if let Json::Array(items) = json["discussions"].take() {
            documents.extend(items);
        }
        if is_last || rows.len() as u64 >= value.count || rows.len() >= MAX_LISTED {
            break;
        }
    }
    Ok(Answer {
        text: if rows.is_empty() {
            "there are none\n".to_owned()
        } else {
            table(&["NUMBER", "STATUS", "OPENED", "BY", "TITLE"], &rows)
        },
        json: Json::Array(documents),
    })
}

fn row(pull: &Discussion) -> Vec<String> {
    vec![
        pull.num.to_string(),
        pull.status.to_string(),
        day(&pull.created_at),
        name(pull.author.as_ref()),
        visible(&pull.title),
    ]
}

/// The name of an account; empty when the account is gone.
fn name(author: Option<&Account>) -> String {
    author
        .map(|author| visible(&author.name))
        .unwrap_or_default()
}

fn show(client: &Client, kind: RepoKind, id: &RepoId, num: u32) -> Result<Answer, HubCommandError> {
    let Document { value: pull, json } = client.pull_request(kind, id, num)?;
    let mut text = format!(
        "{} (#{num}, {}, by {}, {})\n",
        visible(&pull.title),
        pull.status,
        name(pull.author.as_ref()),
        day(&pull.created_at)
    );
    for event in pull.events.iter().flatten() {
        text.push_str(&line(event));
    }
    if let Some(diff) = &pull.diff {
        text.push('\n');
        for line in diff.lines() {
            text.push_str(&visible(line));
            text.push('\n');
        }
    }
    Ok(Answer { text, json })
}

/// One event in a line.
fn line(event: &Event) -> String {
    let what = match &event.data {
        EventData::Comment(comment) if comment.hidden => "hid a comment".to_owned(),
        EventData::Comment(comment) => format!("said: {}", visible(&comment.latest.raw)),
        EventData::Commit { subject, oid } => format!("committed {oid}: {}", visible(subject)),
        EventData::StatusChange { status } => format!("made it {status}"),
        EventData::TitleChange { to, from: _ } => format!("called it `{}`", visible(to)),
    };
    format!(
        "  {}  {} {what}\n",
        day(&event.created_at),
        name(event.author.as_ref())
    )
}
