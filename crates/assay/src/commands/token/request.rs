//! `assay token request`.

use std::path::Path;

use assay_cli::{Exit, Printer};
use assay_formats::eval_results::entries::{self, Field};
use assay_hub_api::EvalToken;
use assay_hub_api::client::Document;
use assay_render::visible;
use serde_json::{Value as Json, json};

use super::args::Request;
use crate::args::ShowFormat;
use crate::commands::hub::connect;
use crate::commands::submit::{
    Definitions, Draft, Inputs, Signer, SubmitError, drafts, issuer_of, refuse, signer, text_of,
};
use crate::commands::verify::VERSION;
use crate::config::Config;
use crate::issuer::{ISSUE, IssuerError, artefacts, request};
use crate::replace::replace;

/// Has entries signed.
pub(super) fn run(args: &Request, config: &Config, printer: &mut Printer) -> Exit {
    let done = match sign_all(args, config) {
        Ok(done) => done,
        Err(error) => return refuse(&error, printer),
    };
    for note in done.entries.iter().flat_map(|(draft, _)| &draft.notes) {
        printer.aside(&format!("note: {}", visible(note)));
    }
    match args.format {
        ShowFormat::Json => printer.json(&document(&done)),
        ShowFormat::Text => in_words(args, &done, printer),
    }
    Exit::Clean
}

/// The signed entries.
struct Done {
    issuer: String,
    entries: Vec<(Draft, Answer)>,
    written: bool,
}

/// The outcome of one entry.
enum Answer {
    Signed(Box<Document<EvalToken>>),
    /// The request that would be made.
    Tried(String),
}

fn sign_all(args: &Request, config: &Config) -> Result<Done, SubmitError> {
    let named = args.run.hub.as_deref().or(config.hub.as_deref());
    let hub = connect(named.or(args.signing.issuer.as_deref()), config)?;
    let inputs = Inputs::read(std::slice::from_ref(&args.file))?;
    if args.write && inputs.has_runs() {
        return Err(SubmitError::failed(
            "`--write` writes into a result file; what is made of a log or record is printed"
                .to_owned(),
        ));
    }
    let mut definitions = Definitions::default();
    let drafts = drafts(&args.run, &inputs, &hub, &mut definitions, config)?;
    let drafts = wanted(args, drafts)?;
    let address = issuer_of(&args.signing, &hub, config);
    let mut done = Done {
        issuer: address.clone(),
        entries: Vec::new(),
        written: false,
    };
    let mut signer = signer(&args.signing, &address, config)?;
    for mut draft in drafts {
        let answer = answer(args, &mut draft, signer.as_mut(), &address)?;
        if args.write {
            write(&args.file, &draft)?;
            done.written = true;
        }
        done.entries.push((draft, answer));
    }
    Ok(done)
}

fn answer(
    args: &Request,
    draft: &mut Draft,
    signer: Option<&mut Signer>,
    address: &str,
) -> Result<Answer, SubmitError> {
    let model = &args.run.model;
    if args.dry_run {
        let canonical = draft.canonical().map_err(IssuerError::Entry)?;
        let artefacts = artefacts(&args.signing.evidence)?;
        return Ok(Answer::Tried(request(model, &canonical, &artefacts)?));
    }
    let signer = signer.ok_or_else(|| {
        SubmitError::failed(format!(
            "there is no credential for the issuer at `{address}`: give `--credential`, set `ASSAY_CREDENTIAL`, or keep one \
             with `assay hub login`"
        ))
    })?;
    Ok(Answer::Signed(Box::new(signer.sign(model, draft)?)))
}

/// The entry that was named, else those without a token.
fn wanted(args: &Request, drafts: Vec<Draft>) -> Result<Vec<Draft>, SubmitError> {
    let Some(number) = args.entry.map(usize::from) else {
        let unsigned = drafts
            .into_iter()
            .filter(|draft| draft.entry.token.is_none());
        return Ok(unsigned.collect());
    };
    let is_it = |draft: &Draft| draft.place.as_ref().is_some_and(|(_, at)| at + 1 == number);
    let found: Vec<Draft> = drafts.into_iter().filter(is_it).collect();
    if found.is_empty() {
        return Err(SubmitError::failed(format!(
            "there is no entry {number} to sign"
        )));
    }
    Ok(found)
}

/// Writes what was signed into the file: after each token, so that none that was issued is lost.
fn write(path: &Path, draft: &Draft) -> Result<(), SubmitError> {
    let Some((_, position)) = &draft.place else {
        return Ok(());
    };
    let mut text = text_of(path, entries::MAX_FILE)?;
    let entry = &draft.entry;
    let values = [
        (
            Field::DatasetRevision,
            entry
                .dataset_revision
                .as_ref()
                .map(assay_model::Revision::as_str),
        ),
        (
            Field::ModelRevision,
            entry
                .model_revision
                .as_ref()
                .map(assay_model::Revision::as_str),
        ),
        (Field::Token, entry.token.as_deref()),
    ];
    let before = entries::read(&text).ok();
    let before = before.as_ref().and_then(|entries| entries.get(*position));
    for (field, value) in values {
        let is_there = before.is_some_and(|before| match field {
            Field::DatasetRevision => before.dataset_revision.is_some(),
            Field::ModelRevision => before.model_revision.is_some(),
            Field::Token => false,
        });
        if let Some(value) = value.filter(|_| !is_there) {
            text = entries::set(&text, *position, field, value)
                .map_err(|error| SubmitError::refused(format!("{}: {error}", draft.origin)))?;
        }
    }
    replace(path, |target| target.write_all(text.as_bytes())).map_err(|error| {
        SubmitError::failed(format!("`{}` cannot be written: {error}", path.display()))
    })
}

fn in_words(args: &Request, done: &Done, printer: &mut Printer) {
    if done.entries.is_empty() {
        printer.aside("nothing to sign: every entry has a token");
    }
    for (draft, answer) in &done.entries {
        match answer {
            Answer::Tried(body) => {
                printer.line(&format!("# POST {}{ISSUE}", done.issuer));
                printer.line(body);
            }
            Answer::Signed(issued) => {
                if !args.write {
                    printer.data(&draft.text);
                }
                printer.aside(&format!(
                    "signed {} as {}; it has to reach the hub before {}",
                    visible(&draft.origin),
                    visible(&issued.value.jti),
                    issued.value.expires_at
                ));
            }
        }
    }
}

fn document(done: &Done) -> Json {
    let entry = |(draft, answer): &(Draft, Answer)| {
        let number = draft.place.as_ref().map(|(_, position)| position + 1);
        match answer {
            Answer::Tried(body) => json!({
                "entry": number,
                "origin": draft.origin,
                "request": serde_json::from_str::<Json>(body).unwrap_or_default(),
            }),
            Answer::Signed(issued) => json!({
                "entry": number,
                "origin": draft.origin,
                "verify_token": issued.value.verify_token,
                "jti": issued.value.jti,
                "expires_at": issued.value.expires_at,
                "digests": issued.json["digests"],
                "log": issued.json["log"],
                "yaml": draft.text,
                "notes": draft.notes,
            }),
        }
    };
    json!({
        "version": VERSION,
        "issuer": done.issuer,
        "written": done.written,
        "entries": done.entries.iter().map(entry).collect::<Vec<Json>>(),
    })
}
