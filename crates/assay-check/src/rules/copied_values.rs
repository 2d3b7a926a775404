use assay_formats::Value;
use assay_model::RepoId;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Another model on the boards has the same values
    ///
    /// A hub holds the values of a pushed result file against the boards that they are for. Another
    /// model has each of them that it could have, three or more different ones with at least three
    /// digits among them, to the last digit. Two models do not score so by chance: one of them is a
    /// copy of the other under another name, or the values were copied.
    ///
    /// The rule compares with the boards as they are at the push. It refuses nothing and is not
    /// kept with the result.
    ///
    /// ## What to do
    ///
    /// Find out which it is. If the models are one, report one; if the values were copied, evaluate
    /// the model.
    COPIED_VALUES = (622, "copied-values", Warning)
}

pub(crate) fn report(entry: Value<'_>, values: usize, model: &RepoId, sink: &mut Sink<'_>) {
    sink.report(&COPIED_VALUES, entry, || {
        Draft::new(format!(
            "another model has the same values: {}",
            quote(model.as_str())
        ))
        .note(format!(
            "{values} different values are equal to the last digit"
        ))
        .help("report one of the two if they are one model; else correct the values")
    });
}
