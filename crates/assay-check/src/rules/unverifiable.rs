use std::ops::Range;

use assay_formats::eval_results::token;
use assay_formats::{Kind, Value};
use assay_model::{Revision, hidden_character};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// An entry with a token that cannot be verified
    ///
    /// The entry carries a token, so its author expects it to be verified. A token is compared with
    /// the entry field by field, and that needs the full commit of the model, the full commit of
    /// the dataset, the name and version of the framework, scores that name their metric, and YAML
    /// that all tools read alike. Something of this is missing. The result is shown, but never as
    /// verified.
    ///
    /// ## What to do
    ///
    /// Add what the message lists, exactly as it was when the token was issued. Any later change
    /// makes the token worthless.
    UNVERIFIABLE = (306, "unverifiable", Warning)
}

/// Reports an entry whose token can prove nothing. `constructs` are the places of YAML that tools
/// read differently.
pub(crate) fn check(entry: Value<'_>, constructs: &[Range<usize>], sink: &mut Sink<'_>) {
    let Some((value, _)) = token(entry) else {
        return;
    };
    let missing = missing(entry, constructs);
    if missing.is_empty() {
        return;
    }
    sink.report(&UNVERIFIABLE, value, || {
        Draft::new(format!(
            "the token cannot be verified; the entry needs {}",
            missing.join(", ")
        ))
        .help("add what is missing, as it was when the token was issued")
    });
}

fn missing(entry: Value<'_>, constructs: &[Range<usize>]) -> Vec<&'static str> {
    let framework = |key| {
        entry
            .present("framework")
            .and_then(|framework| framework.text_of(key))
            .is_some_and(|text| !text.is_empty())
    };
    let dataset = entry.present("dataset");
    let covers = |place: &Range<usize>| {
        let own = entry.range();
        place.start < own.end && own.start < place.end
    };
    let needs = [
        (is_full(entry, "model_revision"), "a full `model_revision`"),
        (
            dataset.is_some_and(|dataset| is_full(dataset, "revision")),
            "a full `dataset.revision`",
        ),
        (framework("name"), "`framework.name`"),
        (framework("version"), "`framework.version`"),
        (
            entry.present("metrics").is_some(),
            "`metrics` instead of a single `value`",
        ),
        (
            !constructs.iter().any(covers),
            "YAML without anchors, aliases and tags",
        ),
        (
            !any(entry, &|value| value.is_loose()),
            "values that all tools read alike",
        ),
        (!any(entry, &hides), "text without hidden characters"),
    ];
    needs
        .into_iter()
        .filter(|(is_there, _)| !is_there)
        .map(|(_, words)| words)
        .collect()
}

fn is_full(value: Value<'_>, key: &str) -> bool {
    value
        .text_of(key)
        .and_then(|text| text.parse::<Revision>().ok())
        .is_some_and(|revision| revision.is_full())
}

fn hides(value: Value<'_>) -> bool {
    value.kind() == Kind::String
        && value
            .text()
            .is_some_and(|text| hidden_character(&text).is_some())
}

/// Returns whether something holds for a value or anything in it.
fn any(value: Value<'_>, holds: &dyn Fn(Value<'_>) -> bool) -> bool {
    holds(value)
        || value.items().any(|item| any(item, holds))
        || value.entries().any(|(_, item)| any(item, holds))
}
