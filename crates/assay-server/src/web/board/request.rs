use assay_app::{BoardQuery, BoardView};

use super::columns::sorts_by_words;
use crate::web::query::State;

/// The sizes that models can be limited to, in parameters.
pub(super) const SIZES: [&str; 9] = ["1B", "3B", "7B", "13B", "34B", "70B", "180B", "500B", "1T"];
/// Maximum number of columns that may be asked for.
const MAX_COLUMNS: usize = 64;

/// The request for a board. All of it is in the address.
#[derive(Debug, Clone, Default)]
pub(crate) struct BoardRequest {
    /// The query as it came.
    pub(crate) state: State,
    /// The metric that ranks, when it is not the primary one.
    pub(crate) metric: Option<String>,
    /// The policy that chooses among several results of a model.
    pub(crate) policy: Option<String>,
    /// Only verified results.
    pub(crate) verified: bool,
    /// Only models that are not made from others.
    pub(crate) base_only: bool,
    /// Only models with so many parameters at most, as it was written.
    pub(crate) max_params: String,
    /// Words that a row has to have.
    pub(crate) text: String,
    /// The column that the rows are sorted by; none for the rank.
    pub(crate) sort: Option<String>,
    /// True if that order is turned round.
    pub(crate) reversed: bool,
    /// The columns that are wanted; none for those that are usual.
    pub(crate) columns: Vec<String>,
    /// The model to be seen at once.
    pub(crate) highlight: Option<String>,
    /// The board of another day or commit.
    pub(crate) as_of: String,
}

impl BoardRequest {
    /// Reads the request of a query.
    pub(crate) fn of(state: &State) -> Self {
        let text = |key: &str| state.get(key).unwrap_or_default().trim().to_owned();
        let flag = |key: &str| matches!(state.get(key), Some("1" | "true" | "yes" | "on"));
        let some = |key: &str| Some(text(key)).filter(|text| !text.is_empty());
        Self {
            metric: some("metric"),
            policy: some("policy"),
            verified: flag("verified"),
            base_only: flag("base"),
            max_params: text("max_params"),
            text: text("q"),
            sort: some("sort").filter(|sort| sort != "rank"),
            reversed: flag("reversed"),
            columns: state
                .all("cols")
                .take(MAX_COLUMNS)
                .map(str::to_owned)
                .collect(),
            highlight: some("highlight"),
            as_of: text("as_of"),
            state: state.without("page").without("task"),
        }
    }

    /// The same as the hub is asked: everything that changes a rank.
    pub(crate) fn query(&self, task: Option<String>) -> BoardQuery {
        BoardQuery {
            task,
            metric: self.metric.clone(),
            policy: self.policy.clone(),
            verified: self.verified,
            base_models_only: self.base_only,
            as_of: Some(self.as_of.clone()).filter(|text| !text.is_empty()),
            limit: None,
            offset: 0,
            words: !self.text.is_empty() || self.sort.as_deref().is_some_and(sorts_by_words),
        }
    }

    /// The same as a program asks for it.
    pub(super) fn for_api(&self, view: &BoardView) -> State {
        let mut state = State::default()
            .with("task_id", view.task.as_str())
            .with("metric_id", view.metric.as_str())
            .with("policy", view.policy)
            .with("base_model", if self.base_only { "true" } else { "false" });
        if self.verified {
            state = state.with("verified", "true");
        }
        state.with("as_of", self.as_of.as_str())
    }

    /// Returns whether this model is the one to be seen at once.
    pub(crate) fn is_highlighted(&self, model: &str) -> bool {
        let wanted = self.highlight.as_deref();
        wanted.is_some_and(|wanted| wanted.eq_ignore_ascii_case(model))
    }

    /// The limit of parameters as a number; none when there is none, or none that can be read.
    pub(super) fn most_parameters(&self) -> Option<f64> {
        parameters(&self.max_params)
    }

    /// Returns whether rows are left out that the board has.
    pub(crate) fn is_filtered(&self) -> bool {
        !self.text.is_empty() || self.most_parameters().is_some()
    }
}

/// A count such as `7B`, `7000000000` or `0.5b`.
fn parameters(text: &str) -> Option<f64> {
    let (digits, unit) = match text.char_indices().last()? {
        (at, 'K' | 'k') => (&text[..at], 1e3),
        (at, 'M' | 'm') => (&text[..at], 1e6),
        (at, 'B' | 'b') => (&text[..at], 1e9),
        (at, 'T' | 't') => (&text[..at], 1e12),
        (_, _) => (text, 1.0),
    };
    let value = digits.parse::<f64>().ok()? * unit;
    (value.is_finite() && value > 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parameters("7B"), Some(7e9));
        assert_eq!(parameters("0.5b"), Some(5e8));
        assert_eq!(parameters("7000000000"), Some(7e9));
        for nonsense in ["", "B", "big", "-7B", "NaN", "1e400"] {
            assert_eq!(parameters(nonsense), None, "{nonsense}");
        }
        assert!(SIZES.iter().all(|size| parameters(size).is_some()));
    }

    #[test]
    fn a_query_asks_for_what_it_says_and_nothing_else() {
        let state = State::of(Some(
            "metric=wer&verified=1&q=+a+&cols=x&cols=y&page=3&task=t",
        ));

        let asked = BoardRequest::of(&state);

        assert_eq!(asked.metric.as_deref(), Some("wer"));
        assert!(asked.verified && !asked.base_only);
        assert_eq!(asked.text, "a");
        assert_eq!(asked.columns, ["x", "y"]);
        assert!(!asked.query(None).base_models_only);
        assert_eq!(asked.state.get("page"), None);
    }
}
