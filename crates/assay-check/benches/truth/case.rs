//! A record with a fault, beside the honest one.

use serde_json::{Value, json};

use crate::pool::Pool;
use crate::random::Random;

/// A kind of fault.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) family: &'static str,
    pub(crate) name: &'static str,
    /// Adds what the fault needs and is honest; returns whether the record can have it.
    pub(crate) prepare: Step,
    /// Makes the fault; returns whether it is one.
    pub(crate) plant: Step,
}

pub(crate) type Step = fn(&mut Draft<'_>) -> bool;

/// Nothing has to be added.
pub(crate) fn as_it_is(_: &mut Draft<'_>) -> bool {
    true
}

/// A record in the making.
pub(crate) struct Draft<'p> {
    pub(crate) pool: &'p Pool,
    pub(crate) record: usize,
    pub(crate) path: String,
    pub(crate) value: Value,
    /// Records that are added.
    pub(crate) added: Vec<(String, Value)>,
    /// Paths of other records that the fault may show on.
    pub(crate) related: Vec<String>,
    /// The result with the fault.
    pub(crate) at: usize,
    pub(crate) random: Random,
}

/// An honest record and the faulty one.
pub(crate) struct Case<'p> {
    pub(crate) path: &'p str,
    pub(crate) at: usize,
    honest: Value,
    faulty_path: String,
    faulty: Value,
    added: Vec<(String, Value)>,
    related: Vec<String>,
}

impl<'p> Case<'p> {
    /// Plants a fault in a record; nothing when the record cannot have it.
    pub(crate) fn plant(
        pool: &'p Pool,
        record: usize,
        kind: &Kind,
        random: &mut Random,
    ) -> Option<Self> {
        let own = &pool.records[record];
        let results = own.value["evaluation_results"].as_array()?.len();
        let mut draft = Draft {
            pool,
            record,
            path: own.path.clone(),
            value: own.value.clone(),
            added: Vec::new(),
            related: Vec::new(),
            at: random.below(results),
            random: Random(random.next()),
        };
        if !(kind.prepare)(&mut draft) {
            return None;
        }
        let honest = draft.value.clone();
        let is_planted = (kind.plant)(&mut draft);
        let is_fault = honest != draft.value || draft.path != own.path || !draft.added.is_empty();
        (is_planted && is_fault).then_some(Self {
            path: &own.path,
            at: draft.at,
            honest,
            faulty_path: draft.path,
            faulty: draft.value,
            added: draft.added,
            related: draft.related,
        })
    }

    pub(crate) fn honest_files(&self) -> Vec<(&str, Option<&Value>)> {
        vec![(self.path, Some(&self.honest))]
    }

    pub(crate) fn faulty_files(&self) -> Vec<(&str, Option<&Value>)> {
        let moved = (self.path != self.faulty_path).then_some((self.path, None));
        moved
            .into_iter()
            .chain([(self.faulty_path.as_str(), Some(&self.faulty))])
            .chain(
                self.added
                    .iter()
                    .map(|(path, value)| (path.as_str(), Some(value))),
            )
            .collect()
    }

    /// The files that have to do with the fault.
    pub(crate) fn touched(&self) -> Vec<&str> {
        let mut paths = vec![self.path, &self.faulty_path];
        paths.extend(self.added.iter().map(|(path, _)| path.as_str()));
        paths.extend(self.related.iter().map(String::as_str));
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

impl Draft<'_> {
    pub(crate) fn results(&mut self) -> &mut Vec<Value> {
        self.value["evaluation_results"]
            .as_array_mut()
            .expect("real records have results")
    }

    pub(crate) fn result(&mut self) -> &mut Value {
        let at = self.at;
        &mut self.results()[at]
    }

    pub(crate) fn metric(&mut self) -> &mut Value {
        &mut self.result()["metric_config"]
    }

    pub(crate) fn uncertainty(&mut self) -> &mut Value {
        &mut self.result()["score_details"]["uncertainty"]
    }

    pub(crate) fn score(&self) -> f64 {
        score(&self.value, self.at)
    }

    pub(crate) fn set_score(&mut self, score: f64) {
        self.result()["score_details"]["score"] = json!(score);
    }

    /// The end of the scale: 1 or 100.
    pub(crate) fn top(&self) -> f64 {
        max_score(&self.value, self.at).unwrap_or(f64::NAN)
    }

    pub(crate) fn is_share(&self) -> bool {
        (self.top() - 1.0).abs() < 1e-9
    }

    pub(crate) fn is_percent(&self) -> bool {
        (self.top() - 100.0).abs() < 1e-9
    }

    /// The score as a share of its scale.
    pub(crate) fn share(&self) -> f64 {
        self.score() / self.top()
    }

    /// Multiplies the score, or all scores of the record.
    pub(crate) fn multiply(&mut self, factor: f64) {
        let score = self.score();
        self.set_score(tidy(score * factor));
    }

    pub(crate) fn multiply_all(&mut self, factor: f64) {
        for at in 0..self.results().len() {
            let score = score(&self.value, at);
            self.results()[at]["score_details"]["score"] = json!(tidy(score * factor));
        }
    }

    /// A path beside that of the record, with another number.
    pub(crate) fn path_beside(&mut self, model: Option<&str>) -> String {
        let number = self.random.next() & 0xffff_ffff_ffff;
        let mut parts: Vec<&str> = self.path.split('/').collect();
        let file = format!("0bad0000-0000-4000-8000-{number:012x}.json");
        let last = parts.len() - 1;
        parts[last] = &file;
        if let Some(model) = model {
            parts[last - 1] = model;
        }
        parts.join("/")
    }
}

/// Returns the score of a result, or NaN.
pub(crate) fn score(record: &Value, at: usize) -> f64 {
    record["evaluation_results"][at]["score_details"]["score"]
        .as_f64()
        .unwrap_or(f64::NAN)
}

/// Returns the end of the scale of a result.
pub(crate) fn max_score(record: &Value, at: usize) -> Option<f64> {
    record["evaluation_results"][at]["metric_config"]["max_score"].as_f64()
}

/// Drops the noise of a multiplication.
pub(crate) fn tidy(number: f64) -> f64 {
    format!("{number:.12e}").parse().expect("it was a number")
}

/// Rounds to some decimals.
pub(crate) fn round(number: f64, decimals: usize) -> f64 {
    format!("{number:.decimals$}")
        .parse()
        .expect("it was a number")
}

/// Writes a record of shares in another scale; nothing when it is not one of shares.
pub(crate) fn scale_record(record: &mut Value, factor: f64) -> Option<()> {
    for result in record["evaluation_results"].as_array_mut()? {
        let metric = &mut result["metric_config"];
        if metric["max_score"].as_f64() != Some(1.0) || metric["min_score"].as_f64() != Some(0.0) {
            return None;
        }
        metric["max_score"] = json!(factor);
        let details = &mut result["score_details"];
        let score = details["score"].as_f64()?;
        details["score"] = json!(tidy(score * factor));
        if let Some(details) = details.as_object_mut() {
            // Raw values and errors would stay in the old scale.
            details.remove("uncertainty");
            details.remove("details");
        }
    }
    Some(())
}
