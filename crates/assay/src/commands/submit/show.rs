//! The account of a submission, for people and for machines.

use assay_cli::{Exit, Printer};
use assay_hub_api::BoardStanding;
use assay_hub_api::client::ClientError;
use assay_render::visible;
use serde_json::{Value as Json, json};

use super::SubmitError;
use super::outcome::{Outcome, Sent, Signing, State, values};
use crate::args::ShowFormat;
use crate::commands::hub::tell_failure;
use crate::issuer::{ISSUE, IssuerError};

/// The version of the JSON document. It changes when a reader of the old one could be misled.
const VERSION: u32 = 1;

/// Prints what was done, and says how it ended.
pub(super) fn print(outcome: &Outcome, format: ShowFormat, printer: &mut Printer) -> Exit {
    match format {
        ShowFormat::Json => printer.json(&document(outcome)),
        ShowFormat::Text => in_words(outcome, printer),
    }
    exit_of(outcome)
}

/// Prints why nothing was done.
pub(crate) fn refuse(error: &SubmitError, printer: &mut Printer) -> Exit {
    match error {
        SubmitError::Refused(reasons) => {
            for reason in reasons {
                printer.error(&visible(reason));
            }
            Exit::Errors
        }
        SubmitError::Failed(reasons) => {
            for reason in reasons {
                printer.error(&visible(reason));
            }
            Exit::Failed
        }
        SubmitError::Hub(error) => tell_failure(error, printer),
        SubmitError::Issuer(error) => {
            printer.error(&visible(&error.to_string()));
            let is_refusal = matches!(
                error,
                IssuerError::Entry(_)
                    | IssuerError::Client {
                        source: ClientError::Refused { .. },
                        ..
                    }
            );
            if is_refusal {
                Exit::Errors
            } else {
                Exit::Failed
            }
        }
    }
}

fn exit_of(outcome: &Outcome) -> Exit {
    let is_doubted = |sent: &Sent| sent.entry.token.is_some() && sent.is_verified() == Some(false);
    if outcome.entries.iter().any(is_doubted) {
        Exit::Warnings
    } else {
        Exit::Clean
    }
}

fn in_words(outcome: &Outcome, printer: &mut Printer) {
    for sent in &outcome.entries {
        for note in &sent.notes {
            printer.aside(&format!(
                "note: {}: {}",
                visible(&sent.origin),
                visible(note)
            ));
        }
        for warning in &sent.warnings {
            printer.aside(&format!(
                "warning: {}: {}",
                visible(&sent.origin),
                visible(warning)
            ));
        }
    }
    for warning in &outcome.warnings {
        printer.aside(&format!("warning: {}", visible(warning)));
    }
    let has_new = outcome.entries.iter().any(|sent| sent.state == State::New);
    match &outcome.signing {
        Signing::NoCredential(issuer) if has_new => printer.aside(&format!(
            "warning: there is no credential for the issuer at {issuer}, so the entries are unsigned and stay unverified"
        )),
        Signing::NoCredential(_) | Signing::By(_) | Signing::Unwanted => {}
    }
    if outcome.dry_run {
        rehearsal(outcome, printer);
    } else if let Some((num, url)) = &outcome.pull {
        printer.line(&format!(
            "opened pull request {num} of `{}`: {}",
            outcome.model,
            visible(url)
        ));
    } else {
        printer.line("nothing to do: the hub has it all");
    }
    for sent in &outcome.entries {
        printer.line(&format!("  {}", line(outcome, sent)));
    }
}

/// Prints what would be sent.
fn rehearsal(outcome: &Outcome, printer: &mut Printer) {
    for (path, text) in &outcome.files {
        printer.line(&format!(
            "# {path} of `{}` on {}",
            outcome.model, outcome.hub
        ));
        printer.data(text);
    }
    for (issuer, body) in &outcome.requests {
        printer.line(&format!("# POST {issuer}{ISSUE}"));
        printer.line(body);
    }
    let word = if outcome.files.is_empty() {
        "nothing to do: the hub has it all"
    } else {
        "nothing was sent"
    };
    printer.line(word);
}

fn line(outcome: &Outcome, sent: &Sent) -> String {
    let entry = &sent.entry;
    let what = format!(
        "{} {}: {}",
        entry.dataset,
        entry.task,
        values(entry).join(", ")
    );
    let place = match sent.state {
        State::New => String::new(),
        State::Merged => ", merged before".to_owned(),
        State::Open(num) => format!(", in open pull request {num} ({})", outcome.page_of(num)),
    };
    let standing = match &sent.standing {
        Some(standing) => format!("; {}", standing_in_words(standing)),
        None => String::new(),
    };
    let proof = match sent.standing.as_ref().and_then(proof_of) {
        Some(jti) => format!(
            "\n    proof: {}/api/models/{}/eval-results/{}/proof",
            outcome.hub,
            outcome.model,
            visible(jti)
        ),
        None => String::new(),
    };
    format!("{}{proof}", visible(&format!("{what}{place}{standing}")))
}

/// The identity of the token that a verified entry is proved by.
fn proof_of(standing: &BoardStanding) -> Option<&str> {
    standing
        .attested
        .as_ref()
        .map(|attested| attested.jti.as_str())
}

/// A standing in a line: the word, the reason and what to do.
pub(super) fn standing_in_words(standing: &BoardStanding) -> String {
    let part = |before: &str, text: Option<&String>, after: &str| {
        let words = text.filter(|text| !text.is_empty());
        let words = words.map(|words| format!("{before}{words}{after}"));
        words.unwrap_or_default()
    };
    let by = match &standing.attested {
        Some(attested) => format!(" ({}, by {})", attested.assurance, attested.integration),
        None => String::new(),
    };
    format!(
        "{}{by}{}{}{}",
        standing.state,
        part(" (", standing.reason.as_ref(), ")"),
        part(": ", standing.detail.as_ref(), ""),
        part("; ", standing.hint.as_ref(), "")
    )
}

fn document(outcome: &Outcome) -> Json {
    let entries: Vec<Json> = outcome
        .entries
        .iter()
        .map(|sent| entry(outcome, sent))
        .collect();
    let files: Vec<Json> = outcome
        .files
        .iter()
        .map(|(path, text)| json!({ "path": path, "content": text }))
        .collect();
    let requests: Vec<Json> = outcome
        .requests
        .iter()
        .map(|(issuer, body)| {
            let body: Json = serde_json::from_str(body).unwrap_or_default();
            json!({ "url": format!("{issuer}{ISSUE}"), "body": body })
        })
        .collect();
    let pull = outcome
        .pull
        .as_ref()
        .map(|(num, url)| json!({ "num": num, "url": url }));
    json!({
        "version": VERSION,
        "hub": outcome.hub,
        "model": outcome.model,
        "dry_run": outcome.dry_run,
        "pull_request": pull,
        "entries": entries,
        "issuer": match &outcome.signing {
            Signing::By(issuer) => Some(issuer),
            Signing::NoCredential(_) | Signing::Unwanted => None,
        },
        "requests": requests,
        "files": files,
        "warnings": outcome.warnings,
    })
}

fn entry(outcome: &Outcome, sent: &Sent) -> Json {
    let (status, pull) = match sent.state {
        State::New if outcome.dry_run => ("would-send", None),
        State::New => ("sent", outcome.pull.as_ref().map(|(num, _)| *num)),
        State::Open(num) => ("open", Some(num)),
        State::Merged => ("merged", None),
    };
    let entry = &sent.entry;
    json!({
        "origin": sent.origin,
        "path": sent.path,
        "benchmark": entry.dataset.as_str(),
        "benchmark_revision": entry.dataset_revision.as_ref().map(assay_model::Revision::as_str),
        "task": entry.task.as_str(),
        "model_revision": entry.model_revision.as_ref().map(assay_model::Revision::as_str),
        "status": status,
        "pull_request": pull,
        "signed": entry.token.is_some(),
        "standing": sent.standing,
        "notes": sent.notes,
        "warnings": sent.warnings,
    })
}
