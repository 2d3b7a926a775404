//! `assay outbox`: submissions that wait until a hub has them.

mod args;
mod item;

use std::process::{Command, Stdio};

use assay_cli::{Exit, Printer};
use assay_render::visible;
use clap::Parser;
use serde::Serialize;

use self::args::OutboxAction;
pub(crate) use self::args::OutboxArgs;
pub(crate) use self::item::{NewFile, Outbox, OutboxItem};
use self::item::{Submission, SubmissionState};
use crate::args::ShowFormat;
use crate::clock;
use crate::commands::submit::SubmitArgs;
use crate::config::Config;
use crate::plural::count;
use crate::table::table;

/// The longest reason of a failure that is kept, in characters.
const MAX_REASON: usize = 2_000;

/// The arguments of a submission, read as `assay submit` reads them.
#[derive(Debug, Parser)]
struct ParsedArguments {
    #[command(flatten)]
    submit: SubmitArgs,
}

/// A failure of the outbox.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboxError {
    /// There is no place for an outbox.
    #[error("there is no place for an outbox: set ASSAY_OUTBOX to a directory")]
    NoPlace,
    /// The arguments are not those of `assay submit`.
    #[error("these are no arguments of `assay submit`: {0}")]
    Arguments(String),
    /// The arguments have a secret.
    #[error("the outbox keeps no credential: put it into ASSAY_CREDENTIAL where results are sent")]
    Credential,
    /// A file cannot be read or written.
    #[error("the outbox cannot be read or written: {0}")]
    Disk(#[from] std::io::Error),
    /// There is no such submission.
    #[error("there is no submission `{0}`; `assay outbox list` shows those that wait")]
    Unknown(String),
}

/// The outcome of an attempt to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Delivery {
    /// The hub has the results.
    Sent,
    /// The hub has the results, and does not call them verified although they were signed.
    NotVerified,
    /// The rules, the issuer or the hub refuse them.
    Refused,
    /// It waits for the next attempt.
    Waiting,
    /// Another process is sending it.
    Busy,
}

/// A submission with what came of it.
#[derive(Debug, Serialize)]
pub(crate) struct Delivered {
    id: String,
    pub(crate) delivery: Delivery,
    /// The account that `assay submit` gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<serde_json::Value>,
    /// The reason when it was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// Does what the arguments ask for.
pub(crate) fn run(args: &OutboxArgs, config: &Config, printer: &mut Printer) -> Exit {
    let done = match &args.action {
        OutboxAction::Add { paths, arguments } => {
            add_paths(paths, arguments, args, config, printer)
        }
        OutboxAction::List => list(args, config, printer),
        OutboxAction::Send { ids, refused } => send_some(ids, *refused, args, config, printer),
        OutboxAction::Remove { ids } => remove(ids, config, printer),
    };
    done.unwrap_or_else(|error| {
        printer.error(&visible(&error.to_string()));
        Exit::Failed
    })
}

/// Returns the outbox of whoever runs this.
pub(crate) fn outbox(config: &Config) -> Result<Outbox, OutboxError> {
    let directory = config.outbox.clone().ok_or(OutboxError::NoPlace)?;
    Ok(Outbox::new(directory))
}

/// Refuses arguments that `assay submit` would not understand, or that have a secret.
pub(crate) fn check_arguments(arguments: &[String]) -> Result<(), OutboxError> {
    let whole = ["submit", "log"].into_iter().map(str::to_owned);
    let parsed = ParsedArguments::try_parse_from(whole.chain(arguments.iter().cloned()))
        .map_err(|error| OutboxError::Arguments(error.to_string()))?;
    match parsed.submit.signing.credential {
        Some(_) => Err(OutboxError::Credential),
        None => Ok(()),
    }
}

fn add_paths(
    paths: &[std::path::PathBuf],
    arguments: &[String],
    args: &OutboxArgs,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, OutboxError> {
    check_arguments(arguments)?;
    let hub = config.hub.as_deref();
    let item = outbox(config)?.add(clock::now(), hub, arguments, paths, &[])?;
    match args.format {
        ShowFormat::Json => printer.json(&serde_json::json!({"version": 1, "id": item.id})),
        ShowFormat::Text => printer.line(&item.id),
    }
    Ok(Exit::Clean)
}

fn list(args: &OutboxArgs, config: &Config, printer: &mut Printer) -> Result<Exit, OutboxError> {
    let items = outbox(config)?.items()?;
    match args.format {
        ShowFormat::Json => {
            let items: Vec<_> = items
                .iter()
                .map(|item| serde_json::json!({"id": item.id, "submission": item.submission}))
                .collect();
            printer.json(&serde_json::json!({"version": 1, "items": items}));
        }
        ShowFormat::Text if items.is_empty() => printer.line("the outbox is empty"),
        ShowFormat::Text => {
            let rows: Vec<Vec<String>> = items.iter().map(row).collect();
            printer.data(&table(&["ID", "STATE", "TRIED", "FILES", "REASON"], &rows));
        }
    }
    Ok(Exit::Clean)
}

fn row(item: &OutboxItem) -> Vec<String> {
    let Submission {
        attempts,
        state,
        last_error,
        paths,
        ..
    } = &item.submission;
    let state = match state {
        SubmissionState::Waiting => "waiting",
        SubmissionState::Refused => "refused",
    };
    let names: Vec<String> = paths
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let reason = last_error.as_deref().and_then(|text| text.lines().next());
    vec![
        item.id.clone(),
        state.to_owned(),
        attempts.to_string(),
        visible(&names.join(", ")),
        visible(reason.unwrap_or_default()),
    ]
}

fn send_some(
    ids: &[String],
    refused: bool,
    args: &OutboxArgs,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, OutboxError> {
    let items = choose(ids, config)?;
    let mut outcomes = Vec::new();
    for item in items {
        let is_wanted = refused || !ids.is_empty();
        if item.submission.state == SubmissionState::Refused && !is_wanted {
            continue;
        }
        let sent = send(item)?;
        if args.format == ShowFormat::Text {
            report(&sent, printer);
        }
        outcomes.push(sent);
    }
    match args.format {
        ShowFormat::Json => {
            printer.json(&serde_json::json!({"version": 1, "submissions": outcomes}));
        }
        ShowFormat::Text if outcomes.is_empty() => printer.line("nothing waits to be sent"),
        ShowFormat::Text => {}
    }
    Ok(exit_of(&outcomes))
}

/// Reports what came of a submission.
pub(crate) fn report(sent: &Delivered, printer: &mut Printer) {
    let pull = sent
        .account
        .as_ref()
        .and_then(|account| account["pull_request"]["url"].as_str());
    let words = match (sent.delivery, pull) {
        (Delivery::Sent, Some(url)) => format!("sent: {url}"),
        (Delivery::Sent, None) => "the hub has these results already".to_owned(),
        (Delivery::NotVerified, _) => "sent, and the hub does not call it verified".to_owned(),
        (Delivery::Refused, _) => "refused; `assay outbox delete` gives it up".to_owned(),
        (Delivery::Waiting, _) => "not sent yet; `assay outbox send` tries again".to_owned(),
        (Delivery::Busy, _) => "is being sent by another process".to_owned(),
    };
    printer.aside(&visible(&format!("{}: {words}", sent.id)));
    if let Some(reason) = &sent.reason {
        printer.aside(&visible(reason));
    }
}

fn exit_of(outcomes: &[Delivered]) -> Exit {
    let any = |wanted: Delivery| outcomes.iter().any(|one| one.delivery == wanted);
    if any(Delivery::Waiting) {
        Exit::Failed
    } else if any(Delivery::Refused) {
        Exit::Errors
    } else if any(Delivery::NotVerified) {
        Exit::Warnings
    } else {
        Exit::Clean
    }
}

fn remove(ids: &[String], config: &Config, printer: &mut Printer) -> Result<Exit, OutboxError> {
    let items = choose(ids, config)?;
    let removed = items.len() as u64;
    for item in items {
        item.remove()?;
    }
    printer.aside(&format!(
        "removed {}",
        count(removed, "submission", "submissions")
    ));
    Ok(Exit::Clean)
}

/// Returns the submissions of these ids; all of them when there are none.
fn choose(ids: &[String], config: &Config) -> Result<Vec<OutboxItem>, OutboxError> {
    let mut items = outbox(config)?.items()?;
    if ids.is_empty() {
        return Ok(items);
    }
    for id in ids {
        if !items.iter().any(|item| item.id == *id) {
            return Err(OutboxError::Unknown(id.clone()));
        }
    }
    items.retain(|item| ids.contains(&item.id));
    Ok(items)
}

/// Sends a submission by `assay submit` in a process of its own, and removes it when the hub has
/// it.
pub(crate) fn send(mut item: OutboxItem) -> Result<Delivered, OutboxError> {
    let answer = |item: &OutboxItem, delivery, account, reason| Delivered {
        id: item.id.clone(),
        delivery,
        account,
        reason,
    };
    let Some(lock) = item.try_lock()? else {
        return Ok(answer(&item, Delivery::Busy, None, None));
    };
    let output = submit_command(&item)?.output()?;
    let account = serde_json::from_slice(&output.stdout).ok();
    let delivery = match output.status.code() {
        Some(0) => Delivery::Sent,
        Some(2) => Delivery::NotVerified,
        Some(1) => Delivery::Refused,
        Some(_) | None => Delivery::Waiting,
    };
    let state = match delivery {
        Delivery::Sent | Delivery::NotVerified | Delivery::Busy => {
            let sent = answer(&item, delivery, account, None);
            item.remove()?;
            return Ok(sent);
        }
        Delivery::Refused => SubmissionState::Refused,
        Delivery::Waiting => SubmissionState::Waiting,
    };
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason: String = reason.trim().chars().take(MAX_REASON).collect();
    item.note_failure(state, reason.clone())?;
    drop(lock);
    Ok(answer(&item, delivery, account, Some(reason)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program is this one and reads the same environment"
)]
fn submit_command(item: &OutboxItem) -> Result<Command, OutboxError> {
    let mut command = Command::new(std::env::current_exe()?);
    let submission = &item.submission;
    command
        .arg("submit")
        .args(item.paths())
        .args(&submission.arguments)
        .args(["--format", "json"])
        .stdin(Stdio::null());
    for file in item.evidence() {
        command.arg("--evidence").arg(file);
    }
    let names_hub = |argument: &String| argument == "--hub" || argument.starts_with("--hub=");
    if let Some(hub) = &submission.hub
        && !submission.arguments.iter().any(names_hub)
    {
        command.args(["--hub", hub]);
    }
    Ok(command)
}
