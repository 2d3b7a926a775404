//! Results out of files that people bring to a page: harness logs, Every Eval Ever records and
//! result files.
//!
//! The files are in memory, converted off the async threads, a few submissions at a time, and kept
//! nowhere. Of a log only the records of its scores are returned; its samples are never read into
//! them.

mod files;

use std::sync::Arc;
use std::time::Duration;

use assay_check::FileKind;
use assay_convert::convert::{
    Harness, Log, Logs as _, Options, Refusal, belongs_to_another, convert, detect_directory,
    harness_of, looks_like, may_be_log,
};
use assay_convert::entry::{About, Candidate, Choice, KeepStore, MetricPair, NoEntry, entry};
use assay_formats::eval_results::{self, entries};
use assay_model::{Benchmark, Entry, RepoId, RepoPath, TaskId, chain};
use bytes::Bytes;

use self::files::MemoryFiles;
use crate::access::Caller;
use crate::error::{Busy, Error, Missing};
use crate::file::BlobContent;
use crate::hub::blocking;
use crate::repo_lookup::Repo;
use crate::services::BoardService;

/// Number of submissions that are converted at once.
pub(crate) const CONVERSIONS: usize = 2;
/// The time that a submission waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes that an archive may hold unpacked.
const MAX_UNPACKED: u64 = 256 << 20;
/// The most bytes of records that a submission gives. A page carries them from one form to the
/// next.
const MAX_RECORDS: usize = 2 << 20;
/// The most evaluations that a submission is shown with.
const MAX_EVALUATIONS: usize = 200;
/// Maximum depth of folders nested.
const MAX_DEPTH: usize = 32;
/// The branch whose files count.
const MAIN: &str = "main";

/// A file that somebody brought.
#[derive(Debug, Clone)]
pub struct BroughtFile {
    /// Its path on the machine it comes from, as far as that is told.
    pub path: String,
    /// Its content.
    pub content: Bytes,
}

/// The results that were found in files.
#[derive(Debug, Clone, Default)]
pub struct BroughtResults {
    /// The records of logs, and records that were brought themselves.
    pub records: Vec<BroughtRecord>,
    /// The texts of result files.
    pub result_files: Vec<String>,
    /// The files that could not be read, each with the reason.
    pub refused: Vec<(String, String)>,
    /// The files that hold no results.
    pub passed_over: Vec<String>,
}

/// A record without its samples, and what it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroughtRecord {
    /// The log or record file.
    pub path: String,
    /// The harness that wrote it, by the word for it; none for a record.
    pub harness: Option<String>,
    /// The record, as JSON.
    pub text: String,
}

/// An evaluation that a record holds: one model on one set of data.
#[derive(Debug, Clone)]
pub struct BroughtEvaluation {
    /// The scores.
    pub scores: Vec<Candidate>,
    /// The benchmark and task that it is surely of, by their names.
    pub likely: Option<(RepoId, TaskId)>,
}

/// The answers of a person about an evaluation.
#[derive(Debug, Clone, Default)]
pub struct EvaluationChoice {
    /// The score of each metric.
    pub pairs: Vec<MetricPair>,
    /// True if an incomplete run may become an entry.
    pub allow_incomplete: bool,
    /// The address at which the scores or logs are published.
    pub source_url: Option<String>,
    /// The setup in words.
    pub notes: Option<String>,
}

/// An entry of a result file that was made of an evaluation.
#[derive(Debug, Clone)]
pub struct BroughtEntry {
    /// The entry.
    pub entry: Entry,
    /// Changes and additions that were made, and suspicions.
    pub remarks: Vec<String>,
}

impl BroughtEvaluation {
    /// Returns the model, as the log names it.
    pub fn model(&self) -> &str {
        self.first().map_or("", |score| &score.model[0])
    }

    /// Returns the name of what was evaluated.
    pub fn name(&self) -> &str {
        self.first().map_or("", |score| &score.evaluation_name)
    }

    /// Returns the log or record file.
    pub fn path(&self) -> &str {
        self.first().map_or("", |score| &score.log)
    }

    /// Returns the name of the harness for people; none when nothing tells it.
    pub fn harness(&self) -> Option<&'static str> {
        self.first()?.harness.map(|harness| harness.info().title)
    }

    /// Returns what is missing from the run, when something is.
    pub fn incomplete(&self) -> Option<&str> {
        self.first()?.incomplete.as_deref()
    }

    fn first(&self) -> Option<&Candidate> {
        self.scores.first()
    }
}

impl BoardService<'_> {
    /// Reads results out of files. Nothing of them is kept.
    pub async fn read_brought(self, files: Vec<BroughtFile>) -> Result<BroughtResults, Error> {
        let turns = Arc::clone(&self.hub.conversions);
        let turn = tokio::time::timeout(PATIENCE, turns.acquire_owned()).await;
        let turn = turn.map_err(|_| Busy::Conversions)?;
        let turn = turn.map_err(Error::internal)?;
        blocking(move || {
            // The work goes on when nobody waits for it any more, so the turn is given back when it
            // ends.
            let _turn = turn;
            Ok(read(files))
        })
        .await
    }

    /// Returns the evaluations of records, each with the board that its names point to. A record
    /// that cannot be read has none.
    pub async fn brought_evaluations(
        self,
        caller: &Caller,
        records: &[BroughtRecord],
    ) -> Result<Vec<BroughtEvaluation>, Error> {
        let mut evaluations: Vec<BroughtEvaluation> = Vec::new();
        for record in records {
            let harness = record.harness.as_deref().and_then(harness_named);
            let scores = Candidate::read_all(&record.path, harness, &record.text);
            for score in scores.unwrap_or_default() {
                let same = |own: &BroughtEvaluation| {
                    own.first().is_some_and(|own| {
                        own.log == score.log
                            && own.evaluation_id == score.evaluation_id
                            && own.evaluation_name == score.evaluation_name
                    })
                };
                if let Some(place) = evaluations.iter().position(same) {
                    evaluations[place].scores.push(score);
                } else if evaluations.len() < MAX_EVALUATIONS {
                    evaluations.push(BroughtEvaluation {
                        scores: vec![score],
                        likely: None,
                    });
                }
            }
        }
        let viewer = self.hub.repositories().viewer(caller).await?;
        let benchmarks = self.visible_benchmarks(caller, &viewer).await?;
        for evaluation in &mut evaluations {
            let known = benchmarks
                .iter()
                .map(|known| (&known.id, &*known.definition));
            evaluation.likely = likely(evaluation, known);
        }
        Ok(evaluations)
    }

    /// Makes an entry of an evaluation, by the metrics that the benchmark defines now. Commits that
    /// the log does not tell are those of the main branches. The inner error says which question is
    /// left to the person.
    pub async fn brought_entry(
        self,
        caller: &Caller,
        model: &Repo,
        benchmark: &RepoId,
        task: Option<&TaskId>,
        evaluation: &BroughtEvaluation,
        said: &EvaluationChoice,
    ) -> Result<Result<BroughtEntry, NoEntry>, Error> {
        let known = self.visible_benchmark(caller, benchmark).await?;
        let definition: &Benchmark = &known.definition;
        let task = task_of(definition, benchmark, task)?;
        let choice = Choice {
            benchmark: &known.id,
            task,
            model: model.id(),
            definition: Some(definition),
            pairs: &said.pairs,
            evaluation: Some(evaluation.name()),
        };
        let about = About {
            source_url: said.source_url.as_deref(),
            notes: said.notes.as_deref(),
            allow_incomplete: said.allow_incomplete,
            ..About::default()
        };
        let made = choice
            .choose(&evaluation.scores)
            .and_then(|chosen| Ok((entry(&choice, &chosen, about)?, chosen.warnings)));
        let ((mut entry, made), warnings) = match made {
            Ok(made) => made,
            Err(why) => return Ok(Err(why)),
        };
        let mut remarks: Vec<String> = made.changes;
        remarks.extend(made.warnings.into_iter().chain(warnings));
        let now = known.revision.to_string();
        entry.dataset_revision = Some(now.parse().map_err(Error::internal)?);
        if entry.model_revision.is_none() {
            let commit = self.hub.repositories().resolve(model, MAIN).await?;
            let commit = commit.to_string();
            remarks.push(format!(
                "the log does not tell the commit of `{}`; `{commit}` is its main branch now",
                model.id()
            ));
            entry.model_revision = Some(commit.parse().map_err(Error::internal)?);
        }
        Ok(Ok(BroughtEntry { entry, remarks }))
    }

    /// Adds result files to those of a model. Returns each file that changes, with its whole new
    /// text: entries stand behind what is on the main branch, and those that are there already are
    /// left out.
    pub async fn add_to_result_files(
        self,
        model: &Repo,
        texts: &[String],
    ) -> Result<Vec<(RepoPath, String)>, Error> {
        let mut files: Vec<GrowingFile> = Vec::new();
        for text in texts {
            let pieces = entries::split(text).map_err(|error| Error::Invalid(error.to_string()))?;
            for piece in pieces {
                let name = piece.entry.dataset.result_file_name();
                let path: RepoPath = format!(".eval_results/{name}")
                    .parse()
                    .map_err(Error::internal)?;
                let place = files.iter().position(|file| file.path == path);
                let place = if let Some(place) = place {
                    place
                } else {
                    files.push(self.growing_file(model, path).await?);
                    files.len() - 1
                };
                let file = &mut files[place];
                if !file.entries.contains(&piece.entry) {
                    file.entries.push(piece.entry);
                    file.added.push(piece.text);
                }
            }
        }
        let changed = files.into_iter().filter(|file| !file.added.is_empty());
        changed.map(GrowingFile::finish).collect()
    }

    /// Returns a result file to add to, as it is on the main branch.
    async fn growing_file(self, model: &Repo, path: RepoPath) -> Result<GrowingFile, Error> {
        let main = self.result_file_on_main(model, &path).await?;
        let held = main.as_deref().map(entries::read).transpose();
        let held = held.map_err(|error| of_file(&path, &error))?;
        Ok(GrowingFile {
            path,
            main,
            entries: held.unwrap_or_default(),
            added: Vec::new(),
        })
    }

    /// Returns a result file of the main branch; none when it is not there.
    async fn result_file_on_main(
        self,
        model: &Repo,
        path: &RepoPath,
    ) -> Result<Option<String>, Error> {
        let blob = self
            .hub
            .repositories()
            .small_blob(model, MAIN, path.as_str(), entries::MAX_FILE, false)
            .await;
        let unreadable = || {
            Error::Invalid(format!(
                "`{path}` on the hub is no text that can be added to"
            ))
        };
        match blob {
            Ok(blob) => match blob.content {
                BlobContent::Memory(bytes) => String::from_utf8(bytes.to_vec())
                    .map(Some)
                    .map_err(|_| unreadable()),
                BlobContent::Large(_) | BlobContent::Unpacked(_) | BlobContent::NotRead => {
                    Err(unreadable())
                }
            },
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A result file that entries are added to.
struct GrowingFile {
    path: RepoPath,
    /// Its text on the main branch; none when it is new.
    main: Option<String>,
    /// Every entry, also those that are added.
    entries: Vec<Entry>,
    /// The texts of those that are added.
    added: Vec<String>,
}

impl GrowingFile {
    /// Returns the whole new text.
    fn finish(self) -> Result<(RepoPath, String), Error> {
        let added: Vec<&str> = self.added.iter().map(String::as_str).collect();
        let whole = entries::append(self.main.as_deref(), &added);
        let whole = whole.map_err(|error| of_file(&self.path, &error))?;
        Ok((self.path, whole))
    }
}

/// The refusal of a result file on the hub that nothing can be added to.
fn of_file(path: &RepoPath, error: &entries::EntriesError) -> Error {
    Error::Invalid(format!("`{path}` on the hub: {error}"))
}

/// Returns an entry as the text of a result file.
pub fn entry_text(entry: &Entry) -> String {
    eval_results::write(std::slice::from_ref(entry))
}

fn harness_named(word: &str) -> Option<Harness> {
    Harness::ALL
        .into_iter()
        .find(|harness| harness.as_str() == word)
}

/// Returns the task that is named, or the only one.
fn task_of<'b>(
    definition: &'b Benchmark,
    benchmark: &RepoId,
    named: Option<&'b TaskId>,
) -> Result<&'b TaskId, Error> {
    match (named, definition.tasks.as_slice()) {
        (Some(task), _) if definition.task(task.as_str()).is_some() => Ok(task),
        (None, [only]) => Ok(&only.id),
        (Some(_) | None, tasks) => {
            let names: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
            Err(Error::NotFound(Missing::Other(format!(
                "choose a task of `{benchmark}`: {}",
                names.join(", ")
            ))))
        }
    }
}

/// Returns the only board that an evaluation names: by the repository of its data, else by the name
/// of a task.
fn likely<'k>(
    evaluation: &BroughtEvaluation,
    benchmarks: impl Iterator<Item = (&'k RepoId, &'k Benchmark)>,
) -> Option<(RepoId, TaskId)> {
    let first = evaluation.first()?;
    let (mut by_data, mut by_task) = (Vec::new(), Vec::new());
    for (id, definition) in benchmarks {
        let is_data = first
            .dataset
            .iter()
            .flatten()
            .any(|name| name.eq_ignore_ascii_case(id.as_str()));
        let named = definition
            .tasks
            .iter()
            .find(|task| task.id.as_str() == evaluation.name());
        let only = match definition.tasks.as_slice() {
            [only] if is_data => Some(only),
            _ => None,
        };
        if let Some(task) = named.or(only) {
            let board = (id.clone(), task.id.clone());
            if is_data {
                by_data.push(board);
            } else {
                by_task.push(board);
            }
        }
    }
    let boards = if by_data.is_empty() { by_task } else { by_data };
    match boards.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// Reads everything that the files hold.
fn read(files: Vec<BroughtFile>) -> BroughtResults {
    let files = MemoryFiles::new(files);
    let mut results = BroughtResults::default();
    let mut bytes = 0;
    for found in find(&files, String::new(), 0) {
        match found {
            Found::Log(path, harness) => {
                let records = records_of(&files, &path, harness);
                match records {
                    Ok(records) => {
                        let harness = Some(harness.as_str().to_owned());
                        for text in records {
                            keep(&mut results, &mut bytes, &path, harness.clone(), text);
                        }
                    }
                    Err(refusal) => results.refused.push((path, chain(&refusal))),
                }
            }
            Found::Own(path, FileKind::Record) => match files.text(&path) {
                Some(text) => keep(&mut results, &mut bytes, &path, None, text),
                None => results.refused.push((path, "it is not text".to_owned())),
            },
            Found::Own(path, FileKind::EvalResults) => match files.text(&path) {
                Some(text) if text.len() as u64 <= entries::MAX_FILE => {
                    match entries::split(&text) {
                        Ok(_) => results.result_files.push(text),
                        Err(error) => results.refused.push((path, error.to_string())),
                    }
                }
                Some(_) => {
                    let why = format!("it has more than {} bytes", entries::MAX_FILE);
                    results.refused.push((path, why));
                }
                None => results.refused.push((path, "it is not text".to_owned())),
            },
            Found::Own(path, FileKind::EvalYaml | FileKind::Samples) | Found::Nothing(path) => {
                let what = looks_like(&files, &path);
                match what {
                    Some(what) => results.refused.push((path, what)),
                    None => results.passed_over.push(path),
                }
            }
        }
    }
    results
}

/// Keeps a record, as long as all of them together are no more than a page can carry.
fn keep(
    results: &mut BroughtResults,
    bytes: &mut usize,
    path: &str,
    harness: Option<String>,
    text: String,
) {
    *bytes += text.len();
    if *bytes > MAX_RECORDS {
        let why = format!(
            "the records of all logs together have more than {MAX_RECORDS} bytes; bring fewer logs at once"
        );
        results.refused.push((path.to_owned(), why));
        return;
    }
    results.records.push(BroughtRecord {
        path: path.to_owned(),
        harness,
        text,
    });
}

/// Converts a log into its records, without samples.
fn records_of(files: &MemoryFiles, path: &str, harness: Harness) -> Result<Vec<String>, Refusal> {
    let options = Options {
        samples: false,
        max_unpacked: MAX_UNPACKED,
        ..Options::default()
    };
    let store = KeepStore::default();
    let log = Log {
        logs: files,
        path,
        options: &options,
        datastore: &store,
        progress: &|_| {},
    };
    let converted = convert(harness, &log)?;
    if converted.is_empty() {
        return Err(Refusal::Nothing("the log holds no result".to_owned()));
    }
    Ok(store.into_records())
}

/// A file or folder that was looked at.
enum Found {
    Log(String, Harness),
    Own(String, FileKind),
    Nothing(String),
}

/// Looks for results in a folder and those below it.
fn find(files: &MemoryFiles, folder: String, depth: usize) -> Vec<Found> {
    let names = files.list(&folder).unwrap_or_default();
    if let Some(harness) = detect_directory(&names).filter(|_| !folder.is_empty()) {
        return vec![Found::Log(folder, harness)];
    }
    let mut found = Vec::new();
    for name in &names {
        if belongs_to_another(name, &names) {
            continue;
        }
        let path = if folder.is_empty() {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        if !files.is_file(&path) {
            if depth < MAX_DEPTH {
                found.extend(find(files, path, depth + 1));
            }
            continue;
        }
        let kind = FileKind::of_path(&path).or_else(|| files.kind(&path));
        let harness = || {
            may_be_log(&path)
                .then(|| harness_of(files, &path))
                .flatten()
        };
        found.push(match kind {
            Some(kind) => Found::Own(path, kind),
            None => match harness() {
                Some(harness) => Found::Log(path, harness),
                None => Found::Nothing(path),
            },
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn fixture(path: &str) -> Bytes {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = root.join("../assay-convert/tests/fixtures");
        std::fs::read(root.join(path)).unwrap().into()
    }

    fn file(path: &str, content: impl Into<Bytes>) -> BroughtFile {
        BroughtFile {
            path: path.to_owned(),
            content: content.into(),
        }
    }

    fn paths(results: &BroughtResults) -> Vec<&str> {
        let records = results.records.iter();
        records.map(|record| record.path.as_str()).collect()
    }

    #[test]
    fn logs_of_a_folder_become_records_without_samples() {
        let run = "helm/generation";
        let mut files = vec![
            file("runs/mcq.eval", fixture("inspect/mcq.eval")),
            file("runs/README.md", "What was run."),
        ];
        for name in [
            "run_spec.json",
            "scenario.json",
            "scenario_state.json",
            "stats.json",
            "per_instance_stats.json",
        ] {
            let content = fixture(&format!("{run}/{name}"));
            files.push(file(&format!("runs/suite/{name}"), content));
        }

        let results = read(files);

        assert_eq!(paths(&results), ["runs/mcq.eval", "runs/suite"]);
        assert_eq!(results.refused, []);
        assert_eq!(results.passed_over, ["runs/README.md"]);
        let harnesses = results.records.iter();
        let harnesses: Vec<_> = harnesses
            .map(|record| record.harness.as_deref().unwrap_or_default())
            .collect();
        assert_eq!(harnesses, ["inspect", "helm"]);
        for record in &results.records {
            assert!(!record.text.contains("detailed_evaluation_results"));
        }
    }

    #[test]
    fn a_result_file_is_taken_as_it_is_and_a_broken_log_is_named() {
        let text = "- dataset: {id: acme/sums, task_id: words}\n  value: 1\n";
        let files = vec![
            file("results.yaml", text),
            file("broken.eval", "no archive"),
            file("samples.jsonl", "{}"),
        ];

        let results = read(files);

        assert_eq!(results.result_files, [text]);
        assert_eq!(results.refused.len(), 1, "{:?}", results.refused);
        assert_eq!(results.refused[0].0, "broken.eval");
        assert_eq!(paths(&results), [] as [&str; 0]);
    }

    #[test]
    fn records_that_no_page_can_carry_are_left_out() {
        let mut results = BroughtResults::default();
        let mut bytes = 0;
        for path in ["one", "two"] {
            let text = "x".repeat(MAX_RECORDS / 2 + 1);
            keep(&mut results, &mut bytes, path, None, text);
        }

        assert_eq!(paths(&results), ["one"]);
        assert_eq!(results.refused.len(), 1);
        assert_eq!(results.refused[0].0, "two");
    }
}
