use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Two models have the same scores
    ///
    /// All scores of the record, three or more different ones, are equal to those of a record of
    /// another model, to the last digit. Two models do not score so by chance: one of them is a
    /// copy of the other under another name, or the scores were copied.
    ///
    /// ## What to do
    ///
    /// Find out which it is. If the models are one, report one; if the scores were copied, evaluate
    /// the model.
    COPIED_SCORES = (613, "copied-scores", Warning)
}

pub(crate) fn report(record: Value<'_>, scores: usize, first: &str, sink: &mut Sink<'_>) {
    let model = record.get("model_info").and_then(|model| model.get("id"));
    let draft = || {
        Draft::new(format!(
            "another model has the same scores: {}",
            quote(first)
        ))
        .note(format!(
            "{scores} different scores are equal to the last digit"
        ))
        .help("report one of the two if they are one model; else correct the scores")
    };
    match model {
        Some(model) => sink.report(&COPIED_SCORES, model, draft),
        None => sink.report_whole(&COPIED_SCORES, draft),
    }
}
