use assay_hub_api::client::Client;
use assay_hub_api::{BoardStanding, EvalResult, ResultData};
use assay_model::Entry;

use super::args::SubmitArgs;
use super::draft::Draft;

/// The outcome of a submission.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) hub: String,
    pub(super) model: String,
    pub(super) dry_run: bool,
    pub(super) entries: Vec<Sent>,
    /// The result files with the new entries: path and text.
    pub(super) files: Vec<(String, String)>,
    /// The pull request that was opened: number and address.
    pub(super) pull: Option<(u32, String)>,
    /// Warnings of validation.
    pub(super) warnings: Vec<String>,
    /// The signer.
    pub(super) signing: Signing,
    /// The requests to the issuer: its address and the body of each.
    pub(super) requests: Vec<(String, String)>,
}

/// The signing of entries: whether, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Signing {
    /// By the issuer at this address.
    By(String),
    /// There is nothing to show to the issuer at this address.
    NoCredential(String),
    /// It is not wanted.
    Unwanted,
}

/// One entry, and where it is now.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) origin: String,
    pub(super) path: String,
    pub(super) entry: Entry,
    pub(super) state: State,
    /// The standing on the hub.
    pub(super) standing: Option<BoardStanding>,
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// The place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Not on the hub before.
    New,
    /// In an open pull request.
    Open(u32),
    /// On the main branch.
    Merged,
}

impl Outcome {
    pub(super) fn new(args: &SubmitArgs, client: &Client) -> Self {
        Self {
            hub: client.origin().to_string(),
            model: args.run.model.to_string(),
            dry_run: args.dry_run,
            entries: Vec::new(),
            files: Vec::new(),
            pull: None,
            warnings: Vec::new(),
            signing: Signing::Unwanted,
            requests: Vec::new(),
        }
    }

    /// Notes the pull request, and what the hub says of the entries in it.
    pub(super) fn settle(&mut self, pull: (u32, String), results: &[EvalResult]) {
        for sent in &mut self.entries {
            if sent.state == State::New {
                sent.standing = standing(results, sent, Some(pull.0));
            }
        }
        self.pull = Some(pull);
    }

    /// The address of a pull request of the model.
    pub(super) fn page_of(&self, num: u32) -> String {
        format!("{}/{}/discussions/{num}", self.hub, self.model)
    }
}

impl Sent {
    pub(super) fn new(draft: &Draft, path: &str, state: State, results: &[EvalResult]) -> Self {
        let mut sent = Self {
            origin: draft.origin.clone(),
            path: path.to_owned(),
            entry: draft.entry.clone(),
            state,
            standing: None,
            // What was filled in matters only where it is sent.
            notes: if state == State::New {
                draft.notes.clone()
            } else {
                Vec::new()
            },
            warnings: draft.warnings.clone(),
        };
        sent.standing = match state {
            State::New => None,
            State::Open(num) => standing(results, &sent, Some(num)),
            State::Merged => standing(results, &sent, None),
        };
        sent
    }

    /// Returns whether the hub calls it verified; none when it has not said.
    pub(super) fn is_verified(&self) -> Option<bool> {
        self.standing.as_ref().map(|standing| standing.verified)
    }
}

/// Returns the standing of an entry on the hub, found by its content.
fn standing(results: &[EvalResult], sent: &Sent, pull: Option<u32>) -> Option<BoardStanding> {
    let entry = &sent.entry;
    let values: Vec<f64> = entry.scores.iter().map(|score| score.value.get()).collect();
    let is_it = |item: &&EvalResult| {
        let data = &item.data;
        item.filename == sent.path
            && item.pull_request == pull
            && data.dataset.id == entry.dataset
            && data.dataset.task_id == entry.task
            && data.notes == entry.notes
            && values_of(data) == values
    };
    let item = results.iter().rfind(is_it)?;
    Some(item.standing.clone())
}

/// The values of an item, in the order listed.
fn values_of(data: &ResultData) -> Vec<f64> {
    match data.metrics.as_slice() {
        [] => vec![data.value.get()],
        metrics => metrics.iter().map(|metric| metric.value.get()).collect(),
    }
}

/// The scores of an entry in words.
pub(super) fn values(entry: &Entry) -> Vec<String> {
    entry
        .scores
        .iter()
        .map(|score| match &score.metric {
            Some(metric) => format!("{metric} {}", score.literal),
            None => score.literal.clone(),
        })
        .collect()
}
