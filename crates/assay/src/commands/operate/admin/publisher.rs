use assay_app::{Error, Hub, NewPublisher, PublisherInfo, read_claims};
use serde_json::{Value as Json, json};

use super::super::args::PublisherAction;
use super::Done;
use super::purge::parse_repository;
use crate::table::table;

/// Lists, adds or removes trusted publishers.
pub(super) async fn run(hub: &Hub, action: &PublisherAction) -> Result<Done, Error> {
    let shell = hub.shell();
    match action {
        PublisherAction::List { repo } => {
            let (kind, id) = parse_repository(repo)?;
            let list = hub.accounts().trusted_publishers(&shell, kind, &id).await?;
            let rows: Vec<Vec<String>> = list.iter().map(row).collect();
            let json = list.iter().map(publisher_json).collect();
            let head = ["NUMBER", "ISSUER", "CLAIMS", "ACTS AS", "LAST USED"];
            Ok(Done::new(table(&head, &rows), Json::Array(json)))
        }
        PublisherAction::Add {
            repo,
            user,
            issuer,
            claims,
        } => {
            let (kind, id) = parse_repository(repo)?;
            let new = NewPublisher {
                issuer: issuer.clone(),
                claims: read_claims(&claims.join("\n"))?,
                account: Some(user.clone()),
            };
            let added = hub
                .accounts()
                .add_trusted_publisher(&shell, kind, &id, new)
                .await?;
            let text = format!(
                "added the trusted publisher {} of `{repo}`; it has the rights of `{user}`\n",
                added.id
            );
            Ok(Done::new(text, publisher_json(&added)))
        }
        PublisherAction::Remove { repo, id: number } => {
            let (kind, id) = parse_repository(repo)?;
            hub.accounts()
                .remove_trusted_publisher(&shell, kind, &id, *number)
                .await?;
            Ok(Done::new(
                format!("removed the trusted publisher {number} of `{repo}`; its tokens ended\n"),
                json!({ "removed": number, "repo": repo }),
            ))
        }
    }
}

fn row(publisher: &PublisherInfo) -> Vec<String> {
    let claims: Vec<String> = publisher
        .claims
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    vec![
        publisher.id.to_string(),
        publisher.issuer.clone(),
        claims.join(" "),
        publisher.account.clone(),
        publisher
            .last_used
            .map_or("never".to_owned(), |used| used.to_string()),
    ]
}

fn publisher_json(publisher: &PublisherInfo) -> Json {
    json!({
        "id": publisher.id,
        "issuer": publisher.issuer,
        "claims": publisher.claims,
        "account": publisher.account,
        "created": publisher.created.to_string(),
        "last_used": publisher.last_used.map(|used| used.to_string()),
        "active": publisher.active,
    })
}
