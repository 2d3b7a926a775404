use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A value is a power of ten away from its board
    ///
    /// A hub holds the values of a pushed result file against the board that they are for. Either
    /// the value is far from those of all other models, and a hundred times as much, or as little,
    /// is what they have; or another result of the same model on the board is 10 or 100 times as
    /// much, or as little. That is how a share among per cent looks, and a lost decimal.
    ///
    /// The board has to have ten values above 0, and the value has to be less than half or more
    /// than twice of each. The other result of the same model has to be the multiple to within 2 in
    /// 100, and has to be in another file or pull request.
    ///
    /// The rule compares with the board as it is at the push. It refuses nothing and is not kept
    /// with the result.
    ///
    /// ## What to do
    ///
    /// Write the value in the scale of the board. If it is right, leave it.
    VALUE_SLIP = (621, "value-slip", Warning)
}

/// Reports a value that is far from those of all other models.
pub(crate) fn beside_others(
    value: Value<'_>,
    factor: f64,
    (low, high): (f64, f64),
    others: usize,
    sink: &mut Sink<'_>,
) {
    sink.report(&VALUE_SLIP, value, || {
        let meant = multiplied(value, factor);
        Draft::new(format!(
            "{} is probably {meant}: it is far from all others on the board",
            value.raw()
        ))
        .note(format!(
            "nine in ten of the {others} other values are between {low} and {high}"
        ))
        .help(format!("write {meant} if that is meant"))
    });
}

/// Reports a value that another result of the same model has in another scale.
pub(crate) fn beside_own(value: Value<'_>, factor: f64, sink: &mut Sink<'_>) {
    sink.report(&VALUE_SLIP, value, || {
        let meant = multiplied(value, factor);
        Draft::new(format!(
            "{} is probably {meant}: another result of the model on the board is about {meant}",
            value.raw()
        ))
        .help(format!("write {meant} if that is meant"))
    });
}

fn multiplied(value: Value<'_>, factor: f64) -> f64 {
    let meant = value.number().unwrap_or_default() * factor;
    (meant * 1e9).round() / 1e9
}
