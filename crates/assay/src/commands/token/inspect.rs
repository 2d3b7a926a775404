//! `assay token inspect`: what a token says of itself. Nothing of it is believed.

use assay_cli::{Exit, Printer};
use assay_formats::eval_results::entries::MAX_FILE;
use assay_model::Timestamp;
use assay_render::visible;
use assay_trust::{Canonical, Claims, Reason, Unverified, UnverifiedToken, matches};
use base64::Engine as _;
use serde_json::{Value as Json, json};

use super::args::Inspect;
use crate::args::ShowFormat;
use crate::clock;
use crate::commands::submit::text_of;
use crate::commands::verify::{
    Given, VERSION, claims_document, claims_in_words, reason_document, reason_in_words,
};

/// The header that our issuer writes, up to the name of the key.
const OWN_HEADER: &str = r#"{"alg":"EdDSA","typ":"JWT","kid":""#;

/// A token, and an entry that it stands in or is compared with.
struct Looked {
    label: String,
    header: Option<String>,
    claims: Result<Claims, Unverified>,
    compared: Vec<(usize, Result<(), Unverified>)>,
}

/// Shows what tokens say.
pub(super) fn run(args: &Inspect, printer: &mut Printer) -> Exit {
    let looked = match look(args) {
        Ok(looked) => looked,
        Err(why) => {
            printer.error(&visible(&why));
            return Exit::Failed;
        }
    };
    match args.format {
        ShowFormat::Json => printer.json(&document(&looked)),
        ShowFormat::Text => looked.iter().for_each(|one| in_words(one, printer)),
    }
    let is_fine = |one: &Looked| {
        // With several entries to compare with, one that matches is the one that was meant.
        let matched = one.compared.iter().any(|(_, outcome)| outcome.is_ok());
        one.claims.is_ok() && (matched || one.compared.is_empty())
    };
    if looked.iter().all(is_fine) {
        Exit::Clean
    } else {
        Exit::Errors
    }
}

fn look(args: &Inspect) -> Result<Vec<Looked>, String> {
    let given = Given::read(&args.token).map_err(|error| error.to_string())?;
    let wanted = args.entry.map(usize::from);
    let entries = |text: &str| -> Vec<(usize, Canonical)> {
        let entries = Canonical::read_file(text).into_iter().enumerate();
        let entries = entries.filter_map(|(position, entry)| Some((position, entry.ok()?)));
        entries
            .filter(|(position, _)| wanted.is_none_or(|wanted| wanted == position + 1))
            .collect()
    };
    match given {
        Given::Token(token) => {
            let others = match &args.file {
                Some(path) => entries(&text_of(path, MAX_FILE).map_err(|error| error.to_string())?),
                None => Vec::new(),
            };
            if args.file.is_some() && others.is_empty() {
                return Err("the file has no such entry in a form that can be compared".to_owned());
            }
            Ok(vec![one("token".to_owned(), &token, &others)])
        }
        Given::Results { text, .. } => {
            let looked: Vec<Looked> = entries(&text)
                .iter()
                .filter_map(|entry| {
                    let token = entry.1.token()?.to_owned();
                    let label = format!("token of entry {}", entry.0 + 1);
                    Some(one(label, &token, std::slice::from_ref(entry)))
                })
                .collect();
            if looked.is_empty() {
                return Err("no entry of this file has a token".to_owned());
            }
            Ok(looked)
        }
        Given::Proof(_) => Err("this is a proof; `assay verify` checks it".to_owned()),
    }
}

fn one(label: String, token: &str, entries: &[(usize, Canonical)]) -> Looked {
    let claims = UnverifiedToken::read(token).and_then(|token| token.unverified_claims());
    let compared = claims.as_ref().map_or_else(
        |_| Vec::new(),
        |claims| {
            let compare =
                |(position, entry): &(usize, Canonical)| (*position, matches(entry, claims));
            entries.iter().map(compare).collect()
        },
    );
    Looked {
        label,
        header: header_of(token),
        claims,
        compared,
    }
}

/// The header as it is written, whatever it is.
fn header_of(token: &str) -> Option<String> {
    let part = token.split('.').next()?;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(part)
        .ok()?;
    String::from_utf8(bytes).ok()
}

/// Returns the form of the header among those that are allowed.
fn form_of(header: &str, claims: &Result<Claims, Unverified>) -> &'static str {
    let is_refused = claims
        .as_ref()
        .is_err_and(|error| error.reason == Reason::TokenHeader);
    if is_refused {
        "not a form that hubs accept"
    } else if header.starts_with(OWN_HEADER) {
        "the form `JWT`, which hubs write"
    } else {
        "the form `evalresult+jwt`, which hubs accept"
    }
}

/// Returns whether it could still be used.
fn time_of(claims: &Claims, now: Timestamp) -> String {
    let seconds = now.seconds();
    if seconds > claims.exp {
        format!("ended {} seconds ago", seconds - claims.exp)
    } else if seconds < claims.nbf {
        format!("begins in {} seconds", claims.nbf - seconds)
    } else {
        format!("ends in {} seconds", claims.exp - seconds)
    }
}

fn in_words(looked: &Looked, printer: &mut Printer) {
    printer.line(&format!(
        "{} (UNVERIFIED: this is what it says of itself, and no signature was checked)",
        looked.label
    ));
    if let Some(header) = &looked.header {
        printer.line(&format!("  {:<12} {}", "header", visible(header)));
        printer.line(&format!("  {:<12} {}", "", form_of(header, &looked.claims)));
    }
    match &looked.claims {
        Ok(claims) => {
            printer.data(&claims_in_words(claims));
            printer.line(&format!(
                "  {:<12} {}",
                "now",
                time_of(claims, clock::now())
            ));
        }
        Err(unverified) => printer.line(&format!("  {}", reason_in_words(unverified))),
    }
    for (position, outcome) in &looked.compared {
        match outcome {
            Ok(()) => printer.line(&format!(
                "entry {} is the one that it was made for",
                position + 1
            )),
            Err(unverified) => printer.line(&format!(
                "entry {} differs\n  {}",
                position + 1,
                reason_in_words(unverified)
            )),
        }
    }
}

fn document(looked: &[Looked]) -> Json {
    let compared = |(position, outcome): &(usize, Result<(), Unverified>)| {
        json!({
            "entry": position + 1,
            "matches": outcome.is_ok(),
            "why": outcome.as_ref().err().map(reason_document),
        })
    };
    let one = |one: &Looked| {
        json!({
            "label": one.label,
            "verified": false,
            "header": one.header,
            "claims": one.claims.as_ref().ok().map(claims_document),
            "why": one.claims.as_ref().err().map(reason_document),
            "compared": one.compared.iter().map(compared).collect::<Vec<Json>>(),
        })
    };
    json!({ "version": VERSION, "tokens": looked.iter().map(one).collect::<Vec<Json>>() })
}
