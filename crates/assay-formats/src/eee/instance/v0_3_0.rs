//! The row since 0.2.1: closed, with `messages` and lists.

use super::prelude::*;

pub(super) static ROW: Shape = Shape::Object(&OBJECT);
static OBJECT: Object = Object::new(
    "row",
    &[
        SCHEMA_VERSION,
        EVALUATION_ID,
        MODEL_ID,
        EVALUATION_NAME,
        Field::optional(
            "evaluation_result_id",
            &STRING,
            "The result of the record that this row counts for.",
        ),
        Field::required("sample_id", &STRING, "Names the sample."),
        Field::optional(
            "sample_hash",
            &STRING_OR_NULL,
            "The digest of question and reference.",
        ),
        INTERACTION_TYPE_FIELD,
        Field::required("input", &Shape::Object(&INPUT), "The question."),
        Field::optional(
            "output",
            &Shape::Either(&[&Shape::Object(&OUTPUT), &NULL]),
            "The answer, single turn.",
        ),
        Field::optional(
            "messages",
            &Shape::Either(&[
                &Shape::List {
                    items: &Shape::Object(&MESSAGE),
                    min: 0,
                },
                &NULL,
            ]),
            "The exchange, several turns.",
        ),
        ATTRIBUTION,
        Field::required(
            "evaluation",
            &Shape::Object(&EVALUATION),
            "The score of this sample.",
        ),
        TOKEN_USAGE,
        Field::optional(
            "performance",
            &Shape::Either(&[&Shape::Object(&PERFORMANCE), &NULL]),
            "Timing.",
        ),
        ERROR,
        Field::optional("metadata", &DETAILS_OR_NULL, "Anything else, as strings."),
    ],
    Unknown::Refuse,
    &[
        Condition {
            key: "interaction_type",
            is: SINGLE,
            or_absent: true,
            then: &[
                Then::Needs(&["output"]),
                Then::Holds("output", &MAP),
                Then::Holds("messages", &NULL),
            ],
        },
        Condition {
            key: "interaction_type",
            is: CHAT,
            or_absent: true,
            then: &[
                Then::Needs(&["messages"]),
                Then::Holds("messages", &LIST),
                Then::Holds("output", &NULL),
            ],
        },
    ],
);
static INPUT: Object = Object::open(
    "input",
    &[
        Field::required("raw", &STRING, "The question."),
        Field::optional("formatted", &STRING_OR_NULL, "The prompt as sent."),
        Field::required("reference", &STRINGS, "The right answers."),
        Field::optional("choices", &STRINGS_OR_NULL, "The options."),
    ],
);
static OUTPUT: Object = Object::open(
    "output",
    &[
        Field::required("raw", &STRINGS, "What the model said."),
        Field::optional("reasoning_trace", &STRINGS_OR_NULL, "Its reasoning."),
    ],
);
static MESSAGE: Object = Object::open(
    "message",
    &[
        TURN,
        ROLE,
        CONTENT,
        TRACE,
        Field::optional(
            "tool_calls",
            &Shape::Either(&[&CALLS, &NULL]),
            "The tools called.",
        ),
        Field::optional("tool_call_id", &STRINGS_OR_NULL, "The calls this answers."),
    ],
);
static CALLS: Shape = Shape::List {
    items: &Shape::Object(&Object::open(
        "tool call",
        &[
            CALL_ID,
            CALL_NAME,
            Field::optional("arguments", &DETAILS_OR_NULL, "What the tool was given."),
        ],
    )),
    min: 0,
};
static EVALUATION: Object = Object::open(
    "evaluation",
    &[
        Field::required("score", &NUMBER, "The score."),
        Field::required("is_correct", &BOOL, "Whether the answer is right."),
        Field::optional("num_turns", &POSITIVE_OR_NULL, "How many turns."),
        Field::optional("tool_calls_count", &COUNT_OR_NULL, "How many tool calls."),
    ],
);
static PERFORMANCE: Object = Object::open(
    "performance",
    &[
        LATENCY,
        FIRST_TOKEN,
        GENERATION_TIME,
        Field::optional(
            "additional_details",
            &DETAILS_OR_NULL,
            "Anything else, as strings.",
        ),
    ],
);
