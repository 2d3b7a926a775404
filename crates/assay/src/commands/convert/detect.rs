//! Which files are logs. This is the one place that asks.

use std::path::Path;

use assay_cli::has_ending;
use assay_convert::convert::{Harness, Logs, detect};

pub(super) use assay_convert::convert::{belongs_to_another, detect_directory};

/// The harness that wrote a file; none when it is no log.
pub(super) fn harness_of(logs: &dyn Logs, path: &str) -> Option<Harness> {
    // A log of this name that cannot be read as one is a broken log, and its owner wants to know.
    if has_ending(Path::new(path), &["eval"]) {
        return Some(Harness::Inspect);
    }
    detect(logs, path)
}

/// Whether a file in a directory can be a log, by its name alone.
pub(super) fn may_be_log(path: &str) -> bool {
    has_ending(Path::new(path), &["eval", "json", "csv"])
}
