use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{did_you_mean, quote};

rule! {
    /// The framework of a benchmark is not a known one
    ///
    /// `evaluation_framework` says which tool runs the benchmark. The hub that this format comes from takes only names from
    /// its list, and this is none of the names that Assay knows. That list is not exhaustive and grows, so the name may
    /// still be right.
    ///
    /// ## What to do
    ///
    /// Check the spelling: names are lower-case with hyphens, such as `inspect-ai`. A benchmark that no framework runs does
    /// without the key.
    UNKNOWN_FRAMEWORK = (210, "unknown-framework", Warning)
}

/// Frameworks by the names they go by. Not exhaustive: new ones appear every month, and a stranger is only a warning.
const KNOWN: [&str; 42] = [
    "apex-evals",
    "archipelago",
    "benchflow",
    "bigcode-evaluation-harness",
    "claw-eval",
    "deepeval",
    "evalplus",
    "exgentic",
    "extractbench",
    "harbor",
    "helm",
    "ifstruct",
    "inspect-ai",
    "lighteval",
    "lm-evaluation-harness",
    "lmms-eval",
    "math-arena",
    "mdpbench",
    "mmmu",
    "mteb",
    "nanofold",
    "nemo-evaluator",
    "olmocr-bench",
    "open-asr-leaderboard",
    "openai-evals",
    "opencompass",
    "parsebench",
    "pbench",
    "pier",
    "real5-omnidocbench",
    "redline-bench",
    "researchclawbench",
    "screenspot-pro",
    "simple-evals",
    "swe-agent",
    "swe-bench",
    "swe-bench-pro",
    "verifiers",
    "video-mme-v2",
    "wbench",
    "wildclawbench",
    "yc-bench",
];

/// Other names of the same frameworks that people write.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("inspect", "inspect-ai"),
    ("inspect_evals", "inspect-ai"),
    ("lm-eval", "lm-evaluation-harness"),
    ("lm-eval-harness", "lm-evaluation-harness"),
    ("matharena", "math-arena"),
];

pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    let Some(name) = root.get("evaluation_framework") else {
        return;
    };
    let Some(text) = name.text() else { return };
    if KNOWN.contains(&text.as_ref()) {
        return;
    }
    sink.report(&UNKNOWN_FRAMEWORK, name, || {
        let other = OTHER_NAMES.iter().find(|(own, _)| *own == text.as_ref());
        Draft::new(format!("{} is not a framework known here", quote(&text)))
            .help("keep it if the name is right; the list of frameworks is not exhaustive")
            .help_if(match other {
                Some((_, name)) => Some(format!("did you mean `{name}`?")),
                None => did_you_mean(&text, KNOWN),
            })
    });
}
