//! Scores of one task and metric as reports of a board, and the rows that the board makes of them.

use std::collections::BTreeMap;

use assay_board::{Fingerprint, Level, Origin, Policy, Question, RankableResult, rank};
use assay_model::{
    Direction, MetricId, Number, ObjectId, RepoId, RepoKey, RepoPath, Score, Setup,
    StatedUncertainty, Timestamp,
};
use serde::{Deserialize, Serialize};

/// The metric that all scores of one board have, whatever it is called.
const METRIC: &str = "score";
/// The microseconds of a millisecond.
const MICROSECONDS: i64 = 1_000;

/// The scores of one board.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Contenders {
    /// The direction of the metric; none where nobody says it.
    pub(super) lower_is_better: Option<bool>,
    /// The setup keys that must be equal for two results to be ranked in one order, as a list in
    /// JSON.
    pub(super) comparable_by: Option<String>,
    /// The scores.
    pub(super) scores: Vec<ScoreRow>,
}

/// One score, as a source says it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ScoreRow {
    pub(super) model: String,
    pub(super) record: String,
    /// The entry of its file, from 0.
    pub(super) ordinal: Option<i64>,
    pub(super) position: i64,
    /// The metric, where the source names it.
    pub(super) metric: Option<String>,
    /// The bits of the score, which no text changes.
    pub(super) score: u64,
    pub(super) standard_error: Option<u64>,
    pub(super) setup: Option<String>,
    /// Microseconds since 1970.
    pub(super) moment: Option<i64>,
    pub(super) origin: String,
}

/// One row of a board.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoardRow {
    /// The place; none where nobody says which way the metric improves.
    pub(super) rank: Option<i64>,
    pub(super) model: String,
    /// The value it is ranked by; of several runs, their mean.
    pub(super) score: f64,
    /// The standard error of a single run.
    pub(super) standard_error: Option<f64>,
    pub(super) moment: Option<i64>,
    pub(super) origin: String,
    pub(super) record: String,
    pub(super) setup: Option<String>,
    /// What rows that are ranked in one order have in common, as a map in JSON; none where that is
    /// nothing.
    pub(super) comparable: Option<String>,
    pub(super) runs: i64,
    pub(super) setups: i64,
}

impl Contenders {
    /// Adds the scores of another part of the same board.
    pub(super) fn merge(&mut self, other: Self) {
        self.lower_is_better = self.lower_is_better.or(other.lower_is_better);
        self.comparable_by = self.comparable_by.take().or(other.comparable_by);
        self.scores.extend(other.scores);
    }

    /// Returns the bytes of memory that the scores take, about.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.scores.iter().map(|row| {
            let setup = row.setup.as_ref().map_or(0, String::len);
            row.model.len() + row.record.len() + row.origin.len() + setup
        });
        self.scores.len() * size_of::<ScoreRow>() + texts.sum::<usize>()
    }

    /// Ranks the scores by the default policy of boards. Without a direction no score counts more
    /// than another: all of them are listed, and none has a rank.
    pub(super) fn ranked(&self) -> Vec<BoardRow> {
        let scores = self.one_of_each_entry();
        let results = rankable_of(&scores);
        let direction = match self.lower_is_better {
            Some(true) => Direction::LowerIsBetter,
            Some(false) | None => Direction::HigherIsBetter,
        };
        let question = Question {
            metric: metric(),
            primary: true,
            slice: None,
            direction,
            level: Level::Whole,
            policy: match self.lower_is_better {
                Some(_) => Policy::default(),
                None => Policy::All,
            },
            verified_only: false,
            base_models_only: false,
            comparable_by: self.comparable_keys(),
            as_of: None,
        };
        let board = rank(&results, &question);
        let rows = board.rows().iter().map(|row| {
            let shown = scores[row.given()];
            let group: BTreeMap<&str, Option<&str>> = board.groups()[row.group()]
                .values()
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_deref()))
                .collect();
            let comparable = (!group.is_empty()).then(|| serde_json::to_string(&group).ok());
            let is_single = row.runs().len() == 1;
            BoardRow {
                rank: self.lower_is_better.map(|_| whole(row.rank())),
                model: shown.model.clone(),
                score: row.value(),
                standard_error: shown
                    .standard_error
                    .filter(|_| is_single)
                    .map(f64::from_bits),
                moment: shown.moment,
                origin: shown.origin.clone(),
                record: shown.record.clone(),
                setup: shown.setup.clone(),
                comparable: comparable.flatten(),
                runs: whole(row.runs().len()),
                setups: whole(row.setups().count),
            }
        });
        rows.collect()
    }

    /// The scores that are numbers, in order, one for each entry: the one that names the metric
    /// comes before a nameless one.
    fn one_of_each_entry(&self) -> Vec<&ScoreRow> {
        let is_number = |row: &&ScoreRow| f64::from_bits(row.score).is_finite();
        let mut scores: Vec<&ScoreRow> = self.scores.iter().filter(is_number).collect();
        scores.sort_by(|left, right| {
            let key = |row: &ScoreRow| (row.ordinal, row.metric.is_none(), row.position);
            left.record
                .cmp(&right.record)
                .then_with(|| key(left).cmp(&key(right)))
        });
        scores.dedup_by(|next, kept| {
            let is_same = next.ordinal.is_some() && next.ordinal == kept.ordinal;
            is_same && next.record == kept.record
        });
        scores
    }

    fn comparable_keys(&self) -> Vec<String> {
        let keys = self.comparable_by.as_deref();
        keys.and_then(|keys| serde_json::from_str(keys).ok())
            .unwrap_or_default()
    }
}

/// The scores as reports. Names become numbers in the order of the names, because not every model
/// of a lake has the name of a repository; what a lake does not know of a result, such as its
/// commit, is the same for all.
fn rankable_of(scores: &[&ScoreRow]) -> Vec<RankableResult> {
    let models = numbered(scores.iter().map(|row| row.model.to_ascii_lowercase()));
    let records = numbered(scores.iter().map(|row| row.record.clone()));
    let results = scores.iter().filter_map(|row| {
        let model = *models.get(&row.model.to_ascii_lowercase())?;
        let record = *records.get(&row.record)?;
        let date = Timestamp::from_millis(row.moment.unwrap_or_default().div_euclid(MICROSECONDS));
        Some(RankableResult {
            model: repo_id(model),
            key: RepoKey(model),
            derived: false,
            verified: false,
            origin: Origin::Merged,
            date,
            committed: date,
            commit: ObjectId::from_bytes([0; 20]),
            file: repo_path(record),
            ordinal: u32::try_from(row.position).unwrap_or(u32::MAX),
            fingerprint: Fingerprint([0; 32]),
            since: Timestamp::from_millis(0),
            until: None,
            scores: vec![Score {
                metric: Some(metric()),
                value: Number::new(f64::from_bits(row.score))?,
                literal: String::new(),
                slice: None,
                value_type: None,
                sample_size: None,
                uncertainty: StatedUncertainty::default(),
                context: None,
            }],
            setup: setup_of(row),
        })
    });
    results.collect()
}

/// Gives each text a number, in the order of the texts.
fn numbered(texts: impl Iterator<Item = String>) -> BTreeMap<String, i64> {
    let mut numbers: BTreeMap<String, i64> = texts.map(|text| (text, 0)).collect();
    for (number, value) in (0..).zip(numbers.values_mut()) {
        *value = number;
    }
    numbers
}

fn setup_of(row: &ScoreRow) -> Setup {
    let setup = row.setup.as_deref();
    setup
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

fn metric() -> MetricId {
    METRIC.parse().expect("a word is the name of a metric")
}

/// A name that is in order where the numbers are.
fn repo_id(number: i64) -> RepoId {
    let name = format!("model/{number:020}");
    name.parse().expect("digits may stand in a name")
}

fn repo_path(number: i64) -> RepoPath {
    let path = format!("{number:020}");
    path.parse().expect("digits are a path")
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(model: &str, ordinal: i64, score: f64, setup: &str) -> ScoreRow {
        ScoreRow {
            model: model.to_owned(),
            record: format!("{model}/results.yaml"),
            ordinal: Some(ordinal),
            position: ordinal,
            metric: Some("accuracy".to_owned()),
            score: score.to_bits(),
            standard_error: None,
            setup: Some(setup.to_owned()),
            moment: Some(ordinal),
            origin: "entry".to_owned(),
        }
    }

    fn places(contenders: &Contenders) -> Vec<(Option<i64>, String, f64)> {
        let rows = contenders.ranked().into_iter();
        rows.map(|row| (row.rank, row.model, row.score)).collect()
    }

    #[test]
    fn equal_runs_of_a_setup_are_averaged_and_the_best_setup_stands_for_a_model() {
        let mut first = score("acme/one", 1, 0.25, r#"{"shots":"5"}"#);
        first.moment = Some(0);
        let mut second = score("acme/one", 2, 0.75, r#"{"shots":"5"}"#);
        second.moment = Some(0);
        let contenders = Contenders {
            lower_is_better: Some(false),
            comparable_by: None,
            scores: vec![
                first,
                second,
                score("acme/two", 3, 0.125, r#"{"shots":"0"}"#),
                score("acme/two", 4, 0.5, r#"{"shots":"1"}"#),
            ],
        };

        let rows = contenders.ranked();

        assert_eq!(
            places(&contenders),
            [
                (Some(1), "acme/one".to_owned(), 0.5),
                (Some(1), "acme/two".to_owned(), 0.5)
            ]
        );
        assert_eq!((rows[0].runs, rows[0].setups), (2, 1));
        assert_eq!((rows[1].runs, rows[1].setups), (1, 2));
    }

    #[test]
    fn what_cannot_be_compared_has_ranks_of_its_own() {
        let contenders = Contenders {
            lower_is_better: Some(true),
            comparable_by: Some(r#"["judge"]"#.to_owned()),
            scores: vec![
                score("acme/one", 1, 3.0, r#"{"judge":"a"}"#),
                score("acme/two", 2, 2.0, r#"{"judge":"a"}"#),
                score("acme/two", 3, 9.0, r#"{"judge":"b"}"#),
            ],
        };

        let rows = contenders.ranked();

        assert_eq!(
            places(&contenders),
            [
                (Some(1), "acme/two".to_owned(), 2.0),
                (Some(2), "acme/one".to_owned(), 3.0),
                (Some(1), "acme/two".to_owned(), 9.0)
            ]
        );
        assert_eq!(rows[2].comparable.as_deref(), Some(r#"{"judge":"b"}"#));
    }

    #[test]
    fn a_nameless_score_gives_way_to_one_of_the_same_entry_that_names_the_metric() {
        let mut nameless = score("acme/one", 1, 0.25, "{}");
        nameless.metric = None;
        nameless.position = 0;
        let contenders = Contenders {
            lower_is_better: None,
            comparable_by: None,
            scores: vec![nameless, score("acme/one", 1, 0.5, "{}")],
        };

        assert_eq!(places(&contenders), [(None, "acme/one".to_owned(), 0.5)]);
    }
}
