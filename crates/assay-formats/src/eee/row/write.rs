use serde::Serialize;

use super::{
    Evaluation, Input, Message, Output, Performance, Prompt, Row, Text, TokenUsage, ToolCall,
};
use crate::json::write_string;

/// Writes one map. Rows are most of what is written, and nearly all of a row is text: letting serde
/// look at every byte of it costs several times as much as this.
struct MapWriter<'w> {
    to: &'w mut Vec<u8>,
    is_empty: bool,
}

impl<'w> MapWriter<'w> {
    fn begin(to: &'w mut Vec<u8>) -> Self {
        to.push(b'{');
        Self { to, is_empty: true }
    }

    /// Begins an entry. Keys of ours need no escapes.
    fn key(&mut self, key: &'static str) -> &mut Vec<u8> {
        self.comma();
        self.to.push(b'"');
        self.to.extend_from_slice(key.as_bytes());
        self.to.extend_from_slice(b"\":");
        self.to
    }

    fn comma(&mut self) {
        if !self.is_empty {
            self.to.push(b',');
        }
        self.is_empty = false;
    }

    fn text(&mut self, key: &'static str, text: &str) {
        write_string(text, self.key(key));
    }

    fn optional_text(&mut self, key: &'static str, text: Option<&Text<'_>>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// A number or a word; serde writes those as well as anyone.
    fn scalar(&mut self, key: &'static str, value: impl Serialize) {
        serde_json::to_writer(self.key(key), &value).expect("a scalar is always JSON");
    }

    fn optional_scalar(&mut self, key: &'static str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            self.scalar(key, value);
        }
    }

    fn texts(&mut self, key: &'static str, texts: &[Text<'_>]) {
        list(self.key(key), texts, |text, to| write_string(text, to));
    }

    fn pairs<'p, T>(&mut self, key: &'static str, pairs: impl IntoIterator<Item = (&'p T, &'p T)>)
    where
        T: AsRef<str> + 'p,
    {
        let mut map = MapWriter::begin(self.key(key));
        for (key, value) in pairs {
            map.comma();
            write_string(key.as_ref(), map.to);
            map.to.push(b':');
            write_string(value.as_ref(), map.to);
        }
        map.end();
    }

    fn end(self) {
        self.to.push(b'}');
    }
}

fn list<T>(to: &mut Vec<u8>, items: &[T], write: impl Fn(&T, &mut Vec<u8>)) {
    to.push(b'[');
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            to.push(b',');
        }
        write(item, to);
    }
    to.push(b']');
}

pub(super) fn row(row: &Row<'_>, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.text("schema_version", row.schema_version);
    map.text("evaluation_id", &row.evaluation_id);
    map.text("model_id", &row.model_id);
    map.text("evaluation_name", &row.evaluation_name);
    map.text("evaluation_result_id", &row.evaluation_result_id);
    map.text("sample_id", &row.sample_id);
    map.text("sample_hash", &row.sample_hash);
    map.scalar("interaction_type", row.interaction_type);
    input(&row.input, map.key("input"));
    if let Some(own) = &row.output {
        output(own, map.key("output"));
    }
    if let Some(messages) = &row.messages {
        list(map.key("messages"), messages, message);
    }
    let attributions = map.key("answer_attribution");
    list(attributions, &row.answer_attribution, attribution);
    evaluation(row.evaluation, map.key("evaluation"));
    if let Some(usage) = row.token_usage {
        token_usage(usage, map.key("token_usage"));
    }
    if let Some(own) = &row.performance {
        performance(own, map.key("performance"));
    }
    map.optional_text("error", row.error.as_ref());
    if !row.metadata.is_empty() {
        map.pairs("metadata", &row.metadata);
    }
    map.end();
}

fn input(input: &Input<'_>, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.text("raw", &input.raw);
    match &input.formatted {
        Some(Prompt::Text(text)) => map.text("formatted", text),
        Some(Prompt::Spelled(string)) => map.key("formatted").extend_from_slice(string.as_bytes()),
        None => {}
    }
    map.texts("reference", &input.reference);
    if let Some(choices) = &input.choices {
        map.texts("choices", choices);
    }
    map.end();
}

fn output(output: &Output<'_>, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.texts("raw", &output.raw);
    if let Some(trace) = &output.reasoning_trace {
        map.texts("reasoning_trace", trace);
    }
    map.end();
}

fn message(message: &Message<'_>, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.scalar("turn_idx", message.turn_idx);
    map.text("role", &message.role);
    map.optional_text("content", message.content.as_ref());
    map.optional_text("reasoning_trace", message.reasoning_trace.as_ref());
    if !message.tool_calls.is_empty() {
        list(map.key("tool_calls"), &message.tool_calls, tool_call);
    }
    if !message.tool_call_id.is_empty() {
        map.texts("tool_call_id", &message.tool_call_id);
    }
    map.end();
}

fn tool_call(call: &ToolCall<'_>, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.text("id", &call.id);
    map.text("name", &call.name);
    if let Some(arguments) = &call.arguments {
        map.pairs("arguments", arguments);
    }
    map.end();
}

fn attribution(attribution: &super::Attribution<'_>, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.scalar("turn_idx", attribution.turn_idx);
    map.text("source", &attribution.source);
    map.text("extracted_value", &attribution.extracted_value);
    map.text("extraction_method", &attribution.extraction_method);
    map.scalar("is_terminal", attribution.is_terminal);
    map.end();
}

fn evaluation(evaluation: Evaluation, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.scalar("score", evaluation.score);
    map.scalar("is_correct", evaluation.is_correct);
    map.optional_scalar("num_turns", evaluation.num_turns);
    map.optional_scalar("tool_calls_count", evaluation.tool_calls_count);
    map.end();
}

fn token_usage(usage: TokenUsage, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.scalar("input_tokens", usage.input_tokens);
    map.scalar("output_tokens", usage.output_tokens);
    map.scalar("total_tokens", usage.total_tokens);
    map.optional_scalar("input_tokens_cache_write", usage.input_tokens_cache_write);
    map.optional_scalar("input_tokens_cache_read", usage.input_tokens_cache_read);
    map.optional_scalar("reasoning_tokens", usage.reasoning_tokens);
    map.end();
}

fn performance(performance: &Performance, to: &mut Vec<u8>) {
    let mut map = MapWriter::begin(to);
    map.optional_scalar("latency_ms", performance.latency_ms);
    map.optional_scalar("generation_time_ms", performance.generation_time_ms);
    if !performance.additional_details.is_empty() {
        map.pairs("additional_details", &performance.additional_details);
    }
    map.end();
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, vec};
    use proptest::option;
    use proptest::prelude::*;

    use super::super::{Attribution, InteractionType};
    use super::*;

    fn text() -> impl Strategy<Value = Text<'static>> {
        let text = prop_oneof![
            any::<String>(),
            "[a-z\"\\\\\\x00-\\x1f\\x7f\u{2028}é]{0,40}",
        ];
        text.prop_map(Text::Owned)
    }

    fn any_message() -> impl Strategy<Value = Message<'static>> {
        let call = (text(), text(), option::of(btree_map(text(), text(), 0..3))).prop_map(
            |(id, name, arguments)| ToolCall {
                id,
                name,
                arguments,
            },
        );
        (
            any::<usize>(),
            text(),
            option::of(text()),
            option::of(text()),
            vec(call, 0..3),
            vec(text(), 0..2),
        )
            .prop_map(
                |(turn_idx, role, content, reasoning_trace, tool_calls, tool_call_id)| Message {
                    turn_idx,
                    role,
                    content,
                    reasoning_trace,
                    tool_calls,
                    tool_call_id,
                },
            )
    }

    fn any_prompt() -> impl Strategy<Value = Prompt<'static>> {
        let spelled = Prompt::Spelled(r#""say \"so\" \\ é\n""#);
        prop_oneof![4 => text().prop_map(Prompt::Text), 1 => Just(spelled)]
    }

    fn any_input() -> impl Strategy<Value = Input<'static>> {
        (
            text(),
            option::of(any_prompt()),
            vec(text(), 0..3),
            option::of(vec(text(), 0..3)),
        )
            .prop_map(|(raw, formatted, reference, choices)| Input {
                raw,
                formatted,
                reference,
                choices,
            })
    }

    fn any_attribution() -> impl Strategy<Value = Attribution<'static>> {
        (any::<usize>(), text(), text(), text(), any::<bool>()).prop_map(
            |(turn_idx, source, extracted_value, extraction_method, is_terminal)| Attribution {
                turn_idx,
                source,
                extracted_value,
                extraction_method,
                is_terminal,
            },
        )
    }

    fn any_evaluation() -> impl Strategy<Value = Evaluation> {
        (
            proptest::num::f64::NORMAL | proptest::num::f64::ZERO,
            any::<bool>(),
            option::of(any::<usize>()),
            option::of(any::<usize>()),
        )
            .prop_map(
                |(score, is_correct, num_turns, tool_calls_count)| Evaluation {
                    score,
                    is_correct,
                    num_turns,
                    tool_calls_count,
                },
            )
    }

    fn any_usage() -> impl Strategy<Value = TokenUsage> {
        (any::<[u64; 3]>(), any::<[Option<u64>; 3]>()).prop_map(|(all, some)| TokenUsage {
            input_tokens: all[0],
            output_tokens: all[1],
            total_tokens: all[2],
            input_tokens_cache_write: some[0],
            input_tokens_cache_read: some[1],
            reasoning_tokens: some[2],
        })
    }

    fn any_performance() -> impl Strategy<Value = Performance> {
        let time = || option::of(proptest::num::f64::POSITIVE);
        (
            time(),
            time(),
            btree_map(any::<String>(), any::<String>(), 0..3),
        )
            .prop_map(
                |(latency_ms, generation_time_ms, additional_details)| Performance {
                    latency_ms,
                    generation_time_ms,
                    additional_details,
                },
            )
    }

    fn any_row() -> impl Strategy<Value = Row<'static>> {
        let kind = prop_oneof![
            Just(InteractionType::SingleTurn),
            Just(InteractionType::MultiTurn),
            Just(InteractionType::Agentic),
        ];
        let output = (vec(text(), 0..3), option::of(vec(text(), 0..2))).prop_map(
            |(raw, reasoning_trace)| Output {
                raw,
                reasoning_trace,
            },
        );
        let said = (
            option::of(output),
            option::of(vec(any_message(), 0..4)),
            vec(any_attribution(), 0..2),
        );
        let more = (
            option::of(any_usage()),
            option::of(any_performance()),
            option::of(text()),
            btree_map(text(), text(), 0..3),
        );
        let named = (text(), text(), text(), text(), text());
        (named, kind, any_input(), any_evaluation(), said, more).prop_map(
            |(named, kind, input, evaluation, said, more)| {
                let mut row = Row::new(named.0, kind, input, evaluation);
                (row.evaluation_id, row.model_id) = (named.1, named.2);
                (row.evaluation_name, row.evaluation_result_id) = (named.3, named.4);
                (row.output, row.messages, row.answer_attribution) = said;
                (row.token_usage, row.performance, row.error, row.metadata) = more;
                row
            },
        )
    }

    proptest! {
        #[test]
        fn a_row_is_written_as_serde_would_write_it(row in any_row()) {
            let expected = serde_json::to_string(&row).unwrap();

            let mut written = Vec::new();
            row.write(&mut written);

            prop_assert_eq!(String::from_utf8(written).unwrap(), expected + "\n");
        }
    }
}
