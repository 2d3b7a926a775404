use assay_app::issuer::{EventFilter, IssuerEvent};
use assay_cli::{Exit, Printer};
use serde_json::{Value as Json, json};

use super::args::{Log, Place};
use super::done::{Done, with_issuer};
use crate::table::table;

/// Shows what was issued and refused.
pub(super) fn run(action: &Log, place: &Place, printer: &mut Printer) -> Exit {
    with_issuer(place, printer, async |_, issuer| {
        let filter = EventFilter {
            integration: action.integration.clone(),
            identity: action.identity.clone(),
            outcome: action.outcome.clone(),
        };
        let events = issuer.events(&filter, action.limit).await?;
        Ok(told(&events))
    })
}

fn told(events: &[IssuerEvent]) -> Done {
    let rows: Vec<Vec<String>> = events
        .iter()
        .map(|IssuerEvent { at, event, .. }| {
            let who = event.identity.clone().or_else(|| event.integration.clone());
            let leaf = event.leaf.map(|leaf| format!("leaf {leaf}"));
            let what = event.code.clone().or(leaf).unwrap_or_default();
            vec![
                at.to_string(),
                who.unwrap_or_default(),
                event.action.clone(),
                event.outcome.clone(),
                what,
                event.detail.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let json = events.iter().map(event_json).collect();
    let head = ["WHEN", "WHO", "WHAT", "OUTCOME", "CODE OR LEAF", "WHY"];
    Done::new(table(&head, &rows), Json::Array(json))
}

fn event_json(IssuerEvent { id, at, event }: &IssuerEvent) -> Json {
    json!({
        "id": id,
        "at": at,
        "action": event.action,
        "integration": event.integration,
        "identity": event.identity,
        "outcome": event.outcome,
        "code": event.code,
        "detail": event.detail,
        "jti": event.jti,
        "leaf": event.leaf,
        "target": event.target,
        "request": event.request,
    })
}
