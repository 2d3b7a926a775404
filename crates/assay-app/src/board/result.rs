//! A result as pages and clients see it, made of an entry of the index and what the hub knows of
//! its benchmark.

use std::collections::BTreeSet;

use assay_board::{Fingerprint, Level, Origin, RankableResult};
use assay_check::rules::doubts_value;
use assay_check::scale_findings;
use assay_model::{
    Benchmark, Code, Date, Entry, Finding, Metric, ObjectId, Provenance, RepoId, RepoPath, Score,
    Standing, StatedUncertainty, TaskId, Timestamp,
};
use assay_store::{BoardEntry, Branch, IndexedEntry, Owner, Repository};
use serde_json::{Map, Number, Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::EvalResult;
use crate::account::AccountKind;
use crate::index::CARD_FILE;

/// The name and owner of a model.
#[derive(Clone, Copy)]
pub(super) struct ModelFacts<'m> {
    pub(super) id: &'m RepoId,
    pub(super) owner: &'m Owner,
    /// The number of parameters by the card, when that was looked up.
    pub(super) parameters: Option<u64>,
    /// The models it is made from, when that was looked up.
    pub(super) base_models: &'m [String],
}

/// The circumstances of an entry: its place, its submitter, and facts that are not in the entry
/// itself.
struct Circumstances<'c> {
    file: &'c RepoPath,
    ordinal: u32,
    branch: Branch,
    standing: &'c Standing,
    moment: Timestamp,
    commit: ObjectId,
    committed: Timestamp,
    /// The account, else the author that the commit names.
    submitter: &'c str,
}

/// A result on a board.
pub(super) fn on_board(row: &BoardEntry, benchmark: &RepoId, definition: &Benchmark) -> EvalResult {
    let model = ModelFacts {
        id: &row.model,
        owner: &row.owner,
        parameters: row.parameters,
        base_models: &row.base_models,
    };
    let around = Circumstances {
        file: &row.file,
        ordinal: row.ordinal,
        branch: row.branch,
        standing: &row.standing,
        moment: row.moment,
        commit: row.commit,
        committed: row.committed,
        submitter: row.submitter.as_deref().unwrap_or(&row.author),
    };
    let said = EntryWithFindings {
        entry: entry_of(row, benchmark),
        findings: row.findings.clone(),
        written: None,
    };
    result(model, &around, said, Ok(definition))
}

/// A result of a model, as it was written. The definition is that of its benchmark, or why there is
/// none.
pub(super) fn of_model(
    model: ModelFacts<'_>,
    row: IndexedEntry,
    submitted_by: Option<&str>,
    definition: Result<&Benchmark, String>,
) -> EvalResult {
    let version = row.version;
    let around = Circumstances {
        file: &version.file,
        ordinal: version.ordinal,
        branch: row.branch,
        standing: &version.standing,
        moment: version.moment,
        commit: version.commit,
        committed: version.committed,
        submitter: submitted_by.unwrap_or(&version.author),
    };
    let said = EntryWithFindings {
        entry: version.entry,
        findings: version.findings,
        written: Some(version.data),
    };
    result(model, &around, said, definition)
}

/// The owner of a repository, when only its record is at hand.
pub(super) fn owner_of(repository: &Repository, account: Option<assay_store::Account>) -> Owner {
    match account {
        Some(account) => Owner {
            id: account.id,
            name: account.name,
            fullname: account.fullname,
            kind: account.kind,
        },
        None => Owner {
            id: repository.owner,
            name: repository.id.namespace().unwrap_or_default().to_owned(),
            fullname: None,
            kind: assay_store::AccountKind::User,
        },
    }
}

/// An entry with its findings.
struct EntryWithFindings {
    entry: Entry,
    findings: Vec<Finding>,
    /// All that was written, when that was looked up.
    written: Option<Json>,
}

fn result(
    model: ModelFacts<'_>,
    around: &Circumstances<'_>,
    said: EntryWithFindings,
    definition: Result<&Benchmark, String>,
) -> EvalResult {
    let EntryWithFindings {
        mut entry,
        mut findings,
        written,
    } = said;
    if let Ok(benchmark) = definition {
        add_scale(&mut findings, &entry, benchmark);
    }
    if around.standing.is_verified() {
        // What is signed has one spelling, and that is shown, whatever the file says.
        for score in &mut entry.scores {
            score.literal = score.value.to_string();
        }
    }
    let date = date(entry.date.as_ref(), around.moment);
    let (primary, pending) = match definition {
        Ok(benchmark) => (
            benchmark.primary(),
            unknown_task(benchmark, &entry.dataset, &entry.task),
        ),
        Err(why) => (None, Some(why)),
    };
    let chosen = standing_for(&entry.scores, primary);
    // The anonymous value is that of the primary metric, when there is one to be told.
    let value_metric = chosen.and_then(|score| {
        let named = score.metric.clone();
        named.or_else(|| primary.map(|metric| metric.id.clone()))
    });
    let owner = model.owner;
    let source = entry.source.as_ref();
    EvalResult {
        model: model.id.clone(),
        parameters: model.parameters,
        base_models: model.base_models.to_vec(),
        moment: around.moment,
        owner: owner.name.clone(),
        owner_full_name: owner.fullname.as_ref().unwrap_or(&owner.name).clone(),
        owner_kind: match owner.kind {
            assay_store::AccountKind::User => AccountKind::User,
            assay_store::AccountKind::Organisation => AccountKind::Organisation,
        },
        file: around.file.as_str().to_owned(),
        ordinal: around.ordinal,
        pull: around.branch.pull(),
        standing: around.standing.clone(),
        dataset: entry.dataset.clone(),
        task: entry.task.clone(),
        pending,
        value: chosen.map_or(0.0, |score| score.value.get()),
        value_as_written: chosen.map_or(Json::from(0), json_number),
        value_metric,
        written,
        date,
        commit: around.commit,
        committed: around.committed,
        submitter: (!around.submitter.is_empty()).then(|| around.submitter.to_owned()),
        source_url: source.map(|source| source.url.clone()),
        source_name: source.and_then(|source| source.name.clone()),
        notes: entry.notes.clone(),
        entry,
        findings,
    }
}

/// Adds what does not fit the scale that a benchmark declares. The file itself may have a finding
/// of the same kind.
fn add_scale(findings: &mut Vec<Finding>, entry: &Entry, benchmark: &Benchmark) {
    for found in scale_findings(&entry.scores, entry.sample_size, benchmark) {
        if !findings.contains(&found) {
            findings.push(found);
        }
    }
}

impl EvalResult {
    /// The codes of the findings that put its value in doubt, each once. A result with one is never
    /// announced as the leader.
    pub fn doubts(&self) -> BTreeSet<Code> {
        let codes = self.findings.iter().map(|finding| finding.code);
        codes.filter(|code| doubts_value(*code)).collect()
    }

    /// The entry in the words of the file, with the keys that clients read. Among the results of a
    /// model it has all that was written, on a board what is in `entry`.
    pub fn data(&self) -> Map<String, Json> {
        let mut data = match &self.written {
            Some(Json::Object(written)) => written.clone(),
            Some(_) => return Map::new(),
            None => rewritten(&self.entry),
        };
        data.insert("value".to_owned(), self.value_as_written.clone());
        data.entry("date").or_insert_with(|| json!(self.date));
        if let Some(metric) = &self.value_metric {
            data.insert("metricId".to_owned(), json!(metric.as_str()));
        }
        data
    }
}

/// The score that stands for an entry: that of the primary metric, else the first.
fn standing_for<'s>(scores: &'s [Score], primary: Option<&Metric>) -> Option<&'s Score> {
    let named = primary.and_then(|metric| ranked(scores, metric));
    named.or_else(|| scores.first())
}

fn unknown_task(benchmark: &Benchmark, dataset: &RepoId, task: &TaskId) -> Option<String> {
    match benchmark.task(task.as_str()) {
        Some(_) => None,
        None => Some(format!("`{dataset}` defines no task `{task}`")),
    }
}

/// The score that ranks by a metric: of the whole, by its name, else the anonymous one for the
/// primary metric.
fn ranked<'s>(scores: &'s [Score], metric: &Metric) -> Option<&'s Score> {
    let own = metric.slice.as_deref();
    let whole = |score: &&Score| Level::Whole.has(score.slice.as_deref(), own);
    let named = |score: &&Score| score.metric.as_ref() == Some(&metric.id);
    let anonymous = |score: &&Score| score.metric.is_none() && metric.primary;
    let of_whole = || scores.iter().filter(whole);
    of_whole()
        .find(named)
        .or_else(|| of_whole().find(anonymous))
}

/// Returns the date of an evaluation: as written, or when the file was created.
pub(super) fn date(written: Option<&Date>, moment: Timestamp) -> String {
    match written {
        Some(date) => date.as_str().to_owned(),
        None => moment.to_string(),
    }
}

/// Returns the origin of an entry.
pub(super) fn origin(branch: Branch, file: &RepoPath) -> Origin {
    match branch.pull() {
        None if file.as_str() == CARD_FILE => Origin::Legacy,
        None => Origin::Merged,
        Some(pull) => Origin::Community { pull },
    }
}

/// Returns the entry of a result on a board, with the current name of its benchmark. Boards do not
/// have tokens: they are long, and the standing says what they come to.
fn entry_of(row: &BoardEntry, benchmark: &RepoId) -> Entry {
    Entry {
        dataset: benchmark.clone(),
        ..row.entry.clone()
    }
}

/// An entry in the words of a result file.
pub(crate) fn rewritten(entry: &Entry) -> Map<String, Json> {
    let mut data = Map::new();
    let mut dataset = json!({"id": entry.dataset.as_str(), "task_id": entry.task.as_str()});
    if let Some(revision) = &entry.dataset_revision {
        dataset["revision"] = json!(revision.as_str());
    }
    data.insert("dataset".to_owned(), dataset);
    let metrics: Vec<Json> = entry.scores.iter().filter_map(metric_json).collect();
    if !metrics.is_empty() {
        data.insert("metrics".to_owned(), Json::Array(metrics));
    }
    if let Some(framework) = &entry.framework {
        data.insert(
            "framework".to_owned(),
            present([
                ("name", framework.name.as_deref()),
                ("version", framework.version.as_deref()),
                ("command", framework.command.as_deref()),
            ]),
        );
    }
    if let Some(source) = &entry.source {
        data.insert(
            "source".to_owned(),
            present([
                ("url", Some(source.url.as_str())),
                ("name", source.name.as_deref()),
                ("user", source.user.as_deref()),
                ("org", source.org.as_deref()),
            ]),
        );
    }
    let texts = [
        ("date", entry.date.as_ref().map(assay_model::Date::as_str)),
        ("notes", entry.notes.as_deref()),
        (
            "model_revision",
            entry
                .model_revision
                .as_ref()
                .map(assay_model::Revision::as_str),
        ),
        ("benchmark_subset", entry.subset.as_deref()),
        ("normalization", entry.normalization.as_deref()),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            data.insert(key.to_owned(), json!(text));
        }
    }
    if let Some(size) = entry.sample_size {
        data.insert("sample_size".to_owned(), json!(size));
    }
    if !entry.setup.is_empty() {
        data.insert("setup".to_owned(), json!(entry.setup));
    }
    let Provenance {
        evaluator,
        published,
        retrieved,
        cost,
        run,
        runtime_context,
        artifacts,
    } = &entry.provenance;
    if let Some(evaluator) = evaluator {
        data.insert("evaluator".to_owned(), json!(evaluator));
    }
    for (key, date) in [("published", published), ("retrieved", retrieved)] {
        if let Some(date) = date {
            data.insert(key.to_owned(), json!(date.as_str()));
        }
    }
    if !cost.is_unknown() {
        data.insert("cost".to_owned(), json!(cost));
    }
    for (key, detail) in [
        ("run", run),
        ("runtime_context", runtime_context),
        ("artifacts", artifacts),
    ] {
        if let Some(detail) = detail {
            data.insert(key.to_owned(), detail.clone());
        }
    }
    data
}

fn metric_json(score: &Score) -> Option<Json> {
    let mut metric =
        json!({"metric_id": score.metric.as_ref()?.as_str(), "value": json_number(score)});
    if let Some(slice) = &score.slice {
        metric["slice"] = json!(slice);
    }
    if let Some(value_type) = score.value_type {
        metric["value_type"] = json!(value_type.as_str());
    }
    if let Some(size) = score.sample_size {
        metric["sample_size"] = json!(size);
    }
    if score.uncertainty != StatedUncertainty::default() {
        metric["uncertainty"] = json!(score.uncertainty);
    }
    if let Some(context) = &score.context {
        if let Some(parameters) = &context.parameters {
            metric["metric_context"] = parameters.clone();
        }
        if let Some(normalization) = &context.normalization {
            metric["normalization"] = json!(normalization);
        }
    }
    Some(metric)
}

fn present<const N: usize>(texts: [(&str, Option<&str>); N]) -> Json {
    let held = texts
        .into_iter()
        .filter_map(|(key, text)| Some((key, text?)));
    held.map(|(key, text)| (key.to_owned(), json!(text)))
        .collect::<Map<_, _>>()
        .into()
}

/// A score as JSON, whole when it was written so.
fn json_number(score: &Score) -> Json {
    let whole = score.literal.parse::<i64>().ok().map(Number::from);
    whole
        .or_else(|| Number::from_f64(score.value.get()))
        .map_or(Json::Null, Json::Number)
}

/// A result as the ranking sees it.
pub(super) fn rankable(row: &BoardEntry) -> RankableResult {
    RankableResult {
        model: row.model.clone(),
        key: row.key,
        derived: !row.base_models.is_empty(),
        verified: row.standing.is_verified(),
        origin: origin(row.branch, &row.file),
        date: row.moment,
        committed: row.committed,
        commit: row.commit,
        file: row.file.clone(),
        ordinal: row.ordinal,
        fingerprint: fingerprint(row),
        since: row.since,
        until: row.until,
        scores: row.entry.scores.clone(),
        setup: row.entry.full_setup(),
    }
}

/// Returns the fingerprint of an entry on a board, for finding the same entry twice. Numbers count
/// by their value.
pub(super) fn fingerprint(row: &BoardEntry) -> Fingerprint {
    let mut entry = row.entry.clone();
    for score in &mut entry.scores {
        score.literal = score.value.to_string();
    }
    let mut said = rewritten(&entry);
    // The same benchmark may have been called something else then.
    if let Some(Json::Object(dataset)) = said.get_mut("dataset") {
        dataset.remove("id");
    }
    let mut hasher = Sha256::new();
    hasher.update(Json::Object(said).to_string());
    for score in entry.scores.iter().filter(|score| score.metric.is_none()) {
        hasher.update(&score.literal);
    }
    hasher.update([0]);
    hasher.update(
        row.standing
            .attested()
            .map_or("", |attested| &*attested.jti),
    );
    hasher.update([0]);
    hasher.update(row.standing.reason().unwrap_or_default());
    Fingerprint(hasher.finalize().into())
}
