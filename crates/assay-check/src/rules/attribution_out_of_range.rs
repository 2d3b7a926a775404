use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// An answer is attributed to a turn that does not exist
    ///
    /// The `turn_idx` of an `answer_attribution` is the number of the message that the answer was
    /// found in, from 0. A row with a single turn has turn 0, for the answer alone, or 0 and 1,
    /// when the question counts.
    ///
    /// ## What to do
    ///
    /// Correct the number.
    ATTRIBUTION_OUT_OF_RANGE = (517, "attribution-out-of-range", Error)
}

/// Number of turns that a row with a single turn may count: the question and the answer.
const SINGLE_TURNS: usize = 2;

pub(crate) fn check(attribution: Value<'_>, messages: Option<usize>, sink: &mut Sink<'_>) {
    let turns = messages.unwrap_or(SINGLE_TURNS);
    for at in attribution
        .items()
        .filter_map(|answer| answer.get("turn_idx"))
    {
        let is_beyond = at
            .integer()
            .is_some_and(|turn| usize::try_from(turn).is_ok_and(|turn| turn >= turns));
        if is_beyond {
            sink.report(&ATTRIBUTION_OUT_OF_RANGE, at, || {
                Draft::new(match messages {
                    Some(count) => format!(
                        "the answer is attributed to turn {}, but the messages end with turn {}",
                        at.raw(),
                        count.saturating_sub(1)
                    ),
                    None => format!(
                        "the answer is attributed to turn {}, but the row has a single turn",
                        at.raw()
                    ),
                })
                .help("write the number of the message that the answer stands in, from 0")
            });
        }
    }
}
