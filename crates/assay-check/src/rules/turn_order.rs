use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::turns::MessageCounts;

rule! {
    /// The turns of a row are not numbered in order
    ///
    /// `turn_idx` is the position of a message, from 0, without gaps. `answer_attribution` refers
    /// to it.
    ///
    /// ## What to do
    ///
    /// Number the messages 0, 1, 2 and so on, in the order in which they stand.
    TURN_ORDER = (515, "turn-order", Warning)
}

rule! {
    /// A message answers a tool call that nobody made
    ///
    /// The `tool_call_id` of a message names a call in an earlier message; there is none with this
    /// id.
    ///
    /// ## What to do
    ///
    /// Write the `tool_calls` of the message that made the call, with the same `id`.
    UNKNOWN_TOOL_CALL = (516, "unknown-tool-call", Warning)
}

pub(crate) fn check(turns: &MessageCounts<'_>, sink: &mut Sink<'_>) {
    if let Some((at, position)) = turns.misplaced {
        sink.report(&TURN_ORDER, at, || {
            Draft::new(format!(
                "`turn_idx` is {}, but this is message {position}",
                at.raw()
            ))
            .help("number the messages from 0 in the order in which they stand")
        });
    }
    if let Some(at) = turns.unasked {
        sink.report(&UNKNOWN_TOOL_CALL, at, || {
            Draft::new(format!(
                "no earlier message has a tool call with the id {}",
                crate::suggest::quote(&at.text().unwrap_or_default())
            ))
            .help("write the call into `tool_calls` of the message that made it")
        });
    }
}
