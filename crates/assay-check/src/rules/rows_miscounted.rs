use crate::pairing::Pairing;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The number of rows is not the declared one
    ///
    /// `total_rows` differs from the number of rows in the samples file; empty lines do not count.
    /// Rows were lost or added after the record was made.
    ///
    /// ## What to do
    ///
    /// Find out which of the two is right. If it is the file, correct `total_rows` and `checksum`.
    ROWS_MISCOUNTED = (428, "rows-miscounted", Error)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let (Some(declared), Some(summary)) = (pairing.declared(), pairing.summary) else {
        return;
    };
    let Some(at) = declared.get("total_rows") else {
        return;
    };
    let Some(total) = at.integer() else { return };
    if u64::try_from(total) != Ok(summary.rows) {
        sink.report(&ROWS_MISCOUNTED, at, || {
            Draft::new(format!(
                "`total_rows` is {total}, but the samples file has {} row{}",
                summary.rows,
                if summary.rows == 1 { "" } else { "s" }
            ))
            .help("find out which is right, then correct `total_rows` or the file")
        });
    }
}
