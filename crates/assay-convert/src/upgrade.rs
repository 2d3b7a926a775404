//! Every Eval Ever records and samples of 0.1 and 0.2, rewritten as 0.3.0.
//!
//! What can be restated without guessing is; what cannot refuses the record with a reason. Every
//! change is told: filled in, moved, renamed, restated or lost. What comes out has the shape of
//! 0.3.0, or it does not come out.

mod aggregate;
mod axes;
mod conform;
mod details;
mod draft;
mod elements;
mod path;
mod refusal;
mod report;
mod row;
mod rows;
mod verify;

pub use draft::{Draft, Samples, Upgraded};
pub use refusal::{Reason, ReasonKind, Refusal};
pub use report::{Change, ChangeKind, Origin, Report};
pub use rows::{Rows, RowsError, RowsSummary, Tally, Target};

/// Upgrades a record that has no samples file.
///
/// `path` is where it lies; the part from the datastore's `data` directory on must have the layout.
/// A record that is current already comes out byte for byte.
///
/// ```
/// # use assay_convert::upgrade;
/// let path = "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100.json";
/// let refusal = upgrade::record(r#"{"schema_version": "banana"}"#, path).unwrap_err();
/// assert_eq!(refusal.reasons[0].kind.slug(), "unknown-version");
/// ```
pub fn record(text: &str, path: &str) -> Result<Upgraded, Refusal> {
    Draft::read(text, path)?.finish(None)
}
