use std::borrow::Cow;
use std::collections::HashSet;

use assay_formats::{Kind, Value};

/// The messages of a row, counted in one pass.
#[derive(Debug, Default)]
pub(crate) struct MessageCounts<'d> {
    /// The number of messages.
    pub(crate) messages: usize,
    /// Number of tools that they call.
    pub(crate) calls: usize,
    /// The first `turn_idx` that is not the position of its message, and that position.
    pub(crate) misplaced: Option<(Value<'d>, usize)>,
    /// The first answer to a call that nobody made before.
    pub(crate) unasked: Option<Value<'d>>,
}

impl<'d> MessageCounts<'d> {
    /// Goes through the messages of a row.
    pub(crate) fn of(messages: Value<'d>) -> Self {
        let mut turns = Self::default();
        // Stays empty, and so takes no memory, in rows that call no tools.
        let mut asked: HashSet<Cow<'d, str>> = HashSet::new();
        for message in messages.items() {
            turns.take(message, &mut asked);
            turns.messages += 1;
        }
        turns
    }

    fn take(&mut self, message: Value<'d>, asked: &mut HashSet<Cow<'d, str>>) {
        for (key, value) in message.entries() {
            match key.plain_text() {
                Some("turn_idx") => self.take_position(value),
                Some("tool_calls") => {
                    for call in value.items() {
                        self.calls += 1;
                        asked.extend(call.text_of("id"));
                    }
                }
                Some("tool_call_id") => self.take_answer(value, asked),
                Some(_) | None => {}
            }
        }
    }

    fn take_position(&mut self, value: Value<'d>) {
        // What is no whole number is a matter of shape.
        let Some(position) = value.integer() else {
            return;
        };
        if usize::try_from(position) != Ok(self.messages) && self.misplaced.is_none() {
            self.misplaced = Some((value, self.messages));
        }
    }

    /// An answer names one call, as 0.2.0 allowed, or a list of them.
    fn take_answer(&mut self, value: Value<'d>, asked: &HashSet<Cow<'d, str>>) {
        if self.unasked.is_some() {
            return;
        }
        let is_unasked = |id: &Value<'d>| id.text().is_some_and(|text| !asked.contains(&text));
        self.unasked = match value.kind() {
            Kind::String => Some(value).filter(is_unasked),
            Kind::List => value.items().find(is_unasked),
            Kind::Null | Kind::Bool | Kind::Number | Kind::Map => None,
        };
    }
}
