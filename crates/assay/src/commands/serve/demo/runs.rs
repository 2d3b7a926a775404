//! Invented scores of invented models.

use std::fmt::Write as _;

/// A pull request with results by somebody else.
pub(super) struct Proposal {
    pub(super) title: &'static str,
    pub(super) run: Run,
}

/// A task of a benchmark, and how it is usually run.
pub(super) struct Board {
    pub(super) benchmark: &'static str,
    task: &'static str,
    metrics: &'static [&'static str],
    pub(super) framework: (&'static str, &'static str),
    samples: Option<u32>,
    notes: &'static str,
    setup: &'static [(&'static str, &'static str)],
}

/// The results of a model on one task: the values of its metrics, in their order.
pub(super) struct Run {
    pub(super) model: &'static str,
    pub(super) board: &'static Board,
    date: &'static str,
    values: &'static [&'static str],
    /// The notes in place of the usual ones.
    notes: Option<&'static str>,
    /// The source: name and address.
    source: Option<(&'static str, &'static str)>,
    /// The setup, when it is not the usual one.
    setup: Option<&'static [(&'static str, &'static str)]>,
}

impl Run {
    const fn new(
        model: &'static str,
        board: &'static Board,
        date: &'static str,
        values: &'static [&'static str],
    ) -> Self {
        Self {
            model,
            board,
            date,
            values,
            notes: None,
            source: None,
            setup: None,
        }
    }

    const fn with_setup(mut self, setup: &'static [(&'static str, &'static str)]) -> Self {
        self.setup = Some(setup);
        self
    }

    const fn noted(mut self, notes: &'static str) -> Self {
        self.notes = Some(notes);
        self
    }

    const fn published(mut self, name: &'static str, url: &'static str) -> Self {
        self.source = Some((name, url));
        self
    }

    /// The entry of a result file.
    pub(super) fn text(&self) -> String {
        let board = self.board;
        let mut text = String::new();
        let mut line = |args: std::fmt::Arguments<'_>| {
            text.write_fmt(args)
                .expect("a text can always be written to");
            text.push('\n');
        };
        line(format_args!("- dataset:"));
        line(format_args!("    id: \"{}\"", board.benchmark));
        line(format_args!("    task_id: \"{}\"", board.task));
        line(format_args!("  metrics:"));
        for (metric, value) in board.metrics.iter().zip(self.values) {
            line(format_args!("    - metric_id: \"{metric}\""));
            line(format_args!("      value: {value}"));
        }
        let (framework, version) = board.framework;
        line(format_args!("  framework:"));
        line(format_args!("    name: \"{framework}\""));
        line(format_args!("    version: \"{version}\""));
        if let Some(samples) = board.samples {
            line(format_args!("  sample_size: {samples}"));
        }
        if let Some((name, url)) = self.source {
            line(format_args!("  source:"));
            line(format_args!("    name: \"{name}\""));
            line(format_args!("    url: \"{url}\""));
        }
        line(format_args!("  date: \"{}\"", self.date));
        line(format_args!(
            "  notes: \"{}\"",
            self.notes.unwrap_or(board.notes)
        ));
        line(format_args!("  setup:"));
        for (key, value) in self.setup.unwrap_or(board.setup) {
            line(format_args!("    {key}: \"{value}\""));
        }
        text
    }
}

const SWE: Board = Board {
    benchmark: "ScaleAI/SWE-bench_Pro",
    task: "SWE-bench_Pro",
    metrics: &["accuracy", "ci95_half_width"],
    framework: ("swe-agent", "1.1.0"),
    samples: None,
    notes: "turn_limit=250, uncapped cost",
    setup: &[("agent", "SWE-agent"), ("turn_limit", "250")],
};
const COCO: Board = Board {
    benchmark: "cocodataset/coco",
    task: "bbox_testdev_2017",
    metrics: &["ap", "ap50", "ap75"],
    framework: ("pycocotools", "2.0.8"),
    samples: None,
    notes: "single scale, no test-time augmentation",
    setup: &[("scales", "1")],
};
const AIME: Board = Board {
    benchmark: "MathArena/aime_2026",
    task: "aime_2026",
    metrics: &["accuracy", "cost_usd"],
    framework: ("matharena", "0.4.2"),
    samples: Some(120),
    notes: "four attempts, no tools",
    setup: &[("attempts", "4"), ("tools", "none")],
};
const LIBRISPEECH: Board = Board {
    benchmark: "esb/datasets",
    task: "librispeech_asr_test_clean",
    metrics: &["wer", "rtfx"],
    framework: ("open-asr", "2.3"),
    samples: None,
    notes: "English normaliser enabled",
    setup: &[("normalizer", "English")],
};
const COMMON_VOICE: Board = Board {
    task: "common_voice_test_en",
    ..LIBRISPEECH
};

/// Their results, in the order in which they came.
pub(super) const RUNS: &[Run] = &[
    Run::new(
        "northwind/borealis-1",
        &SWE,
        "2025-08-19",
        &["12.40", "2.40"],
    ),
    Run::new("quarry/slate-7b", &SWE, "2025-09-30", &["4.10", "1.50"]),
    Run::new("quarry/slate-70b", &SWE, "2025-09-30", &["15.80", "2.60"]),
    Run::new(
        "meridian/compass-mini",
        &SWE,
        "2025-11-04",
        &["23.30", "3.00"],
    )
    .published(
        "Compass system card",
        "https://example.org/compass/system-card",
    ),
    Run::new("tinfoil/pocket-3b", &SWE, "2025-12-08", &["2.30", "1.10"]),
    Run::new(
        "quarry/slate-7b-instruct",
        &SWE,
        "2026-01-12",
        &["9.60", "2.10"],
    ),
    Run::new(
        "meridian/compass-pro",
        &SWE,
        "2026-01-20",
        &["38.90", "3.60"],
    )
    .published(
        "Compass system card",
        "https://example.org/compass/system-card",
    ),
    Run::new(
        "aurora-labs/aurora-large",
        &SWE,
        "2026-02-14",
        &["43.60", "3.60"],
    )
    .published("Logs of the run", "https://example.org/aurora/logs/swe"),
    Run::new(
        "aurora-labs/aurora-large-int4",
        &SWE,
        "2026-02-16",
        &["41.20", "3.60"],
    ),
    Run::new(
        "aurora-labs/aurora-small",
        &SWE,
        "2026-02-14",
        &["17.10", "2.70"],
    ),
    Run::new(
        "northwind/borealis-2",
        &SWE,
        "2026-03-02",
        &["36.30", "3.50"],
    )
    .noted("turn_limit=250"),
    Run::new("quarry/slate-7b", &AIME, "2026-02-09", &["11.70", "0.12"]),
    Run::new("quarry/slate-70b", &AIME, "2026-02-09", &["48.30", "1.05"]),
    Run::new(
        "quarry/slate-7b-instruct",
        &AIME,
        "2026-02-10",
        &["26.70", "0.21"],
    ),
    Run::new(
        "northwind/borealis-1",
        &AIME,
        "2026-02-07",
        &["54.20", "2.10"],
    ),
    Run::new("tinfoil/pocket-3b", &AIME, "2026-02-12", &["8.30", "0.05"]),
    Run::new(
        "meridian/compass-mini",
        &AIME,
        "2026-02-15",
        &["78.30", "1.90"],
    ),
    Run::new(
        "meridian/compass-pro",
        &AIME,
        "2026-02-15",
        &["90.00", "9.20"],
    )
    .published(
        "Compass system card",
        "https://example.org/compass/system-card",
    ),
    Run::new(
        "aurora-labs/aurora-large",
        &AIME,
        "2026-02-20",
        &["91.70", "6.90"],
    )
    .published("Logs of the run", "https://example.org/aurora/logs/aime"),
    Run::new(
        "aurora-labs/aurora-large-int4",
        &AIME,
        "2026-02-22",
        &["90.00", "4.10"],
    ),
    Run::new(
        "aurora-labs/aurora-small",
        &AIME,
        "2026-02-20",
        &["61.70", "0.40"],
    ),
    Run::new(
        "northwind/borealis-2",
        &AIME,
        "2026-03-02",
        &["95.00", "14.83"],
    ),
    Run::new(
        "northwind/borealis-2-math",
        &AIME,
        "2026-03-10",
        &["96.70", "15.10"],
    ),
    Run::new(
        "tinfoil/spotter",
        &COCO,
        "2025-06-11",
        &["36.90", "54.10", "39.70"],
    ),
    Run::new(
        "quarry/lens-l",
        &COCO,
        "2025-10-02",
        &["57.10", "75.00", "62.30"],
    ),
    Run::new(
        "lakeside/heron-detect",
        &COCO,
        "2026-01-30",
        &["58.70", "76.60", "64.10"],
    ),
    Run::new(
        "lakeside/heron-detect-tiny",
        &COCO,
        "2026-01-30",
        &["41.20", "58.90", "44.80"],
    ),
    Run::new(
        "tinfoil/whisperlet",
        &LIBRISPEECH,
        "2025-07-01",
        &["4.90", "2210.00"],
    ),
    Run::new(
        "tinfoil/whisperlet",
        &COMMON_VOICE,
        "2025-07-01",
        &["17.40", "2190.00"],
    ),
    Run::new(
        "northwind/echo",
        &LIBRISPEECH,
        "2025-10-20",
        &["1.94", "148.00"],
    ),
    Run::new(
        "northwind/echo",
        &COMMON_VOICE,
        "2025-10-20",
        &["8.10", "140.50"],
    ),
    Run::new(
        "meridian/dictate",
        &LIBRISPEECH,
        "2025-12-15",
        &["1.80", "95.00"],
    ),
    Run::new(
        "lakeside/otter-speech",
        &LIBRISPEECH,
        "2026-02-11",
        &["1.62", "310.40"],
    ),
    Run::new(
        "lakeside/otter-speech",
        &COMMON_VOICE,
        "2026-02-11",
        &["7.35", "301.90"],
    ),
    Run::new(
        "aurora-labs/murmur",
        &LIBRISPEECH,
        "2026-02-25",
        &["1.62", "1480.00"],
    ),
    Run::new(
        "aurora-labs/murmur",
        &COMMON_VOICE,
        "2026-02-25",
        &["9.80", "1455.20"],
    ),
];

/// Runs that replace an earlier one, so that somebody rises and others fall.
pub(super) const RERUNS: &[Run] = &[
    Run::new("quarry/slate-70b", &SWE, "2026-03-05", &["24.70", "3.10"])
        .noted("turn_limit=250, with the corrected prompt"),
    Run::new(
        "meridian/compass-mini",
        &AIME,
        "2026-03-12",
        &["80.00", "1.70"],
    )
    .noted("four attempts, no tools, second release"),
];

/// The proposals of a visitor.
pub(super) const PROPOSALS: &[Proposal] = &[
    Proposal {
        title: "Add a second run on AIME 2026",
        run: Run::new(
            "northwind/borealis-2",
            &AIME,
            "2026-03-21",
            &["93.30", "29.40"],
        )
        .noted("independent run, eight attempts, no tools")
        .with_setup(&[("attempts", "8"), ("tools", "none")]),
    },
    Proposal {
        title: "Add an independent run",
        run: Run::new(
            "aurora-labs/murmur",
            &LIBRISPEECH,
            "2026-03-05",
            &["1.71", "1390.00"],
        )
        .noted("independent run, English normaliser enabled"),
    },
    Proposal {
        title: "Add Common Voice",
        run: Run::new(
            "meridian/dictate",
            &COMMON_VOICE,
            "2026-03-08",
            &["6.90", "92.10"],
        )
        .noted("run through the public service, English normaliser enabled"),
    },
];
