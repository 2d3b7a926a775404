//! `assay hub`: a hub from the shell, for people without Python.

mod args;
mod boards;
mod device;
mod git_credential;
mod login;
mod pulls;
mod repos;
mod show;

use assay_cli::{Exit, Printer};

use self::args::Action;
pub(crate) use self::args::HubArgs;

use assay_hub_api::client::{Client, ClientError};
use assay_model::RepoId;
use serde_json::{Value as Json, json};

use crate::args::ShowFormat;
use crate::config::Config;
use crate::credentials::{Credentials, CredentialsError};

/// The reason why a command of `assay hub` failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HubCommandError {
    /// The hub refused, or cannot be reached.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The tokens cannot be kept.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// It is not said which hub.
    #[error(
        "which hub? Give `--hub URL`, set `ASSAY_HUB`, or run `assay hub login --hub URL` once"
    )]
    NoHub,
    /// There is nobody to be.
    #[error("no token was given: pass it with `--token`, on standard input, or in `ASSAY_TOKEN`")]
    NoToken,
    /// Nobody approved the sign-in by device code.
    #[error("the sign-in was not approved: {0}; run `assay hub login` again")]
    NotApproved(String),
    /// No token is kept for the hub.
    #[error("no token is kept for {0}: run `assay hub login --hub {0}`")]
    NotSignedIn(String),
    /// An act that cannot be undone was not confirmed.
    #[error("this deletes `{0}` and its history for ever: add `--yes`")]
    Unconfirmed(RepoId),
    /// Git cannot be set up.
    #[error("git cannot be set up to use the token: {0}")]
    Git(String),
}

/// Does what was asked, on the hub that is named.
pub(crate) fn run(command: &HubArgs, config: &Config, printer: &mut Printer) -> Exit {
    match answer(command, config, printer) {
        Ok(answer) => {
            match command.format {
                ShowFormat::Text => printer.data(&answer.text),
                ShowFormat::Json => printer.json(&answer.json),
            }
            Exit::Clean
        }
        Err(error) => match command.format {
            ShowFormat::Text => tell_failure(&error, printer),
            ShowFormat::Json => {
                printer.json(&failure_document(&error));
                exit_of(&error)
            }
        },
    }
}

/// A failure for machines.
fn failure_document(error: &HubCommandError) -> Json {
    let refusal = if let HubCommandError::Client(ClientError::Refused {
        status,
        code,
        diagnostics,
        ..
    }) = error
    {
        json!({ "status": status, "code": code, "diagnostics": diagnostics })
    } else {
        Json::Null
    };
    json!({
        "version": 1,
        "error": error.to_string(),
        "refusal": refusal,
        "exit_code": exit_of(error).number(),
    })
}

/// Says why a hub did not do what it was asked, with everything that its validation found.
pub(crate) fn tell_failure(error: &HubCommandError, printer: &mut Printer) -> Exit {
    printer.error(&error.to_string());
    for line in findings(error) {
        printer.aside(&line);
    }
    exit_of(error)
}

/// The answer of a command, for people and for machines.
struct Answer {
    text: String,
    json: Json,
}

fn answer(
    command: &HubArgs,
    config: &Config,
    printer: &mut Printer,
) -> Result<Answer, HubCommandError> {
    match &command.action {
        Action::Login(action) => login::login(action, command.hub.as_deref(), config, printer),
        Action::Logout => login::logout(command.hub.as_deref(), config),
        Action::Token => login::token(command.hub.as_deref(), config),
        Action::Credential(action) => git_credential::answer(&action.operation, config),
        Action::Whoami => login::whoami(&connect(command.hub.as_deref(), config)?),
        Action::Repo(action) => repos::run(action, &connect(command.hub.as_deref(), config)?),
        Action::Pr(action) => pulls::run(action, &connect(command.hub.as_deref(), config)?),
        Action::Leaderboard(action) => {
            boards::leaderboard(action, &connect(command.hub.as_deref(), config)?, printer)
        }
        Action::Results(action) => {
            boards::results(action, &connect(command.hub.as_deref(), config)?)
        }
        Action::Proof(action) => boards::proof(action, &connect(command.hub.as_deref(), config)?),
    }
}

/// The hub that is meant, with the token that is kept for it.
pub(crate) fn connect(named: Option<&str>, config: &Config) -> Result<Client, HubCommandError> {
    let kept = Credentials::load(config.credentials.as_deref())?;
    let hub = named
        .or(config.hub.as_deref())
        .or(kept.hub.as_deref())
        .ok_or(HubCommandError::NoHub)?
        .trim_end_matches('/');
    let given = config.token.as_ref();
    let given = given.map(|token| (token.secret.as_str(), format!("of `{}`", token.variable)));
    let kept = || {
        let token = kept.tokens.get(hub)?;
        Some((token.as_str(), "that `assay hub login` keeps".to_owned()))
    };
    Ok(match given.or_else(kept) {
        Some((token, source)) => Client::new(hub, Some(token))?.with_token_source(source),
        None => Client::new(hub, None)?,
    })
}

/// The diagnostics, when they are why the hub refused.
fn findings(error: &HubCommandError) -> Vec<String> {
    let HubCommandError::Client(ClientError::Refused { diagnostics, .. }) = error else {
        return Vec::new();
    };
    diagnostics.iter().map(show::finding).collect()
}

/// A refusal is an error of the request; everything else kept us from asking.
fn exit_of(error: &HubCommandError) -> Exit {
    match error {
        HubCommandError::Client(ClientError::Refused { .. }) => Exit::Errors,
        HubCommandError::Client(
            ClientError::Address(_)
            | ClientError::Transport { .. }
            | ClientError::Body { .. }
            | ClientError::TooLarge { .. }
            | ClientError::Shape { .. }
            | ClientError::Elsewhere { .. }
            | ClientError::Redirects { .. }
            | ClientError::File { .. },
        )
        | HubCommandError::Credentials(_)
        | HubCommandError::NoHub
        | HubCommandError::NoToken
        | HubCommandError::NotApproved(_)
        | HubCommandError::NotSignedIn(_)
        | HubCommandError::Unconfirmed(_)
        | HubCommandError::Git(_) => Exit::Failed,
    }
}
