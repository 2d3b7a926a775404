use std::borrow::Cow;
use std::collections::BTreeMap;

use assay_formats::eee::record::MetricConfig;
use assay_formats::eee::row::{
    Attribution, Evaluation, Input, InteractionType, Output, Prompt, Row, Text,
};
use assay_formats::json::Parser;
use assay_formats::{Kind, Tape, Value};

use super::answer;
use super::arguments::Arguments;
use super::results::NO_FILTER;
use super::text::{python_json, text_of, write_string};
use crate::convert::metric::{Correctness, is_within};
use crate::convert::question::{
    Fit, are_letters, question_behind, question_within, set_correctness, without_labels, write_row,
};

/// The plan for the rows of one samples file.
pub(super) struct Plan<'r> {
    /// The `evaluation_id` of the record.
    pub(super) evaluation_id: &'r str,
    /// The model.
    pub(super) model_id: &'r str,
    /// The task.
    pub(super) evaluation_name: &'r str,
    /// The results, in the order of the record.
    pub(super) results: Vec<Scored<'r>>,
    /// True if a row must say its filter.
    pub(super) has_several_filters: bool,
    /// The form of the prompts.
    pub(super) prompt: PromptForm<'r>,
}

/// The form in which the documents of a task became prompts, as far as its configuration has it.
#[derive(Debug, Default)]
pub(super) struct PromptForm<'r> {
    /// The fields of a document that the question consists of.
    pub(super) fields: Vec<String>,
    /// The text between examples.
    pub(super) delimiter: Cow<'r, str>,
    /// The number of examples.
    pub(super) shots: usize,
}

/// A result that rows count for.
pub(super) struct Scored<'r> {
    /// Names it.
    pub(super) id: &'r str,
    /// The metric, which is the key of the score in a row.
    pub(super) metric: &'r str,
    /// The filter.
    pub(super) filter: &'r str,
    /// True if the metric counts right answers.
    pub(super) counts_right_answers: bool,
    /// The metric as the record describes it.
    pub(super) config: &'r MetricConfig,
}

/// The reason why a sample has no row, or none for a result, whose position is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// The file ends in the middle of it.
    CutOff,
    /// It cannot be read.
    Unreadable,
    /// It is too large.
    Oversized,
    /// Its row is too large: it keeps its score, and its texts are cut.
    Cut,
    /// It has no question or no id.
    Incomplete,
    /// It does not say after which filter it was scored, and there are several.
    NoFilter,
    /// It has no value for a metric.
    Absent(usize),
    /// Its value for a metric is no finite number.
    NotANumber(usize),
    /// Its value for a metric lies where the metric cannot.
    OutOfRange(usize),
}

/// The outcome of some rows.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The new rows.
    pub(super) bytes: Vec<u8>,
    /// The number of rows for each result.
    pub(super) rows: Vec<u64>,
    /// The lost rows.
    pub(super) losses: BTreeMap<Loss, u64>,
}

impl Written {
    /// Counts something that was lost.
    pub(super) fn lose(&mut self, loss: Loss) {
        *self.losses.entry(loss).or_default() += 1;
    }
}

/// Turns rows into rows, with buffers that are used again.
pub(super) struct Reader<'p> {
    plan: &'p Plan<'p>,
    parser: Parser,
    tape: Tape,
}

impl<'p> Reader<'p> {
    pub(super) fn new(plan: &'p Plan<'p>) -> Self {
        Self {
            plan,
            parser: Parser::with_depth(super::MAX_DEPTH),
            tape: Tape::new(),
        }
    }

    /// Turns one line into rows; `is_whole` tells whether it has its line end.
    pub(super) fn line(&mut self, line: &[u8], is_whole: bool, written: &mut Written) {
        let text = match simdutf8::basic::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(line),
        };
        if text.trim_ascii().is_empty() {
            return;
        }
        self.parser.parse(&text, &mut self.tape);
        match self.tape.root(&text) {
            Some(row) if row.kind() == Kind::Map => write(self.plan, row, written),
            Some(_) | None => written.lose(if is_whole {
                Loss::Unreadable
            } else {
                Loss::CutOff
            }),
        }
    }
}

/// Adds the rows of one sample: one for each result that it has a score for.
fn write(plan: &Plan<'_>, sample: Value<'_>, written: &mut Written) {
    written.rows.resize(plan.results.len(), 0);
    let filter = sample.present("filter").and_then(Value::text);
    if filter.is_none() && plan.has_several_filters {
        return written.lose(Loss::NoFilter);
    }
    let mut row = None;
    for (position, result) in plan.results.iter().enumerate() {
        if filter
            .as_deref()
            .is_some_and(|filter| filter != result.filter)
        {
            continue;
        }
        let score = match score_of(sample, result, position) {
            Ok(score) => score,
            Err(loss) => {
                written.lose(loss);
                continue;
            }
        };
        let row = match &mut row {
            Some(row) => row,
            None => match new_row(plan, sample, filter.clone()) {
                Some(new) => row.insert(new),
                None => return written.lose(Loss::Incomplete),
            },
        };
        row.evaluation_result_id = Text::Borrowed(result.id);
        row.evaluation.score = score;
        set_correctness(
            row,
            Correctness::from_score(result.counts_right_answers, score),
        );
        match write_row(row, &mut written.bytes) {
            Fit::Whole => {}
            Fit::Cut => written.lose(Loss::Cut),
            Fit::LeftOut => {
                written.lose(Loss::Oversized);
                continue;
            }
        }
        written.rows[position] += 1;
    }
}

/// The score of a sample for a result. Metrics over the whole file leave what they need, such as a
/// pair of answer and target, or a likelihood where the metric is a perplexity: neither is a score.
fn score_of(sample: Value<'_>, result: &Scored<'_>, position: usize) -> Result<f64, Loss> {
    let value = sample.get(result.metric).ok_or(Loss::Absent(position))?;
    let score = match value.kind() {
        Kind::Bool => value.truth().map(f64::from),
        Kind::Number => value.number(),
        Kind::Null | Kind::String | Kind::List | Kind::Map => None,
    };
    let score = score.ok_or(Loss::NotANumber(position))?;
    if is_within(result.config, score) {
        Ok(score)
    } else {
        Err(Loss::OutOfRange(position))
    }
}

/// The row of a sample, but for its score.
fn new_row<'d>(plan: &Plan<'d>, sample: Value<'d>, filter: Option<Text<'d>>) -> Option<Row<'d>> {
    let sample_id = sample.present("doc_id").map(text_of)?;
    let arguments = Arguments::of(sample)?;
    let choices = arguments.choices();
    let (prompt, chat) = arguments.prompt();
    let stem = choices.as_ref().and_then(|choices| choices.stem.clone());
    let choices = choices.map(|choices| choices.texts);
    let (asked, sent) = match (stem, chat) {
        (Some(stem), _) => (Cow::Owned(stem), None),
        (None, Some(chat)) => (Cow::Owned(chat.question), Some(prompt.into())),
        (None, None) => (prompt, None),
    };
    let (raw, formatted) = match question(&plan.prompt, sample, &asked) {
        Some(question) => {
            let sent = sent.or_else(|| arguments.spelled_prompt());
            (question.into(), sent.or(Some(Prompt::Text(asked))))
        }
        None => (asked, sent),
    };
    let (said, extracted) = if let Some(choices) = &choices {
        let chosen = answer::likeliest(sample, choices.len()).map(|best| choices[best].clone());
        (chosen.iter().cloned().collect(), chosen)
    } else {
        let said = answer::said(sample);
        let extracted = answer::extracted(sample).or_else(|| said.first().cloned());
        (said, extracted)
    };
    let choices = choices.map(|own| option_texts(sample, &own).unwrap_or(own));
    let input = Input {
        raw,
        formatted,
        reference: answer::references(sample.get("target"), choices.as_deref()),
        choices,
    };
    let evaluation = Evaluation {
        score: 0.0,
        is_correct: false,
        num_turns: None,
        tool_calls_count: None,
    };
    let mut row = Row::new(sample_id, InteractionType::SingleTurn, input, evaluation);
    row.evaluation_id = Text::Borrowed(plan.evaluation_id);
    row.model_id = Text::Borrowed(plan.model_id);
    row.evaluation_name = Text::Borrowed(plan.evaluation_name);
    row.output = Some(Output {
        raw: said,
        reasoning_trace: None,
    });
    let method = filter.unwrap_or(Text::Borrowed(NO_FILTER));
    row.metadata = metadata(plan, sample, method.clone());
    row.answer_attribution = extracted
        .map(|extracted_value| Attribution {
            turn_idx: 0,
            source: Text::Borrowed("output.raw"),
            extracted_value,
            extraction_method: method,
            is_terminal: true,
        })
        .into_iter()
        .collect();
    Some(row)
}

/// Finds the question alone in what was asked: without examples, instructions and what the template
/// puts around it. Returns nothing where all of it is the question, or the question cannot be
/// found.
fn question(form: &PromptForm<'_>, sample: Value<'_>, asked: &str) -> Option<String> {
    let document = sample.get("doc");
    let texts: Option<Vec<Cow<'_, str>>> = form
        .fields
        .iter()
        .map(|field| document?.get(field)?.text())
        .collect();
    let found = texts
        .filter(|texts| !texts.is_empty())
        .and_then(|texts| question_within(asked, &texts))
        .or_else(|| {
            let last = question_behind(asked, &form.delimiter, form.shots);
            last.map(|last| without_labels(last).unwrap_or(last))
        })
        .or_else(|| (form.shots == 0).then(|| without_labels(asked)).flatten())?;
    (found.len() < asked.len() && !found.trim().is_empty()).then(|| found.to_owned())
}

/// Returns the options of the document where the model chose among their letters only, as the
/// options are what tells one question from another.
fn option_texts<'d>(sample: Value<'d>, choices: &[Text<'d>]) -> Option<Vec<Text<'d>>> {
    if !are_letters(choices) {
        return None;
    }
    let own = sample.get("doc")?.present("choices")?;
    let list = own.present("text").unwrap_or(own);
    let texts: Vec<Text<'d>> = list.items().map(Value::text).collect::<Option<_>>()?;
    (texts.len() == choices.len()).then_some(texts)
}

fn metadata<'d>(
    plan: &Plan<'_>,
    sample: Value<'d>,
    filter: Text<'d>,
) -> BTreeMap<Text<'d>, Text<'d>> {
    let mut metadata = BTreeMap::new();
    for key in ["doc_hash", "prompt_hash", "target_hash"] {
        if let Some(hash) = sample.present(key).and_then(Value::text) {
            metadata.insert(Text::Borrowed(key), hash);
        }
    }
    metadata.insert(Text::Borrowed("filter"), filter);
    if let Some(metrics) = metrics_of(plan, sample) {
        metadata.insert(Text::Borrowed("lm_eval_metrics"), Text::Owned(metrics));
    }
    metadata
}

/// All metrics of a sample as the harness wrote them, those that are no scores included.
fn metrics_of(plan: &Plan<'_>, sample: Value<'_>) -> Option<String> {
    let mut text = String::from("{");
    let mut add = |name: &str| {
        let Some(value) = sample.get(name) else {
            return;
        };
        if text.len() > 1 {
            text.push_str(", ");
        }
        write_string(name, &mut text);
        text.push_str(": ");
        text.push_str(&python_json(value));
    };
    if let Some(names) = sample.present("metrics") {
        for name in names.items().filter_map(Value::text) {
            add(&name);
        }
    } else {
        let mut seen = "";
        for result in &plan.results {
            if result.metric != seen {
                add(result.metric);
            }
            seen = result.metric;
        }
    }
    text.push('}');
    (text.len() > 2).then_some(text)
}
