use crate::pairing::Pairing;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A result rests on another number of samples than it has rows
    ///
    /// `num_samples` says how many samples a score rests on. The samples file has another number of
    /// rows for this result, and not a multiple of it either, as several epochs would give. Samples
    /// were lost, or the file holds only some. Rows that failed may count or not. A result without
    /// any rows is not looked at: some metrics are not computed sample by sample.
    ///
    /// ## What to do
    ///
    /// Submit all rows, or correct `num_samples`.
    SAMPLES_MISCOUNTED = (434, "samples-miscounted", Warning)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let Some(summary) = pairing.summary else {
        return;
    };
    // Rows that name no result could belong to any.
    if summary.unassigned() > 0 {
        return;
    }
    for (position, tally) in summary.tallies.iter().enumerate() {
        let declared = pairing.result(position).and_then(|result| {
            result
                .get("score_details")?
                .get("uncertainty")?
                .get("num_samples")
        });
        let Some(at) = declared else { continue };
        // A negative number is reported as such.
        let Some(samples) = at.integer().and_then(|number| u64::try_from(number).ok()) else {
            continue;
        };
        let fits = |rows: u64| rows == samples || (samples > 0 && rows.is_multiple_of(samples));
        let succeeded = tally.rows.saturating_sub(tally.failed);
        let fits = fits(tally.rows) || (succeeded > 0 && fits(succeeded));
        if tally.rows > 0 && !fits {
            sink.report(&SAMPLES_MISCOUNTED, at, || {
                let title = pairing
                    .facts
                    .results
                    .get(position)
                    .map_or("", |result| result.title());
                Draft::new(format!(
                    "`num_samples` is {samples}, but {} has {} row{} in the samples file",
                    quote(title),
                    tally.rows,
                    if tally.rows == 1 { "" } else { "s" }
                ))
                .help("submit all rows, or correct `num_samples`")
            });
        }
    }
}
