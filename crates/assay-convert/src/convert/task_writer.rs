//! One record with its rows, for logs that are read whole.

use assay_formats::eee::record::{
    Details, EvaluationResult, MetricConfig, ScoreDetails, SourceData, StandardError, Uncertainty,
};
use assay_formats::eee::row::{Evaluation, Input, InteractionType, Output, Row, Text};

use super::metric::Correctness;
use super::question::{Fit, set_correctness, write_row};
use super::run::{self, Run};
use super::{Converted, Identity, Log, RecordWriter, Refusal};

/// The warning about a log without a time.
const NO_TIME: &str = "the log holds no time: say when it was retrieved with `--retrieved-at`";
/// The warning about rows that are too large.
const CUT: &str = "a row was too large; its score was kept and its texts cut";
const LEFT_OUT: &str = "a row that is too large even without its texts was left out";

/// Writes the rows of a task, and closes with its record.
pub(super) struct TaskWriter<'a> {
    log: &'a Log<'a>,
    run: Run,
    writer: RecordWriter<'a>,
    evaluation_id: String,
    model_id: String,
    buffer: Vec<u8>,
}

impl<'a> TaskWriter<'a> {
    /// Begins the record of a run on a dataset; `content` is what tells the run from every other.
    pub(super) fn begin(
        log: &'a Log<'a>,
        run: Run,
        dataset: &str,
        content: &[&[u8]],
    ) -> Result<Self, Refusal> {
        let model_id = run::model_id(&run.model, log.options);
        // A sentence that describes an evaluation is no path and no id.
        let words: Vec<&str> = dataset.split_whitespace().collect();
        let dataset = words.join("-");
        let identity = Identity::new(&dataset, &model_id, content);
        let evaluation_id = identity.evaluation_id(&dataset, &model_id, run.started.as_deref());
        let mut writer = RecordWriter::begin(log.datastore, identity)?;
        let times = [&log.options.retrieved_timestamp, &run.ended, &run.started];
        if times.iter().all(|time| time.is_none()) {
            writer.warn(NO_TIME);
        }
        if run.progress.is_incomplete() {
            writer.warn(run.progress.words());
        }
        Ok(Self {
            log,
            run,
            writer,
            evaluation_id,
            model_id,
            buffer: Vec::new(),
        })
    }

    /// Returns whether rows are asked for.
    pub(super) fn wants_rows(&self) -> bool {
        self.log.options.samples
    }

    /// Writes a row for one result. A failed sample is never correct.
    pub(super) fn row(
        &mut self,
        row: &mut Row<'_>,
        result: &EvaluationResult,
        score: f64,
        correctness: Correctness,
    ) -> Result<(), Refusal> {
        row.evaluation_id = Text::Owned(self.evaluation_id.clone());
        row.model_id = Text::Owned(self.model_id.clone());
        row.evaluation_name = Text::Owned(result.evaluation_name.clone());
        row.evaluation_result_id = Text::Owned(result.evaluation_result_id.clone());
        row.evaluation.score = score;
        let is_failed = row.error.is_some() && correctness == Correctness::Unknown;
        let correctness = if is_failed {
            Correctness::Wrong
        } else {
            correctness
        };
        set_correctness(row, correctness);
        self.buffer.clear();
        match write_row(row, &mut self.buffer) {
            Fit::Whole => {}
            Fit::Cut => self.writer.warn(CUT),
            Fit::LeftOut => {
                self.writer.warn(LEFT_OUT);
                return Ok(());
            }
        }
        self.writer.rows(&self.buffer, 1)
    }

    /// Tells a person something, so many times.
    pub(super) fn warn_times(&mut self, message: impl Into<String>, count: u64) {
        self.writer.warn_times(message, count);
    }

    /// Makes record and rows appear.
    pub(super) fn finish(self, results: Vec<EvaluationResult>) -> Result<Converted, Refusal> {
        let options = self.log.options;
        self.writer
            .finish(self.run.record(options, self.evaluation_id, results))
    }
}

/// A result with its score; of the rest, what is known can be added.
pub(super) fn scored_result(
    id: String,
    name: &str,
    source_data: SourceData,
    metric_config: MetricConfig,
    score: f64,
    samples: Option<u64>,
) -> EvaluationResult {
    EvaluationResult {
        evaluation_result_id: id,
        evaluation_name: name.to_owned(),
        source_data,
        evaluation_timestamp: None,
        metric_config,
        score_details: ScoreDetails {
            score,
            details: Details::new(),
            uncertainty: samples.map(|samples| Uncertainty {
                num_samples: Some(samples),
                ..Uncertainty::default()
            }),
        },
        generation_config: None,
    }
}

/// Adds a standard error to a result.
pub(super) fn set_standard_error(result: &mut EvaluationResult, value: f64, method: Option<&str>) {
    let uncertainty = &mut result.score_details.uncertainty;
    uncertainty
        .get_or_insert_with(Uncertainty::default)
        .standard_error = Some(StandardError {
        value,
        method: method.map(str::to_owned),
    });
}

/// Data of which only the name is known.
pub(super) fn named_data(dataset: &str, additional_details: Details) -> SourceData {
    SourceData::Other {
        dataset_name: dataset.to_owned(),
        additional_details,
    }
}

/// The mark of a row whose question the log does not hold.
const QUESTION: &str = "question";
const QUESTION_UNKNOWN: &str = "not in the log; the name of the task stands in its place";

/// A row of a task whose question the log does not hold. Its name is as good for telling it from
/// others.
pub(super) fn row_without_question(task: Text<'_>) -> Row<'_> {
    let mut row = unscored_row(task.clone(), task, Vec::new());
    row.metadata
        .insert(QUESTION.into(), QUESTION_UNKNOWN.into());
    row
}

/// A row with question and right answers, and no score yet.
pub(super) fn unscored_row<'r>(
    sample_id: Text<'r>,
    question: Text<'r>,
    reference: Vec<Text<'r>>,
) -> Row<'r> {
    let input = Input {
        raw: question,
        formatted: None,
        reference,
        choices: None,
    };
    let evaluation = Evaluation {
        score: 0.0,
        is_correct: false,
        num_turns: Some(1),
        tool_calls_count: Some(0),
    };
    let mut row = Row::new(sample_id, InteractionType::SingleTurn, input, evaluation);
    row.output = Some(Output {
        raw: Vec::new(),
        reasoning_trace: None,
    });
    row
}
