use assay_formats::{Kind, Value};
use xxhash_rust::xxh3::Xxh3;

use crate::record::RecordFacts;

/// One row of a samples file, its parts at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'d> {
    pub(crate) root: Value<'d>,
    pub(crate) version: Option<Value<'d>>,
    pub(crate) evaluation_id: Option<Value<'d>>,
    pub(crate) model_id: Option<Value<'d>>,
    pub(crate) evaluation_name: Option<Value<'d>>,
    pub(crate) result_id: Option<Value<'d>>,
    pub(crate) sample_id: Option<Value<'d>>,
    pub(crate) sample_hash: Option<Value<'d>>,
    pub(crate) interaction_type: Option<Value<'d>>,
    pub(crate) input: Option<Value<'d>>,
    pub(crate) output: Option<Value<'d>>,
    /// `messages`, or `interactions` as 0.2.0 calls them.
    pub(crate) messages: Option<Value<'d>>,
    pub(crate) attribution: Option<Value<'d>>,
    pub(crate) evaluation: Option<Value<'d>>,
    pub(crate) token_usage: Option<Value<'d>>,
    pub(crate) error: Option<Value<'d>>,
    pub(crate) metadata: Option<Value<'d>>,
    /// The score of the sample; a boolean, as 0.2.0 allowed, counts as 0 or 1.
    pub(crate) score: Option<f64>,
    /// True if the answer is right.
    pub(crate) is_correct: Option<bool>,
    pub(crate) num_turns: Option<Value<'d>>,
    pub(crate) tool_calls_count: Option<Value<'d>>,
}

/// The identity of a row: its sample, its result and its metadata (which names epochs and
/// perturbations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowKey(pub(crate) u64);

impl<'d> Row<'d> {
    /// Takes a row apart; a part that is null is absent.
    pub(crate) fn of(root: Value<'d>) -> Self {
        let mut row = Self {
            root,
            version: None,
            evaluation_id: None,
            model_id: None,
            evaluation_name: None,
            result_id: None,
            sample_id: None,
            sample_hash: None,
            interaction_type: None,
            input: None,
            output: None,
            messages: None,
            attribution: None,
            evaluation: None,
            token_usage: None,
            error: None,
            metadata: None,
            score: None,
            is_correct: None,
            num_turns: None,
            tool_calls_count: None,
        };
        for (key, value) in root.entries() {
            let Some(name) = key.plain_text() else {
                continue;
            };
            let part = match name {
                "schema_version" => &mut row.version,
                "evaluation_id" => &mut row.evaluation_id,
                "model_id" => &mut row.model_id,
                "evaluation_name" => &mut row.evaluation_name,
                "evaluation_result_id" => &mut row.result_id,
                "sample_id" => &mut row.sample_id,
                "sample_hash" => &mut row.sample_hash,
                "interaction_type" => &mut row.interaction_type,
                "input" => &mut row.input,
                "output" => &mut row.output,
                "messages" | "interactions" => &mut row.messages,
                "answer_attribution" => &mut row.attribution,
                "evaluation" => &mut row.evaluation,
                "token_usage" => &mut row.token_usage,
                "error" => &mut row.error,
                "metadata" => &mut row.metadata,
                _ => continue,
            };
            *part = Some(value).filter(|value| value.kind() != Kind::Null);
        }
        row.take_evaluation();
        row
    }

    fn take_evaluation(&mut self) {
        let Some(evaluation) = self.evaluation else {
            return;
        };
        for (key, value) in evaluation.entries() {
            match key.plain_text() {
                Some("score") => {
                    self.score = value
                        .number()
                        .or_else(|| value.truth().map(|right| f64::from(u8::from(right))));
                }
                Some("is_correct") => self.is_correct = value.truth(),
                Some("num_turns") => self.num_turns = Some(value),
                Some("tool_calls_count") => self.tool_calls_count = Some(value),
                Some(_) | None => {}
            }
        }
    }

    /// The value that says something in `evaluation`, for the place of a finding.
    pub(crate) fn evaluated(&self, key: &str) -> Value<'d> {
        self.evaluation
            .and_then(|evaluation| evaluation.get(key))
            .unwrap_or(self.root)
    }

    /// The result of the record that the row counts for: the one it names, or the only one there
    /// is.
    pub(crate) fn result(&self, facts: &RecordFacts) -> Option<usize> {
        match self.result_id.and_then(Value::text) {
            Some(id) => facts.result(&id),
            None => (facts.results.len() == 1).then_some(0),
        }
    }

    /// Returns the identity of this row; none without a sample id.
    pub(crate) fn key(&self) -> Option<RowKey> {
        let sample = self.sample_id?;
        let mut hasher = Xxh3::new();
        for part in [
            Some(sample),
            self.result_id,
            self.evaluation_name,
            self.metadata,
        ] {
            hasher.update(part.map(Value::raw).unwrap_or_default().as_bytes());
            hasher.update(&[0]);
        }
        Some(RowKey(hasher.digest()))
    }
}
