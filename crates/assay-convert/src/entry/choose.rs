//! The choice of the scores of logs that are those of the benchmark. An uncertain choice is asked
//! back, never guessed.

use std::collections::BTreeSet;

use assay_model::{Benchmark, Metric, MetricId, RepoId, TaskId};

use super::{Candidate, MetricPair, NoEntry, Question};
use crate::convert::metric_id;

/// The number of scores that are listed for a person who must choose.
const MAX_LISTED: usize = 12;

/// The entry that is wanted of some scores.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// The benchmark.
    pub benchmark: &'a RepoId,
    /// The task of the benchmark.
    pub task: &'a TaskId,
    /// The model.
    pub model: &'a RepoId,
    /// The definition of the benchmark, when it is known.
    pub definition: Option<&'a Benchmark>,
    /// The scores of metrics, where the person names them.
    pub pairs: &'a [MetricPair],
    /// The name of the evaluation, when the person gives it.
    pub evaluation: Option<&'a str>,
}

/// The scores of one run, each with the metric of the benchmark that it is.
#[derive(Debug)]
pub struct Chosen<'c> {
    /// The scores.
    pub scores: Vec<(MetricId, &'c Candidate)>,
    /// Suspicions.
    pub warnings: Vec<String>,
}

impl Choice<'_> {
    /// Chooses among the scores of all logs, or returns why none can be chosen.
    pub fn choose<'c>(&self, candidates: &'c [Candidate]) -> Result<Chosen<'c>, NoEntry> {
        let mut warnings = Vec::new();
        let kept = without_retried(candidates, &mut warnings);
        let of_model = self.of_model(&kept, &mut warnings)?;
        let of_task = self.of_task(&of_model)?;
        let scores = self.of_metrics(&of_task)?;
        let runs: BTreeSet<(&str, &str)> = scores
            .iter()
            .map(|(_, score)| (score.log.as_str(), score.evaluation_id.as_str()))
            .collect();
        if runs.len() > 1 {
            let runs: Vec<String> = runs
                .iter()
                .map(|(log, run)| format!("`{run}` in {log}"))
                .collect();
            let reason = format!(
                "the scores are of several runs, and an entry is of one: {}",
                listed(&runs)
            );
            return Err(NoEntry::asks(reason, Question::Log));
        }
        Ok(Chosen { scores, warnings })
    }

    fn of_model<'c>(
        &self,
        candidates: &[&'c Candidate],
        warnings: &mut Vec<String>,
    ) -> Result<Vec<&'c Candidate>, NoEntry> {
        let wanted = self.model.as_str();
        let own: Vec<&Candidate> = candidates
            .iter()
            .copied()
            .filter(|candidate| candidate.model.iter().any(|name| name == wanted))
            .collect();
        if !own.is_empty() {
            return Ok(own);
        }
        let models: BTreeSet<&str> = candidates
            .iter()
            .map(|candidate| candidate.model[0].as_str())
            .collect();
        match models.first() {
            Some(only) if models.len() == 1 => {
                warnings.push(format!(
                    "the log names the model `{only}`; the entry is for `{wanted}`"
                ));
                Ok(candidates.to_vec())
            }
            Some(_) => Err(NoEntry::new(format!(
                "no log names the model `{wanted}`; the models are {}",
                listed(&quoted(&models))
            ))),
            None => Err(NoEntry::new("the logs hold no score".to_owned())),
        }
    }

    fn of_task<'c>(&self, candidates: &[&'c Candidate]) -> Result<Vec<&'c Candidate>, NoEntry> {
        let names: BTreeSet<&str> = candidates
            .iter()
            .map(|candidate| candidate.evaluation_name.as_str())
            .collect();
        let keep = |wanted: &dyn Fn(&Candidate) -> bool| -> Vec<&'c Candidate> {
            candidates.iter().copied().filter(|c| wanted(c)).collect()
        };
        if let Some(name) = self.evaluation {
            let own = keep(&|candidate| candidate.evaluation_name == name);
            if own.is_empty() {
                return Err(NoEntry::new(format!(
                    "the logs hold no evaluation `{name}`; they hold {}",
                    listed(&quoted(&names))
                )));
            }
            return Ok(own);
        }
        let task = self.task.as_str();
        let own = keep(&|candidate| candidate.evaluation_name == task);
        if !own.is_empty() {
            return Ok(own);
        }
        let has = |candidate: &Candidate, wanted: &str| {
            candidate
                .dataset
                .iter()
                .flatten()
                .any(|name| name == wanted)
        };
        let by_data =
            keep(&|candidate| has(candidate, task) || has(candidate, self.benchmark.as_str()));
        let by_data = if by_data.is_empty() {
            candidates.to_vec()
        } else {
            by_data
        };
        let left: BTreeSet<&str> = by_data
            .iter()
            .map(|candidate| candidate.evaluation_name.as_str())
            .collect();
        if left.len() > 1 {
            let reason = format!(
                "the logs hold several evaluations, none called `{task}`: {}",
                listed(&quoted(&left))
            );
            return Err(NoEntry::asks(reason, Question::Evaluation));
        }
        Ok(by_data)
    }

    fn of_metrics<'c>(
        &self,
        candidates: &[&'c Candidate],
    ) -> Result<Vec<(MetricId, &'c Candidate)>, NoEntry> {
        let mut scores = self.paired(candidates)?;
        match self.definition {
            Some(definition) => self.defined(definition, candidates, &mut scores)?,
            // Without a definition the names of the log are all there is, unless the person said
            // which score is which.
            None if scores.is_empty() => as_named(candidates, &mut scores)?,
            None => {}
        }
        if scores.is_empty() {
            return Err(self.nothing_fits(candidates));
        }
        Ok(scores)
    }

    /// The scores that the person named.
    fn paired<'c>(
        &self,
        candidates: &[&'c Candidate],
    ) -> Result<Vec<(MetricId, &'c Candidate)>, NoEntry> {
        let mut scores: Vec<(MetricId, &Candidate)> = Vec::new();
        for pair in self.pairs {
            let own: Vec<&Candidate> = candidates
                .iter()
                .copied()
                .filter(|candidate| candidate.is_called(&pair.from))
                .collect();
            if scores.iter().any(|(metric, _)| *metric == pair.to) {
                let reason = format!("two scores are given for the metric `{}`", pair.to);
                return Err(NoEntry::new(reason));
            }
            scores.push((pair.to.clone(), one(&pair.to, &own, candidates)?));
        }
        Ok(scores)
    }

    /// The scores whose metric is one of the benchmark's, by name or by alias.
    fn defined<'c>(
        &self,
        definition: &Benchmark,
        candidates: &[&'c Candidate],
        scores: &mut Vec<(MetricId, &'c Candidate)>,
    ) -> Result<(), NoEntry> {
        for pair in self.pairs {
            if definition.metric(pair.to.as_str()).is_none() {
                let known = definition.metrics.iter().map(|metric| metric.id.as_str());
                return Err(NoEntry::new(format!(
                    "`{}` is no metric of the benchmark; its metrics are {}",
                    pair.to,
                    listed(&quoted(&known.collect()))
                )));
            }
        }
        for metric in &definition.metrics {
            let is_taken = scores.iter().any(|(taken, _)| *taken == metric.id);
            let free = |candidate: &&Candidate| {
                !scores
                    .iter()
                    .any(|(_, taken)| std::ptr::eq(*taken, *candidate))
            };
            // A benchmark that declares no metrics has one score only, and any name will do for it.
            let is_anonymous = metric.id.as_str() == Benchmark::ANONYMOUS_METRIC;
            let own: Vec<&Candidate> = candidates
                .iter()
                .copied()
                .filter(free)
                .filter(|candidate| is_anonymous || is_metric(candidate, metric))
                .collect();
            if !is_taken && !own.is_empty() {
                let score = one(&metric.id, &own, candidates)?;
                scores.push((metric.id.clone(), score));
            }
        }
        // The order of the benchmark, whatever the order in which the person named them.
        scores.sort_by_key(|(id, _)| {
            definition
                .metrics
                .iter()
                .position(|metric| metric.id == *id)
        });
        Ok(())
    }

    fn nothing_fits(&self, candidates: &[&Candidate]) -> NoEntry {
        let scores: Vec<String> = candidates
            .iter()
            .map(|candidate| candidate.words())
            .collect();
        let metrics = self.definition.map(|definition| {
            let ids = definition.metrics.iter().map(|metric| metric.id.as_str());
            listed(&quoted(&ids.collect()))
        });
        let reason = format!(
            "no score of the logs is of a metric of the benchmark ({}); the logs hold {}",
            metrics.unwrap_or_default(),
            listed(&scores)
        );
        NoEntry::asks(reason, Question::Scores)
    }
}

/// Leaves out the scores of runs that did not finish and were retried with more success.
fn without_retried<'c>(
    candidates: &'c [Candidate],
    warnings: &mut Vec<String>,
) -> Vec<&'c Candidate> {
    let retry_of = |own: &Candidate| {
        let is_better = |other: &&Candidate| {
            own.incomplete.is_some()
                && own.retried.is_some()
                && other.retried == own.retried
                && other.incomplete.is_none()
        };
        candidates.iter().find(is_better)
    };
    let mut kept = Vec::new();
    for candidate in candidates {
        match retry_of(candidate) {
            Some(retry) => {
                let warning = format!(
                    "{} did not finish and was retried in {}, which counts",
                    candidate.log, retry.log
                );
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            None => kept.push(candidate),
        }
    }
    kept
}

/// The only one there is; otherwise the person must choose.
fn one<'c>(
    metric: &MetricId,
    own: &[&'c Candidate],
    all: &[&Candidate],
) -> Result<&'c Candidate, NoEntry> {
    let words = |candidates: &[&Candidate]| {
        let words: Vec<String> = candidates
            .iter()
            .map(|candidate| candidate.words())
            .collect();
        listed(&words)
    };
    match own {
        [only] => Ok(only),
        [] => Err(NoEntry::new(format!(
            "no score of the logs goes by the name that is given for `{metric}`; the logs hold {}",
            words(all)
        ))),
        several => Err(NoEntry::asks(
            format!("several scores could be `{metric}`: {}", words(several)),
            Question::Score(metric.clone()),
        )),
    }
}

/// The scores under the names that the log gives their metrics, where each name stands for one.
fn as_named<'c>(
    candidates: &[&'c Candidate],
    scores: &mut Vec<(MetricId, &'c Candidate)>,
) -> Result<(), NoEntry> {
    for &candidate in candidates {
        let name = candidate
            .metric_names()
            .next()
            .unwrap_or(&candidate.result_id);
        let id: MetricId = name.parse().map_err(|error| {
            NoEntry::new(format!(
                "`{name}` cannot be a metric of a benchmark: {error}"
            ))
        })?;
        if scores.iter().any(|(taken, _)| *taken == id) {
            let same = candidates.iter().copied();
            let same: Vec<&Candidate> = same.filter(|other| other.is_called(name)).collect();
            one(&id, &same, candidates)?;
        }
        scores.push((id, candidate));
    }
    Ok(())
}

fn is_metric(candidate: &Candidate, metric: &Metric) -> bool {
    candidate.metric_names().any(|name| {
        let name = canonical(name);
        name == canonical(metric.id.as_str()) || name == canonical(&metric.display_name)
    })
}

/// A name without what people spell differently.
fn canonical(name: &str) -> String {
    let lower = name.to_lowercase().replace(' ', "_");
    metric_id(&lower).to_owned()
}

fn quoted(names: &BTreeSet<&str>) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_LISTED).cloned();
    let shown: Vec<String> = shown.collect();
    match names.len().saturating_sub(MAX_LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
