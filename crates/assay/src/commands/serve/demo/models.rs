//! Invented models with invented scores.

use std::fmt::Write as _;

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
pub(super) struct Model {
    pub(super) id: &'static str,
    pub(super) about: &'static str,
    pub(super) pipeline: &'static str,
    pub(super) base: Option<&'static str>,
    pub(super) results: &'static [Outcome],
}

/// A pull request with results by somebody else.
pub(super) struct Proposal {
    pub(super) model: &'static str,
    pub(super) title: &'static str,
    pub(super) result: Outcome,
}

/// The results of a model on one benchmark: for each task its metrics.
pub(super) struct Outcome {
    pub(super) benchmark: &'static str,
    pub(super) date: &'static str,
    pub(super) notes: &'static str,
    pub(super) tasks: &'static [(&'static str, &'static [(&'static str, &'static str)])],
}

impl Outcome {
    /// The result file.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (task, metrics) in self.tasks {
            write!(
                text,
                "- dataset:\n    id: \"{}\"\n    task_id: \"{task}\"\n  metrics:\n",
                self.benchmark
            )
            .expect("a text can always be written to");
            for (metric, value) in *metrics {
                write!(
                    text,
                    "    - metric_id: \"{metric}\"\n      value: {value}\n"
                )
                .expect("a text can always be written to");
            }
            write!(
                text,
                "  date: \"{}\"\n  notes: \"{}\"\n",
                self.date, self.notes
            )
            .expect("a text can always be written to");
        }
        text
    }
}

const SWE: &str = "ScaleAI/SWE-bench_Pro";
const COCO: &str = "cocodataset/coco";
const AIME: &str = "MathArena/aime_2026";
const ASR: &str = "esb/datasets";

/// The models.
pub(super) const MODELS: &[Model] = &[
    Model {
        id: "aurora-labs/aurora-large",
        about: "A large language model.",
        pipeline: "text-generation",
        base: None,
        results: &[
            Outcome {
                benchmark: SWE,
                date: "2026-02-14",
                notes: "turn_limit=250, uncapped cost",
                tasks: &[(
                    "SWE-bench_Pro",
                    &[("accuracy", "43.60"), ("ci95_half_width", "3.60")],
                )],
            },
            Outcome {
                benchmark: AIME,
                date: "2026-02-20",
                notes: "four attempts, no tools",
                tasks: &[("aime_2026", &[("accuracy", "91.70"), ("cost_usd", "6.90")])],
            },
        ],
    },
    Model {
        id: "aurora-labs/aurora-small",
        about: "Its small sister, for a laptop.",
        pipeline: "text-generation",
        base: None,
        results: &[
            Outcome {
                benchmark: SWE,
                date: "2026-02-14",
                notes: "turn_limit=250, uncapped cost",
                tasks: &[(
                    "SWE-bench_Pro",
                    &[("accuracy", "17.10"), ("ci95_half_width", "2.70")],
                )],
            },
            Outcome {
                benchmark: AIME,
                date: "2026-02-20",
                notes: "four attempts, no tools",
                tasks: &[("aime_2026", &[("accuracy", "61.70"), ("cost_usd", "0.40")])],
            },
        ],
    },
    Model {
        id: "northwind/borealis-2",
        about: "A language model that thinks first.",
        pipeline: "text-generation",
        base: None,
        results: &[
            Outcome {
                benchmark: SWE,
                date: "2026-03-02",
                notes: "turn_limit=250",
                tasks: &[(
                    "SWE-bench_Pro",
                    &[("accuracy", "36.30"), ("ci95_half_width", "3.50")],
                )],
            },
            Outcome {
                benchmark: AIME,
                date: "2026-03-02",
                notes: "four attempts, no tools",
                tasks: &[("aime_2026", &[("accuracy", "95.00"), ("cost_usd", "14.83")])],
            },
        ],
    },
    Model {
        id: "northwind/borealis-2-math",
        about: "Borealis 2, trained further on proofs.",
        pipeline: "text-generation",
        base: Some("northwind/borealis-2"),
        results: &[Outcome {
            benchmark: AIME,
            date: "2026-03-10",
            notes: "four attempts, no tools",
            tasks: &[("aime_2026", &[("accuracy", "96.70"), ("cost_usd", "15.10")])],
        }],
    },
    Model {
        id: "lakeside/heron-detect",
        about: "A detector of objects.",
        pipeline: "object-detection",
        base: None,
        results: &[Outcome {
            benchmark: COCO,
            date: "2026-01-30",
            notes: "single scale, no test-time augmentation",
            tasks: &[(
                "bbox_testdev_2017",
                &[("ap", "58.70"), ("ap50", "76.60"), ("ap75", "64.10")],
            )],
        }],
    },
    Model {
        id: "lakeside/heron-detect-tiny",
        about: "The same for a phone.",
        pipeline: "object-detection",
        base: None,
        results: &[Outcome {
            benchmark: COCO,
            date: "2026-01-30",
            notes: "single scale, no test-time augmentation",
            tasks: &[(
                "bbox_testdev_2017",
                &[("ap", "41.20"), ("ap50", "58.90"), ("ap75", "44.80")],
            )],
        }],
    },
    Model {
        id: "lakeside/otter-speech",
        about: "Speech to text.",
        pipeline: "automatic-speech-recognition",
        base: None,
        results: &[Outcome {
            benchmark: ASR,
            date: "2026-02-11",
            notes: "English normaliser enabled",
            tasks: &[
                (
                    "librispeech_asr_test_clean",
                    &[("wer", "1.62"), ("rtfx", "310.40")],
                ),
                (
                    "common_voice_test_en",
                    &[("wer", "7.35"), ("rtfx", "301.90")],
                ),
            ],
        }],
    },
    Model {
        id: "aurora-labs/murmur",
        about: "Speech to text, fast.",
        pipeline: "automatic-speech-recognition",
        base: None,
        results: &[Outcome {
            benchmark: ASR,
            date: "2026-02-25",
            notes: "English normaliser enabled",
            tasks: &[
                (
                    "librispeech_asr_test_clean",
                    &[("wer", "1.62"), ("rtfx", "1480.00")],
                ),
                (
                    "common_voice_test_en",
                    &[("wer", "9.80"), ("rtfx", "1455.20")],
                ),
            ],
        }],
    },
];

/// What a visitor proposes.
pub(super) const PROPOSALS: &[Proposal] = &[
    Proposal {
        model: "northwind/borealis-2",
        title: "Add a second run on AIME 2026",
        result: Outcome {
            benchmark: AIME,
            date: "2026-03-21",
            notes: "independent run, eight attempts, no tools",
            tasks: &[("aime_2026", &[("accuracy", "93.30"), ("cost_usd", "29.40")])],
        },
    },
    Proposal {
        model: "aurora-labs/murmur",
        title: "Add an independent run",
        result: Outcome {
            benchmark: ASR,
            date: "2026-03-05",
            notes: "independent run, English normaliser enabled",
            tasks: &[(
                "librispeech_asr_test_clean",
                &[("wer", "1.71"), ("rtfx", "1390.00")],
            )],
        },
    },
];
