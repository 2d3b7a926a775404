use super::TaskRow;
use crate::web::query::State;

/// The longest text that is looked for, in characters.
const MAX_TEXT: usize = 200;

/// A filter of the samples of a task, and their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampleFilter {
    pub(super) benchmark: String,
    pub(super) task: Option<String>,
    pub(super) metric: Option<String>,
    /// Only samples that this model has answered.
    pub(super) model: Option<String>,
    /// Only samples with this in what they say of themselves, as `key=value`.
    pub(super) slice: String,
    pub(super) outcome: Outcome,
    /// Only samples with this text in the question or in an answer.
    pub(super) text: String,
    pub(super) easy_first: bool,
}

/// The outcome of a sample: for the chosen model, else for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Any,
    Right,
    Wrong,
    /// Some are right and some are wrong.
    Split,
}

impl Outcome {
    /// Every outcome with its word and its label.
    pub(super) const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Any, "", "any"),
        (Self::Right, "right", "right"),
        (Self::Wrong, "wrong", "wrong"),
        (Self::Split, "split", "models differ"),
    ];

    fn named(word: Option<&str>) -> Self {
        let found = Self::ALL.iter().find(|(_, own, _)| Some(*own) == word);
        found.map_or(Self::Any, |(outcome, ..)| *outcome)
    }
}

impl SampleFilter {
    /// Reads the filter of an address.
    pub(super) fn of(state: &State, task: &TaskRow) -> Self {
        let text = |key: &str| -> String {
            let text = state.get(key).unwrap_or_default().trim();
            text.chars().take(MAX_TEXT).collect()
        };
        Self {
            benchmark: task.benchmark.clone(),
            task: task.task.clone(),
            metric: task.metric.clone(),
            model: Some(text("model")).filter(|model| !model.is_empty()),
            slice: text("slice"),
            outcome: Outcome::named(state.get("outcome")),
            text: text("q"),
            easy_first: state.get("sort") == Some("easy"),
        }
    }

    /// Returns the name of the task.
    pub(super) fn name(&self) -> &str {
        self.task.as_deref().unwrap_or(&self.benchmark)
    }

    /// The keys that say which task it is, for the hidden fields of a form.
    pub(super) fn place(&self) -> Vec<(&'static str, &str)> {
        let named = [
            ("benchmark", Some(self.benchmark.as_str())),
            ("task", self.task.as_deref()),
            ("metric", self.metric.as_deref()),
        ];
        let named = named.into_iter();
        named
            .filter_map(|(key, value)| Some((key, value?)))
            .collect()
    }

    /// Returns whether anything but the task was asked for.
    pub(super) fn is_narrowed(&self) -> bool {
        self.model.is_some()
            || self.outcome != Outcome::Any
            || !self.slice.is_empty()
            || !self.text.is_empty()
    }

    /// The list of this task, with nothing else asked for.
    pub(super) fn all(&self) -> String {
        self.place()
            .into_iter()
            .fold(State::default(), |state, (key, value)| {
                state.with(key, value)
            })
            .on("/samples")
    }

    /// Returns the condition on rows of the task.
    pub(super) fn rows(&self) -> String {
        format!(
            "benchmark = {} AND {}",
            quoted(&self.benchmark),
            is("task", self.task.as_deref())
        )
    }

    /// Asks which models have answered.
    pub(super) fn models(&self, most: usize) -> String {
        format!(
            "SELECT model, count(DISTINCT sample_hash) AS samples, avg(score) AS mean FROM instances \
             WHERE {} AND {} AND score IS NOT NULL AND sample_hash IS NOT NULL \
             GROUP BY model ORDER BY mean DESC, model LIMIT {most}",
            self.rows(),
            is("metric", self.metric.as_deref())
        )
    }

    /// Asks for samples: how many models are right, of how many. Epochs of one sample count as one;
    /// it is right when more than half of them are.
    pub(super) fn list(&self, most: usize, offset: usize) -> String {
        let mut conditions = vec![
            self.rows(),
            is("metric", self.metric.as_deref()),
            "sample_hash IS NOT NULL AND score IS NOT NULL".to_owned(),
        ];
        if !self.slice.is_empty() {
            conditions.push(self.in_slice());
        }
        if !self.text.is_empty() {
            conditions.push(format!(
                "sample_hash IN (SELECT sample_hash FROM messages WHERE {} AND {})",
                self.rows(),
                contains("content", &self.text)
            ));
        }
        let order = if self.easy_first { "DESC" } else { "ASC" };
        format!(
            "WITH tried AS (SELECT sample_hash, model, \
                 avg(CASE WHEN is_correct THEN 1.0 ELSE 0.0 END) > 0.5 AS correct \
                 FROM instances WHERE {} GROUP BY sample_hash, model) \
             SELECT sample_hash AS hash, count(*) AS models, \
                 sum(CASE WHEN correct THEN 1 ELSE 0 END) AS right, count(*) OVER () AS total \
             FROM tried GROUP BY sample_hash HAVING {} \
             ORDER BY sum(CASE WHEN correct THEN 1.0 ELSE 0.0 END) / count(*) {order}, sample_hash \
             LIMIT {most} OFFSET {offset}",
            conditions.join(" AND "),
            self.having()
        )
    }

    /// Asks how the questions of some samples begin.
    pub(super) fn questions(&self, hashes: &[&str], most: usize) -> String {
        let hashes: Vec<String> = hashes.iter().map(|hash| quoted(hash)).collect();
        format!(
            "SELECT sample_hash AS hash, min(substr(content, 1, {most})) AS question FROM messages \
             WHERE {} AND part = 'input' AND sample_hash IN ({}) GROUP BY sample_hash",
            self.rows(),
            hashes.join(", ")
        )
    }

    /// Returns the condition on the outcome.
    fn having(&self) -> String {
        let (who, all) = match &self.model {
            Some(model) => {
                let own = format!("model = {}", quoted(model));
                let all = format!("sum(CASE WHEN {own} THEN 1 ELSE 0 END)");
                (format!("{own} AND correct"), all)
            }
            None => ("correct".to_owned(), "count(*)".to_owned()),
        };
        let right = format!("sum(CASE WHEN {who} THEN 1 ELSE 0 END)");
        let outcome = match self.outcome {
            Outcome::Any => "true".to_owned(),
            Outcome::Right => format!("{right} = {all}"),
            Outcome::Wrong => format!("{right} = 0"),
            Outcome::Split => {
                let right = "sum(CASE WHEN correct THEN 1 ELSE 0 END)";
                format!("{right} > 0 AND {right} < count(*)")
            }
        };
        format!("{all} > 0 AND {outcome}")
    }

    /// A slice is a pair of what a row says of itself, or a word that is somewhere in it.
    fn in_slice(&self) -> String {
        let Some((key, value)) = self.slice.split_once('=') else {
            return contains("metadata", &self.slice);
        };
        let json = |text: &str| serde_json::Value::from(text.trim()).to_string();
        let (key, value) = (json(key), value.trim());
        // Rows are kept as they were written, with or without spaces; a number or a truth has no
        // quotes.
        let spellings = [
            format!("{key}:{}", json(value)),
            format!("{key}: {}", json(value)),
            format!("{key}:{value}"),
            format!("{key}: {value}"),
        ];
        let either = spellings.map(|spelling| contains("metadata", &spelling));
        format!("({})", either.join(" OR "))
    }
}

/// Returns whether the address means this task, as far as it names one.
pub(super) fn is_meant(state: &State, row: &TaskRow) -> bool {
    let fits = |key: &str, own: Option<&str>| {
        let asked = state.get(key);
        asked.is_none_or(|asked| own.is_some_and(|own| own.eq_ignore_ascii_case(asked)))
    };
    fits("task", row.task.as_deref()) && fits("metric", row.metric.as_deref())
}

/// The list of a task.
pub(super) fn list_of(row: &TaskRow) -> String {
    SampleFilter::of(&State::default(), row).all()
}

/// A text as a literal of SQL.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn is(column: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("{column} = {}", quoted(value)),
        None => format!("{column} IS NULL"),
    }
}

fn contains(column: &str, text: &str) -> String {
    format!(
        "strpos(lower({column}), {}) > 0",
        quoted(&text.to_lowercase())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> SampleFilter {
        let row = TaskRow {
            benchmark: "arith".to_owned(),
            task: Some("sums".to_owned()),
            metric: None,
            models: 1,
            samples: 1,
        };
        SampleFilter::of(&State::of(Some(query)), &row)
    }

    #[test]
    fn nothing_that_is_typed_gets_out_of_its_literal() {
        let typed = "q=x%27%20OR%201%3D1%20--&model=a%27b&slice=k%27%3Dv%22";

        let sql = asked(typed).list(10, 0);

        assert!(sql.contains("'x'' or 1=1 --'"), "{sql}");
        assert!(sql.contains("model = 'a''b'"), "{sql}");
        assert!(sql.contains(r#""k''":"v\""'"#), "{sql}");
    }

    #[test]
    fn what_has_no_name_is_asked_for_as_such() {
        let sql = asked("").models(5);

        assert!(
            sql.contains("task = 'sums'") && sql.contains("metric IS NULL"),
            "{sql}"
        );
    }

    #[test]
    fn an_address_means_the_tasks_that_it_does_not_rule_out() {
        let row = TaskRow {
            benchmark: "arith".to_owned(),
            task: Some("sums".to_owned()),
            metric: Some("exact_match".to_owned()),
            models: 1,
            samples: 1,
        };

        assert!(is_meant(&State::default(), &row));
        assert!(is_meant(&State::of(Some("task=SUMS")), &row));
        assert!(!is_meant(&State::of(Some("task=sums&metric=f1")), &row));
    }
}
