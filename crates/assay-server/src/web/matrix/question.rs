//! The questions that the address of a matrix asks.

use assay_board::AggregateRule;

use super::super::query::State;
use super::table::{Matrix, MatrixRow};

/// Number of models that can be selected.
const MAX_SELECTED: usize = 20;
/// Number of benchmarks that can be folded.
const MAX_FOLDED: usize = 60;
/// Number of words that are searched for.
const MAX_WORDS: usize = 8;

/// The request for a matrix. All of it is in the address.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) rule: AggregateRule,
    pub(super) least: usize,
    pub(super) search: String,
    pub(super) sort: Option<String>,
    pub(super) reversed: bool,
    pub(super) organisation: Option<String>,
    /// In billions of parameters.
    pub(super) size: Option<u64>,
    pub(super) verified: bool,
    pub(super) selected: Vec<String>,
    /// The benchmarks whose columns are folded away.
    pub(super) folded: Vec<String>,
}

impl Question {
    /// Reads the request for the matrix of the hub. Six columns tell something of a model; a hub
    /// with few benchmarks asks for a third of them.
    pub(super) fn of_hub(state: &State, columns: usize) -> Self {
        let fewest = columns.div_ceil(3).min(6);
        Self::new(state, columns, AggregateRule::ExpectedWinRate, fewest)
    }

    /// Returns whether another question asks for the same ranks.
    pub(super) fn ranks_like(&self, other: &Self) -> bool {
        (self.rule, self.least) == (other.rule, other.least)
    }

    pub(super) fn new(state: &State, columns: usize, usual: AggregateRule, fewest: usize) -> Self {
        let asked = state.get("by").unwrap_or_default();
        let rule = AggregateRule::ALL
            .into_iter()
            .find(|rule| rule.as_str() == asked);
        let least = state.get("min").and_then(|text| text.parse().ok());
        Self {
            rule: rule.unwrap_or(usual),
            organisation: state.get("org").map(str::to_owned),
            size: state.get("size").and_then(|text| text.parse().ok()),
            verified: state.get("verified").is_some(),
            selected: state
                .all("models")
                .take(MAX_SELECTED)
                .map(str::to_owned)
                .collect(),
            folded: state
                .all("fold")
                .take(MAX_FOLDED)
                .map(str::to_owned)
                .collect(),
            least: least.unwrap_or(fewest).clamp(1, columns.max(1)),
            search: state.get("q").unwrap_or_default().trim().to_owned(),
            sort: state
                .get("sort")
                .map(str::to_owned)
                .filter(|sort| sort != "rank"),
            reversed: state.get("reversed").is_some(),
        }
    }
}

/// The rows that are asked for, in the order that is asked for, by their place in the matrix.
pub(super) fn chosen(matrix: &Matrix, question: &Question) -> Vec<usize> {
    let words = question.search.split_whitespace().take(MAX_WORDS);
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let stays = |row: &MatrixRow| {
        let name = row.model.as_str().to_lowercase();
        let most = question.size.map(|size| size.saturating_mul(1_000_000_000));
        let organisation = question.organisation.as_deref();
        words.iter().all(|word| name.contains(word))
            && organisation.is_none_or(|name| row.model.namespace() == Some(name))
            && most.is_none_or(|most| row.parameters.is_some_and(|size| size <= most))
            && (!question.verified || row.has_verified)
    };
    let mut rows: Vec<usize> = (0..matrix.rows.len())
        .filter(|row| stays(&matrix.rows[*row]))
        .collect();
    let key = question.sort.as_deref();
    let at = matrix
        .columns
        .iter()
        .position(|column| Some(column.key.as_str()) == key);
    if let Some(at) = at {
        let direction = matrix.columns[at].direction;
        let value = |row: &usize| {
            let cell = matrix.rows[*row].cells[at];
            cell.map(|cell| match direction {
                assay_model::Direction::HigherIsBetter => -cell.value,
                assay_model::Direction::LowerIsBetter => cell.value,
            })
        };
        rows.sort_by(|left, right| match (value(left), value(right)) {
            (Some(left), Some(right)) if question.reversed => right.total_cmp(&left),
            (Some(left), Some(right)) => left.total_cmp(&right),
            // A row without a value comes last, whichever way.
            (left, right) => right.is_some().cmp(&left.is_some()),
        });
    } else {
        match key {
            Some("model") => {
                rows.sort_by_cached_key(|row| matrix.rows[*row].model.as_str().to_lowercase());
            }
            Some("n") => rows.sort_by_key(|row| std::cmp::Reverse(matrix.rows[*row].known)),
            Some(_) | None => {}
        }
        if question.reversed {
            rows.reverse();
        }
    }
    rows
}
