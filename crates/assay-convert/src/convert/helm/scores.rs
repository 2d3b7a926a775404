use std::collections::HashMap;

use assay_formats::Value;

use super::super::{Log, Refusal};
use super::files::{RunFiles, Source, for_each_item};
use super::known::KnownStats;
use super::name::{Perturbation, StatName, write_key};
use super::results::{Results, score_of};
use super::text::scalar;

/// The scores of HELM for the answers to one instance, in one trial and after one perturbation.
#[derive(Debug, Default)]
pub(super) struct Scores {
    /// Positions of results, and the score that counts for them.
    pub(super) by_result: Vec<(u32, f64)>,
    pub(super) prompt_tokens: Option<u64>,
    /// With those of a prompt that was echoed.
    pub(super) completion_tokens: Option<u64>,
    /// Without them.
    pub(super) output_tokens: Option<u64>,
    /// The reference that was chosen, when there was a request for each.
    pub(super) predicted_index: Option<usize>,
}

/// The scores of all instances: a few dozen bytes for each, whatever the size of the run.
#[derive(Debug, Default)]
pub(super) struct PerInstance {
    by_key: HashMap<Box<str>, Scores>,
    /// The number of different instances behind each result.
    counted: Vec<Distinct>,
    /// The number of different instances for each split and perturbation.
    groups: HashMap<String, Distinct>,
    known: KnownStats,
    all: Distinct,
    pub(super) not_finite: u64,
    pub(super) broken: u64,
    pub(super) digest: Vec<u8>,
}

impl PerInstance {
    /// Reads `per_instance_stats.json`. One instance can stand there several times, once for each
    /// metric.
    pub(super) fn read(
        log: &Log<'_>,
        files: &RunFiles,
        results: &Results,
    ) -> Result<Self, Refusal> {
        let mut per_instance = Self::default();
        per_instance
            .counted
            .resize_with(results.list.len(), Distinct::default);
        let mut numbers: HashMap<Box<str>, u32> = HashMap::new();
        let mut key = String::new();
        let mut source = Source::hashed(log, &files.per_instance_stats)?;
        per_instance.broken = for_each_item(&files.per_instance_stats, &mut source, |entry| {
            let Some(id) = entry.get("instance_id").and_then(scalar) else {
                return false;
            };
            let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(id.as_ref().into()).or_insert(count);
            let perturbation = entry.present("perturbation").and_then(Perturbation::read);
            instance_key(&mut key, &id, perturbation.as_ref(), trial_of(entry));
            per_instance.add(&key, number, entry, perturbation.as_ref(), results);
            true
        })?;
        per_instance.digest = source.digest();
        Ok(per_instance)
    }

    fn add(
        &mut self,
        key: &str,
        number: u32,
        entry: Value<'_>,
        perturbation: Option<&Perturbation>,
        results: &Results,
    ) {
        self.all.add(number);
        let stats = entry.get("stats").into_iter().flat_map(Value::items);
        let scores = self.by_key.entry(key.into()).or_default();
        for (position, stat) in stats.enumerate() {
            let Some(name) = stat.get("name") else {
                continue;
            };
            let known = self.known.at(position, name, perturbation, results);
            if position == 0 {
                match self.groups.get_mut(&known.group) {
                    Some(group) => group.add(number),
                    None => self
                        .groups
                        .entry(known.group.clone())
                        .or_default()
                        .add(number),
                }
            }
            let Some(result) = known.result else {
                scores.count(&known.name, stat);
                continue;
            };
            match score_of(stat) {
                Some(score) => {
                    scores.score(result, score);
                    self.counted[result].add(number);
                }
                None => self.not_finite += 1,
            }
        }
    }

    /// Returns the scores of an instance.
    pub(super) fn get(&self, key: &str) -> Option<&Scores> {
        self.by_key.get(key)
    }

    /// Returns the number of different instances behind a result; `None` when the log does not have
    /// it.
    pub(super) fn samples_of(&self, name: &StatName, results: &Results) -> Option<u64> {
        let mut instances = name.instances();
        let mut key = String::new();
        instances.write_key(&mut key);
        let counted = results
            .position(&key)
            .map(|position| self.counted[position].count)
            .filter(|count| *count > 0);
        counted.or_else(|| {
            // A metric of the whole split, such as a macro average, has no stat for one instance.
            instances.name.clear();
            key.clear();
            instances.write_key(&mut key);
            self.groups.get(&key).map(|group| group.count)
        })
    }

    /// Returns the number of different instances.
    pub(super) fn instances(&self) -> u64 {
        self.all.count
    }
}

impl Scores {
    fn score(&mut self, position: usize, score: f64) {
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        if self.by_result.iter().all(|(own, _)| *own != position) {
            self.by_result.push((position, score));
        }
    }

    /// Remembers what a row says beside its score. Where there was a request for each reference the
    /// sum is over them.
    fn count(&mut self, name: &str, stat: Value<'_>) {
        let sum = || u64::try_from(stat.get("sum")?.integer()?).ok();
        match name {
            "num_prompt_tokens" => self.prompt_tokens = self.prompt_tokens.or_else(sum),
            "num_completion_tokens" => self.completion_tokens = self.completion_tokens.or_else(sum),
            "num_output_tokens" => self.output_tokens = self.output_tokens.or_else(sum),
            "predicted_index" => {
                self.predicted_index = sum().and_then(|index| usize::try_from(index).ok());
            }
            _ => {}
        }
    }
}

/// Returns the key that tells an instance from every other, in one trial and after one
/// perturbation.
pub(super) fn instance_key(
    key: &mut String,
    id: &str,
    perturbation: Option<&Perturbation>,
    trial: i64,
) {
    key.clear();
    key.push_str(&trial.to_string());
    write_key(key, id, None, None, perturbation);
}

/// The train trial of a request or of its stats.
pub(super) fn trial_of(value: Value<'_>) -> i64 {
    value
        .get("train_trial_index")
        .and_then(Value::integer)
        .unwrap_or(0)
}

/// Counts different numbers: one bit for each that was seen.
#[derive(Debug, Default)]
struct Distinct {
    seen: Vec<u64>,
    count: u64,
}

impl Distinct {
    fn add(&mut self, number: u32) {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if word >= self.seen.len() {
            self.seen.resize(word + 1, 0);
        }
        if self.seen[word] & bit == 0 {
            self.seen[word] |= bit;
            self.count += 1;
        }
    }
}
