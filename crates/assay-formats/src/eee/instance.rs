use super::Version;
use crate::shape::{Condition, Field, Object, Shape, Then, Unknown};

/// The shape of one row of a samples file in one version.
pub fn shape(version: Version) -> &'static Shape {
    match version {
        Version::V0_2_0 => &v0_2_0::ROW,
        Version::V0_2_1 | Version::V0_2_2 | Version::V0_2_3 | Version::V0_3_0 => &v0_3_0::ROW,
    }
}

static ANY: Shape = Shape::Any;
static NULL: Shape = Shape::Null;
static BOOL: Shape = Shape::Bool;
static STRING: Shape = Shape::String;
static STRINGS: Shape = Shape::List {
    items: &STRING,
    min: 0,
};
static STRING_OR_NULL: Shape = Shape::Either(&[&STRING, &NULL]);
static STRINGS_OR_NULL: Shape = Shape::Either(&[&STRINGS, &NULL]);
static STRING_OR_STRINGS: Shape = Shape::Either(&[&STRING, &STRINGS]);
static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
static COUNT: Shape = Shape::Integer { min: Some(0) };
static COUNT_OR_NULL: Shape = Shape::Either(&[&COUNT, &NULL]);
static POSITIVE: Shape = Shape::Integer { min: Some(1) };
static POSITIVE_OR_NULL: Shape = Shape::Either(&[&POSITIVE, &NULL]);
static DURATION_OR_NULL: Shape = Shape::Either(&[
    &Shape::Number {
        min: Some(0.0),
        max: None,
    },
    &NULL,
]);
static DETAILS: Shape = Shape::Map(&STRING);
static DETAILS_OR_NULL: Shape = Shape::Either(&[&DETAILS, &NULL]);
static FREE_DETAILS: Shape = Shape::Map(&ANY);
static MAP: Shape = Shape::Map(&ANY);
static LIST: Shape = Shape::List {
    items: &ANY,
    min: 0,
};
static INTERACTION_TYPE: Shape = Shape::Choice(&["single_turn", "multi_turn", "agentic"]);

const SCHEMA_VERSION: Field =
    Field::required("schema_version", &STRING, "The version of this schema.");
const EVALUATION_ID: Field = Field::required(
    "evaluation_id",
    &STRING,
    "The `evaluation_id` of the record this row belongs to.",
);
const MODEL_ID: Field = Field::required("model_id", &STRING, "The `model_info.id` of that record.");
const EVALUATION_NAME: Field = Field::required("evaluation_name", &STRING, "What was evaluated.");
const INTERACTION_TYPE_FIELD: Field = Field::required(
    "interaction_type",
    &INTERACTION_TYPE,
    "One exchange, several, or with tools.",
);
const ATTRIBUTION: Field = Field::required(
    "answer_attribution",
    &ATTRIBUTIONS,
    "How the answer was found in what the model said.",
);
static ATTRIBUTIONS: Shape = Shape::List {
    items: &Shape::Object(&ATTRIBUTION_OBJECT),
    min: 0,
};
static ATTRIBUTION_OBJECT: Object = Object::open(
    "answer attribution",
    &[
        Field::required("turn_idx", &COUNT, "The turn the answer stands in."),
        Field::required("source", &STRING, "The field it stands in."),
        Field::required("extracted_value", &STRING, "The answer."),
        Field::required("extraction_method", &STRING, "How it was extracted."),
        Field::required("is_terminal", &BOOL, "Whether it is the final answer."),
    ],
);
const TOKEN_USAGE: Field = Field::optional("token_usage", &TOKENS, "The tokens of all calls.");
static TOKENS: Shape = Shape::Either(&[&Shape::Object(&TOKENS_OBJECT), &NULL]);
static TOKENS_OBJECT: Object = Object::open(
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
const LATENCY: Field = Field::optional(
    "latency_ms",
    &DURATION_OR_NULL,
    "From request to last token.",
);
const FIRST_TOKEN: Field = Field::optional(
    "time_to_first_token_ms",
    &DURATION_OR_NULL,
    "From request to first token.",
);
const GENERATION_TIME: Field = Field::optional(
    "generation_time_ms",
    &DURATION_OR_NULL,
    "Time spent generating.",
);
const ERROR: Field = Field::optional(
    "error",
    &STRING_OR_NULL,
    "What went wrong, if anything did.",
);

const TURN: Field = Field::required("turn_idx", &COUNT, "The position, from 0.");
const ROLE: Field = Field::required("role", &STRING, "Who speaks.");
const CONTENT: Field = Field::optional("content", &STRING_OR_NULL, "What was said.");
const TRACE: Field = Field::optional(
    "reasoning_trace",
    &STRING_OR_NULL,
    "The reasoning before it.",
);
const CALL_ID: Field = Field::required("id", &STRING, "Names the call.");
const CALL_NAME: Field = Field::required("name", &STRING, "The tool.");

const SINGLE: &[&str] = &["single_turn"];
const CHAT: &[&str] = &["multi_turn", "agentic"];

mod v0_2_0 {
    #[cfg_attr(
        not(test),
        expect(
            clippy::wildcard_imports,
            reason = "the fields above are the vocabulary of every version"
        )
    )]
    use super::*;

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
    static PERFORMANCE: Object =
        Object::open("performance", &[LATENCY, FIRST_TOKEN, GENERATION_TIME]);
}

mod v0_3_0 {
    #[cfg_attr(
        not(test),
        expect(
            clippy::wildcard_imports,
            reason = "the fields above are the vocabulary of every version"
        )
    )]
    use super::*;

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
}
