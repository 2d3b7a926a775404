//! Result files against the boards that they are for.

use std::sync::Arc;

use assay_check::{BoardValue, Boards, Context, ResultFile};
use assay_model::{Diagnostic, MetricId, RepoId, TaskId};

/// Values on boards: task, metric, model, value, and whether the model is that of the file.
#[derive(Default)]
struct Values(Vec<(&'static str, &'static str, RepoId, f64, bool)>);

impl Values {
    /// Adds a model with a value of `accuracy` on the task `words`.
    fn with(self, model: &str, value: f64) -> Self {
        self.and("words", "accuracy", model, value)
    }

    fn and(mut self, task: &'static str, metric: &'static str, model: &str, value: f64) -> Self {
        let is_own = model == "ada/own";
        let model = model.parse().unwrap();
        self.0.push((task, metric, model, value, is_own));
        self
    }

    /// Twelve other models from 40 to 62.
    fn usual() -> Self {
        (0..12).fold(Self::default(), |values, number| {
            values.with(&format!("bob/m{number}"), 40.0 + 2.0 * f64::from(number))
        })
    }
}

impl Boards for Values {
    fn values(
        &self,
        dataset: &RepoId,
        task: &TaskId,
        metric: Option<&MetricId>,
    ) -> Vec<BoardValue<'_>> {
        let metric = metric.map_or("accuracy", MetricId::as_str);
        let is_asked = |row: &&(&str, &str, RepoId, f64, bool)| {
            dataset.as_str() == "ada/sums" && row.0 == task.as_str() && row.1 == metric
        };
        let rows = self.0.iter().filter(is_asked);
        rows.map(|(_, _, model, value, is_own)| BoardValue {
            model,
            is_own: *is_own,
            value: *value,
        })
        .collect()
    }
}

fn check(text: &str, boards: &Values) -> Vec<Diagnostic> {
    let file = ResultFile::read(text.into(), Context::DEFAULT_LIMIT);
    assert!(file.entries().is_some(), "no rule refuses it");
    let path: Arc<str> = ".eval_results/sums.yaml".into();
    let found = file.check_on_boards(&path, boards, Context::DEFAULT_LIMIT);
    found.diagnostics().to_vec()
}

fn one(value: &str) -> String {
    format!(
        "- dataset: {{id: ada/sums, task_id: words}}\n  metrics: [{{metric_id: accuracy, value: {value}}}]\n"
    )
}

fn messages(text: &str, boards: &Values) -> Vec<String> {
    let found = check(text, boards);
    let line = |own: &Diagnostic| format!("{}: {}", own.code, own.message);
    found.iter().map(line).collect()
}

#[test]
fn a_share_among_per_cent_is_found_where_it_stands() {
    let found = check(&one("0.52"), &Values::usual());

    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code.to_string(), "AY621");
    assert_eq!(
        found[0].message,
        "0.52 is probably 52: it is far from all others on the board"
    );
    assert_eq!(
        found[0].notes,
        ["nine in ten of the 12 other values are between 40 and 62"]
    );
    assert_eq!(
        (found[0].place.line, &*found[0].place.file),
        (2, ".eval_results/sums.yaml")
    );
    assert_eq!(
        messages(&one("5200"), &Values::usual()),
        ["AY621: 5200 is probably 52: it is far from all others on the board"]
    );
}

#[test]
fn an_anonymous_value_is_of_the_primary_metric() {
    let text = "- dataset: {id: ada/sums, task_id: words}\n  value: 0.52\n";

    assert_eq!(messages(text, &Values::usual()).len(), 1);
}

#[test]
fn values_that_may_be_honest_are_left_alone() {
    let usual = Values::usual();
    for honest in ["0", "-0.5", "5.2", "12.5", "38.1", "61.9", "100", "0.02"] {
        assert_eq!(messages(&one(honest), &usual), [""; 0], "{honest}");
    }
    let few = (0..9).fold(Values::default(), |values, number| {
        values.with(&format!("bob/m{number}"), 50.0 + f64::from(number))
    });
    assert_eq!(messages(&one("0.52"), &few), [""; 0], "nine are too few");
    let mixed = Values::usual().with("bob/weak", 0.6);
    assert_eq!(
        messages(&one("0.52"), &mixed),
        [""; 0],
        "another is as small"
    );
    let other_task = "- dataset: {id: ada/sums, task_id: hard}\n  value: 0.52\n";
    assert_eq!(messages(other_task, &usual), [""; 0], "of another board");
}

#[test]
fn another_result_of_the_model_tells_its_scale() {
    let own = Values::default().with("ada/own", 52.3);

    assert_eq!(
        messages(&one("0.523"), &own),
        ["AY621: 0.523 is probably 52.3: another result of the model on the board is about 52.3"]
    );
    assert_eq!(
        messages(&one("5.25"), &own),
        ["AY621: 5.25 is probably 52.5: another result of the model on the board is about 52.5"]
    );
    for honest in ["52.3", "53", "6.1", "0.6"] {
        assert_eq!(messages(&one(honest), &own), [""; 0], "{honest}");
    }
    let both = own.with("ada/own", 0.523);
    assert_eq!(messages(&one("0.523"), &both), [""; 0], "one agrees");
}

/// A file with results for three tasks.
fn three(values: [&str; 3]) -> String {
    let tasks = ["words", "hard", "long"].iter().zip(values);
    let entries = tasks.map(|(task, value)| {
        format!("- dataset: {{id: ada/sums, task_id: {task}}}\n  metrics: [{{metric_id: accuracy, value: {value}}}]\n")
    });
    entries.collect::<Vec<String>>().concat()
}

fn copied(model: &str, values: [f64; 3]) -> Values {
    let tasks = ["words", "hard", "long"].into_iter().zip(values);
    tasks.fold(Values::default(), |all, (task, value)| {
        all.and(task, "accuracy", model, value)
    })
}

#[test]
fn three_equal_values_of_another_model_are_a_copy() {
    let text = three(["52.31", "48.7", "61.94"]);

    let found = check(&text, &copied("bob/twin", [52.31, 48.7, 61.94]));

    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code.to_string(), "AY622");
    assert_eq!(
        found[0].message,
        "another model has the same values: `bob/twin`"
    );
    assert_eq!(
        found[0].notes,
        ["3 different values are equal to the last digit"]
    );
}

#[test]
fn values_that_agree_by_chance_are_no_copy() {
    let text = three(["52.31", "48.7", "61.94"]);
    for boards in [
        // Its own results.
        copied("ada/own", [52.31, 48.7, 61.94]),
        // One of them differs.
        copied("bob/twin", [52.31, 48.7, 61.95]),
        // Two models with a part each.
        copied("bob/a", [52.31, 48.7, 1.0]).and("words", "accuracy", "bob/b", 52.31),
    ] {
        assert_eq!(messages(&text, &boards), [""; 0]);
    }
    let round = three(["50", "40", "60"]);
    assert_eq!(
        messages(&round, &copied("bob/twin", [50.0, 40.0, 60.0])),
        [""; 0],
        "two digits say too little"
    );
    let same = three(["52.31", "52.31", "52.31"]);
    assert_eq!(
        messages(&same, &copied("bob/twin", [52.31, 52.31, 52.31])),
        [""; 0],
        "one value three times"
    );
}
