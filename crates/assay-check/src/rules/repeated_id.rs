use std::collections::HashMap;

use assay_formats::Value;

use super::line_of;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Two metrics of a benchmark share an id
    ///
    /// Results name a metric by its id, so two metrics with one id cannot be told apart, and a
    /// board could rank by either.
    ///
    /// ## What to do
    ///
    /// Give each metric an id of its own. For one metric on several subsets, results carry a
    /// `slice`.
    REPEATED_METRIC_ID = (202, "repeated-metric-id", Error)
}

rule! {
    /// Two tasks of a benchmark share an id
    ///
    /// Each task is a leaderboard of its own, and results name it by its id. Two tasks with one id
    /// would mix their results.
    ///
    /// ## What to do
    ///
    /// Give each task an id of its own, or remove the one that was copied.
    REPEATED_TASK_ID = (203, "repeated-task-id", Error)
}

pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    for (list, thing, rule) in [
        ("metrics", "metric", &REPEATED_METRIC_ID),
        ("tasks", "task", &REPEATED_TASK_ID),
    ] {
        let mut first: HashMap<String, Value<'_>> = HashMap::new();
        let ids = root.get(list).into_iter().flat_map(Value::items);
        for id in ids.filter_map(|item| item.get("id")) {
            let Some(text) = id.text() else { continue };
            let Some(&earlier) = first.get(text.as_ref()) else {
                first.insert(text.into_owned(), id);
                continue;
            };
            sink.report(rule, id, || {
                Draft::new(format!(
                    "another {thing} already has the id {}",
                    quote(&text)
                ))
                .note(format!("it stands first on line {}", line_of(earlier)))
                .help(format!("give each {thing} an id of its own"))
            });
        }
    }
}
