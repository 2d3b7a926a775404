use std::fmt::Write as _;

use assay_model::{
    Entry, Framework, Number, Provenance, Score, Setup, Source, StatedUncertainty, hidden_character,
};
use serde_json::Value as Json;

use super::TOKEN_KEYS;

/// Writes entries as a result file that [`read`](super::read()) turns into the same entries.
///
/// Every text stands in double quotes, so that no tool takes a version for a number or a date for a
/// date; every number is spelled as all tools read it. The list stands at the left margin: it can
/// be appended to a file of the same style.
///
/// ```
/// # use assay_formats::{Tape, eval_results, yaml};
/// let text = "- dataset:\n    id: \"acme/sums\"\n    task_id: \"words\"\n  metrics:\n    - metric_id: \"accuracy\"\n      value: 20.90\n";
/// let mut tape = Tape::new();
/// yaml::parse(text, &mut tape);
/// let entries = tape.root(text).and_then(eval_results::read).unwrap_or_default();
///
/// assert_eq!(eval_results::write(&entries), text);
/// ```
pub fn write(entries: &[Entry]) -> String {
    let mut lines = Lines::default();
    for entry in entries {
        write_entry(entry, &mut lines);
    }
    lines.text
}

fn write_entry(entry: &Entry, lines: &mut Lines) {
    lines.open("- dataset");
    lines.text_at(4, "id", Some(entry.dataset.as_str()));
    lines.text_at(4, "task_id", Some(entry.task.as_str()));
    let revision = entry.dataset_revision.as_ref();
    lines.text_at(4, "revision", revision.map(assay_model::Revision::as_str));
    let revision = entry.model_revision.as_ref();
    lines.text_at(
        2,
        "model_revision",
        revision.map(assay_model::Revision::as_str),
    );
    match entry.scores.as_slice() {
        // A single score without a name stands for the primary metric, in the dialect that has one
        // value only.
        [only] if only.metric.is_none() => {
            lines.plain_at(2, "value", &literal(only));
            write_uncertainty(&only.uncertainty, 2, lines);
        }
        scores => write_metrics(scores, lines),
    }
    if let Some(framework) = &entry.framework {
        write_framework(framework, lines);
    }
    lines.text_at(2, TOKEN_KEYS[0], entry.token.as_deref());
    if let Some(source) = &entry.source {
        write_source(source, lines);
    }
    lines.text_at(
        2,
        "date",
        entry.date.as_ref().map(assay_model::Date::as_str),
    );
    lines.text_at(2, "notes", entry.notes.as_deref());
    lines.text_at(2, "benchmark_subset", entry.subset.as_deref());
    if let Some(size) = entry.sample_size {
        lines.plain_at(2, "sample_size", &size.to_string());
    }
    lines.text_at(2, "normalization", entry.normalization.as_deref());
    write_setup(&entry.setup, lines);
    write_provenance(&entry.provenance, lines);
}

fn write_setup(setup: &Setup, lines: &mut Lines) {
    if setup.is_empty() {
        return;
    }
    lines.open("  setup");
    for (key, value) in setup {
        lines.text_at(4, &quoted(key), Some(value));
    }
}

fn write_provenance(provenance: &Provenance, lines: &mut Lines) {
    if let Some(evaluator) = &provenance.evaluator {
        lines.open("  evaluator");
        lines.text_at(4, "name", evaluator.name.as_deref());
        lines.text_at(4, "relationship", Some(evaluator.relationship.as_str()));
    }
    for (key, date) in [
        ("published", &provenance.published),
        ("retrieved", &provenance.retrieved),
    ] {
        lines.text_at(2, key, date.as_ref().map(assay_model::Date::as_str));
    }
    write_cost(&provenance.cost, lines);
    lines.json_at(2, "run", provenance.run.as_ref());
    lines.json_at(2, "runtime_context", provenance.runtime_context.as_ref());
    lines.json_at(2, "artifacts", provenance.artifacts.as_ref());
}

fn write_cost(cost: &assay_model::Cost, lines: &mut Lines) {
    if cost.is_unknown() {
        return;
    }
    lines.open("  cost");
    lines.number_at(4, "usd", cost.usd);
    if let Some(tokens) = cost.tokens {
        lines.plain_at(4, "tokens", &tokens.to_string());
    }
    lines.number_at(4, "seconds", cost.seconds);
    lines.text_at(4, "hardware", cost.hardware.as_deref());
}

fn write_uncertainty(uncertainty: &StatedUncertainty, indent: usize, lines: &mut Lines) {
    if *uncertainty == StatedUncertainty::default() {
        return;
    }
    let open = |indent: usize, key: &str| format!("{}{key}", " ".repeat(indent));
    lines.open(&open(indent, "uncertainty"));
    lines.number_at(indent + 2, "standard_error", uncertainty.standard_error);
    if let Some(interval) = &uncertainty.interval {
        lines.open(&open(indent + 2, "interval"));
        lines.number_at(indent + 4, "low", Some(interval.low));
        lines.number_at(indent + 4, "high", Some(interval.high));
        lines.number_at(indent + 4, "level", interval.level);
    }
    lines.text_at(indent + 2, "method", uncertainty.method.as_deref());
}

fn write_metrics(scores: &[Score], lines: &mut Lines) {
    lines.open("  metrics");
    for score in scores {
        let metric = score
            .metric
            .as_ref()
            .map_or("value", assay_model::MetricId::as_str);
        lines.text_at(4, "- metric_id", Some(metric));
        lines.plain_at(6, "value", &literal(score));
        let value_type = score.value_type.map(assay_model::ValueType::as_str);
        lines.text_at(6, "value_type", value_type);
        lines.text_at(6, "slice", score.slice.as_deref());
        if let Some(size) = score.sample_size {
            lines.plain_at(6, "sample_size", &size.to_string());
        }
        write_uncertainty(&score.uncertainty, 6, lines);
        if let Some(context) = &score.context {
            lines.json_at(6, "metric_context", context.parameters.as_ref());
            lines.text_at(6, "normalization", context.normalization.as_deref());
        }
    }
}

fn write_framework(framework: &Framework, lines: &mut Lines) {
    if *framework == Framework::default() {
        return lines.plain_at(2, "framework", "{}");
    }
    lines.open("  framework");
    lines.text_at(4, "name", framework.name.as_deref());
    lines.text_at(4, "version", framework.version.as_deref());
    lines.text_at(4, "command", framework.command.as_deref());
}

fn write_source(source: &Source, lines: &mut Lines) {
    lines.open("  source");
    lines.text_at(4, "url", Some(&source.url));
    lines.text_at(4, "name", source.name.as_deref());
    lines.text_at(4, "user", source.user.as_deref());
    lines.text_at(4, "org", source.org.as_deref());
}

/// The score as its author wrote it, if that still says the same: `20.90` tells how many digits
/// were meant.
fn literal(score: &Score) -> String {
    if score.literal.parse() == Ok(score.value) {
        score.literal.clone()
    } else {
        score.value.to_literal()
    }
}

/// The file so far.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    /// A key whose value stands on the lines below.
    fn open(&mut self, key: &str) {
        self.text.push_str(key);
        self.text.push_str(":\n");
    }

    /// A key and a text; nothing when there is none.
    fn text_at(&mut self, indent: usize, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.plain_at(indent, key, &quoted(text));
        }
    }

    /// A key and a number; nothing when there is none.
    fn number_at(&mut self, indent: usize, key: &str, number: Option<Number>) {
        if let Some(number) = number {
            self.plain_at(indent, key, &number.to_literal());
        }
    }

    /// A key and a value of any kind, in one line; nothing when there is none.
    fn json_at(&mut self, indent: usize, key: &str, value: Option<&Json>) {
        if let Some(value) = value {
            self.plain_at(indent, key, &flow(value));
        }
    }

    /// A key and a value that needs no quotes.
    fn plain_at(&mut self, indent: usize, key: &str, value: &str) {
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(key);
        self.text.push_str(": ");
        self.text.push_str(value);
        self.text.push('\n');
    }
}

/// Writes a value of any kind in one line, as a flow collection of YAML.
fn flow(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(truth) => truth.to_string(),
        Json::Number(number) => {
            let real = number.as_f64().filter(|_| number.is_f64());
            let real = real.and_then(Number::new);
            real.map_or_else(|| number.to_string(), Number::to_literal)
        }
        Json::String(text) => quoted(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, held)| format!("{}: {}", quoted(key), flow(held)));
            let pairs: Vec<String> = pairs.collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

/// A text in double quotes, with everything escaped that YAML, a terminal or an editor would act
/// on.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if is_unsafe(character) => escape(character, &mut quoted),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn is_unsafe(character: char) -> bool {
    // YAML prints no control characters, noncharacters or byte order marks, and folds lines at
    // separators.
    character.is_control()
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
        || hidden_character(character.encode_utf8(&mut [0; 4])).is_some()
}

fn escape(character: char, quoted: &mut String) {
    let code = u32::from(character);
    let written = if code > 0xffff {
        write!(quoted, "\\U{code:08x}")
    } else {
        write!(quoted, "\\u{code:04x}")
    };
    written.expect("a string takes all that is written to it");
}

#[cfg(test)]
mod tests {
    use assay_model::{MetricContext, Number};
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;
    use crate::eval_results::read;
    use crate::{Tape, yaml};

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "(yes|no|null|~|1\\.10|0x1F|2026-02-14|- a|a: b|# c|&a|\\*a|!t|%|@|`|\\||>|''|\"\"|\\{\\}|\\[\\])",
            " *[a-z\\n\\t\\\\\" #:]{0,20} *",
        ]
    }

    fn any_score() -> impl Strategy<Value = Score> {
        let value = proptest::num::f64::NORMAL | proptest::num::f64::ZERO;
        let types = option::of(proptest::sample::select(
            assay_model::ValueType::ALL.to_vec(),
        ));
        (
            "[!-~]{1,20}",
            value,
            option::of(any_text()),
            types,
            option::of(1..1_000_000_u64),
            any_uncertainty(),
            any_context(),
        )
            .prop_map(
                |(metric, value, slice, value_type, sample_size, uncertainty, context)| {
                    let value = Number::new(value).expect("the strategy makes finite values");
                    Score {
                        metric: Some(metric.parse().expect("printable ASCII is a metric id")),
                        value,
                        literal: value.to_literal(),
                        slice,
                        value_type,
                        sample_size,
                        uncertainty,
                        context,
                    }
                },
            )
    }

    fn any_number() -> impl Strategy<Value = Number> {
        (proptest::num::f64::POSITIVE | proptest::num::f64::NORMAL)
            .prop_filter_map("finite", |value| Number::new(value.abs()))
    }

    fn any_uncertainty() -> impl Strategy<Value = StatedUncertainty> {
        let level = option::of(0.0..=1.0_f64);
        let interval = (any_number(), any_number(), level).prop_map(|(low, high, level)| {
            assay_model::StatedInterval {
                low,
                high,
                level: level.and_then(Number::new),
            }
        });
        (
            option::of(any_number()),
            option::of(interval),
            option::of(any_text()),
        )
            .prop_map(|(standard_error, interval, method)| StatedUncertainty {
                standard_error,
                interval,
                method,
            })
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let half = |number: i32| Json::from(f64::from(number) + 0.5);
        let leaf = prop_oneof![
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<i32>().prop_map(half),
            any_text().prop_map(Json::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let inner = prop_oneof![Just(Json::Null), inner];
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Json::from),
                proptest::collection::btree_map(any_text(), inner, 0..4)
                    .prop_map(|map| Json::Object(map.into_iter().collect())),
            ]
        })
    }

    fn any_context() -> impl Strategy<Value = Option<Box<MetricContext>>> {
        let context = (option::of(any_json()), option::of(any_text()));
        context.prop_map(|(parameters, normalization)| {
            let context = MetricContext {
                parameters,
                normalization,
            };
            (context != MetricContext::default()).then(|| Box::new(context))
        })
    }

    fn any_provenance() -> impl Strategy<Value = Provenance> {
        let seconds = || option::of(-4_000_000_000..4_000_000_000_i64);
        let relationships = proptest::sample::select(assay_model::Relationship::ALL.to_vec());
        let cost = (
            option::of(any_number()),
            option::of(0..1_000_000_u64),
            option::of(any_number()),
            option::of(any_text()),
        );
        (
            option::of((option::of(any_text()), relationships)),
            seconds(),
            seconds(),
            cost,
            (
                option::of(any_json()),
                option::of(any_json()),
                option::of(any_json()),
            ),
        )
            .prop_map(
                |(evaluator, published, retrieved, cost, details)| Provenance {
                    run: details.0,
                    runtime_context: details.1,
                    artifacts: details.2,
                    evaluator: evaluator
                        .map(|(name, relationship)| assay_model::Evaluator { name, relationship }),
                    published: published.and_then(assay_model::Date::of_unix_seconds),
                    retrieved: retrieved.and_then(assay_model::Date::of_unix_seconds),
                    cost: assay_model::Cost {
                        usd: cost.0,
                        tokens: cost.1,
                        seconds: cost.2,
                        hardware: cost.3,
                    },
                },
            )
    }

    fn any_framework() -> impl Strategy<Value = Framework> {
        let part = || option::of(any_text());
        (part(), part(), part()).prop_map(|(name, version, command)| Framework {
            name,
            version,
            command,
        })
    }

    fn any_source() -> impl Strategy<Value = Source> {
        let part = || option::of(any_text());
        (any_text(), part(), part(), part()).prop_map(|(url, name, user, org)| Source {
            url,
            name,
            user,
            org,
        })
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let revision = || option::of("[0-9a-f]{40}");
        let texts = (
            option::of(any_text()),
            option::of(any_text()),
            option::of(any_text()),
            option::of(any_text()),
        );
        let setup = proptest::collection::btree_map(any_text(), any_text(), 0..4);
        (
            ("[a-z]{1,8}/[A-Za-z][A-Za-z0-9]{0,8}", "[!-~]{1,20}"),
            (revision(), revision()),
            vec(any_score(), 1..4),
            (option::of(any_framework()), option::of(any_source())),
            texts,
            (
                option::of(-4_000_000_000..4_000_000_000_i64),
                option::of(1..1000_u64),
            ),
            (setup, any_provenance()),
        )
            .prop_map(|(ids, revisions, scores, parts, texts, rest, more)| Entry {
                dataset: ids.0.parse().expect("the strategy makes ids"),
                task: ids.1.parse().expect("the strategy makes ids"),
                dataset_revision: revisions.0.map(|text| text.parse().expect("40 digits")),
                model_revision: revisions.1.map(|text| text.parse().expect("40 digits")),
                scores,
                framework: parts.0,
                token: texts.0,
                source: parts.1,
                date: rest.0.and_then(assay_model::Date::of_unix_seconds),
                notes: texts.1,
                subset: texts.2,
                sample_size: rest.1,
                normalization: texts.3,
                setup: more.0.into_iter().collect(),
                provenance: more.1,
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_as_the_same_entries(entries in vec(any_entry(), 1..4)) {
            let text = write(&entries);

            let mut tape = Tape::new();
            let faults = yaml::parse(&text, &mut tape);
            let back = tape.root(&text).and_then(read);

            prop_assert!(faults.is_empty(), "{faults:?}\n{text}");
            prop_assert_eq!(back, Some(entries), "{}", text);
        }
    }

    #[test]
    fn a_score_without_a_name_is_written_as_the_one_value() {
        let text = "- dataset:\n    id: \"a/b\"\n    task_id: \"t\"\n  value: 4.50\n";
        let mut tape = Tape::new();
        yaml::parse(text, &mut tape);
        let entries = tape.root(text).and_then(read).expect("the file is whole");

        assert_eq!(write(&entries), text);
    }

    #[test]
    fn a_literal_that_says_something_else_than_the_value_is_not_believed() {
        let score = Score {
            metric: None,
            value: Number::new(2.5).expect("2.5 is finite"),
            literal: "3.5\n- dataset: {}".to_owned(),
            slice: None,
            value_type: None,
            sample_size: None,
            uncertainty: StatedUncertainty::default(),
            context: None,
        };

        assert_eq!(literal(&score), "2.5");
    }

    #[test]
    fn text_that_a_terminal_obeys_is_escaped() {
        assert_eq!(
            quoted("a\u{1b}[31m\u{202e}\r"),
            r#""a\u001b[31m\u202e\u000d""#
        );
    }
}
