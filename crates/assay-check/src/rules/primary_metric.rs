use assay_formats::Value;

use super::line_of;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// No metric of a benchmark is primary
    ///
    /// A leaderboard ranks by one metric. With several, one of them must be marked `primary: true`;
    /// nothing else says which of them decides.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// metrics:
    ///   - {id: wer, display_name: Word error rate, higher_is_better: false, primary: true}
    ///   - {id: rtfx, display_name: Speed, higher_is_better: true}
    /// ```
    ///
    /// ## What to do
    ///
    /// Add `primary: true` to the metric that the board is ranked by.
    NO_PRIMARY = (204, "no-primary", Error)
}

rule! {
    /// Several metrics of a benchmark are primary
    ///
    /// A leaderboard ranks by exactly one metric. The finding points at the second one that claims
    /// to be it.
    ///
    /// ## What to do
    ///
    /// Keep `primary: true` on one metric and remove it from the others.
    SEVERAL_PRIMARY = (206, "several-primary", Error)
}

rule! {
    /// The only metric of a benchmark says that it is not primary
    ///
    /// With one metric there is nothing else to rank by, so it is primary whatever it says.
    ///
    /// ## What to do
    ///
    /// Write `primary: true`, or leave the key out.
    ONLY_METRIC_NOT_PRIMARY = (207, "only-metric-not-primary", Warning)
}

pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    let Some(metrics) = root.get("metrics") else {
        return;
    };
    let count = metrics.items().count();
    let declared = || metrics.items().filter_map(|metric| metric.get("primary"));
    if count == 1 {
        only(declared().next(), sink);
        return;
    }
    let mut marked = declared().filter(|primary| primary.truth() == Some(true));
    // A value that is not a boolean has a finding of its own and may well be the mark that is
    // meant.
    let unread = declared().any(|primary| primary.truth().is_none());
    match (marked.next(), marked.next()) {
        (Some(first), Some(second)) => {
            sink.report(&SEVERAL_PRIMARY, second, || {
                Draft::new("a second metric is marked as primary")
                    .note(format!("the first is marked on line {}", line_of(first)))
                    .help("keep `primary: true` on the metric that boards are ranked by")
            });
        }
        (None, _) if count > 1 && !unread => sink.report(&NO_PRIMARY, metrics.head(), || {
            Draft::new(format!("none of the {count} metrics is marked as primary"))
                .help("add `primary: true` to the metric that boards are ranked by")
                .path_of(metrics)
        }),
        (Some(_) | None, _) => {}
    }
}

fn only(primary: Option<Value<'_>>, sink: &mut Sink<'_>) {
    let Some(primary) = primary.filter(|primary| primary.truth() == Some(false)) else {
        return;
    };
    sink.report(&ONLY_METRIC_NOT_PRIMARY, primary, || {
        Draft::new("the only metric says that it is not primary, but boards are ranked by it")
            .help("write `true`, or leave `primary` out")
            .replace(primary.range(), "true")
    });
}
