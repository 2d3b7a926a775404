//! The record of 0.2.3 and 0.3.0: deployment and availability are required, bounds may be infinite.

use super::super::is_companion_path;
use super::common;
use super::prelude::*;

pub(super) static RECORD: Shape = Shape::Object(&OBJECT);
static OBJECT: Object = Object::closed(
    "record",
    &[
        SCHEMA_VERSION,
        EVALUATION_ID,
        EVALUATION_TIMESTAMP,
        RETRIEVED_TIMESTAMP,
        Field::required(
            "source_metadata",
            &Shape::Object(&common::SOURCE),
            "Who says so.",
        ),
        Field::required(
            "eval_library",
            &Shape::Object(&common::LIBRARY),
            "What ran the evaluation.",
        ),
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
            &Shape::Object(&COMPANION),
            "The samples file.",
        ),
    ],
);
static MODEL: Shape = Shape::Object(&MODEL_OBJECT);
static MODEL_OBJECT: Object = Object::open(
    "model info",
    &[
        NAME,
        ID,
        DEVELOPER,
        PLATFORM,
        ENGINE,
        Field::required(
            "additional_details",
            &MODEL_DETAILS,
            "How the model was run, and anything else.",
        ),
    ],
);
static MODEL_DETAILS: Shape = Shape::Details(&AXES);
static AXES: Object = Object::open(
    "model details",
    &[
        Field::required(
            "deployment_type",
            &Shape::Choice(&["self_deployed", "externally_managed", "unknown"]),
            "Who ran the model.",
        ),
        Field::required(
            "model_availability",
            &Shape::Choice(&["open_weights", "closed_weights", "unknown"]),
            "Whether the weights can be had.",
        ),
    ],
);
static RESULT: Shape = Shape::Object(&Object::open(
    "evaluation result",
    &[
        RESULT_ID,
        EVALUATION_NAME,
        Field::required(
            "source_data",
            &common::SOURCE_DATA,
            "The data that was evaluated on.",
        ),
        RESULT_TIMESTAMP,
        Field::required("metric_config", &Shape::Object(&METRIC), "The metric."),
        Field::required(
            "score_details",
            &Shape::Object(&common::SCORE_DETAILS),
            SCORE_DETAILS_DOC,
        ),
        Field::optional(
            "generation_config",
            &Shape::Object(&common::GENERATION),
            GENERATION_DOC,
        ),
    ],
));
static METRIC: Object = Object::new(
    "metric",
    &[
        DESCRIPTION,
        METRIC_ID,
        METRIC_NAME,
        METRIC_KIND,
        METRIC_UNIT,
        METRIC_PARAMETERS_FIELD,
        LOWER_IS_BETTER,
        SCORE_TYPE_FIELD,
        LEVEL_NAMES,
        LEVEL_METADATA,
        UNKNOWN_LEVEL,
        Field::optional(
            "min_score",
            &BOUND,
            "The lowest possible score; null when unknown.",
        ),
        Field::optional(
            "max_score",
            &BOUND,
            "The highest possible score; null when unknown.",
        ),
        Field::optional("llm_scoring", &Shape::Object(&LLM_SCORING), LLM_SCORING_DOC),
        DETAILS_FIELD,
    ],
    Unknown::Keep,
    &[LEVELS_NEED, CONTINUOUS_NEEDS],
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
                        DETAILS_FIELD,
                    ],
                )),
                min: 1,
            },
            JUDGES_DOC,
        ),
        INPUT_PROMPT,
        AGGREGATION_FIELD,
        EXPERT_BASELINE,
        DETAILS_FIELD,
    ],
);
static COMPANION: Object = Object::open(
    "samples file",
    &[
        Field::required("format", &Shape::Choice(&["jsonl"]), "The format."),
        Field::required(
            "file_path",
            &Shape::Pattern(&COMPANION_PATH),
            "The path from the root of the datastore.",
        ),
        HASH_ALGORITHM_FIELD,
        CHECKSUM,
        TOTAL_ROWS,
        DETAILS_FIELD,
    ],
);
static COMPANION_PATH: Pattern = Pattern {
    words: "a path like `data/{benchmark}/{developer}/{model}/{uuid}_samples.jsonl`",
    regex: "^data/[^/]+/[^/]+/[^/]+/[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}_samples\\.jsonl$",
    fits: is_companion_path,
};
