//! The record of 0.2.1 and 0.2.2: details are strings, the library is named.

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
    &[NAME, ID, DEVELOPER, PLATFORM, ENGINE, DETAILS_FIELD],
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
        Field::optional("min_score", &NUMBER, "The lowest possible score."),
        Field::optional("max_score", &NUMBER, "The highest possible score."),
        Field::optional("llm_scoring", &Shape::Object(&LLM_SCORING), LLM_SCORING_DOC),
        DETAILS_FIELD,
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
        Field::optional("format", &Shape::Choice(&["jsonl", "json"]), "The format."),
        Field::optional("file_path", &STRING, "The path."),
        HASH_ALGORITHM_FIELD,
        CHECKSUM,
        TOTAL_ROWS,
        DETAILS_FIELD,
    ],
);
