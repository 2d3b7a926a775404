//! Trajectories in the Agent Trajectory Interchange Format (ATIF).

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::row::{Text, ToolCall};

use super::super::turns::{Turns, detail, text_of};

/// Reads the steps of a trajectory. Steps that were copied for their context are no turns.
pub(super) fn read(root: Value<'_>) -> Turns<'_> {
    let mut turns = Turns::default();
    let steps = root.present("steps").into_iter().flat_map(Value::items);
    for step in steps {
        let is_copy = step.present("is_copied_context").and_then(Value::truth);
        if is_copy != Some(true) {
            add(&mut turns, step);
        }
    }
    turns
}

fn add<'d>(turns: &mut Turns<'d>, step: Value<'d>) {
    let source = step.text_of("source").unwrap_or_default();
    let said = step.present("message").map(text_of).unwrap_or_default();
    let role = if source == "agent" {
        "assistant".into()
    } else {
        source
    };
    let calls = step.present("tool_calls").into_iter();
    let message = turns.push(role, said);
    message.reasoning_trace = step.text_of("reasoning_content");
    message.tool_calls = calls.flat_map(Value::items).map(call).collect();
    let seen = step.present("observation");
    let results = seen.and_then(|seen| seen.present("results")).into_iter();
    for result in results.flat_map(Value::items) {
        let content = result.present("content").map(text_of).unwrap_or_default();
        let message = turns.push("tool".into(), content);
        message.tool_call_id = result.text_of("source_call_id").into_iter().collect();
    }
}

fn call(value: Value<'_>) -> ToolCall<'_> {
    let arguments = value.present("arguments").into_iter();
    let arguments: BTreeMap<Text<'_>, Text<'_>> = arguments
        .flat_map(Value::entries)
        .filter_map(|(key, value)| Some((key.text()?, detail(value).into())))
        .collect();
    ToolCall {
        id: value.text_of("tool_call_id").unwrap_or_default(),
        name: value.text_of("function_name").unwrap_or_default(),
        arguments: Some(arguments),
    }
}
