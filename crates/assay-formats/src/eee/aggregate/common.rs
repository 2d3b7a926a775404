//! The parts that 0.2.1 and 0.2.2 share with 0.3.0.

use super::prelude::*;

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
static URL_DATA: Object = Object::open("source data", &[DATASET_NAME, IS_URL, URLS, DETAILS_FIELD]);
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
static OTHER_DATA: Object = Object::open("source data", &[DATASET_NAME, IS_OTHER, DETAILS_FIELD]);
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
