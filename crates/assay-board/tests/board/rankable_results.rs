use assay_board::{
    Fingerprint, Leaderboard, Level, Origin, Policy, Question, RankableResult, rank,
};
use assay_model::{Direction, MetricId, Number, ObjectId, RepoKey, Score, Timestamp};

/// A current, merged, unverified result of one anonymous value; the model has this number.
pub(crate) fn result(model: u8, value: f64) -> RankableResult {
    RankableResult {
        model: format!("acme/model-{model}").parse().unwrap(),
        key: RepoKey(i64::from(model)),
        derived: false,
        verified: false,
        origin: Origin::Merged,
        date: Timestamp::from_seconds(1000),
        committed: Timestamp::from_seconds(1000),
        commit: ObjectId::from_bytes([model; 20]),
        file: ".eval_results/gpqa.yaml".parse().unwrap(),
        ordinal: 0,
        fingerprint: Fingerprint([model; 32]),
        since: Timestamp::from_seconds(1000),
        until: None,
        scores: vec![score(None, value)],
        setup: assay_model::Setup::default(),
    }
}

pub(crate) fn score(metric: Option<&str>, value: f64) -> Score {
    Score {
        metric: metric.map(metric_id),
        value: Number::new(value).unwrap(),
        literal: value.to_string(),
        slice: None,
        value_type: None,
        sample_size: None,
        uncertainty: assay_model::StatedUncertainty::default(),
        context: None,
    }
}

pub(crate) fn metric_id(text: &str) -> MetricId {
    text.parse().unwrap()
}

/// Returns the question for the leader by the primary metric `accuracy`.
pub(crate) fn question() -> Question {
    Question {
        metric: metric_id("accuracy"),
        primary: true,
        slice: None,
        direction: Direction::HigherIsBetter,
        level: Level::Whole,
        policy: Policy::Authoritative,
        verified_only: false,
        base_models_only: false,
        comparable_by: Vec::new(),
        as_of: None,
    }
}

/// The ranks, model numbers and values of a board.
pub(crate) fn shown(board: &Leaderboard<'_>) -> Vec<(usize, i64, f64)> {
    board
        .rows()
        .iter()
        .map(|row| (row.rank(), row.result().key.0, row.value()))
        .collect()
}

/// The values that count, by the given policy.
pub(crate) fn values(results: &[RankableResult], policy: Policy) -> Vec<f64> {
    let question = Question {
        policy,
        ..question()
    };
    let board = rank(results, &question);
    board.rows().iter().map(assay_board::Row::value).collect()
}
