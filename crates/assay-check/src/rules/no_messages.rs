use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A row with several turns has no messages
    ///
    /// The list of messages is empty, so there is nothing that the score could rest on.
    ///
    /// ## What to do
    ///
    /// Write the messages. When the sample failed before the first one, say so in `error`.
    NO_MESSAGES = (518, "no-messages", Warning)
}

pub(crate) fn check(messages: Value<'_>, error: Option<Value<'_>>, sink: &mut Sink<'_>) {
    if messages.kind() == Kind::List && messages.is_empty() && error.is_none() {
        sink.report(&NO_MESSAGES, messages, || {
            Draft::new("the list of messages is empty")
                .help("write the messages, or say in `error` why there are none")
        });
    }
}
