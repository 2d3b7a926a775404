//! The effect of a change, as pages show it.

use assay_app::{BoardPreview, EvalResult, Preview, RankMove};
use assay_model::Direction;

use super::finding::Finding;
use super::{links, show};

/// A preview, ready to be shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// The findings.
    pub(crate) findings: Vec<Finding>,
    /// The files that stand in the way.
    pub(crate) conflicts: Vec<String>,
    /// The results that come.
    pub(crate) added: Vec<ResultLine>,
    /// The results that go.
    pub(crate) removed: Vec<ResultLine>,
    /// The boards.
    pub(crate) boards: Vec<Board>,
    /// Number of boards that are not shown.
    pub(crate) more_boards: usize,
}

/// One result.
#[derive(Debug, Clone)]
pub(crate) struct ResultLine {
    /// Its value.
    pub(crate) value: String,
    /// Its metric, when it is known.
    pub(crate) metric: String,
    /// The benchmark.
    pub(crate) benchmark: String,
    /// The task.
    pub(crate) task: String,
    /// The reason why it is not verified, when it is not.
    pub(crate) unverified: Option<String>,
    /// The reason why it is on no board yet.
    pub(crate) pending: Option<String>,
}

/// A board before and after.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    /// The label of the board.
    pub(crate) name: String,
    /// Its address.
    pub(crate) address: String,
    /// The task.
    pub(crate) task: String,
    /// The metric that ranks, and its direction.
    pub(crate) metric: String,
    /// Number of models that it has before.
    pub(crate) before: usize,
    /// Number of models that it has after.
    pub(crate) after: usize,
    /// The models that move.
    pub(crate) moves: Vec<Move>,
}

/// One model that moves. The move is told in words and by a sign, not by a colour alone.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    /// The model.
    pub(crate) model: String,
    /// True if the change is made to it.
    pub(crate) own: bool,
    /// Its rank before.
    pub(crate) before: String,
    /// Its rank after.
    pub(crate) after: String,
    /// The class of the move.
    pub(crate) class: &'static str,
    /// The move in words.
    pub(crate) words: String,
    /// Its value before.
    pub(crate) value_before: String,
    /// Its value after.
    pub(crate) value_after: String,
}

impl Shown {
    /// A preview as it is shown.
    pub(crate) fn of(preview: &Preview) -> Self {
        Self {
            findings: Finding::list(&preview.findings),
            conflicts: preview.conflicts.clone(),
            added: preview.added.iter().map(|result| line(result)).collect(),
            removed: preview.removed.iter().map(|result| line(result)).collect(),
            boards: preview.boards.iter().map(board).collect(),
            more_boards: preview.more_boards,
        }
    }

    /// Returns the number of findings that refuse the change.
    pub(crate) fn errors(&self) -> usize {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.class == "bad").count()
    }

    /// Returns the number of ranks that change, on all boards together.
    pub(crate) fn moved(&self) -> usize {
        let moves = self.boards.iter().flat_map(|board| &board.moves);
        moves.filter(|moved| moved.class != "same").count()
    }
}

fn line(result: &EvalResult) -> ResultLine {
    ResultLine {
        value: show::number(result.value),
        metric: result
            .value_metric
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        benchmark: result.dataset.to_string(),
        task: result.task.to_string(),
        unverified: result.standing.detail().map(str::to_owned),
        pending: result.pending.clone(),
    }
}

fn board(board: &BoardPreview) -> Board {
    let way = match board.direction {
        Direction::HigherIsBetter => "\u{2191} higher is better",
        Direction::LowerIsBetter => "\u{2193} lower is better",
    };
    Board {
        name: board.benchmark_name.clone(),
        address: links::board(&board.benchmark, &board.task),
        task: board.task.to_string(),
        metric: format!("{} ({way})", board.metric_name),
        before: board.models.0,
        after: board.models.1,
        moves: board.moves.iter().map(moved).collect(),
    }
}

fn moved(moved: &RankMove) -> Move {
    let (class, words) = match (moved.from, moved.to) {
        (None, Some(_)) => ("up", "enters".to_owned()),
        (Some(_), None) => ("down", "leaves".to_owned()),
        (Some(from), Some(to)) if to < from => ("up", format!("\u{25b2} up {}", from - to)),
        (Some(from), Some(to)) if to > from => ("down", format!("\u{25bc} down {}", to - from)),
        (Some(_), Some(_)) | (None, None) => ("same", "stays".to_owned()),
    };
    let rank = |rank: Option<usize>| rank.map_or_else(dash, |rank| rank.to_string());
    let value = |value: Option<f64>| value.map_or_else(dash, show::number);
    Move {
        model: moved.model.to_string(),
        own: moved.own,
        before: rank(moved.from),
        after: rank(moved.to),
        class,
        words,
        value_before: value(moved.value_before),
        value_after: value(moved.value_after),
    }
}

fn dash() -> String {
    "\u{2013}".to_owned()
}
