//! Entries on their way to a hub: complete, but unsigned.

use std::path::PathBuf;

use assay_convert::entry::About;
use assay_formats::eval_results::entries::{self, Field};
use assay_formats::eval_results::write;
use assay_hub_api::client::Client;
use assay_model::{Entry, RepoKind, Revision};
use assay_trust::{Canonical, Unverified};

use super::SubmitError;
use super::args::RunArgs;
use super::facts::{Definitions, commit_of};
use super::inputs::Inputs;
use crate::commands::convert::{Derived, EntryRequest, derive};
use crate::config::Config;

/// An entry that can be sent.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The origin, for people.
    pub(crate) origin: String,
    /// The result file it stands in, and at which place, from 0; none for what was made of a log.
    pub(crate) place: Option<(PathBuf, usize)>,
    /// A result file with this entry alone.
    pub(crate) text: String,
    /// The entry.
    pub(crate) entry: Entry,
    /// True if the author or the log named the commit of the benchmark; otherwise it is the current
    /// one.
    pub(crate) names_benchmark_commit: bool,
    /// True if the author or the log named the commit of the model.
    pub(crate) names_model_commit: bool,
    /// Changes and additions that were made on the way.
    pub(crate) notes: Vec<String>,
    /// Suspicions.
    pub(crate) warnings: Vec<String>,
}

impl Draft {
    /// The file of the model's repository that it belongs in.
    pub(crate) fn path(&self) -> String {
        format!(".eval_results/{}", self.entry.dataset.result_file_name())
    }

    /// Its canonical form, which is what is signed.
    pub(crate) fn canonical(&self) -> Result<Canonical, Unverified> {
        let mut entries = Canonical::read_file(&self.text);
        entries.swap_remove(0)
    }

    /// Puts the token beside what was signed.
    pub(crate) fn sign(&mut self, token: &str) -> Result<(), SubmitError> {
        let text = entries::set(&self.text, 0, Field::Token, token);
        self.text =
            text.map_err(|error| SubmitError::refused(format!("{}: {error}", self.origin)))?;
        self.entry.token = Some(token.to_owned());
        Ok(())
    }

    /// Returns whether an entry on the hub is this one: all that was claimed is the same. A token
    /// is no part of the claim, and a commit that we filled in ourselves may be another today than
    /// when it was first sent.
    pub(super) fn is_like(&self, other: &Entry) -> bool {
        let claim = |entry: &Entry| {
            let mut claim = entry.clone();
            claim.token = None;
            if !self.names_benchmark_commit {
                claim.dataset_revision = None;
            }
            if !self.names_model_commit {
                claim.model_revision = None;
            }
            for score in &mut claim.scores {
                score.literal = score.value.to_string();
            }
            claim
        };
        claim(&self.entry) == claim(other)
    }

    fn set(&mut self, field: Field, value: &Revision) -> Result<(), SubmitError> {
        let refused = |error: entries::EntriesError| {
            SubmitError::refused(format!("{}: {error}", self.origin))
        };
        self.text = entries::set(&self.text, 0, field, value.as_str()).map_err(refused)?;
        match field {
            Field::DatasetRevision => self.entry.dataset_revision = Some(value.clone()),
            Field::ModelRevision => self.entry.model_revision = Some(value.clone()),
            Field::Token => {}
        }
        Ok(())
    }
}

/// Makes complete entries of what was given.
pub(crate) fn drafts(
    args: &RunArgs,
    inputs: &Inputs,
    client: &Client,
    definitions: &mut Definitions,
    config: &Config,
) -> Result<Vec<Draft>, SubmitError> {
    let mut drafts: Vec<Draft> = inputs
        .entries
        .iter()
        .filter(|given| is_wanted(args, &given.piece.entry))
        .map(|given| Draft {
            origin: given.origin.clone(),
            place: Some((given.path.clone(), given.position)),
            text: given.piece.text.clone(),
            entry: given.piece.entry.clone(),
            names_benchmark_commit: given.piece.entry.dataset_revision.is_some(),
            names_model_commit: given.piece.entry.model_revision.is_some(),
            notes: Vec::new(),
            warnings: Vec::new(),
        })
        .collect();
    if inputs.has_runs() {
        drafts.push(of_runs(args, inputs, client, definitions, config)?);
    }
    if drafts.is_empty() {
        return Err(SubmitError::refused(
            "no entry of the files is for this benchmark and task".to_owned(),
        ));
    }
    for draft in &mut drafts {
        complete(args, draft, client)?;
    }
    Ok(drafts)
}

fn is_wanted(args: &RunArgs, entry: &Entry) -> bool {
    args.benchmark
        .as_ref()
        .is_none_or(|id| *id == entry.dataset)
        && args.task.as_ref().is_none_or(|task| *task == entry.task)
}

/// One entry out of all logs and records together.
fn of_runs(
    args: &RunArgs,
    inputs: &Inputs,
    client: &Client,
    definitions: &mut Definitions,
    config: &Config,
) -> Result<Draft, SubmitError> {
    let Some(benchmark) = &args.benchmark else {
        return Err(SubmitError::failed(
            "logs and records do not say what they are results of: give `--benchmark` and `--task`"
                .to_owned(),
        ));
    };
    let named = args.benchmark_revision.as_deref();
    let revision = commit_of(client, RepoKind::Dataset, benchmark, named)?;
    let definition = definitions.get(client, benchmark, &revision)?;
    let task = match (&args.task, definition.tasks.as_slice()) {
        (Some(task), _) => task,
        (None, [only]) => &only.id,
        (None, tasks) => {
            let names: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
            let names = names.join("`, `");
            return Err(SubmitError::refused(format!(
                "`{benchmark}` has several tasks: give `--task`, one of `{names}`"
            )));
        }
    };
    let logs = &args.logs;
    let Derived {
        mut entry,
        changes,
        warnings,
    } = derive(EntryRequest {
        logs: &inputs.logs,
        records: &inputs.records,
        source: logs.from,
        benchmark,
        task,
        model: &args.model,
        definition: Some(&definition),
        pairs: &logs.metric,
        evaluation: logs.evaluation.as_deref(),
        about: About {
            source_url: logs.source_url.as_deref(),
            source_name: logs.source_name.as_deref(),
            notes: logs.notes.as_deref(),
            framework: logs.framework.as_deref(),
            framework_version: logs.framework_version.as_deref(),
            command: logs.command.as_deref(),
            model_revision: None,
            dataset_revision: None,
            allow_incomplete: logs.allow_incomplete,
        },
        jobs: config.cores,
    })?;
    entry.dataset_revision = Some(revision);
    let logs = inputs.logs.iter().map(|path| path.display().to_string());
    let records = inputs.records.iter().map(|(path, _)| path.clone());
    let origins: Vec<String> = logs.chain(records).collect();
    Ok(Draft {
        origin: origins.join(", "),
        place: None,
        text: write(std::slice::from_ref(&entry)),
        names_benchmark_commit: named.is_some(),
        names_model_commit: entry.model_revision.is_some(),
        entry,
        notes: changes,
        warnings,
    })
}

/// Fills in the commits that nobody named.
fn complete(args: &RunArgs, draft: &mut Draft, client: &Client) -> Result<(), SubmitError> {
    let wishes = [
        (
            Field::DatasetRevision,
            RepoKind::Dataset,
            args.benchmark_revision.as_deref(),
        ),
        (
            Field::ModelRevision,
            RepoKind::Model,
            args.model_revision.as_deref(),
        ),
    ];
    for (field, kind, named) in wishes {
        let (id, own) = match kind {
            RepoKind::Dataset => (
                draft.entry.dataset.clone(),
                draft.entry.dataset_revision.clone(),
            ),
            RepoKind::Model => (args.model.clone(), draft.entry.model_revision.clone()),
        };
        if own.is_some() && named.is_none() {
            continue;
        }
        let commit = commit_of(client, kind, &id, named)?;
        match own {
            Some(own) if own == commit => {}
            Some(own) => {
                return Err(SubmitError::refused(format!(
                    "{} was evaluated at `{own}` by what it says itself, and at `{commit}` by the command line",
                    draft.origin
                )));
            }
            None => {
                draft.set(field, &commit)?;
                if named.is_none() {
                    draft.notes.push(format!(
                        "nothing tells the commit of `{id}`; `{commit}` is its main branch now"
                    ));
                }
            }
        }
        if named.is_some() {
            match kind {
                RepoKind::Dataset => draft.names_benchmark_commit = true,
                RepoKind::Model => draft.names_model_commit = true,
            }
        }
    }
    Ok(())
}
