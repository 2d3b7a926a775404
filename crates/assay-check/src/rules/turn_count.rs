use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::turns::MessageCounts;

rule! {
    /// A row counts more turns than it has messages
    ///
    /// `num_turns` may count all messages or only some kinds of them, but there cannot be more
    /// turns than messages.
    ///
    /// ## What to do
    ///
    /// Correct the number, or write the messages that are missing.
    TURN_COUNT = (513, "turn-count", Warning)
}

rule! {
    /// A row counts other tool calls than its messages have
    ///
    /// `tool_calls_count` differs from the number of `tool_calls` in all messages together.
    ///
    /// ## What to do
    ///
    /// Correct the number, or write the calls that are missing.
    TOOL_CALL_COUNT = (514, "tool-call-count", Warning)
}

pub(crate) fn check(row: &Row<'_>, turns: &MessageCounts<'_>, sink: &mut Sink<'_>) {
    if let Some((at, declared)) = row
        .num_turns
        .and_then(|at| Some((at, at.integer()?)))
        .filter(|(_, declared)| usize::try_from(*declared).is_ok_and(|own| own > turns.messages))
    {
        // An empty list of messages is reported as such.
        if turns.messages > 0 {
            sink.report(&TURN_COUNT, at, || {
                Draft::new(format!(
                    "`num_turns` is {declared}, but there are only {} messages",
                    turns.messages
                ))
                .help("correct the number, or write the messages that are missing")
            });
        }
    }
    if let Some((at, declared)) = row
        .tool_calls_count
        .and_then(|at| Some((at, at.integer()?)))
        .filter(|(_, declared)| usize::try_from(*declared).is_ok_and(|own| own != turns.calls))
    {
        sink.report(&TOOL_CALL_COUNT, at, || {
            Draft::new(format!(
                "`tool_calls_count` is {declared}, but the messages have {}",
                turns.calls
            ))
            .help("correct the number, or write the calls that are missing")
        });
    }
}
