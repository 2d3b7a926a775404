//! The fields of a row, with their meaning: the words that the versions are written in.

pub(super) use crate::shape::{Condition, Field, Object, Shape, Then, Unknown};

pub(super) static ANY: Shape = Shape::Any;
pub(super) static NULL: Shape = Shape::Null;
pub(super) static BOOL: Shape = Shape::Bool;
pub(super) static STRING: Shape = Shape::String;
pub(super) static STRINGS: Shape = Shape::List {
    items: &STRING,
    min: 0,
};
pub(super) static STRING_OR_NULL: Shape = Shape::Either(&[&STRING, &NULL]);
pub(super) static STRINGS_OR_NULL: Shape = Shape::Either(&[&STRINGS, &NULL]);
pub(super) static STRING_OR_STRINGS: Shape = Shape::Either(&[&STRING, &STRINGS]);
pub(super) static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
pub(super) static COUNT: Shape = Shape::Integer { min: Some(0) };
pub(super) static COUNT_OR_NULL: Shape = Shape::Either(&[&COUNT, &NULL]);
pub(super) static POSITIVE: Shape = Shape::Integer { min: Some(1) };
pub(super) static POSITIVE_OR_NULL: Shape = Shape::Either(&[&POSITIVE, &NULL]);
pub(super) static DURATION_OR_NULL: Shape = Shape::Either(&[
    &Shape::Number {
        min: Some(0.0),
        max: None,
    },
    &NULL,
]);
pub(super) static DETAILS: Shape = Shape::Map(&STRING);
pub(super) static DETAILS_OR_NULL: Shape = Shape::Either(&[&DETAILS, &NULL]);
pub(super) static FREE_DETAILS: Shape = Shape::Map(&ANY);
pub(super) static MAP: Shape = Shape::Map(&ANY);
pub(super) static LIST: Shape = Shape::List {
    items: &ANY,
    min: 0,
};
pub(super) static INTERACTION_TYPE: Shape =
    Shape::Choice(&["single_turn", "multi_turn", "agentic"]);

pub(super) const SCHEMA_VERSION: Field =
    Field::required("schema_version", &STRING, "The version of this schema.");
pub(super) const EVALUATION_ID: Field = Field::required(
    "evaluation_id",
    &STRING,
    "The `evaluation_id` of the record this row belongs to.",
);
pub(super) const MODEL_ID: Field =
    Field::required("model_id", &STRING, "The `model_info.id` of that record.");
pub(super) const EVALUATION_NAME: Field =
    Field::required("evaluation_name", &STRING, "What was evaluated.");
pub(super) const INTERACTION_TYPE_FIELD: Field = Field::required(
    "interaction_type",
    &INTERACTION_TYPE,
    "One exchange, several, or with tools.",
);
pub(super) const ATTRIBUTION: Field = Field::required(
    "answer_attribution",
    &ATTRIBUTIONS,
    "How the answer was found in what the model said.",
);
pub(super) static ATTRIBUTIONS: Shape = Shape::List {
    items: &Shape::Object(&ATTRIBUTION_OBJECT),
    min: 0,
};
pub(super) static ATTRIBUTION_OBJECT: Object = Object::open(
    "answer attribution",
    &[
        Field::required("turn_idx", &COUNT, "The turn the answer stands in."),
        Field::required("source", &STRING, "The field it stands in."),
        Field::required("extracted_value", &STRING, "The answer."),
        Field::required("extraction_method", &STRING, "How it was extracted."),
        Field::required("is_terminal", &BOOL, "Whether it is the final answer."),
    ],
);
pub(super) const TOKEN_USAGE: Field =
    Field::optional("token_usage", &TOKENS, "The tokens of all calls.");
pub(super) static TOKENS: Shape = Shape::Either(&[&Shape::Object(&TOKENS_OBJECT), &NULL]);
pub(super) static TOKENS_OBJECT: Object = Object::open(
    "token usage",
    &[
        Field::required("input_tokens", &COUNT, "Tokens read."),
        Field::required("output_tokens", &COUNT, "Tokens written."),
        Field::required("total_tokens", &COUNT, "Both."),
        Field::optional(
            "input_tokens_cache_write",
            &COUNT_OR_NULL,
            "Tokens written to the cache.",
        ),
        Field::optional(
            "input_tokens_cache_read",
            &COUNT_OR_NULL,
            "Tokens read from the cache.",
        ),
        Field::optional(
            "reasoning_tokens",
            &COUNT_OR_NULL,
            "Tokens spent on reasoning.",
        ),
    ],
);
pub(super) const LATENCY: Field = Field::optional(
    "latency_ms",
    &DURATION_OR_NULL,
    "From request to last token.",
);
pub(super) const FIRST_TOKEN: Field = Field::optional(
    "time_to_first_token_ms",
    &DURATION_OR_NULL,
    "From request to first token.",
);
pub(super) const GENERATION_TIME: Field = Field::optional(
    "generation_time_ms",
    &DURATION_OR_NULL,
    "Time spent generating.",
);
pub(super) const ERROR: Field = Field::optional(
    "error",
    &STRING_OR_NULL,
    "What went wrong, if anything did.",
);

pub(super) const TURN: Field = Field::required("turn_idx", &COUNT, "The position, from 0.");
pub(super) const ROLE: Field = Field::required("role", &STRING, "Who speaks.");
pub(super) const CONTENT: Field = Field::optional("content", &STRING_OR_NULL, "What was said.");
pub(super) const TRACE: Field = Field::optional(
    "reasoning_trace",
    &STRING_OR_NULL,
    "The reasoning before it.",
);
pub(super) const CALL_ID: Field = Field::required("id", &STRING, "Names the call.");
pub(super) const CALL_NAME: Field = Field::required("name", &STRING, "The tool.");

pub(super) const SINGLE: &[&str] = &["single_turn"];
pub(super) const CHAT: &[&str] = &["multi_turn", "agentic"];
