/// An evaluation framework that is known by name.
///
/// The list is not exhaustive: new frameworks appear every month, so a name that is not here is
/// unusual and not wrong.
///
/// ```
/// # use assay_model::KnownFramework;
/// assert_eq!(KnownFramework::find("lm_eval").unwrap().name, "lm-evaluation-harness");
/// assert!(KnownFramework::find("my-harness").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFramework {
    /// The name that result files and benchmarks use.
    pub name: &'static str,
    /// Names of packages, commands and records for the same framework.
    pub other_names: &'static [&'static str],
}

const fn known(name: &'static str, other_names: &'static [&'static str]) -> KnownFramework {
    KnownFramework { name, other_names }
}

impl KnownFramework {
    /// All known frameworks, by name.
    pub const ALL: [Self; 44] = [
        known("alpaca-eval", &["alpaca_eval"]),
        known("apex-evals", &[]),
        known("archipelago", &[]),
        known("benchflow", &[]),
        known("bigcode-evaluation-harness", &[]),
        known("claw-eval", &[]),
        known("deepeval", &[]),
        known("evalplus", &[]),
        known("exgentic", &[]),
        known("extractbench", &[]),
        known("harbor", &[]),
        known("helm", &["crfm-helm", "HELM"]),
        known("ifstruct", &[]),
        known("inspect-ai", &["inspect", "inspect_ai", "inspect_evals"]),
        known("lighteval", &[]),
        known(
            "lm-evaluation-harness",
            &["lm-eval", "lm_eval", "lm-eval-harness", "lm_eval_harness"],
        ),
        known("lmms-eval", &[]),
        known("math-arena", &["matharena"]),
        known("mdpbench", &[]),
        known("mmmu", &[]),
        known("mteb", &[]),
        known("nanofold", &[]),
        known("nemo-evaluator", &[]),
        known("olmocr-bench", &[]),
        known("open-asr-leaderboard", &[]),
        known("openai-evals", &[]),
        known("opencompass", &[]),
        known("parsebench", &[]),
        known("pbench", &[]),
        known("pier", &[]),
        known("promptfoo", &[]),
        known("real5-omnidocbench", &[]),
        known("redline-bench", &[]),
        known("researchclawbench", &[]),
        known("screenspot-pro", &[]),
        known("simple-evals", &[]),
        known("swe-agent", &[]),
        known("swe-bench", &["swebench"]),
        known("swe-bench-pro", &[]),
        known("verifiers", &[]),
        known("video-mme-v2", &[]),
        known("wbench", &[]),
        known("wildclawbench", &[]),
        known("yc-bench", &[]),
    ];

    /// Finds a framework by its name or by another of its names.
    pub fn find(name: &str) -> Option<&'static Self> {
        const KNOWN: &[KnownFramework] = &KnownFramework::ALL;
        KNOWN
            .iter()
            .find(|known| known.name == name || known.other_names.contains(&name))
    }

    /// The names of all known frameworks.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|known| known.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_framework() {
        let mut all: Vec<&str> = KnownFramework::ALL
            .iter()
            .flat_map(|known| known.other_names.iter().copied().chain([known.name]))
            .collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();

        assert_eq!(all.len(), count);
        assert!(KnownFramework::names().is_sorted());
    }
}
