//! The fields of a record, with their meaning: the words that the versions are written in.

pub(super) use crate::shape::{Condition, Field, Object, Pattern, Shape, Then, Unknown};

pub(super) static ANY: Shape = Shape::Any;
pub(super) static BOOL: Shape = Shape::Bool;
pub(super) static STRING: Shape = Shape::String;
pub(super) static STRINGS: Shape = Shape::List {
    items: &STRING,
    min: 0,
};
pub(super) static INTEGER: Shape = Shape::Integer { min: None };
pub(super) static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
pub(super) static SHARE: Shape = Shape::Number {
    min: Some(0.0),
    max: Some(1.0),
};
pub(super) static NULL: Shape = Shape::Null;
pub(super) static NUMBER_OR_NULL: Shape = Shape::Either(&[&NUMBER, &NULL]);
pub(super) static POSITIVE: Shape = Shape::Integer { min: Some(1) };
/// Details as every version since 0.2.1 has them.
pub(super) static DETAILS: Shape = Shape::Map(&STRING);
/// Details as 0.2.0 had them.
pub(super) static FREE_DETAILS: Shape = Shape::Map(&ANY);

pub(super) static SOURCE_TYPE: Shape = Shape::Choice(&["documentation", "evaluation_run"]);
pub(super) static RELATIONSHIP: Shape =
    Shape::Choice(&["first_party", "third_party", "collaborative", "other"]);
pub(super) static SCORE_TYPE: Shape = Shape::Choice(&["binary", "continuous", "levels"]);
pub(super) static AGGREGATION: Shape =
    Shape::Choice(&["majority_vote", "average", "weighted_average", "median"]);
pub(super) static HASH_ALGORITHM: Shape = Shape::Choice(&["sha256", "md5"]);
pub(super) static UNBOUNDED: Shape = Shape::Choice(&["Infinity", "-Infinity"]);
pub(super) static BOUND: Shape = Shape::Either(&[&NUMBER, &UNBOUNDED, &NULL]);
pub(super) static METRIC_PARAMETERS: Shape =
    Shape::Map(&Shape::Either(&[&STRING, &NUMBER, &BOOL, &NULL]));

pub(super) const SOURCE_NAME: Field =
    Field::optional("source_name", &STRING, "What the scores were taken from.");
pub(super) const SOURCE_TYPE_FIELD: Field = Field::required(
    "source_type",
    &SOURCE_TYPE,
    "`evaluation_run` when per-item outputs exist, `documentation` when only reported numbers do.",
);
pub(super) const ORGANIZATION: Field = Field::required(
    "source_organization_name",
    &STRING,
    "The organisation that reports the scores.",
);
pub(super) const ORGANIZATION_URL: Field =
    Field::optional("source_organization_url", &STRING, "Its address.");
pub(super) const ORGANIZATION_LOGO: Field =
    Field::optional("source_organization_logo_url", &STRING, "Its logo.");
pub(super) const RELATIONSHIP_FIELD: Field = Field::required(
    "evaluator_relationship",
    &RELATIONSHIP,
    "How those who evaluated relate to those who made the model.",
);
pub(super) const DETAILS_FIELD: Field =
    Field::optional("additional_details", &DETAILS, "Anything else, as strings.");
pub(super) const FREE_DETAILS_FIELD: Field =
    Field::optional("additional_details", &FREE_DETAILS, "Anything else.");

pub(super) const SCHEMA_VERSION: Field =
    Field::required("schema_version", &STRING, "The version of this schema.");
pub(super) const EVALUATION_ID: Field = Field::required(
    "evaluation_id",
    &STRING,
    "Names the run, by custom `benchmark/model/timestamp`.",
);
pub(super) const EVALUATION_TIMESTAMP: Field =
    Field::optional("evaluation_timestamp", &STRING, "When the evaluation ran.");
pub(super) const RETRIEVED_TIMESTAMP: Field = Field::required(
    "retrieved_timestamp",
    &STRING,
    "When the record was made, as Unix seconds in a string.",
);

pub(super) const NAME: Field =
    Field::required("name", &STRING, "The model as the source names it.");
pub(super) const ID: Field = Field::required("id", &STRING, "The model as `developer/model`.");
pub(super) const DEVELOPER: Field = Field::optional(
    "developer",
    &STRING,
    "Who made the model, as the source says.",
);
pub(super) const PLATFORM: Field = Field::optional(
    "inference_platform",
    &STRING,
    "The service that answered, when a remote one did.",
);
pub(super) const ENGINE: Field = Field::optional(
    "inference_engine",
    &ENGINE_SHAPE,
    "The software that ran the model, when it ran locally.",
);
pub(super) static ENGINE_SHAPE: Shape = Shape::Object(&ENGINE_OBJECT);
pub(super) static ENGINE_OBJECT: Object = Object::open(
    "inference engine",
    &[
        Field::optional("name", &STRING, "Such as `vllm`."),
        Field::optional("version", &STRING, "Its version."),
    ],
);

pub(super) const DATASET_NAME: Field =
    Field::required("dataset_name", &STRING, "The data that was evaluated on.");
pub(super) static ADDRESSES: Shape = Shape::List {
    items: &STRING,
    min: 1,
};
pub(super) const URLS: Field =
    Field::required("url", &ADDRESSES, "Where the data or score is published.");
pub(super) static TAG_URL: Shape = Shape::Choice(&["url"]);
pub(super) static TAG_HF_DATASET: Shape = Shape::Choice(&["hf_dataset"]);
pub(super) static TAG_OTHER: Shape = Shape::Choice(&["other"]);
pub(super) const IS_URL: Field = Field::required("source_type", &TAG_URL, "A published address.");
pub(super) const IS_HF: Field =
    Field::required("source_type", &TAG_HF_DATASET, "A dataset repository.");
pub(super) const IS_OTHER: Field = Field::required(
    "source_type",
    &TAG_OTHER,
    "Private or otherwise unpublished data.",
);
pub(super) const HF_REPO: Field = Field::optional("hf_repo", &STRING, "The dataset repository.");
pub(super) const HF_SPLIT: Field = Field::optional("hf_split", &STRING, "Its split.");
pub(super) const SAMPLES_NUMBER: Field =
    Field::optional("samples_number", &INTEGER, "How many samples were used.");

pub(super) const RESULT_ID: Field = Field::optional(
    "evaluation_result_id",
    &STRING,
    "Names this result; sample rows join on it.",
);
pub(super) const EVALUATION_NAME: Field =
    Field::required("evaluation_name", &STRING, "What was evaluated.");
pub(super) const RESULT_TIMESTAMP: Field = Field::optional(
    "evaluation_timestamp",
    &STRING,
    "When this result was produced, if it differs.",
);
pub(super) const SCORE_DETAILS_DOC: &str = "The score and how sure it is.";
pub(super) const GENERATION_DOC: &str = "How answers were generated.";

pub(super) const DESCRIPTION: Field = Field::optional(
    "evaluation_description",
    &STRING,
    "The metric in a sentence.",
);
pub(super) const METRIC_ID: Field = Field::optional(
    "metric_id",
    &STRING,
    "The metric's stable name, such as `accuracy`.",
);
pub(super) const METRIC_NAME: Field =
    Field::optional("metric_name", &STRING, "The metric's name for people.");
pub(super) const METRIC_KIND: Field =
    Field::optional("metric_kind", &STRING, "The family of the metric.");
pub(super) const METRIC_UNIT: Field = Field::optional(
    "metric_unit",
    &STRING,
    "The unit, such as `proportion` or `percent`.",
);
pub(super) const METRIC_PARAMETERS_FIELD: Field = Field::optional(
    "metric_parameters",
    &METRIC_PARAMETERS,
    "Such as `{\"k\": 1}` for pass@k.",
);
pub(super) const LOWER_IS_BETTER: Field =
    Field::required("lower_is_better", &BOOL, "Which way the metric improves.");
pub(super) const SCORE_TYPE_FIELD: Field = Field::optional(
    "score_type",
    &SCORE_TYPE,
    "Whether scores are yes/no, real or levels.",
);
pub(super) const LEVEL_NAMES: Field =
    Field::optional("level_names", &STRINGS, "The levels, lowest first.");
pub(super) const LEVEL_METADATA: Field =
    Field::optional("level_metadata", &STRINGS, "What each level means.");
pub(super) const UNKNOWN_LEVEL: Field = Field::optional(
    "has_unknown_level",
    &BOOL,
    "Whether a score of -1 stands for an unknown level.",
);
pub(super) const JUDGES_DOC: &str = "The models that judge.";
pub(super) const INPUT_PROMPT: Field =
    Field::required("input_prompt", &STRING, "The prompt the judges get.");
pub(super) const AGGREGATION_FIELD: Field = Field::optional(
    "aggregation_method",
    &AGGREGATION,
    "How several judgements become one.",
);
pub(super) const EXPERT_BASELINE: Field =
    Field::optional("expert_baseline", &NUMBER, "What human experts score.");
pub(super) const LLM_SCORING_DOC: &str = "The judges, when models score.";
pub(super) const TEMPERATURE: Field =
    Field::optional("temperature", &NUMBER, "The judge's temperature.");
pub(super) const WEIGHT: Field = Field::optional("weight", &NUMBER, "The judge's weight.");

pub(super) static UNCERTAINTY_SHAPE: Shape = Shape::Object(&UNCERTAINTY);
pub(super) static UNCERTAINTY: Object = Object::open(
    "uncertainty",
    &[
        Field::optional(
            "standard_error",
            &Shape::Object(&STANDARD_ERROR),
            "The standard error of the score.",
        ),
        Field::optional(
            "confidence_interval",
            &Shape::Object(&INTERVAL),
            "An interval round the score.",
        ),
        Field::optional("standard_deviation", &NUMBER, "The spread over samples."),
        Field::optional(
            "num_samples",
            &INTEGER,
            "How many samples the score rests on.",
        ),
        Field::optional(
            "num_bootstrap_samples",
            &INTEGER,
            "How many bootstrap rounds.",
        ),
    ],
);
pub(super) static STANDARD_ERROR: Object = Object::open(
    "standard error",
    &[
        Field::required("value", &NUMBER, "The standard error."),
        Field::optional("method", &STRING, "How it was computed."),
    ],
);
pub(super) static INTERVAL: Object = Object::open(
    "confidence interval",
    &[
        Field::required("lower", &NUMBER, "The lower end."),
        Field::required("upper", &NUMBER, "The upper end."),
        Field::optional("confidence_level", &SHARE, "Such as 0.95."),
        Field::optional("method", &STRING, "How it was computed."),
    ],
);
pub(super) const SCORE: Field = Field::required("score", &NUMBER, "The score.");
pub(super) const UNCERTAINTY_FIELD: Field =
    Field::optional("uncertainty", &UNCERTAINTY_SHAPE, "How sure the score is.");

pub(super) const GEN_TEMPERATURE: Field =
    Field::optional("temperature", &NUMBER_OR_NULL, "Sampling temperature.");
pub(super) const TOP_P: Field = Field::optional("top_p", &NUMBER_OR_NULL, "Nucleus sampling.");
pub(super) const TOP_K: Field = Field::optional("top_k", &NUMBER_OR_NULL, "Top-k sampling.");
pub(super) const MAX_TOKENS: Field =
    Field::optional("max_tokens", &POSITIVE, "The longest answer.");
pub(super) const EXECUTION_COMMAND: Field =
    Field::optional("execution_command", &STRING, "The command that ran it.");
pub(super) const REASONING: Field =
    Field::optional("reasoning", &BOOL, "Whether the model was asked to reason.");
pub(super) const PROMPT_TEMPLATE: Field =
    Field::optional("prompt_template", &STRING, "The prompt.");
pub(super) const LIMITS: Field =
    Field::optional("eval_limits", &LIMITS_SHAPE, "When a sample was cut off.");
pub(super) static LIMITS_SHAPE: Shape = Shape::Object(&LIMITS_OBJECT);
pub(super) static LIMITS_OBJECT: Object = Object::open(
    "limits",
    &[
        Field::optional("time_limit", &INTEGER, "Seconds."),
        Field::optional("message_limit", &INTEGER, "Messages."),
        Field::optional("token_limit", &INTEGER, "Tokens."),
    ],
);
pub(super) const SANDBOX: Field = Field::optional("sandbox", &SANDBOX_SHAPE, "Where tools ran.");
pub(super) static SANDBOX_SHAPE: Shape = Shape::Object(&SANDBOX_OBJECT);
pub(super) static SANDBOX_OBJECT: Object = Object::open(
    "sandbox",
    &[
        Field::optional("type", &STRING, "Such as `docker`."),
        Field::optional("config", &STRING, "Its configuration file."),
    ],
);
pub(super) const MAX_ATTEMPTS: Field = Field::optional(
    "max_attempts",
    &INTEGER,
    "How often the model could submit.",
);
pub(super) const FEEDBACK: Field = Field::optional(
    "incorrect_attempt_feedback",
    &STRING,
    "What the model is told after a wrong attempt.",
);

pub(super) const CHECKSUM: Field =
    Field::optional("checksum", &STRING, "The digest of the samples file.");
pub(super) const HASH_ALGORITHM_FIELD: Field = Field::optional(
    "hash_algorithm",
    &HASH_ALGORITHM,
    "The algorithm of the digest.",
);
pub(super) const TOTAL_ROWS: Field = Field::optional(
    "total_rows",
    &INTEGER,
    "How many rows the samples file has.",
);

pub(super) const LEVELS_NEED: Condition = Condition {
    key: "score_type",
    is: &["levels"],
    or_absent: false,
    then: &[Then::Needs(&["level_names", "has_unknown_level"])],
};
/// Before 0.2.3 a missing score type was read as levels.
pub(super) const ABSENT_IS_LEVELS: Condition = Condition {
    or_absent: true,
    ..LEVELS_NEED
};
pub(super) const CONTINUOUS_NEEDS: Condition = Condition {
    key: "score_type",
    is: &["continuous"],
    or_absent: false,
    then: &[Then::Needs(&["min_score", "max_score"])],
};
