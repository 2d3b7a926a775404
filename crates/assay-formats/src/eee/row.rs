//! A row of a samples file of the current version as a value that can be written.

mod write;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::Version;

/// Text that is borrowed from a log where it can be.
pub type Text<'a> = Cow<'a, str>;

/// One row. Fields come out in this order; what is absent is left out. Numbers must be finite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row<'a> {
    schema_version: &'static str,
    /// The `evaluation_id` of the record.
    pub evaluation_id: Text<'a>,
    /// The `model_info.id` of the record.
    pub model_id: Text<'a>,
    /// The name of the evaluation.
    pub evaluation_name: Text<'a>,
    /// The result of the record that the row counts for.
    pub evaluation_result_id: Text<'a>,
    /// Names the sample.
    pub sample_id: Text<'a>,
    /// The digest of question and reference.
    pub sample_hash: Text<'a>,
    /// One exchange, several, or with tools.
    pub interaction_type: InteractionType,
    /// The question.
    pub input: Input<'a>,
    /// The answer of a single turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output<'a>>,
    /// The exchange of several turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message<'a>>>,
    /// The way the answer was found in the output of the model.
    pub answer_attribution: Vec<Attribution<'a>>,
    /// The score.
    pub evaluation: Evaluation,
    /// The tokens of all calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// Timing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performance: Option<Performance>,
    /// The error of the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Text<'a>>,
    /// Anything else.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<Text<'a>, Text<'a>>,
}

impl<'a> Row<'a> {
    /// A row with what every row must have; `sample_hash` is computed from the question and its
    /// references.
    pub fn new(
        sample_id: Text<'a>,
        interaction_type: InteractionType,
        input: Input<'a>,
        evaluation: Evaluation,
    ) -> Self {
        let sample_hash = super::sample_hash(&input.raw, &input.reference).into();
        Self {
            schema_version: Version::CURRENT.as_str(),
            evaluation_id: Text::default(),
            model_id: Text::default(),
            evaluation_name: Text::default(),
            evaluation_result_id: Text::default(),
            sample_id,
            sample_hash,
            interaction_type,
            input,
            output: None,
            messages: None,
            answer_attribution: Vec::new(),
            evaluation,
            token_usage: None,
            performance: None,
            error: None,
            metadata: BTreeMap::new(),
        }
    }

    /// Appends the row and a line feed.
    pub fn write(&self, to: &mut Vec<u8>) {
        write::row(self, to);
        to.push(b'\n');
    }
}

/// The kind of exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InteractionType {
    /// One question, one answer.
    SingleTurn,
    /// Several turns.
    MultiTurn,
    /// With tools.
    Agentic,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input<'a> {
    /// The question.
    pub raw: Text<'a>,
    /// The prompt as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatted: Option<Prompt<'a>>,
    /// The right answers.
    pub reference: Vec<Text<'a>>,
    /// The options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<Text<'a>>>,
}

/// A prompt. It is the longest text of most rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Prompt<'a> {
    /// Its text.
    Text(Text<'a>),
    /// The string of a log that can be copied as it is, from [`crate::Value::spelled`].
    Spelled(&'a str),
}

impl<'a> From<Text<'a>> for Prompt<'a> {
    fn from(text: Text<'a>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a str> for Prompt<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl Serialize for Prompt<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Spelled(string) => {
                let inside = string.get(1..string.len().saturating_sub(1));
                crate::json::unescape(inside.unwrap_or_default()).serialize(serializer)
            }
        }
    }
}

/// The answer of a single turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Output<'a> {
    /// The output of the model.
    pub raw: Vec<Text<'a>>,
    /// Its reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_trace: Option<Vec<Text<'a>>>,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message<'a> {
    /// Its position.
    pub turn_idx: usize,
    /// The role of the speaker.
    pub role: Text<'a>,
    /// The text of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Text<'a>>,
    /// The reasoning before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_trace: Option<Text<'a>>,
    /// The tools called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall<'a>>,
    /// The calls that this answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_call_id: Vec<Text<'a>>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall<'a> {
    /// Names the call.
    pub id: Text<'a>,
    /// The tool.
    pub name: Text<'a>,
    /// The arguments of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<Text<'a>, Text<'a>>>,
}

/// The place of the answer in the output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribution<'a> {
    /// The turn it stands in.
    pub turn_idx: usize,
    /// The field it stands in.
    pub source: Text<'a>,
    /// The answer.
    pub extracted_value: Text<'a>,
    /// The method of extraction.
    pub extraction_method: Text<'a>,
    /// True if it is the final one.
    pub is_terminal: bool,
}

/// The score of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Evaluation {
    /// The score; finite.
    pub score: f64,
    /// True if the answer is right.
    pub is_correct: bool,
    /// The number of turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<usize>,
    /// The number of tool calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls_count: Option<usize>,
}

/// The tokens of all calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TokenUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// Tokens written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens_cache_write: Option<u64>,
    /// Tokens read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens_cache_read: Option<u64>,
    /// Tokens spent on reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

/// Timing.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Performance {
    /// From request to last token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Time spent generating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation_time_ms: Option<f64>,
    /// Anything else.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub additional_details: BTreeMap<String, String>,
}
