//! Results of a loaded board, and the full results of the rows that are shown.
//!
//! A board of fifty thousand rows is ranked, filtered and drawn from all of them, and shows a
//! hundred. What every row needs is read at once and stays in memory; the rest is read by the
//! number of the entry, for the rows that somebody looks at.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, OnceLock, Weak};

use assay_board::{Fingerprint, Origin, RankableResult, ReportedValues};
use assay_check::rules::doubts_value;
use assay_check::scale_findings;
use assay_model::{
    Benchmark, Code, Date, Framework, PullNumber, RepoId, RepoKey, Score, Setup, TaskId, Timestamp,
};
use assay_store::{BoardEntry, EntryId, RankingRow, SearchTextRow, Store};
use parking_lot::Mutex;

use super::{EvalResult, result, signed};
use crate::error::Error;

/// The number of whole results of boards that are kept.
const MAX_WHOLE: usize = 100_000;
/// The number of entries that are read one by one for their words; beyond that the board is read as
/// a whole.
const FEW: usize = 200;

/// A result of a loaded board: the fields that ranking, filtering and drawing need of every row.
#[derive(Debug)]
pub struct LoadedResult {
    id: EntryId,
    pub(super) rankable: RankableResult,
    sample_size: Option<u64>,
    /// Number of parameters that the model's card says it has.
    pub parameters: Option<u64>,
    date: Option<Date>,
    /// The codes of the warnings that follow from its file alone.
    codes: Vec<Code>,
    /// True if the result tells its setup in words.
    pub has_notes: bool,
    /// True if the result tells what ran the evaluation.
    pub has_framework: bool,
    words: OnceLock<Arc<SearchText>>,
    whole: Mutex<Weak<EvalResult>>,
}

/// The text of a result that the search on a board looks in, beside the name of its model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SearchText {
    /// The account that brought it.
    pub submitter: Option<String>,
    /// The name of its source.
    pub source_name: Option<String>,
    /// The setup in words.
    pub notes: Option<String>,
    /// The program that ran the evaluation.
    pub framework: Option<Framework>,
    /// All of it in lower case.
    lower: String,
}

/// A cache of the full results that were built last.
#[derive(Debug, Default)]
pub(super) struct FullResultCache(Mutex<VecDeque<Arc<EvalResult>>>);

impl LoadedResult {
    pub(super) fn new(entry: RankingRow, said: Option<Fingerprint>) -> Self {
        Self {
            id: entry.id,
            sample_size: entry.sample_size,
            parameters: entry.parameters,
            has_notes: entry.has_notes,
            has_framework: entry.has_framework,
            words: OnceLock::new(),
            whole: Mutex::default(),
            rankable: RankableResult {
                origin: result::origin(entry.branch, &entry.file),
                model: entry.model,
                key: entry.key,
                derived: entry.derived,
                verified: entry.verified,
                date: entry.moment,
                committed: entry.committed,
                commit: entry.commit,
                file: entry.file,
                ordinal: entry.ordinal,
                fingerprint: said.unwrap_or_else(|| like_no_other(entry.id)),
                since: entry.since,
                until: entry.until,
                scores: entry.scores,
                setup: entry.setup,
            },
            date: entry.date,
            codes: entry.codes,
        }
    }

    /// The number of its entry in the index.
    pub(super) fn id(&self) -> EntryId {
        self.id
    }

    /// The model.
    pub fn model(&self) -> &RepoId {
        &self.rankable.model
    }

    /// Returns whether its signed evidence was checked and holds.
    pub fn is_verified(&self) -> bool {
        self.rankable.verified
    }

    /// The pull request it lives in, while that is open.
    pub fn pull(&self) -> Option<PullNumber> {
        match self.rankable.origin {
            Origin::Community { pull } => Some(pull),
            Origin::Merged | Origin::Legacy => None,
        }
    }

    /// Returns the time of the evaluation: as written, or when the file was created.
    pub fn moment(&self) -> Timestamp {
        self.rankable.date
    }

    /// The same as it was written.
    pub fn date(&self) -> String {
        result::date(self.date.as_ref(), self.rankable.date)
    }

    /// Returns whether a finding that follows from its file alone puts its value in doubt.
    pub(super) fn is_doubted(&self) -> bool {
        self.codes.iter().any(|code| doubts_value(*code))
    }

    /// The codes of what the rules find in it: by its file alone, and by the scale that its
    /// benchmark declares now.
    pub(super) fn codes(&self, benchmark: &Benchmark) -> BTreeSet<Code> {
        let scale = scale_findings(&self.rankable.scores, self.sample_size, benchmark);
        let by_scale = scale.iter().map(|finding| finding.code);
        self.codes.iter().copied().chain(by_scale).collect()
    }

    /// Returns whether its value does not fit the scale that its benchmark declares now.
    pub(super) fn is_off_scale(&self, benchmark: &Benchmark) -> bool {
        let found = scale_findings(&self.rankable.scores, self.sample_size, benchmark);
        found.iter().any(|finding| doubts_value(finding.code))
    }

    /// The scores.
    pub fn scores(&self) -> &[Score] {
        &self.rankable.scores
    }

    /// The whole setup.
    pub fn setup(&self) -> &Setup {
        &self.rankable.setup
    }

    /// The words, when the board was asked for with them.
    pub fn words(&self) -> Option<&SearchText> {
        self.words.get().map(Arc::as_ref)
    }

    fn held(&self) -> Option<Arc<EvalResult>> {
        self.weak().upgrade()
    }

    fn weak(&self) -> parking_lot::MutexGuard<'_, Weak<EvalResult>> {
        self.whole.lock()
    }
}

impl<'b> From<&'b LoadedResult> for ReportedValues<'b> {
    fn from(loaded: &'b LoadedResult) -> Self {
        Self {
            scores: &loaded.rankable.scores,
            sample_size: loaded.sample_size,
        }
    }
}

impl SearchText {
    /// Returns whether a word in lower case is part of it.
    pub fn have(&self, word: &str) -> bool {
        self.lower.contains(word)
    }

    fn of(entry: SearchTextRow) -> Self {
        let source_name = entry.source.and_then(|source| source.name);
        let name = entry.framework.as_ref();
        let texts = [
            entry.notes.as_deref(),
            entry.submitter.as_deref(),
            source_name.as_deref(),
            name.and_then(|framework| framework.name.as_deref()),
        ];
        let lower = texts.map(|text| text.unwrap_or_default().to_lowercase());
        Self {
            lower: lower.join("\n"),
            submitter: entry.submitter,
            notes: entry.notes,
            framework: entry.framework,
            source_name,
        }
    }
}

impl FullResultCache {
    /// The whole results of some on a board, in their order; none for those that are gone.
    pub(super) async fn of(
        &self,
        store: &Store,
        id: &RepoId,
        definition: &Benchmark,
        results: &[&Arc<LoadedResult>],
    ) -> Result<Vec<Option<Arc<EvalResult>>>, Error> {
        let mut found: Vec<Option<Arc<EvalResult>>> =
            results.iter().map(|loaded| loaded.held()).collect();
        let lacking = results.iter().zip(&found);
        let lacking = lacking.filter(|(_, found)| found.is_none());
        let ids: Vec<EntryId> = lacking.map(|(loaded, _)| loaded.id).collect();
        if ids.is_empty() {
            return Ok(found);
        }
        let rows = store.entries_with(&ids).await?;
        let rows: HashMap<EntryId, BoardEntry> = rows.into_iter().collect();
        for (loaded, found) in results.iter().zip(&mut found) {
            if found.is_none()
                && let Some(row) = rows.get(&loaded.id)
            {
                let whole = result::on_board(row, id, definition);
                let whole = Arc::new(signed::as_on_board(whole, loaded.is_verified()));
                *loaded.weak() = Arc::downgrade(&whole);
                self.keep(Arc::clone(&whole));
                *found = Some(whole);
            }
        }
        Ok(found)
    }

    fn keep(&self, whole: Arc<EvalResult>) {
        let mut kept = self.0.lock();
        if kept.len() >= MAX_WHOLE {
            kept.pop_front();
        }
        kept.push_back(whole);
    }
}

/// A fingerprint that no other entry has.
fn like_no_other(EntryId(id): EntryId) -> Fingerprint {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&id.to_be_bytes());
    Fingerprint(bytes)
}

/// Returns the entries that may repeat another of their model: those that are not on main, where
/// main has something as well. All others are unique, and need not be read for that.
pub(super) async fn said_twice(
    store: &Store,
    entries: &[RankingRow],
) -> Result<HashMap<EntryId, Fingerprint>, Error> {
    let is_merged =
        |entry: &RankingRow| result::origin(entry.branch, &entry.file) == Origin::Merged;
    let of_models = |merged: bool| -> HashSet<RepoKey> {
        let such = entries.iter().filter(|entry| is_merged(entry) == merged);
        such.map(|entry| entry.key).collect()
    };
    let others = of_models(false);
    if others.is_empty() {
        return Ok(HashMap::new());
    }
    let both: HashSet<RepoKey> = &of_models(true) & &others;
    let suspects = entries.iter().filter(|entry| both.contains(&entry.key));
    let ids: Vec<EntryId> = suspects.map(|entry| entry.id).collect();
    let rows = store.entries_with(&ids).await?;
    Ok(rows
        .iter()
        .map(|(id, row)| (*id, result::fingerprint(row)))
        .collect())
}

/// Reads the words of results that have none yet.
pub(super) async fn read_words<'b>(
    store: &Store,
    dataset: &str,
    task: &TaskId,
    results: impl Iterator<Item = &'b Arc<LoadedResult>>,
) -> Result<(), Error> {
    let mut lacking: Vec<&Arc<LoadedResult>> =
        results.filter(|one| one.words.get().is_none()).collect();
    let mut alike: HashSet<Arc<SearchText>> = HashSet::new();
    if lacking.len() > FEW {
        let words = store.search_texts_of_board(dataset, task).await?;
        fill(&lacking, words, &mut alike);
        lacking.retain(|one| one.words.get().is_none());
    }
    // These are few, or of a moment that is past.
    let ids: Vec<EntryId> = lacking.iter().map(|one| one.id).collect();
    let rows = store.entries_with(&ids).await?;
    let words = rows.into_iter().map(|(id, row)| SearchTextRow {
        id,
        submitter: row
            .submitter
            .or(Some(row.author).filter(|name| !name.is_empty())),
        source: row.entry.source,
        notes: row.entry.notes,
        framework: row.entry.framework,
    });
    fill(&lacking, words.collect(), &mut alike);
    Ok(())
}

/// Gives each its words. Those that are alike, as most of a board are, are held once.
fn fill(
    results: &[&Arc<LoadedResult>],
    words: Vec<SearchTextRow>,
    alike: &mut HashSet<Arc<SearchText>>,
) {
    let by_id: HashMap<EntryId, &Arc<LoadedResult>> =
        results.iter().map(|one| (one.id, *one)).collect();
    for entry in words {
        let Some(loaded) = by_id.get(&entry.id) else {
            continue;
        };
        let words = SearchText::of(entry);
        let held = if let Some(held) = alike.get(&words) {
            Arc::clone(held)
        } else {
            let held = Arc::new(words);
            alike.insert(Arc::clone(&held));
            held
        };
        // Another reader may have been quicker, with the same words.
        let _ = loaded.words.set(held);
    }
}
