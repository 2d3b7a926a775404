use assay_formats::Value;
use assay_formats::eee::Version;

use crate::record::RecordFacts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The schema version is not one that was published
    ///
    /// Every Eval Ever records and rows say by which version of the schema they were written, and
    /// each is validated by its own. The versions in use are 0.2.0, 0.2.1, 0.2.2, 0.2.3 and 0.3.0.
    /// A file with another one is validated by 0.3.0.
    ///
    /// ## What to do
    ///
    /// Write `"schema_version": "0.3.0"`, and make the file follow it.
    UNKNOWN_VERSION = (401, "unknown-version", Error)
}

rule! {
    /// The record is written in an older version
    ///
    /// The record is validated by the rules of its own version. The datastore takes 0.3.0 only.
    ///
    /// ## What to do
    ///
    /// `assay upgrade PATHS --out DIR` writes 0.3.0 records and says for each what was filled in,
    /// moved or lost.
    OLD_VERSION = (402, "old-version", Note)
}

/// The version of a record, when it is a published one.
pub(crate) fn record(root: Value<'_>, sink: &mut Sink<'_>) -> Option<Version> {
    let value = root.get("schema_version")?;
    let version = parse(value, sink)?;
    if version != Version::CURRENT {
        sink.report(&OLD_VERSION, value, || {
            Draft::new(format!(
                "the record follows schema {version}; the current one is {}",
                Version::CURRENT
            ))
            .help("`assay upgrade PATHS --out DIR` rewrites it")
        });
    }
    Some(version)
}

/// The version of a row, when it is a published one; that of its record stands in.
pub(crate) fn row(
    root: Value<'_>,
    facts: Option<&RecordFacts>,
    sink: &mut Sink<'_>,
) -> Option<Version> {
    // Writers put the version first, and nearly every row is current.
    let value = root.get("schema_version")?;
    if value.is_text(Version::CURRENT.as_str()) {
        return Some(Version::CURRENT);
    }
    parse(value, sink).or_else(|| facts.and_then(|facts| facts.version))
}

fn parse(value: Value<'_>, sink: &mut Sink<'_>) -> Option<Version> {
    let text = value.text()?;
    let version = text.parse().ok();
    if version.is_none() {
        sink.report(&UNKNOWN_VERSION, value, || {
            Draft::new(format!(
                "{} is not a published schema version",
                quote(&text)
            ))
            .help("write `0.3.0`, and make the file follow it")
        });
    }
    version
}
