//! Invented models.

/// The benchmarks and their definitions.
pub(super) const BENCHMARKS: &[(&str, &str)] = &[
    (
        "ScaleAI/SWE-bench_Pro",
        include_str!("../../../../demo/swe_bench_pro.yaml"),
    ),
    (
        "cocodataset/coco",
        include_str!("../../../../demo/coco.yaml"),
    ),
    (
        "MathArena/aime_2026",
        include_str!("../../../../demo/aime_2026.yaml"),
    ),
    (
        "esb/datasets",
        include_str!("../../../../demo/open_asr.yaml"),
    ),
];

/// A model that does not exist.
#[derive(Clone, Copy)]
pub(super) struct Model {
    pub(super) id: &'static str,
    pub(super) about: &'static str,
    pub(super) pipeline: &'static str,
    pub(super) base: Option<&'static str>,
    /// The number of parameters in its card; some makers do not publish it.
    pub(super) parameters: Option<&'static str>,
}

const TEXT: &str = "text-generation";
const DETECT: &str = "object-detection";
const SPEECH: &str = "automatic-speech-recognition";

const fn model(
    id: &'static str,
    pipeline: &'static str,
    parameters: Option<&'static str>,
    about: &'static str,
) -> Model {
    Model {
        id,
        about,
        pipeline,
        base: None,
        parameters,
    }
}

const fn made_from(base: &'static str, model: Model) -> Model {
    Model {
        base: Some(base),
        ..model
    }
}

/// The models.
pub(super) const MODELS: &[Model] = &[
    model(
        "northwind/borealis-1",
        TEXT,
        Some("70B"),
        "The first of its line.",
    ),
    model("quarry/slate-7b", TEXT, Some("7.2B"), "A small open model."),
    model("quarry/slate-70b", TEXT, Some("70B"), "A large open model."),
    model(
        "meridian/compass-mini",
        TEXT,
        None,
        "A quick assistant; its maker does not tell its size.",
    ),
    model(
        "tinfoil/pocket-3b",
        TEXT,
        Some("3.1B"),
        "A language model for a phone.",
    ),
    made_from(
        "quarry/slate-7b",
        model(
            "quarry/slate-7b-instruct",
            TEXT,
            Some("7.2B"),
            "Slate 7B, taught to follow instructions.",
        ),
    ),
    model(
        "meridian/compass-pro",
        TEXT,
        None,
        "A large assistant; its maker does not tell its size.",
    ),
    model(
        "aurora-labs/aurora-large",
        TEXT,
        Some("405B"),
        "A large language model.",
    ),
    made_from(
        "aurora-labs/aurora-large",
        model(
            "aurora-labs/aurora-large-int4",
            TEXT,
            Some("405B"),
            "Aurora Large in four bits.",
        ),
    ),
    model(
        "aurora-labs/aurora-small",
        TEXT,
        Some("8B"),
        "Its small sister, for a laptop.",
    ),
    model(
        "northwind/borealis-2",
        TEXT,
        Some("236B"),
        "A language model that thinks first.",
    ),
    made_from(
        "northwind/borealis-2",
        model(
            "northwind/borealis-2-math",
            TEXT,
            Some("236B"),
            "Borealis 2, trained further on proofs.",
        ),
    ),
    model(
        "lakeside/heron-detect",
        DETECT,
        Some("64M"),
        "A detector of objects.",
    ),
    model(
        "lakeside/heron-detect-tiny",
        DETECT,
        Some("4.1M"),
        "The same for a phone.",
    ),
    model("quarry/lens-l", DETECT, Some("218M"), "A large detector."),
    model(
        "tinfoil/spotter",
        DETECT,
        Some("12M"),
        "A detector for cheap cameras.",
    ),
    model(
        "lakeside/otter-speech",
        SPEECH,
        Some("640M"),
        "Speech to text.",
    ),
    model(
        "aurora-labs/murmur",
        SPEECH,
        Some("110M"),
        "Speech to text, fast.",
    ),
    model(
        "tinfoil/whisperlet",
        SPEECH,
        Some("39M"),
        "Speech to text on a watch.",
    ),
    model(
        "northwind/echo",
        SPEECH,
        Some("1.5B"),
        "Speech to text in many languages.",
    ),
    model(
        "meridian/dictate",
        SPEECH,
        None,
        "Speech to text as a service.",
    ),
];
