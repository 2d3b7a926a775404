//! `assay submit`: from a log, a record or a result file to an open pull request, in one command.

mod args;
mod compose;
mod draft;
mod facts;
mod inputs;
mod known;
mod outcome;
mod show;
mod sign;

use std::collections::BTreeMap;

use assay_cli::{Exit, Printer};
use assay_hub_api::EvalResult;
use assay_hub_api::client::{Client, ClientError, CommitFile};
use assay_model::RepoId;

pub(crate) use self::args::{RunArgs, SigningArgs, SubmitArgs};
pub(crate) use self::draft::{Draft, drafts};
pub(crate) use self::facts::Definitions;
pub(crate) use self::inputs::{Inputs, text_of};
use self::known::{EntryLocation, KnownFile, results_of};
use self::outcome::{Outcome, Sent, State};
pub(crate) use self::show::refuse;
pub(crate) use self::sign::{Signer, issuer_of, signer};
use crate::commands::convert::{Problem, validate_result_file};
use crate::commands::hub::{HubCommandError, connect};
use crate::config::Config;
use crate::issuer::{IssuerError, client_to_publish};

/// The reason why nothing was submitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubmitError {
    /// The input cannot become results; each reason is a sentence.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// Something could not be read or asked.
    #[error("{}", .0.join("\n"))]
    Failed(Vec<String>),
    /// The hub refused, or cannot be reached.
    #[error(transparent)]
    Hub(#[from] HubCommandError),
    /// The issuer refused, or cannot be reached.
    #[error(transparent)]
    Issuer(#[from] IssuerError),
}

impl SubmitError {
    pub(crate) fn refused(reason: String) -> Self {
        Self::Refused(vec![reason])
    }

    pub(crate) fn failed(reason: String) -> Self {
        Self::Failed(vec![reason])
    }
}

impl From<ClientError> for SubmitError {
    fn from(error: ClientError) -> Self {
        Self::Hub(error.into())
    }
}

impl From<Problem> for SubmitError {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Refused(reasons) => Self::Refused(reasons),
            Problem::Failed(reasons) => Self::Failed(reasons),
        }
    }
}

/// Submits what the arguments name.
pub(crate) fn run(args: &SubmitArgs, config: &Config, printer: &mut Printer) -> Exit {
    match submit(args, config) {
        Ok(outcome) => show::print(&outcome, args.format, printer),
        Err(error) => show::refuse(&error, printer),
    }
}

/// One result file of the model, and the new entries that it gets.
struct FilePlan {
    path: String,
    known: KnownFile,
    /// Each with its place in the account.
    drafts: Vec<(usize, Draft)>,
}

fn submit(args: &SubmitArgs, config: &Config) -> Result<Outcome, SubmitError> {
    let run = &args.run;
    let client = connect(run.hub.as_deref(), config)?;
    let client = if args.dry_run {
        client
    } else {
        client_to_publish(client, &run.model, &config.issuer)?
    };
    let inputs = Inputs::read(&args.paths)?;
    let mut definitions = Definitions::default();
    let drafts = drafts(run, &inputs, &client, &mut definitions, config)?;
    let results = results_of(&client, &run.model)?;
    let mut outcome = Outcome::new(args, &client);
    let mut plans = plan(&client, &run.model, drafts, &results, &mut outcome)?;
    sign::sign(args, config, &client, &mut plans, &mut outcome)?;
    let mut files = Vec::new();
    for plan in &plans {
        for (_, draft) in &plan.drafts {
            definitions.learn(&client, &draft.entry)?;
        }
        let texts: Vec<&str> = plan
            .drafts
            .iter()
            .map(|(_, draft)| draft.text.as_str())
            .collect();
        let whole = compose::whole(&plan.path, plan.known.main.as_deref(), &texts)?;
        outcome
            .warnings
            .extend(validate_result_file(&plan.path, &whole, &definitions)?);
        files.push((plan.path.clone(), whole));
    }
    if !files.is_empty() && !args.dry_run {
        let title = args.title.clone().unwrap_or_else(|| compose::title(&plans));
        let description = compose::description(&plans);
        let pull = propose(&client, &run.model, &title, &description, &files)?;
        let standings = results_of(&client, &run.model)?;
        outcome.settle(pull, &standings);
    }
    outcome.files = files;
    Ok(outcome)
}

/// Leaves out what the hub has already, and gathers the rest by file.
fn plan(
    client: &Client,
    model: &RepoId,
    drafts: Vec<Draft>,
    results: &[EvalResult],
    outcome: &mut Outcome,
) -> Result<Vec<FilePlan>, SubmitError> {
    let mut plans: BTreeMap<String, FilePlan> = BTreeMap::new();
    for draft in drafts {
        let path = draft.path();
        if !plans.contains_key(&path) {
            let known = KnownFile::ask(client, model, &path, results)?;
            let drafts = Vec::new();
            let plan = FilePlan {
                path: path.clone(),
                known,
                drafts,
            };
            plans.insert(path.clone(), plan);
        }
        let Some(plan) = plans.get_mut(&path) else {
            continue;
        };
        let found = plan.known.find(|entry| draft.is_like(entry));
        let state = match found {
            Some(EntryLocation::Merged) => State::Merged,
            Some(EntryLocation::Open(num)) => State::Open(num),
            None => State::New,
        };
        outcome
            .entries
            .push(Sent::new(&draft, &path, state, results));
        if found.is_none() {
            plan.drafts.push((outcome.entries.len() - 1, draft));
        }
    }
    Ok(plans
        .into_values()
        .filter(|plan| !plan.drafts.is_empty())
        .collect())
}

/// Opens a pull request and returns its number and address.
fn propose(
    client: &Client,
    model: &RepoId,
    title: &str,
    description: &str,
    files: &[(String, String)],
) -> Result<(u32, String), SubmitError> {
    let files: Vec<(String, CommitFile)> = files
        .iter()
        .map(|(path, text)| (path.clone(), CommitFile::Bytes(text.clone().into_bytes())))
        .collect();
    let answer = client.propose(&format!("models/{model}"), title, description, &files)?;
    let url = answer.pull_request_url.unwrap_or_default();
    let num = url.rsplit('/').next().and_then(|num| num.parse().ok());
    match num {
        Some(num) => Ok((num, url)),
        None => Err(SubmitError::failed(format!(
            "the hub accepted the commit {} and names no pull request",
            answer.commit_oid
        ))),
    }
}
