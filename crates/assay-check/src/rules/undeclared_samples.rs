use crate::pairing::{Pairing, name_of};
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A record does not mention the samples beside it
    ///
    /// A samples file with the name of the record lies beside it, but the record has no
    /// `detailed_evaluation_results`. Readers of the record would never look at the samples.
    ///
    /// ## What to do
    ///
    /// Declare the file, with its path, checksum and number of rows, or remove it.
    UNDECLARED_SAMPLES = (424, "undeclared-samples", Error)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    // A declaration of the wrong kind is a matter of shape.
    let is_declared = pairing
        .record
        .present("detailed_evaluation_results")
        .is_some();
    if pairing.samples_exist && !is_declared {
        sink.report(&UNDECLARED_SAMPLES, pairing.record.head(), || {
            Draft::new(format!(
                "{} lies beside the record, but the record has no `detailed_evaluation_results`",
                quote(name_of(pairing.samples_path))
            ))
            .help("declare the file in `detailed_evaluation_results`, or remove it")
        });
    }
}
