//! The report of a record, result by result, in the words of a result file.

use assay_model::{
    Cost, Date, Direction, Evaluator, Framework, Number, Provenance, Relationship, Setup, Source,
    StatedInterval, StatedUncertainty, TaskId,
};
use serde_json::Value as Json;

use assay_formats::eee::repo_names as names;
use assay_formats::eee::setup_of;
pub(super) use assay_formats::eee::{known_text as known, plain_text as text};

/// Names under which records give what a run cost, in US dollars.
const COSTS: [&str; 3] = ["total_cost_usd", "cost_usd", "total_cost"];

/// One result of a record.
pub(super) struct Reported {
    pub(super) task: TaskId,
    pub(super) task_name: String,
    /// The metric, when the record names it.
    pub(super) metric: Option<String>,
    /// The description of the metric in the record.
    pub(super) metric_words: Option<String>,
    pub(super) direction: Direction,
    pub(super) bounds: Option<Bounds>,
    pub(super) value: Number,
    pub(super) literal: String,
    pub(super) uncertainty: StatedUncertainty,
    pub(super) sample_size: Option<u64>,
    pub(super) source: Option<Source>,
    /// The place of the benchmark's data, when that is not where the scores are.
    pub(super) data: Option<String>,
    pub(super) framework: Option<Framework>,
    pub(super) setup: Setup,
    pub(super) provenance: Provenance,
    pub(super) date: Option<Date>,
    pub(super) notes: Vec<String>,
}

/// From where to where the scores of a metric go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Bounds {
    /// A value on this scale, put on another one.
    pub(super) fn convert(self, value: Number, to: Self) -> Option<Number> {
        // A change of the unit alone moves the decimal point, which is exact.
        match (self.min, self.max, to.min, to.max) {
            (0.0, 100.0, 0.0, 1.0) => return value.shifted(-2),
            (0.0, 1.0, 0.0, 100.0) => return value.shifted(2),
            _ => {}
        }
        let share = (value.get() - self.min) / (self.max - self.min);
        Number::new(to.min + share * (to.max - to.min))
    }

    /// A distance on this scale, put on another one.
    pub(super) fn convert_distance(self, distance: Number, to: Self) -> Option<Number> {
        Number::new(distance.get() / (self.max - self.min) * (to.max - to.min))
    }

    /// The scale in words.
    pub(super) fn words(self) -> String {
        format!("{} to {}", self.min, self.max)
    }
}

/// The results of a record that have a finite score.
pub(super) fn results(record: &Json) -> Vec<Reported> {
    let list = record["evaluation_results"].as_array();
    let results = list.into_iter().flatten();
    results.filter_map(|own| result(record, own)).collect()
}

fn result(record: &Json, result: &Json) -> Option<Reported> {
    let name = text(&result["evaluation_name"])?;
    let config = &result["metric_config"];
    let details = &result["score_details"];
    let literal = details["score"].as_number()?.to_string();
    let value: Number = literal
        .parse()
        .ok()
        .or_else(|| Number::new(details["score"].as_f64()?))?;
    let (uncertainty, note) = uncertainty(&details["uncertainty"], value);
    let mut notes = Vec::from_iter(note);
    notes.extend(text(
        &result["generation_config"]["additional_details"]["notes"],
    ));
    notes.extend(text(&result["source_data"]["additional_details"]["note"]));
    notes.extend(several_runs(result));
    let (source, data) = sources(record, &result["source_data"]);
    Some(Reported {
        task: names::task(&name)?,
        task_name: name,
        metric: text(&config["metric_id"]).or_else(|| text(&config["metric_name"])),
        metric_words: text(&config["evaluation_description"]),
        direction: Direction::from_higher_is_better(config["lower_is_better"] != true),
        bounds: bounds(config),
        value,
        literal,
        uncertainty,
        sample_size: details["uncertainty"]["num_samples"]
            .as_u64()
            .or_else(|| details_count(result)),
        source,
        data,
        framework: framework(record),
        setup: setup_of(record, result),
        provenance: provenance(record, result),
        date: date(&record["evaluation_timestamp"])
            .or_else(|| date(&result["evaluation_timestamp"])),
        notes,
    })
}

/// Returns a note on a score that is the mean of several runs, with their range where the record
/// gives it.
///
/// The Holistic Agent Leaderboard writes the range of the runs as `accuracy_confidence_interval`:
/// two runs of 45 tasks that solve one and three have `-2.22/+2.22`, two that agree `-0.00/+0.00`.
/// That is no interval of confidence, so it does not become the uncertainty of the score.
fn several_runs(result: &Json) -> Option<String> {
    let details = &result["generation_config"]["additional_details"];
    let runs: u64 = text(&details["runs"])?.parse().ok()?;
    if runs < 2 {
        return None;
    }
    // A record repeats the range of the whole at each part.
    let of_whole = result["score_details"]["details"].get("accuracy_raw");
    let range = of_whole.and_then(|_| text(&details["accuracy_confidence_interval"]));
    Some(match range {
        Some(range) => format!("mean of {runs} runs, whose range the source gives as {range}"),
        None => format!("mean of {runs} runs"),
    })
}

/// Returns the number of samples that a record says were evaluated, where it says so of the data.
fn details_count(result: &Json) -> Option<u64> {
    let data = &result["source_data"];
    data["samples_number"]
        .as_u64()
        .or_else(|| {
            text(&data["additional_details"]["tasks_evaluated"])?
                .parse()
                .ok()
        })
        .filter(|count| *count > 0)
}

fn bounds(config: &Json) -> Option<Bounds> {
    let (min, max) = (config["min_score"].as_f64()?, config["max_score"].as_f64()?);
    (min < max && min.is_finite() && max.is_finite()).then_some(Bounds { min, max })
}

/// Returns the uncertainty of a score. Some records write an interval as the distances from the
/// score; the interpretation is reported.
fn uncertainty(stated: &Json, score: Number) -> (StatedUncertainty, Option<String>) {
    let number = |value: &Json| value.as_f64().and_then(Number::new);
    let interval = &stated["confidence_interval"];
    let ends = number(&interval["lower"]).zip(number(&interval["upper"]));
    let mut note = None;
    let ends = ends.and_then(|(low, high)| {
        let has_score = (low.get()..=high.get()).contains(&score.get());
        let is_distance = low.get() <= 0.0 && high.get() >= 0.0;
        if has_score {
            return Some((low, high));
        }
        if !is_distance {
            return None;
        }
        note = Some("the interval is given as distances from the score".to_owned());
        let low = Number::new(score.get() + low.get())?;
        Some((low, Number::new(score.get() + high.get())?))
    });
    let method = known(&interval["method"]).or_else(|| known(&stated["standard_error"]["method"]));
    let uncertainty = StatedUncertainty {
        standard_error: number(&stated["standard_error"]["value"]),
        interval: ends.map(|(low, high)| StatedInterval {
            low,
            high,
            level: number(&interval["confidence_level"]),
        }),
        method,
    };
    (uncertainty, note)
}

fn provenance(record: &Json, result: &Json) -> Provenance {
    let about = &record["source_metadata"];
    let relationship = text(&about["evaluator_relationship"]);
    let relationship = relationship.and_then(|word| word.parse().ok());
    let evaluator = Evaluator {
        name: known(&about["source_organization_name"]),
        relationship: relationship.unwrap_or(Relationship::Other),
    };
    let is_known = evaluator.name.is_some() || relationship.is_some();
    let places = [
        &result["generation_config"]["additional_details"],
        &record["model_info"]["additional_details"],
    ];
    let cost = places
        .iter()
        .flat_map(|place| COSTS.iter().map(|name| &place[*name]))
        .find_map(|value| {
            let number = value
                .as_f64()
                .or_else(|| value.as_str()?.trim().parse().ok());
            Number::new(number?).filter(|cost| cost.get() >= 0.0)
        });
    Provenance {
        evaluator: is_known.then_some(evaluator),
        published: None,
        retrieved: date(&record["retrieved_timestamp"]),
        cost: Cost {
            usd: cost,
            ..Cost::default()
        },
        ..Provenance::default()
    }
}

/// Returns the place of the scores, and that of the data when it is another: a record lists both
/// together.
fn sources(record: &Json, data: &Json) -> (Option<Source>, Option<String>) {
    let about = &record["source_metadata"];
    let organisation = text(&about["source_organization_url"]).filter(|url| is_address(url));
    let host = organisation.as_deref().map(host);
    let listed: Vec<String> = match &data["url"] {
        Json::Array(list) => list.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    };
    let listed: Vec<String> = listed.into_iter().filter(|url| is_address(url)).collect();
    let own = listed.iter().find(|url| Some(self::host(url)) == host);
    let url = own.or_else(|| listed.first()).cloned().or(organisation);
    let other = listed.into_iter().find(|one| Some(one) != url.as_ref());
    let other = other.or_else(|| text(&data["hf_repo"]));
    let source = url.map(|url| Source {
        url,
        name: text(&about["source_name"]),
        user: None,
        org: None,
    });
    (source, other)
}

fn is_address(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

fn framework(record: &Json) -> Option<Framework> {
    let library = &record["eval_library"];
    known(&library["name"]).map(|name| Framework {
        name: Some(name),
        version: known(&library["version"]),
        command: None,
    })
}

/// A moment as a record writes it: a date, or seconds since 1970.
fn date(moment: &Json) -> Option<Date> {
    let moment = text(moment)?;
    if let Ok(date) = moment.parse() {
        return Some(date);
    }
    let seconds: f64 = moment.parse().ok()?;
    if !(0.0..=253_402_207_200.0).contains(&seconds) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range was just looked at"
    )]
    Date::of_unix_seconds(seconds as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(runs: &str, details: &Json) -> Json {
        json!({"evaluation_results": [{
            "evaluation_name": "sums",
            "metric_config": {},
            "score_details": {"score": 0.0445, "details": details},
            "generation_config": {"additional_details": {
                "runs": runs, "accuracy_confidence_interval": "-2.22/+2.22",
            }},
        }]})
    }

    #[test]
    fn a_mean_of_runs_says_so_and_their_range_is_no_interval() {
        let read = results(&record("2", &json!({"accuracy_raw": "4.45%"})));

        let words = "mean of 2 runs, whose range the source gives as -2.22/+2.22";
        assert_eq!(read[0].notes, [words]);
        assert_eq!(read[0].uncertainty, StatedUncertainty::default());
    }

    #[test]
    fn the_range_of_the_whole_is_not_that_of_a_part_and_one_run_is_no_mean() {
        let part = results(&record("2", &json!({})));
        let single = results(&record("1", &json!({"accuracy_raw": "4.45%"})));

        assert_eq!(part[0].notes, ["mean of 2 runs"]);
        assert!(single[0].notes.is_empty());
    }
}
