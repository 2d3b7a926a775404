use assay_model::{RepoId, RepoKind};
use serde_json::{Value as Json, json};

use super::args::{Repo, RepoAction};
use super::show::{cell, day, table};
use super::{Answer, HubCommandError};
use crate::client::{Client, ask_for};

/// Creates, lists or deletes repositories.
pub(super) fn run(command: &Repo, client: &Client) -> Result<Answer, HubCommandError> {
    match &command.action {
        RepoAction::Create { id, kind, private } => create(client, id, kind.get(), *private),
        RepoAction::Delete { id, kind, yes: _ } => delete(client, id, kind.get()),
        RepoAction::List {
            kind,
            author,
            search,
            benchmarks,
            official,
            limit,
        } => {
            let mut query = format!("/api/{}?limit={}", kind.get().plural(), (*limit).min(1000));
            let named = [("author", author), ("search", search)];
            for (key, value) in named
                .into_iter()
                .filter_map(|(key, value)| Some((key, value.as_ref()?)))
            {
                ask_for(&mut query, key, value);
            }
            for (asked, tag) in [(benchmarks, "benchmark"), (official, "benchmark:official")] {
                if *asked {
                    ask_for(&mut query, "filter", tag);
                }
            }
            Ok(listed(client.list(&query, *limit)?))
        }
    }
}

fn create(
    client: &Client,
    id: &RepoId,
    kind: RepoKind,
    private: bool,
) -> Result<Answer, HubCommandError> {
    let answer = client.send(
        "POST",
        "/api/repos/create",
        &json!({
            "name": id.name(),
            "organization": id.namespace(),
            "type": kind,
            "visibility": if private { "private" } else { "public" },
        }),
    )?;
    Ok(Answer {
        text: format!("created {}\n", cell(&answer["url"])),
        json: answer,
    })
}

fn delete(client: &Client, id: &RepoId, kind: RepoKind) -> Result<Answer, HubCommandError> {
    client.send(
        "DELETE",
        "/api/repos/delete",
        &json!({ "name": id.name(), "organization": id.namespace(), "type": kind }),
    )?;
    Ok(Answer {
        text: format!("deleted the {kind} {id}\n"),
        json: json!({ "deleted": id, "type": kind }),
    })
}

fn listed(repositories: Vec<Json>) -> Answer {
    let rows: Vec<Vec<String>> = repositories
        .iter()
        .map(|repository| {
            let private = repository["private"].as_bool().unwrap_or_default();
            vec![
                cell(&repository["id"]),
                if private { "private" } else { "public" }.to_owned(),
                day(&repository["lastModified"]),
            ]
        })
        .collect();
    Answer {
        text: if rows.is_empty() {
            "there are none\n".to_owned()
        } else {
            table(&["NAME", "VISIBILITY", "CHANGED"], &rows)
        },
        json: Json::Array(repositories),
    }
}
