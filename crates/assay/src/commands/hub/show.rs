//! Moments and findings as text.

use assay_model::Diagnostic;
use assay_render::visible;

/// The day of a moment.
pub(super) fn day(moment: &impl ToString) -> String {
    visible(&moment.to_string()).chars().take(10).collect()
}

/// A fault that the hub found, in two lines.
pub(super) fn finding(diagnostic: &Diagnostic) -> String {
    let place = &diagnostic.place;
    format!(
        "{}[{}]: {}\n  --> {}:{}:{}",
        diagnostic.severity,
        diagnostic.code,
        visible(&diagnostic.message),
        visible(&place.file),
        place.line,
        place.column,
    )
}
