use assay_formats::Value;

use crate::rule::rule;
use crate::rules::other_benchmark::letters;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The developer is not the one that the id of the model begins with
    ///
    /// In `{developer}/{model}`, the developer is the first part of `model_info.id`, and
    /// `model_info.developer` is the same for people: `meta-llama` and `Meta`. The rule reports a
    /// developer when neither name is a part of the other. Case and punctuation do not count. It is
    /// a note, because a company may publish under another name.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "model_info": { "id": "openai/gpt-4o", "developer": "Anthropic" } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Correct the id or the developer. If both are right, leave them.
    DEVELOPER_DIFFERS = (442, "developer-differs", Note)
}

pub(crate) fn check(record: Value<'_>, sink: &mut Sink<'_>) {
    let Some(model) = record.get("model_info") else {
        return;
    };
    let (Some(at), Some(id)) = (model.get("developer"), model.text_of("id")) else {
        return;
    };
    let (Some(developer), Some((organisation, _))) = (at.text(), id.split_once('/')) else {
        return;
    };
    let (own, expected) = (letters(&developer), letters(organisation));
    let is_unknown = own.is_empty() || expected.is_empty() || own == "unknown";
    if is_unknown || own.contains(&expected) || expected.contains(&own) {
        return;
    }
    sink.report(&DEVELOPER_DIFFERS, at, || {
        Draft::new(format!(
            "the developer is {}, but the id of the model begins with {}",
            quote(&developer),
            quote(organisation)
        ))
        .help("correct the one that is wrong; leave both if the developer publishes under another name")
    });
}
