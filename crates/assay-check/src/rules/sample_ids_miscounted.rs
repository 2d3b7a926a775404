use assay_formats::Kind;

use crate::parts::DataParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The number of samples is not the number of their ids
    ///
    /// `source_data.samples_number` says how many samples were used, `source_data.sample_ids` which
    /// ones; they disagree.
    ///
    /// ## What to do
    ///
    /// Correct the number. When the list names only some of the samples, leave it out.
    SAMPLE_IDS_MISCOUNTED = (423, "sample-ids-miscounted", Warning)
}

pub(crate) fn check(data: &DataParts<'_>, sink: &mut Sink<'_>) {
    let ids = data.sample_ids.filter(|ids| ids.kind() == Kind::List);
    let (Some(number), Some(ids)) = (data.samples_number, ids) else {
        return;
    };
    let Some(declared) = number.integer() else {
        return;
    };
    let listed = ids.items().count();
    if i64::try_from(listed) != Ok(declared) {
        sink.report(&SAMPLE_IDS_MISCOUNTED, number, || {
            Draft::new(format!(
                "`samples_number` is {declared}, but `sample_ids` has {listed}"
            ))
            .help("correct the number, or leave the list out")
        });
    }
}
