use assay_formats::eee::Version;

use crate::pairing::{Pairing, name_of};
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The samples file that a record declares does not exist
    ///
    /// The record has `detailed_evaluation_results`, but the file is not beside it. A record
    /// without its samples cannot be checked by anyone.
    ///
    /// ## What to do
    ///
    /// Submit the samples together with the record, as `{uuid}_samples.jsonl` in the same
    /// directory, or remove `detailed_evaluation_results`.
    MISSING_SAMPLES = (427, "missing-samples", Error)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let Some(declared) = pairing.declared() else {
        return;
    };
    let path = declared.get("file_path");
    // Before 0.2.3 a record could declare samples without saying where they are.
    if path.is_none() && !pairing.facts.is_strict() {
        return;
    }
    let (name, own) = (pairing.samples_name(), name_of(pairing.samples_path));
    let is_misnamed = pairing.facts.is_strict() && own != name;
    if pairing.samples_exist && !is_misnamed {
        return;
    }
    sink.report(&MISSING_SAMPLES, path.unwrap_or(declared), || {
        let draft = Draft::new(format!(
            "the samples file {} is not beside the record",
            quote(&name)
        ));
        if pairing.samples_exist {
            draft.help(format!(
                "rename {} to {}; the old name went out with {}",
                quote(own),
                quote(&name),
                Version::V0_2_3
            ))
        } else {
            draft
                .help("submit it together with the record, or remove `detailed_evaluation_results`")
        }
    });
}
