//! Means in place of the results of a log that has none.

use std::collections::BTreeMap;

use assay_formats::eee::record::{ScoreDetails, Uncertainty};

use super::frame::Tally;
use super::group::Members;
use super::results::{Aggregate, metric_config};

/// The results of a log that has none of its own: for each scorer the mean over the samples that it
/// scored.
#[derive(Debug, Default)]
pub(super) struct Means {
    sums: BTreeMap<String, Mean>,
}

#[derive(Debug)]
struct Mean {
    scorer: String,
    name: String,
    sum: f64,
    /// The mean so far, for sums that are too large to be held.
    running: f64,
    rows: u32,
    samples: u32,
}

impl Means {
    /// Counts a score.
    pub(super) fn add(&mut self, tally: Tally) {
        let mean = self.sums.entry(tally.id).or_insert(Mean {
            scorer: tally.scorer,
            name: tally.name,
            sum: 0.0,
            running: 0.0,
            rows: 0,
            samples: 0,
        });
        mean.sum += tally.score;
        mean.rows = mean.rows.saturating_add(1);
        let rows = f64::from(mean.rows);
        mean.running += tally.score / rows - mean.running / rows;
        mean.samples = mean.samples.saturating_add(u32::from(tally.is_first_epoch));
    }

    /// The means as results that say where they come from.
    pub(super) fn aggregates(self, status: &str) -> Vec<Aggregate> {
        self.sums
            .into_iter()
            .map(|(id, mean)| {
                let score = if mean.sum.is_finite() {
                    mean.sum / f64::from(mean.rows.max(1))
                } else {
                    mean.running
                };
                let mut metric = metric_config("mean", score);
                metric.evaluation_description = Some(format!(
                    "mean over the samples that were scored, computed from them because the log has status `{status}` and no results"
                ));
                let details = [("status", status), ("computed_from", "samples")];
                let samples = if mean.samples == 0 { mean.rows } else { mean.samples };
                Aggregate {
                    id,
                    scorer: mean.scorer,
                    name: mean.name,
                    members: Members::All,
                    counts_right_answers: false,
                    scorer_args: None,
                    metric,
                    score: ScoreDetails {
                        score,
                        details: details.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
                        uncertainty: Some(Uncertainty {
                            num_samples: Some(u64::from(samples)),
                            ..Uncertainty::default()
                        }),
                    },
                }
            })
            .filter(|aggregate| aggregate.score.score.is_finite())
            .collect()
    }
}
