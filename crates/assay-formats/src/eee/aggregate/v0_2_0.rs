//! The record of 0.2.0: free detail maps, and a samples file that need not be described.

use super::prelude::*;

pub(super) static RECORD: Shape = Shape::Object(&OBJECT);
static OBJECT: Object = Object::closed(
    "record",
    &[
        SCHEMA_VERSION,
        EVALUATION_ID,
        EVALUATION_TIMESTAMP,
        RETRIEVED_TIMESTAMP,
        Field::required("source_metadata", &Shape::Object(&SOURCE), "Who says so."),
        Field::required("model_info", &MODEL, "The model."),
        Field::required(
            "evaluation_results",
            &Shape::List {
                items: &RESULT,
                min: 0,
            },
            "The scores.",
        ),
        Field::optional(
            "detailed_evaluation_results",
            &Shape::IfMap(&COMPANION),
            "The samples file.",
        ),
    ],
);
static SOURCE: Object = Object::open(
    "source metadata",
    &[
        SOURCE_NAME,
        SOURCE_TYPE_FIELD,
        ORGANIZATION,
        ORGANIZATION_URL,
        ORGANIZATION_LOGO,
        RELATIONSHIP_FIELD,
    ],
);
static MODEL: Shape = Shape::Object(&MODEL_OBJECT);
static MODEL_OBJECT: Object = Object::open(
    "model info",
    &[NAME, ID, DEVELOPER, PLATFORM, ENGINE, FREE_DETAILS_FIELD],
);
static RESULT: Shape = Shape::Object(&Object::open(
    "evaluation result",
    &[
        EVALUATION_NAME,
        Field::required(
            "source_data",
            &SOURCE_DATA,
            "The data that was evaluated on.",
        ),
        RESULT_TIMESTAMP,
        Field::required("metric_config", &Shape::Object(&METRIC), "The metric."),
        Field::required(
            "score_details",
            &Shape::Object(&SCORE_DETAILS),
            SCORE_DETAILS_DOC,
        ),
        Field::optional(
            "generation_config",
            &Shape::Object(&GENERATION),
            GENERATION_DOC,
        ),
    ],
));
static SOURCE_DATA: Shape = Shape::Tagged {
    tag: "source_type",
    variants: &[
        ("url", &URL_DATA),
        ("hf_dataset", &HF_DATA),
        ("other", &OTHER_DATA),
    ],
};
static URL_DATA: Object = Object::open(
    "source data",
    &[DATASET_NAME, IS_URL, URLS, FREE_DETAILS_FIELD],
);
static HF_DATA: Object = Object::open(
    "source data",
    &[
        DATASET_NAME,
        IS_HF,
        HF_REPO,
        HF_SPLIT,
        SAMPLES_NUMBER,
        Field::optional(
            "sample_ids",
            &Shape::List {
                items: &Shape::Either(&[&INTEGER, &STRING]),
                min: 0,
            },
            "Which samples were used.",
        ),
        FREE_DETAILS_FIELD,
    ],
);
static OTHER_DATA: Object =
    Object::open("source data", &[DATASET_NAME, IS_OTHER, FREE_DETAILS_FIELD]);
static METRIC: Object = Object::new(
    "metric",
    &[
        DESCRIPTION,
        LOWER_IS_BETTER,
        SCORE_TYPE_FIELD,
        LEVEL_NAMES,
        LEVEL_METADATA,
        UNKNOWN_LEVEL,
        Field::optional("min_score", &NUMBER, "The lowest possible score."),
        Field::optional("max_score", &NUMBER, "The highest possible score."),
        Field::optional("llm_scoring", &Shape::Object(&LLM_SCORING), LLM_SCORING_DOC),
    ],
    Unknown::Keep,
    &[ABSENT_IS_LEVELS, CONTINUOUS_NEEDS],
);
static LLM_SCORING: Object = Object::open(
    "judges",
    &[
        Field::required(
            "judges",
            &Shape::List {
                items: &Shape::Object(&Object::open(
                    "judge",
                    &[
                        Field::required("model_info", &MODEL, "The judging model."),
                        TEMPERATURE,
                        WEIGHT,
                    ],
                )),
                min: 1,
            },
            JUDGES_DOC,
        ),
        INPUT_PROMPT,
        AGGREGATION_FIELD,
        EXPERT_BASELINE,
        FREE_DETAILS_FIELD,
    ],
);
static SCORE_DETAILS: Object = Object::open(
    "score details",
    &[
        SCORE,
        Field::optional("details", &FREE_DETAILS, "Anything else."),
        UNCERTAINTY_FIELD,
    ],
);
static GENERATION: Object = Object::open(
    "generation config",
    &[
        Field::optional(
            "generation_args",
            &Shape::Object(&Object::open(
                "generation arguments",
                &[
                    GEN_TEMPERATURE,
                    TOP_P,
                    TOP_K,
                    MAX_TOKENS,
                    EXECUTION_COMMAND,
                    REASONING,
                    PROMPT_TEMPLATE,
                    Field::optional(
                        "agentic_eval_config",
                        &Shape::Object(&AGENTIC),
                        "The tools.",
                    ),
                    Field::optional("eval_plan", &Shape::Object(&PLAN), "The solvers."),
                    LIMITS,
                    SANDBOX,
                    MAX_ATTEMPTS,
                    FEEDBACK,
                ],
            )),
            "The arguments.",
        ),
        FREE_DETAILS_FIELD,
    ],
);
static AGENTIC: Object = Object::open(
    "agentic config",
    &[
        Field::optional(
            "available_tools",
            &Shape::List {
                items: &Shape::Object(&Object::open(
                    "tool",
                    &[
                        Field::optional("name", &STRING, "The tool."),
                        Field::optional("description", &STRING, "What it does."),
                        Field::optional("parameters", &FREE_DETAILS, "What it takes."),
                    ],
                )),
                min: 0,
            },
            "The tools.",
        ),
        FREE_DETAILS_FIELD,
    ],
);
static PLAN: Object = Object::open(
    "plan",
    &[
        Field::optional("name", &STRING, "The plan."),
        Field::optional(
            "steps",
            &Shape::List {
                items: &ANY,
                min: 0,
            },
            "Its steps.",
        ),
        Field::optional("config", &FREE_DETAILS, "Its configuration."),
    ],
);
static COMPANION: Object = Object::open(
    "samples file",
    &[
        Field::optional("format", &Shape::Choice(&["jsonl", "json"]), "The format."),
        Field::optional("file_path", &STRING, "The path."),
        HASH_ALGORITHM_FIELD,
        CHECKSUM,
        TOTAL_ROWS,
    ],
);
