use assay_formats::Value;
use assay_model::KnownFramework;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{did_you_mean, quote};

rule! {
    /// The framework of a benchmark is not a known one
    ///
    /// `evaluation_framework` says which tool runs the benchmark. The hub that this format comes
    /// from takes only names from its list, and this is none of the names that Assay knows. That
    /// list is not exhaustive and grows, so the name may still be right.
    ///
    /// ## What to do
    ///
    /// Check the spelling: names are lower-case with hyphens, such as `inspect-ai`. A benchmark
    /// that no framework runs does without the key.
    UNKNOWN_FRAMEWORK = (210, "unknown-framework", Warning)
}

pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    let Some(name) = root.get("evaluation_framework") else {
        return;
    };
    let Some(text) = name.text() else { return };
    let known = KnownFramework::find(&text);
    if known.is_some_and(|known| known.name == text) {
        return;
    }
    sink.report(&UNKNOWN_FRAMEWORK, name, || {
        Draft::new(format!("{} is not a framework known here", quote(&text)))
            .help("keep it if the name is right; the list of frameworks is not exhaustive")
            .help_if(match known {
                Some(known) => Some(format!("did you mean `{}`?", known.name)),
                None => did_you_mean(&text, KnownFramework::names()),
            })
    });
}
