use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use assay_formats::eee::record::MetricConfig;
use assay_formats::eee::row::{
    Attribution, Evaluation, Input, InteractionType, Output, Row, TokenUsage,
};
use parquet::record::{Field, Row as TableRow};

use super::answer::Answer;
use super::field::{get, group, integer, items, json, number, text, texts};
use super::metric::counts_right_answers;
use super::record::RecordOf;
use super::table::{Stop, Table};
use crate::convert::metric::{Correctness, is_within};
use crate::convert::question::{Fit, set_correctness, without_labels, write_row};
use crate::convert::{Log, RecordWriter, Refusal, Warning};

/// The columns that a sample is made of; of `metric`, all are needed.
const DOCUMENT: [&str; 4] = ["id", "query", "choices", "gold_index"];
const RESPONSE: [&str; 7] = [
    "input",
    "text",
    "text_post_processed",
    "reasonings",
    "logprobs",
    "input_tokens",
    "output_tokens",
];
/// The columns that the details had before 0.11, each a text in the syntax of Python.
const OLD_COLUMNS: [&str; 2] = ["full_prompt", "predictions"];

/// Writes the samples of one task.
pub(super) struct Rows<'r> {
    evaluation_id: &'r str,
    model_id: &'r str,
    evaluation_name: &'r str,
    metrics: Vec<Metric<'r>>,
    /// The number of times each id was met. It grows with the samples, by their ids alone.
    seen: HashMap<String, u64>,
    index: u64,
    unnamed: u64,
    repeated: u64,
    damaged: u64,
    cut: u64,
}

struct Metric<'r> {
    name: &'r str,
    config: MetricConfig,
    counts_right_answers: bool,
    /// Number of samples that have no number for it.
    without: u64,
    /// How many samples have a number that cannot be a score of it: what some metrics are computed
    /// from, such as the log-probabilities behind a perplexity, is written in their place.
    outside: u64,
}

impl Metric<'_> {
    /// The score that a sample has.
    fn score(&mut self, scores: Option<&TableRow>) -> Option<f64> {
        let Some(score) = scores.and_then(|scores| number(get(scores, self.name)?)) else {
            self.without += 1;
            return None;
        };
        if !is_within(&self.config, score) {
            self.outside += 1;
            return None;
        }
        Some(score)
    }
}

impl<'r> Rows<'r> {
    pub(super) fn new(of: &'r RecordOf<'_, '_>) -> Self {
        let metric = |(name, config)| Metric {
            name,
            config,
            counts_right_answers: counts_right_answers(name),
            without: 0,
            outside: 0,
        };
        Self {
            evaluation_id: &of.evaluation_id,
            model_id: of.model_id(),
            evaluation_name: of.evaluation_name(),
            metrics: of.metrics().map(metric).collect(),
            seen: HashMap::new(),
            index: 0,
            unnamed: 0,
            repeated: 0,
            damaged: 0,
            cut: 0,
        }
    }

    /// Reads every sample and writes one row for each of its scores; returns what was wrong with
    /// single samples.
    pub(super) fn write(
        mut self,
        log: &Log<'_>,
        table: Table<'_>,
        writer: &mut RecordWriter<'_>,
    ) -> Result<Vec<Warning>, Refusal> {
        let name = self.evaluation_name;
        if !table.has("doc") {
            let old = OLD_COLUMNS.iter().any(|column| table.has(column));
            let why = if old {
                "are from before lighteval 0.11"
            } else {
                "have no column `doc`"
            };
            writer.warn(format!("the details of `{name}` {why}: it has no samples"));
            return Ok(Vec::new());
        }
        let expected = table.count();
        let wanted = |group: &str, field: &str| match group {
            "doc" => DOCUMENT.contains(&field),
            "model_response" => RESPONSE.contains(&field),
            "metric" => true,
            _ => false,
        };
        let mut buffer = Vec::new();
        let progress = |bytes| (log.progress)(bytes);
        let end = table.rows(&wanted, &progress, |row| {
            buffer.clear();
            let count = self.sample(row, &mut buffer);
            writer.rows(&buffer, count)
        });
        match end {
            Ok(()) if expected == Some(self.index) => {}
            Ok(()) => writer.warn(format!(
                "the details of `{name}` promise another number of samples than they have"
            )),
            Err(Stop::Damaged(why)) => writer.warn(format!(
                "the details of `{name}` are damaged after {} samples: {why}",
                self.index
            )),
            Err(Stop::Caller(refusal)) => return Err(refusal),
        }
        Ok(self.warnings())
    }

    /// Returns the faults of single samples, counted.
    fn warnings(&self) -> Vec<Warning> {
        let name = self.evaluation_name;
        let mut counted = vec![
            (
                format!("a sample of `{name}` has no question, or is too large: left out"),
                self.damaged,
            ),
            (
                format!("a sample of `{name}` is too large: its texts were cut"),
                self.cut,
            ),
            (
                format!("a sample of `{name}` has no id: named by its place"),
                self.unnamed,
            ),
            (
                format!(
                    "a sample of `{name}` has the id of another: a number behind it tells them apart"
                ),
                self.repeated,
            ),
        ];
        for metric in &self.metrics {
            let about = |what: &str| {
                format!(
                    "a sample of `{name}` has {what} `{}`: no row for it",
                    metric.name
                )
            };
            counted.push((about("no number for"), metric.without));
            counted.push((about("a number outside the bounds of"), metric.outside));
        }
        counted
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(message, count)| Warning { message, count })
            .collect()
    }

    /// Writes the rows of one sample and returns how many there are.
    fn sample(&mut self, row: &TableRow, to: &mut Vec<u8>) -> u64 {
        let index = self.index;
        self.index += 1;
        let column = |name: &str| get(row, name).and_then(group);
        let Some(sample) = column("doc").and_then(|doc| Sample::of(doc, column("model_response")))
        else {
            self.damaged += 1;
            return 0;
        };
        let id = self.name(sample.id.clone(), index);
        let scores = column("metric");
        let mut count = 0;
        for at in 0..self.metrics.len() {
            let metric = &mut self.metrics[at];
            let Some(score) = metric.score(scores) else {
                continue;
            };
            let evaluation = Evaluation {
                score,
                is_correct: false,
                num_turns: Some(1),
                tool_calls_count: Some(0),
            };
            let result = metric.name;
            let correctness = Correctness::from_score(metric.counts_right_answers, score);
            let mut row = sample.row(&id, evaluation);
            row.evaluation_id = Cow::Borrowed(self.evaluation_id);
            row.model_id = Cow::Borrowed(self.model_id);
            row.evaluation_name = Cow::Borrowed(self.evaluation_name);
            row.evaluation_result_id = Cow::Borrowed(result);
            set_correctness(&mut row, correctness);
            match write_row(&row, to) {
                Fit::Whole => {}
                Fit::Cut => self.cut += 1,
                Fit::LeftOut => {
                    self.damaged += 1;
                    continue;
                }
            }
            count += 1;
        }
        count
    }

    /// A name for the sample that no other has. Runs with several seeds repeat the ids of their
    /// documents.
    fn name(&mut self, id: Option<String>, index: u64) -> String {
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| {
            self.unnamed += 1;
            index.to_string()
        });
        let times = self.seen.entry(id.clone()).or_default();
        *times += 1;
        if *times == 1 {
            return id;
        }
        self.repeated += 1;
        format!("{id}#{times}")
    }
}

/// One row of the details.
struct Sample {
    id: Option<String>,
    question: String,
    formatted: Option<String>,
    reference: Vec<String>,
    /// The options, if the question has any.
    choices: Option<Vec<String>>,
    answer: Answer,
    usage: Option<TokenUsage>,
}

impl Sample {
    fn of(doc: &TableRow, response: Option<&TableRow>) -> Option<Self> {
        let query = text(get(doc, "query")?)?;
        let choices = texts(get(doc, "choices"));
        let gold: Vec<usize> = items(get(doc, "gold_index"))
            .iter()
            .filter_map(|index| usize::try_from(integer(index)?).ok())
            .collect();
        let reference = gold
            .iter()
            .filter_map(|index| choices.get(*index).cloned())
            .collect();
        // In a free-form task the choices are the right answers and nothing else: no options that
        // the model could see.
        let is_choice = (0..choices.len()).any(|index| !gold.contains(&index));
        let part = |name: &str| response.and_then(|response| get(response, name));
        let answer = Answer::of(&part, &choices);
        let question = without_labels(&query).map(str::to_owned);
        let sent = part("input").and_then(|input| match input {
            Field::ListInternal(_) | Field::Group(_) => Some(json(input).to_string()),
            _ => text(input),
        });
        Some(Self {
            id: get(doc, "id").and_then(text),
            formatted: sent.or_else(|| question.is_some().then(|| query.clone())),
            question: question.unwrap_or(query),
            reference,
            usage: match answer {
                Answer::Said { .. } => usage(&part),
                Answer::Chosen { .. } | Answer::Nothing => None,
            },
            answer,
            choices: is_choice.then_some(choices),
        })
    }

    fn row<'s>(&'s self, id: &'s str, evaluation: Evaluation) -> Row<'s> {
        let borrowed = |texts: &'s [String]| texts.iter().map(Into::into).collect::<Vec<Cow<_>>>();
        let input = Input {
            raw: self.question.as_str().into(),
            formatted: self.formatted.as_deref().map(Into::into),
            reference: borrowed(&self.reference),
            choices: self.choices.as_deref().map(borrowed),
        };
        let mut row = Row::new(id.into(), InteractionType::SingleTurn, input, evaluation);
        let attribution = |value: &'s str, method: &'static str| Attribution {
            turn_idx: 0,
            source: "output.raw".into(),
            extracted_value: value.into(),
            extraction_method: method.into(),
            is_terminal: true,
        };
        let (raw, reasoning_trace) = match &self.answer {
            Answer::Said {
                texts,
                extracted,
                reasonings,
            } => {
                let (value, method) = match (extracted, texts.first()) {
                    (Some(value), _) => (value.as_str(), "post_processing"),
                    (None, Some(first)) => (first.as_str(), "none"),
                    (None, None) => ("", "none"),
                };
                row.answer_attribution.push(attribution(value, method));
                let trace = (!reasonings.is_empty()).then(|| borrowed(reasonings));
                (borrowed(texts), trace)
            }
            Answer::Chosen { choice, logprobs } => {
                row.answer_attribution
                    .push(attribution(choice, "highest_logprob"));
                row.metadata = BTreeMap::from([("logprobs".into(), logprobs.as_str().into())]);
                (vec![choice.as_str().into()], None)
            }
            Answer::Nothing => (Vec::new(), None),
        };
        row.output = Some(Output {
            raw,
            reasoning_trace,
        });
        row.token_usage = self.usage;
        row
    }
}

/// The tokens of all answers together; nothing if the log does not keep them.
fn usage<'f>(part: &dyn Fn(&str) -> Option<&'f Field>) -> Option<TokenUsage> {
    let length = |field: &Field| match field {
        Field::ListInternal(list) => list.elements().len() as u64,
        _ => 1,
    };
    let input_tokens = items(part("input_tokens")).iter().map(length).sum();
    let output_tokens = items(part("output_tokens")).iter().map(length).sum();
    (input_tokens > 0 && output_tokens > 0).then_some(TokenUsage {
        input_tokens,
        output_tokens,
        total_tokens: input_tokens + output_tokens,
        ..TokenUsage::default()
    })
}
