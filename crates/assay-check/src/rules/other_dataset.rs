use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A result names other data than the same evaluation of other models
    ///
    /// Results with one `evaluation_name` and one metric are of one dataset. The rule looks at
    /// evaluations of which at least 95 in 100 results, ten or more, have one
    /// `source_data.dataset_name`, and reports the others. It is a note, because a dataset may have
    /// been renamed.
    ///
    /// ## What to do
    ///
    /// Correct `dataset_name`, or give the result the name of the evaluation that it is of.
    OTHER_DATASET = (446, "other-dataset", Note)
}

pub(crate) fn report(result: Value<'_>, same: usize, other: usize, sink: &mut Sink<'_>) {
    let at = result
        .get("source_data")
        .and_then(|data| data.get("dataset_name"));
    let Some(at) = at else { return };
    sink.report(&OTHER_DATASET, at, || {
        Draft::new(format!(
            "this result is of {}, unlike {same} of {} results of its evaluation",
            at.raw().replace('"', "`"),
            same + other
        ))
        .help("correct the dataset, or name the evaluation that the result is of")
    });
}
