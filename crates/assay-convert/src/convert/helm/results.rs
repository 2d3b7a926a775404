use std::collections::HashMap;

use assay_formats::Value;

use super::super::{Log, Refusal};
use super::files::{RunFiles, Source, for_each_item};
use super::metrics::{counts_right_answers, is_score};
use super::name::StatName;

/// Maximum number of results of a record.
const MAX_RESULTS: usize = 100_000;
/// The number of stats that are no scores which are named when a run has no other.
const NAMED: usize = 5;

/// One score of the run as a whole.
#[derive(Debug)]
pub(super) struct RunResult {
    pub(super) id: String,
    pub(super) name: StatName,
    pub(super) score: f64,
    /// True if the metric counts right answers.
    pub(super) counts_right_answers: bool,
    /// Over how many train trials the score is the mean.
    pub(super) trials: Option<String>,
    /// The standard deviation across trials. HELM averages over the instances of a trial first, so
    /// this is no spread over samples.
    pub(super) stddev_across_trials: Option<String>,
}

/// The scores of a run, in the order of `stats.json`.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub(super) list: Vec<RunResult>,
    by_key: HashMap<String, usize>,
    /// Number of scores that are not finite, or are stats that could not be read.
    pub(super) left_out: u64,
    pub(super) digest: Vec<u8>,
}

impl Results {
    /// Reads `stats.json`.
    pub(super) fn read(log: &Log<'_>, files: &RunFiles, method: &str) -> Result<Self, Refusal> {
        let mut results = Self::default();
        let mut ids: HashMap<String, usize> = HashMap::new();
        let mut others: Vec<String> = Vec::new();
        let mut source = Source::hashed(log, &files.stats)?;
        let broken = for_each_item(&files.stats, &mut source, |stat| {
            let Some(name) = stat.get("name").and_then(StatName::read) else {
                return false;
            };
            if is_score(&name.name, method) {
                results.add(name, stat, &mut ids);
            } else if others.len() < NAMED && !others.contains(&name.name) {
                others.push(name.name);
            }
            true
        })?;
        results.left_out += broken;
        results.digest = source.digest();
        results.checked(log, &files.stats, &others)
    }

    fn add(&mut self, name: StatName, stat: Value<'_>, ids: &mut HashMap<String, usize>) {
        // A metric that applied to no instance has a count of 0 and no mean.
        if stat.number_of("count") == Some(0.0) || self.list.len() > MAX_RESULTS {
            return;
        }
        let Some(score) = score_of(stat) else {
            self.left_out += 1;
            return;
        };
        let mut key = String::new();
        name.write_key(&mut key);
        if self.by_key.contains_key(&key) {
            return;
        }
        self.by_key.insert(key, self.list.len());
        // Perturbations of one name can differ in their arguments alone.
        let mut id = name.result_id();
        let times = ids.entry(id.clone()).or_default();
        *times += 1;
        if *times > 1 {
            id = format!("{id}#{times}");
        }
        self.list.push(RunResult {
            id,
            counts_right_answers: counts_right_answers(&name.name),
            name,
            score,
            trials: stat.get("count").map(|count| count.raw().to_owned()),
            stddev_across_trials: stat
                .get("stddev")
                .filter(|value| value.number().is_some())
                .map(|value| value.raw().to_owned()),
        });
    }

    fn checked(self, log: &Log<'_>, path: &str, others: &[String]) -> Result<Self, Refusal> {
        if self.list.len() > MAX_RESULTS {
            return Err(Refusal::damaged(
                path,
                format!("it has more than {MAX_RESULTS} scores"),
            ));
        }
        if !self.list.is_empty() {
            return Ok(self);
        }
        let seen = if others.is_empty() {
            "it has no stats at all".to_owned()
        } else {
            format!("its stats only count, such as `{}`", others.join("`, `"))
        };
        Err(Refusal::Nothing(format!(
            "the run `{}` has no score: {seen}",
            log.path
        )))
    }

    /// The position of the result that a stat belongs to.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }
}

/// The mean of a stat, when it is finite.
pub(super) fn score_of(stat: Value<'_>) -> Option<f64> {
    if let Some(mean) = stat.present("mean") {
        return mean.number();
    }
    let mean = stat.number_of("sum")? / stat.number_of("count")?;
    mean.is_finite().then_some(mean)
}
