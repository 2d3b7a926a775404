use assay_formats::eee::Version;

use crate::record::RecordFacts;
use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A row follows another version of the schema than its record
    ///
    /// A record and its rows are written together and follow one version. Each row is validated by
    /// the version that it names.
    ///
    /// ## What to do
    ///
    /// Upgrade both together: `assay upgrade PATHS --out DIR` writes the record and its rows.
    ROW_VERSION_DIFFERS = (521, "row-version-differs", Warning)
}

pub(crate) fn check(row: &Row<'_>, facts: &RecordFacts, sink: &mut Sink<'_>) {
    let (Some(own), Some(expected)) = (row.version, facts.version) else {
        return;
    };
    if own.is_text(expected.as_str()) {
        return;
    }
    // A version that was never published is reported as such.
    let Some(version) = own.text().and_then(|text| text.parse::<Version>().ok()) else {
        return;
    };
    if version != expected {
        sink.report(&ROW_VERSION_DIFFERS, own, || {
            Draft::new(format!(
                "the row follows schema {version}, its record {expected}"
            ))
            .help("upgrade both together with `assay upgrade PATHS --out DIR`")
        });
    }
}
