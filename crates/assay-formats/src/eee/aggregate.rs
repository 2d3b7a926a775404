use super::{Version, is_companion_path};
use crate::shape::{Condition, Field, Object, Pattern, Shape, Then, Unknown};

/// The shape of an aggregate record in one version.
pub fn shape(version: Version) -> &'static Shape {
    match version {
        Version::V0_2_0 => &v0_2_0::RECORD,
        Version::V0_2_1 | Version::V0_2_2 => &v0_2_2::RECORD,
        Version::V0_2_3 | Version::V0_3_0 => &v0_3_0::RECORD,
    }
}

static ANY: Shape = Shape::Any;
static BOOL: Shape = Shape::Bool;
static STRING: Shape = Shape::String;
static STRINGS: Shape = Shape::List {
    items: &STRING,
    min: 0,
};
static INTEGER: Shape = Shape::Integer { min: None };
static NUMBER: Shape = Shape::Number {
    min: None,
    max: None,
};
static SHARE: Shape = Shape::Number {
    min: Some(0.0),
    max: Some(1.0),
};
static NULL: Shape = Shape::Null;
static NUMBER_OR_NULL: Shape = Shape::Either(&[&NUMBER, &NULL]);
static POSITIVE: Shape = Shape::Integer { min: Some(1) };
/// Details as every version since 0.2.1 has them.
static DETAILS: Shape = Shape::Map(&STRING);
/// Details as 0.2.0 had them.
static FREE_DETAILS: Shape = Shape::Map(&ANY);

static SOURCE_TYPE: Shape = Shape::Choice(&["documentation", "evaluation_run"]);
static RELATIONSHIP: Shape =
    Shape::Choice(&["first_party", "third_party", "collaborative", "other"]);
static SCORE_TYPE: Shape = Shape::Choice(&["binary", "continuous", "levels"]);
static AGGREGATION: Shape =
    Shape::Choice(&["majority_vote", "average", "weighted_average", "median"]);
static HASH_ALGORITHM: Shape = Shape::Choice(&["sha256", "md5"]);
static UNBOUNDED: Shape = Shape::Choice(&["Infinity", "-Infinity"]);
static BOUND: Shape = Shape::Either(&[&NUMBER, &UNBOUNDED, &NULL]);
static METRIC_PARAMETERS: Shape = Shape::Map(&Shape::Either(&[&STRING, &NUMBER, &BOOL, &NULL]));

const SOURCE_NAME: Field =
    Field::optional("source_name", &STRING, "What the scores were taken from.");
const SOURCE_TYPE_FIELD: Field = Field::required(
    "source_type",
    &SOURCE_TYPE,
    "`evaluation_run` when per-item outputs exist, `documentation` when only reported numbers do.",
);
const ORGANIZATION: Field = Field::required(
    "source_organization_name",
    &STRING,
    "The organisation that reports the scores.",
);
const ORGANIZATION_URL: Field = Field::optional("source_organization_url", &STRING, "Its address.");
const ORGANIZATION_LOGO: Field =
    Field::optional("source_organization_logo_url", &STRING, "Its logo.");
const RELATIONSHIP_FIELD: Field = Field::required(
    "evaluator_relationship",
    &RELATIONSHIP,
    "How those who evaluated relate to those who made the model.",
);
const DETAILS_FIELD: Field =
    Field::optional("additional_details", &DETAILS, "Anything else, as strings.");
const FREE_DETAILS_FIELD: Field =
    Field::optional("additional_details", &FREE_DETAILS, "Anything else.");

const SCHEMA_VERSION: Field =
    Field::required("schema_version", &STRING, "The version of this schema.");
const EVALUATION_ID: Field = Field::required(
    "evaluation_id",
    &STRING,
    "Names the run, by custom `benchmark/model/timestamp`.",
);
const EVALUATION_TIMESTAMP: Field =
    Field::optional("evaluation_timestamp", &STRING, "When the evaluation ran.");
const RETRIEVED_TIMESTAMP: Field = Field::required(
    "retrieved_timestamp",
    &STRING,
    "When the record was made, as Unix seconds in a string.",
);

const NAME: Field = Field::required("name", &STRING, "The model as the source names it.");
const ID: Field = Field::required("id", &STRING, "The model as `developer/model`.");
const DEVELOPER: Field = Field::optional(
    "developer",
    &STRING,
    "Who made the model, as the source says.",
);
const PLATFORM: Field = Field::optional(
    "inference_platform",
    &STRING,
    "The service that answered, when a remote one did.",
);
const ENGINE: Field = Field::optional(
    "inference_engine",
    &ENGINE_SHAPE,
    "The software that ran the model, when it ran locally.",
);
static ENGINE_SHAPE: Shape = Shape::Object(&ENGINE_OBJECT);
static ENGINE_OBJECT: Object = Object::open(
    "inference engine",
    &[
        Field::optional("name", &STRING, "Such as `vllm`."),
        Field::optional("version", &STRING, "Its version."),
    ],
);

const DATASET_NAME: Field =
    Field::required("dataset_name", &STRING, "The data that was evaluated on.");
static ADDRESSES: Shape = Shape::List {
    items: &STRING,
    min: 1,
};
const URLS: Field = Field::required("url", &ADDRESSES, "Where the data or score is published.");
static TAG_URL: Shape = Shape::Choice(&["url"]);
static TAG_HF_DATASET: Shape = Shape::Choice(&["hf_dataset"]);
static TAG_OTHER: Shape = Shape::Choice(&["other"]);
const IS_URL: Field = Field::required("source_type", &TAG_URL, "A published address.");
const IS_HF: Field = Field::required("source_type", &TAG_HF_DATASET, "A dataset repository.");
const IS_OTHER: Field = Field::required(
    "source_type",
    &TAG_OTHER,
    "Private or otherwise unpublished data.",
);
const HF_REPO: Field = Field::optional("hf_repo", &STRING, "The dataset repository.");
const HF_SPLIT: Field = Field::optional("hf_split", &STRING, "Its split.");
const SAMPLES_NUMBER: Field =
    Field::optional("samples_number", &INTEGER, "How many samples were used.");

const RESULT_ID: Field = Field::optional(
    "evaluation_result_id",
    &STRING,
    "Names this result; sample rows join on it.",
);
const EVALUATION_NAME: Field = Field::required("evaluation_name", &STRING, "What was evaluated.");
const RESULT_TIMESTAMP: Field = Field::optional(
    "evaluation_timestamp",
    &STRING,
    "When this result was produced, if it differs.",
);
const SCORE_DETAILS_DOC: &str = "The score and how sure it is.";
const GENERATION_DOC: &str = "How answers were generated.";

const DESCRIPTION: Field = Field::optional(
    "evaluation_description",
    &STRING,
    "The metric in a sentence.",
);
const METRIC_ID: Field = Field::optional(
    "metric_id",
    &STRING,
    "The metric's stable name, such as `accuracy`.",
);
const METRIC_NAME: Field = Field::optional("metric_name", &STRING, "The metric's name for people.");
const METRIC_KIND: Field = Field::optional("metric_kind", &STRING, "The family of the metric.");
const METRIC_UNIT: Field = Field::optional(
    "metric_unit",
    &STRING,
    "The unit, such as `proportion` or `percent`.",
);
const METRIC_PARAMETERS_FIELD: Field = Field::optional(
    "metric_parameters",
    &METRIC_PARAMETERS,
    "Such as `{\"k\": 1}` for pass@k.",
);
const LOWER_IS_BETTER: Field =
    Field::required("lower_is_better", &BOOL, "Which way the metric improves.");
const SCORE_TYPE_FIELD: Field = Field::optional(
    "score_type",
    &SCORE_TYPE,
    "Whether scores are yes/no, real or levels.",
);
const LEVEL_NAMES: Field = Field::optional("level_names", &STRINGS, "The levels, lowest first.");
const LEVEL_METADATA: Field = Field::optional("level_metadata", &STRINGS, "What each level means.");
const UNKNOWN_LEVEL: Field = Field::optional(
    "has_unknown_level",
    &BOOL,
    "Whether a score of -1 stands for an unknown level.",
);
const JUDGES_DOC: &str = "The models that judge.";
const INPUT_PROMPT: Field = Field::required("input_prompt", &STRING, "The prompt the judges get.");
const AGGREGATION_FIELD: Field = Field::optional(
    "aggregation_method",
    &AGGREGATION,
    "How several judgements become one.",
);
const EXPERT_BASELINE: Field =
    Field::optional("expert_baseline", &NUMBER, "What human experts score.");
const LLM_SCORING_DOC: &str = "The judges, when models score.";
const TEMPERATURE: Field = Field::optional("temperature", &NUMBER, "The judge's temperature.");
const WEIGHT: Field = Field::optional("weight", &NUMBER, "The judge's weight.");

static UNCERTAINTY_SHAPE: Shape = Shape::Object(&UNCERTAINTY);
static UNCERTAINTY: Object = Object::open(
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
static STANDARD_ERROR: Object = Object::open(
    "standard error",
    &[
        Field::required("value", &NUMBER, "The standard error."),
        Field::optional("method", &STRING, "How it was computed."),
    ],
);
static INTERVAL: Object = Object::open(
    "confidence interval",
    &[
        Field::required("lower", &NUMBER, "The lower end."),
        Field::required("upper", &NUMBER, "The upper end."),
        Field::optional("confidence_level", &SHARE, "Such as 0.95."),
        Field::optional("method", &STRING, "How it was computed."),
    ],
);
const SCORE: Field = Field::required("score", &NUMBER, "The score.");
const UNCERTAINTY_FIELD: Field =
    Field::optional("uncertainty", &UNCERTAINTY_SHAPE, "How sure the score is.");

const GEN_TEMPERATURE: Field =
    Field::optional("temperature", &NUMBER_OR_NULL, "Sampling temperature.");
const TOP_P: Field = Field::optional("top_p", &NUMBER_OR_NULL, "Nucleus sampling.");
const TOP_K: Field = Field::optional("top_k", &NUMBER_OR_NULL, "Top-k sampling.");
const MAX_TOKENS: Field = Field::optional("max_tokens", &POSITIVE, "The longest answer.");
const EXECUTION_COMMAND: Field =
    Field::optional("execution_command", &STRING, "The command that ran it.");
const REASONING: Field =
    Field::optional("reasoning", &BOOL, "Whether the model was asked to reason.");
const PROMPT_TEMPLATE: Field = Field::optional("prompt_template", &STRING, "The prompt.");
const LIMITS: Field = Field::optional("eval_limits", &LIMITS_SHAPE, "When a sample was cut off.");
static LIMITS_SHAPE: Shape = Shape::Object(&LIMITS_OBJECT);
static LIMITS_OBJECT: Object = Object::open(
    "limits",
    &[
        Field::optional("time_limit", &INTEGER, "Seconds."),
        Field::optional("message_limit", &INTEGER, "Messages."),
        Field::optional("token_limit", &INTEGER, "Tokens."),
    ],
);
const SANDBOX: Field = Field::optional("sandbox", &SANDBOX_SHAPE, "Where tools ran.");
static SANDBOX_SHAPE: Shape = Shape::Object(&SANDBOX_OBJECT);
static SANDBOX_OBJECT: Object = Object::open(
    "sandbox",
    &[
        Field::optional("type", &STRING, "Such as `docker`."),
        Field::optional("config", &STRING, "Its configuration file."),
    ],
);
const MAX_ATTEMPTS: Field = Field::optional(
    "max_attempts",
    &INTEGER,
    "How often the model could submit.",
);
const FEEDBACK: Field = Field::optional(
    "incorrect_attempt_feedback",
    &STRING,
    "What the model is told after a wrong attempt.",
);

const CHECKSUM: Field = Field::optional("checksum", &STRING, "The digest of the samples file.");
const HASH_ALGORITHM_FIELD: Field = Field::optional(
    "hash_algorithm",
    &HASH_ALGORITHM,
    "The algorithm of the digest.",
);
const TOTAL_ROWS: Field = Field::optional(
    "total_rows",
    &INTEGER,
    "How many rows the samples file has.",
);

const LEVELS_NEED: Condition = Condition {
    key: "score_type",
    is: &["levels"],
    or_absent: false,
    then: &[Then::Needs(&["level_names", "has_unknown_level"])],
};
/// Before 0.2.3 a missing score type was read as levels.
const ABSENT_IS_LEVELS: Condition = Condition {
    or_absent: true,
    ..LEVELS_NEED
};
const CONTINUOUS_NEEDS: Condition = Condition {
    key: "score_type",
    is: &["continuous"],
    or_absent: false,
    then: &[Then::Needs(&["min_score", "max_score"])],
};

mod v0_2_0 {
    #[cfg_attr(
        not(test),
        expect(
            clippy::wildcard_imports,
            reason = "the fields above are the vocabulary of every version"
        )
    )]
    use super::*;

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
}

/// The parts that 0.2.1 and 0.2.2 share with 0.3.0.
mod common {
    #[cfg_attr(
        not(test),
        expect(
            clippy::wildcard_imports,
            reason = "the fields above are the vocabulary of every version"
        )
    )]
    use super::*;

    pub(super) static SOURCE: Object = Object::open(
        "source metadata",
        &[
            SOURCE_NAME,
            SOURCE_TYPE_FIELD,
            ORGANIZATION,
            ORGANIZATION_URL,
            ORGANIZATION_LOGO,
            RELATIONSHIP_FIELD,
            DETAILS_FIELD,
        ],
    );
    pub(super) static LIBRARY: Object = Object::open(
        "evaluation library",
        &[
            Field::required("name", &STRING, "The harness, or `unknown`."),
            Field::required("version", &STRING, "Its version, or `unknown`."),
            DETAILS_FIELD,
        ],
    );
    pub(super) static SOURCE_DATA: Shape = Shape::Tagged {
        tag: "source_type",
        variants: &[
            ("url", &URL_DATA),
            ("hf_dataset", &HF_DATA),
            ("other", &OTHER_DATA),
        ],
    };
    static URL_DATA: Object =
        Object::open("source data", &[DATASET_NAME, IS_URL, URLS, DETAILS_FIELD]);
    static HF_DATA: Object = Object::open(
        "source data",
        &[
            DATASET_NAME,
            IS_HF,
            HF_REPO,
            HF_SPLIT,
            SAMPLES_NUMBER,
            Field::optional("sample_ids", &STRINGS, "Which samples were used."),
            DETAILS_FIELD,
        ],
    );
    static OTHER_DATA: Object =
        Object::open("source data", &[DATASET_NAME, IS_OTHER, DETAILS_FIELD]);
    pub(super) static SCORE_DETAILS: Object = Object::open(
        "score details",
        &[
            SCORE,
            Field::optional("details", &DETAILS, "Anything else, as strings."),
            UNCERTAINTY_FIELD,
        ],
    );
    pub(super) static GENERATION: Object = Object::open(
        "generation config",
        &[
            Field::optional(
                "generation_args",
                &Shape::Object(&Object::closed(
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
            DETAILS_FIELD,
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
                            Field::optional("parameters", &DETAILS, "What it takes."),
                        ],
                    )),
                    min: 0,
                },
                "The tools.",
            ),
            DETAILS_FIELD,
        ],
    );
    static PLAN: Object = Object::open(
        "plan",
        &[
            Field::optional("name", &STRING, "The plan."),
            Field::optional("steps", &STRINGS, "Its steps, each as JSON text."),
            Field::optional("config", &DETAILS, "Its configuration."),
        ],
    );
}

mod v0_2_2 {
    #[cfg_attr(
        not(test),
        expect(
            clippy::wildcard_imports,
            reason = "the fields above are the vocabulary of every version"
        )
    )]
    use super::*;

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
}
