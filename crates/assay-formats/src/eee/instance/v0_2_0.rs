//! The row of 0.2.0: `interactions`, and scalars where lists came later.

use super::prelude::*;

pub(super) static ROW: Shape = Shape::Object(&OBJECT);
static OBJECT: Object = Object::new(
    "row",
    &[
        SCHEMA_VERSION,
        EVALUATION_ID,
        MODEL_ID,
        EVALUATION_NAME,
        Field::required(
            "sample_id",
            &Shape::Either(&[&Shape::Integer { min: None }, &STRING]),
            "Names the sample.",
        ),
        Field::optional(
            "sample_hash",
            &STRING,
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
            "interactions",
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
        Field::optional("metadata", &FREE_DETAILS, "Anything else."),
    ],
    Unknown::Keep,
    &[
        Condition {
            key: "interaction_type",
            is: SINGLE,
            or_absent: true,
            then: &[
                Then::Needs(&["output"]),
                Then::Holds("output", &MAP),
                Then::Holds("interactions", &NULL),
            ],
        },
        Condition {
            key: "interaction_type",
            is: CHAT,
            or_absent: true,
            then: &[
                Then::Needs(&["interactions"]),
                Then::Holds("interactions", &LIST),
                Then::Holds("output", &NULL),
                Then::Holds("metrics", &METRICS),
            ],
        },
    ],
);
/// The schema asks this of a key that no field describes; a document can still run into it.
static METRICS: Shape = Shape::IfMap(&Object::open(
    "metrics",
    &[Field::required("num_turns", &ANY, "How many turns.")],
));
static INPUT: Object = Object::open(
    "input",
    &[
        Field::required("raw", &STRING, "The question."),
        Field::optional("formatted", &STRING, "The prompt as sent."),
        Field::required("reference", &STRING_OR_STRINGS, "The right answers."),
        Field::optional("choices", &STRINGS, "The options."),
    ],
);
static OUTPUT: Object = Object::open(
    "output",
    &[
        Field::required("raw", &STRING_OR_STRINGS, "What the model said."),
        Field::optional("reasoning_trace", &STRING_OR_STRINGS, "Its reasoning."),
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
        Field::optional("tool_call_id", &STRING_OR_STRINGS, "The call this answers."),
    ],
);
static CALLS: Shape = Shape::List {
    items: &Shape::Object(&Object::open(
        "tool call",
        &[
            CALL_ID,
            CALL_NAME,
            Field::optional("arguments", &FREE_DETAILS, "What the tool was given."),
        ],
    )),
    min: 0,
};
static EVALUATION: Object = Object::open(
    "evaluation",
    &[
        Field::required("score", &Shape::Either(&[&NUMBER, &BOOL]), "The score."),
        Field::required("is_correct", &BOOL, "Whether the answer is right."),
        Field::optional("num_turns", &POSITIVE, "How many turns."),
        Field::optional("tool_calls_count", &COUNT, "How many tool calls."),
    ],
);
static PERFORMANCE: Object = Object::open("performance", &[LATENCY, FIRST_TOKEN, GENERATION_TIME]);
