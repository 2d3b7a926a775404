use assay_formats::Value;

use crate::rule::rule;
use crate::rules::other_benchmark::letters;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The evaluation id names another model
    ///
    /// In `{benchmark}/{model}/{time}` the evaluation id repeats the model. The rule speaks when at
    /// least 95 in 100 records of the folder, ten or more, have the name of their model in their
    /// id, and this one does not. Case and punctuation do not count. It is a note, because only the
    /// id may be wrong.
    ///
    /// ## What to do
    ///
    /// Check which model was evaluated, and correct `model_info.id` or `evaluation_id`.
    OTHER_MODEL = (444, "other-model", Note)
}

/// Returns whether an evaluation id holds the name of a model; nothing when one of them is not in
/// form.
pub(crate) fn names_model(id: &str, model: &str) -> Option<bool> {
    let (_, rest) = id.split_once('/')?;
    let name = letters(model.rsplit('/').next().unwrap_or(model));
    (!name.is_empty()).then(|| letters(rest).contains(&name))
}

pub(crate) fn report(record: Value<'_>, others: usize, sink: &mut Sink<'_>) {
    let Some(id) = record.get("evaluation_id") else {
        return;
    };
    sink.report(&OTHER_MODEL, id, || {
        let model = record
            .get("model_info")
            .and_then(|model| model.text_of("id"))
            .unwrap_or_default();
        Draft::new(format!("the evaluation id does not name {}", quote(&model)))
            .note(format!(
                "{others} other records of the folder name their model in it"
            ))
            .help("check which model was evaluated, and correct the id that is wrong")
    });
}
