//! promptfoo: the results of an evaluation as JSON, a record for each prompt with each provider.

mod provider;

use std::borrow::Cow;
use std::collections::HashMap;

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult};
use assay_formats::eee::row::{Performance, Row, Text, TokenUsage};

use super::detect::Evidence;
use super::document::Document;
use super::identity::digest;
use super::metric::{Correctness, MetricFacts};
use super::question::{question_within, template_fields};
use super::run::{Run, RunProgress, insert_setup};
use super::task_writer::{TaskWriter, named_data, scored_result, unscored_row};
use super::time::{stamp, unix_seconds};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};

/// The share of tests that passed all of their assertions.
const PASS_RATE: &str = "pass_rate";
/// The mean of the scores of the tests.
const SCORE: &str = "score";
/// What promptfoo writes for a test that could not be run, not one that failed.
const BROKE: i64 = 2;

/// The converter.
pub(super) struct Promptfoo;

impl Converter for Promptfoo {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "promptfoo",
            title: "promptfoo",
            framework: "promptfoo",
            library: "promptfoo",
            source_name: "promptfoo",
            log: "results.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_key("evalId") && evidence.has_map_with("results", &["prompts", "results"])
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one evaluation.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let results = root.present("results");
    let prompts = results.and_then(|results| results.present("prompts"));
    let prompts: Vec<Value<'_>> = prompts.into_iter().flat_map(Value::items).collect();
    let mut converted = Vec::new();
    for (index, prompt) in prompts.into_iter().enumerate() {
        let column = Column {
            root,
            index,
            prompt,
        };
        if let Some(results) = column.results() {
            converted.push(column.convert(log, &document, results)?);
        }
    }
    if converted.is_empty() {
        let message = format!(
            "`{}` has no prompt with counted tests; export it with `promptfoo eval -o results.json`",
            log.path
        );
        return Err(Refusal::Nothing(message));
    }
    Ok(converted)
}

/// One prompt with one provider.
struct Column<'d> {
    root: Value<'d>,
    index: usize,
    prompt: Value<'d>,
}

impl<'d> Column<'d> {
    fn count(&self, key: &str) -> Option<u64> {
        u64::try_from(self.prompt.present("metrics")?.present(key)?.integer()?).ok()
    }

    /// Returns the number of tests that passed, failed and broke.
    fn counts(&self) -> Option<(u64, u64, u64)> {
        let broke = self.count("testErrorCount").unwrap_or(0);
        Some((
            self.count("testPassCount")?,
            self.count("testFailCount")?,
            broke,
        ))
    }

    fn config(&self, key: &str) -> Option<Cow<'d, str>> {
        self.root.present("config")?.text_of(key)
    }

    fn dataset(&self) -> Cow<'d, str> {
        let said = self
            .config("description")
            .filter(|own| !own.trim().is_empty());
        said.unwrap_or(Cow::Borrowed("promptfoo"))
    }

    fn results(&self) -> Option<Vec<EvaluationResult>> {
        let (passed, failed, broke) = self.counts()?;
        let all = passed + failed + broke;
        let metrics = self.prompt.present("metrics")?;
        if all == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "nobody runs that many tests")]
        let share = |number: f64| number / all as f64;
        #[expect(clippy::cast_precision_loss, reason = "nobody runs that many tests")]
        let rate = share(passed as f64);
        let mut results = vec![self.result(PASS_RATE, rate, all)];
        results.extend(
            metrics
                .number_of("score")
                .map(|sum| self.result(SCORE, share(sum), all)),
        );
        let weights = metrics
            .present("namedScoreWeights")
            .or(metrics.present("namedScoresCount"));
        let named = metrics.present("namedScores").into_iter();
        for (name, sum) in named.flat_map(Value::entries) {
            let (Some(name), Some(sum)) = (name.text(), sum.number()) else {
                continue;
            };
            let weight = weights.and_then(|weights| weights.number_of(&name));
            if [PASS_RATE, SCORE].contains(&name.as_ref()) {
                continue;
            }
            if let Some(weight) = weight.filter(|weight| *weight > 0.0) {
                let mut result = self.result(&name, sum / weight, all);
                result.score_details.uncertainty = None;
                let details = &mut result.score_details.details;
                details.insert("sum".to_owned(), sum.to_string());
                details.insert("weight".to_owned(), weight.to_string());
                results.push(result);
            }
        }
        Some(results)
    }

    fn result(&self, name: &str, score: f64, samples: u64) -> EvaluationResult {
        let facts = MetricFacts {
            library: "promptfoo",
            name,
            base: None,
            score,
            higher_is_better: Some(true),
        };
        let dataset = self.dataset();
        let data = named_data(&dataset, Details::new());
        scored_result(
            name.to_owned(),
            &dataset,
            data,
            facts.config(),
            score,
            Some(samples),
        )
    }

    fn convert(
        &self,
        log: &Log<'_>,
        document: &Document,
        results: Vec<EvaluationResult>,
    ) -> Result<Converted, Refusal> {
        let dataset = self.dataset();
        let index = self.index.to_le_bytes();
        let content = [document.bytes(), index.as_slice()];
        let mut writer = TaskWriter::begin(log, self.run(), &dataset, &content)?;
        if writer.wants_rows() {
            let mut turns: HashMap<i64, u32> = HashMap::new();
            for test in self.tests() {
                let turn = turns
                    .entry(
                        test.present("testIdx")
                            .and_then(Value::integer)
                            .unwrap_or(-1),
                    )
                    .or_default();
                *turn += 1;
                let mut row = self.row(test, *turn);
                for result in &results {
                    let (score, correctness) = match result.evaluation_result_id.as_str() {
                        PASS_RATE => {
                            let passed =
                                test.present("success").and_then(Value::truth) == Some(true);
                            (
                                Some(f64::from(u8::from(passed))),
                                Correctness::from_grade(passed),
                            )
                        }
                        SCORE => (test.number_of("score"), Correctness::Unknown),
                        name => {
                            let named = test.present("namedScores");
                            (
                                named.and_then(|own| own.number_of(name)),
                                Correctness::Unknown,
                            )
                        }
                    };
                    if let Some(score) = score {
                        writer.row(&mut row, result, score, correctness)?;
                    }
                }
            }
        }
        writer.finish(results)
    }

    /// The tests of this prompt with this provider, in the order of the tests.
    fn tests(&self) -> Vec<Value<'d>> {
        let results = self.root.present("results");
        let all = results
            .and_then(|results| results.present("results"))
            .into_iter();
        let number = |test: &Value<'d>, key: &str| test.present(key).and_then(Value::integer);
        let is_own = |test: &Value<'d>| {
            number(test, "promptIdx").and_then(|own| usize::try_from(own).ok()) == Some(self.index)
        };
        let mut tests: Vec<Value<'d>> = all.flat_map(Value::items).filter(is_own).collect();
        tests.sort_by_key(|test| number(test, "testIdx"));
        tests
    }

    fn run(&self) -> Run {
        let provider = self.prompt.text_of("provider").unwrap_or_default();
        let mut run = Run::new(Harness::Promptfoo, provider::model(&provider));
        let metadata = self.root.present("metadata");
        run.version = metadata.and_then(|own| own.text_of("promptfooVersion").map(Into::into));
        let created = metadata.and_then(|own| own.text_of("evaluationCreatedAt"));
        let created = created.or_else(|| self.root.present("results")?.text_of("timestamp"));
        run.started = created.and_then(|time| Some(stamp(unix_seconds(&time)?)));
        if let Some(id) = self.root.text_of("evalId") {
            run.source_details
                .insert("eval_id".to_owned(), id.into_owned());
        }
        let metrics = self.prompt.present("metrics");
        if let Some(cost) = metrics.and_then(|own| own.number_of("cost")) {
            run.source_details
                .insert("cost_usd".to_owned(), cost.to_string());
        }
        if let Some(text) = self.prompt.text_of("raw") {
            run.source_details
                .insert("prompt_digest".to_owned(), digest(&text));
        }
        let label = self
            .prompt
            .text_of("label")
            .or_else(|| self.prompt.text_of("raw"));
        if let Some(label) = label {
            insert_setup(&mut run.setup, "prompt", &label);
        }
        if let Some((passed, failed, broke)) = self.counts() {
            run.progress = RunProgress {
                status: Some("success".to_owned()),
                planned: Some(passed + failed + broke),
                completed: Some(passed + failed),
                scored: Some(passed + failed),
                failed: Some(broke),
            };
        }
        run
    }

    fn row(&self, test: Value<'d>, turn: u32) -> Row<'d> {
        let sent = test
            .present("prompt")
            .and_then(|own| own.text_of("raw"))
            .unwrap_or_default();
        let question = self.question(test, &sent);
        let id = test.present("testIdx").map_or("unknown", Value::raw);
        let mut row = unscored_row(id.into(), question.clone(), Vec::new());
        if question != sent && !sent.is_empty() {
            row.input.formatted = Some(sent.into());
        }
        let response = test.present("response");
        let answer = response.and_then(|own| own.present("output"));
        if let (Some(answer), Some(output)) = (answer, &mut row.output) {
            output
                .raw
                .push(answer.text().unwrap_or(answer.raw().into()));
        }
        row.metadata.insert("epoch".into(), turn.to_string().into());
        let grading = test.present("gradingResult");
        let reason = grading.and_then(|own| own.text_of("reason"));
        row.metadata
            .extend(reason.map(|reason| ("explanation".into(), reason)));
        if let Some(cost) = test.number_of("cost") {
            row.metadata
                .insert("cost_usd".into(), cost.to_string().into());
        }
        let why = test.present("failureReason").and_then(Value::integer);
        if why == Some(BROKE) {
            row.error = Some(test.text_of("error").unwrap_or("the call broke".into()));
        }
        row.token_usage = test.present("tokenUsage").and_then(usage);
        row.performance = test.number_of("latencyMs").map(|time| Performance {
            latency_ms: Some(time),
            ..Performance::default()
        });
        row
    }

    /// The question: what the variables of the test put into the prompt, where that can be told.
    fn question(&self, test: Value<'d>, sent: &Text<'d>) -> Text<'d> {
        let template = self.prompt.text_of("raw").unwrap_or_default();
        let variables = test.present("vars");
        let texts: Vec<Cow<'d, str>> = template_fields(&template)
            .into_iter()
            .filter_map(|name| variables?.text_of(name))
            .collect();
        match texts.as_slice() {
            [only] => only.clone(),
            [] => sent.clone(),
            several => match question_within(sent, several) {
                Some(question) => question.to_owned().into(),
                None => sent.clone(),
            },
        }
    }
}

fn usage(own: Value<'_>) -> Option<TokenUsage> {
    let count = |key: &str| u64::try_from(own.present(key)?.integer()?).ok();
    let (input_tokens, output_tokens) = (count("prompt")?, count("completion")?);
    (input_tokens + output_tokens > 0).then(|| TokenUsage {
        input_tokens,
        output_tokens,
        total_tokens: input_tokens + output_tokens,
        ..TokenUsage::default()
    })
}
