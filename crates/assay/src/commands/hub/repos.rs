use assay_hub_api::client::{Client, Document, add_parameter};
use assay_hub_api::{CreateRepo, DeleteRepo, RepoInfo, Visibility};
use assay_model::{RepoId, RepoKind};
use assay_render::visible;
use serde_json::json;

use super::args::{Repo, RepoAction};
use super::show::day;
use super::{Answer, HubCommandError};
use crate::table::table;

/// Creates, lists or deletes repositories.
pub(super) fn run(command: &Repo, client: &Client) -> Result<Answer, HubCommandError> {
    match &command.action {
        RepoAction::Create { id, kind, private } => create(client, id, kind.get(), *private),
        RepoAction::Delete { id, yes: false, .. } => Err(HubCommandError::Unconfirmed(id.clone())),
        RepoAction::Delete {
            id,
            kind,
            yes: true,
        } => delete(client, id, kind.get()),
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
                add_parameter(&mut query, key, value);
            }
            for (asked, tag) in [(benchmarks, "benchmark"), (official, "benchmark:official")] {
                if *asked {
                    add_parameter(&mut query, "filter", tag);
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
    let created = client.create_repo(&CreateRepo {
        visibility: Some(Visibility::from_private(private)),
        ..CreateRepo::new(id, kind)
    })?;
    Ok(Answer {
        text: format!("created {}\n", visible(&created.value.url)),
        json: created.json,
    })
}

fn delete(client: &Client, id: &RepoId, kind: RepoKind) -> Result<Answer, HubCommandError> {
    client.delete_repo(&DeleteRepo {
        name: id.name().to_owned(),
        organization: id.namespace().map(str::to_owned),
        repo_type: Some(kind.to_string()),
    })?;
    Ok(Answer {
        text: format!("deleted the {kind} {id}\n"),
        json: json!({ "deleted": id, "type": kind }),
    })
}

fn listed(repositories: Vec<Document<RepoInfo>>) -> Answer {
    let rows: Vec<Vec<String>> = repositories
        .iter()
        .map(|repository| {
            let repository = &repository.value;
            let private = repository.private.unwrap_or_default();
            vec![
                repository.id.to_string(),
                if private { "private" } else { "public" }.to_owned(),
                repository
                    .last_modified
                    .as_ref()
                    .map(day)
                    .unwrap_or_default(),
            ]
        })
        .collect();
    Answer {
        text: if rows.is_empty() {
            "there are none\n".to_owned()
        } else {
            table(&["NAME", "VISIBILITY", "CHANGED"], &rows)
        },
        json: repositories
            .into_iter()
            .map(|repository| repository.json)
            .collect(),
    }
}
