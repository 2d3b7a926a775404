//! The record of a log in the making: rows as they come, and at last the record.

use super::super::judging::SentPrompt;
use super::super::metric::forget_bounds;
use super::super::run::RunProgress;
use super::super::{Converted, Log, RecordWriter, Refusal};
use super::frame::{Rows, Tally};
use super::means::Means;
use super::record::Header;
use super::results;

/// The most rows of failed samples that are held back until it is known which results there are, in
/// bytes.
const MAX_HELD_BYTES: usize = 64 << 20;
/// The warning about rows beyond that.
const NOT_HELD: &str = "a row of a failed sample was left out because there are too many";

/// A record in the making.
pub(super) struct Output<'a> {
    writer: RecordWriter<'a>,
    writes_rows: bool,
    means: Means,
    /// True if the rows of each result keep to its bounds.
    keeps_bounds: Vec<bool>,
    aggregates: Vec<results::Aggregate>,
    served: Option<String>,
    /// The first prompts of judges, for scorers whose template the log does not hold.
    prompts: Vec<SentPrompt>,
    /// Number of samples that were read, scored and failed.
    read: u64,
    scored: u64,
    failed: u64,
    /// The rows of failed samples by result, in a log without results.
    held: Vec<(String, Vec<u8>)>,
    held_bytes: usize,
    failure: Option<Refusal>,
}

impl<'a> Output<'a> {
    pub(super) fn begin(log: &Log<'a>, header: &Header) -> Result<Self, Refusal> {
        if header.has_results() && header.frame.aggregates.is_empty() {
            return Err(Refusal::Nothing(format!(
                "no result of `{}` is a finite number",
                log.path
            )));
        }
        let mut writer = RecordWriter::begin(log.datastore, header.identity.clone())?;
        for warning in &header.warnings {
            writer.warn(warning);
        }
        let aggregates = header.frame.aggregates.clone();
        Ok(Self {
            writer,
            writes_rows: log.options.samples,
            means: Means::default(),
            keeps_bounds: vec![true; aggregates.len()],
            aggregates,
            served: None,
            prompts: Vec::new(),
            read: 0,
            scored: 0,
            failed: 0,
            held: Vec::new(),
            held_bytes: 0,
            failure: None,
        })
    }

    pub(super) fn warn(&mut self, message: &str) {
        self.writer.warn(message);
    }

    pub(super) fn warn_times(&mut self, message: &str, times: u64) {
        self.writer.warn_times(message, times);
    }

    pub(super) fn add(&mut self, rows: Rows) {
        if self.served.is_none() {
            self.served = rows.served;
        }
        for prompt in rows.prompts {
            if self.prompts.iter().all(|own| own.asker != prompt.asker) {
                self.prompts.push(prompt);
            }
        }
        self.read += u64::from(rows.is_sample);
        self.failed += u64::from(rows.is_failed);
        self.scored += u64::from(!rows.scores.is_empty() && !rows.is_failed);
        for (id, bytes) in rows.failures {
            self.held_bytes += bytes.len();
            if self.held_bytes > MAX_HELD_BYTES {
                self.writer.warn(NOT_HELD);
            } else {
                self.held.push((id, bytes));
            }
        }
        for note in rows.notes {
            self.writer.warn(note);
        }
        for tally in rows.scores {
            self.count(tally);
        }
        if self.writes_rows && self.failure.is_none() {
            self.failure = self.writer.rows(&rows.bytes, rows.count).err();
        }
    }

    fn count(&mut self, tally: Tally) {
        if self.aggregates.is_empty() {
            self.means.add(tally);
            return;
        }
        let position = self
            .aggregates
            .iter()
            .position(|result| result.id == tally.id);
        if let Some(position) = position {
            self.keeps_bounds[position] &= self.aggregates[position].is_within(tally.score);
        }
    }

    pub(super) fn finish(mut self, log: &Log<'_>, header: &Header) -> Result<Converted, Refusal> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut aggregates = self.aggregates;
        for (aggregate, keeps) in aggregates.iter_mut().zip(&self.keeps_bounds) {
            if !keeps {
                self.writer.warn(format!(
                    "samples score beyond the bounds of `{}`, so its bounds are recorded as unknown",
                    aggregate.id
                ));
                forget_bounds(&mut aggregate.metric);
            }
        }
        let status = header.status();
        if aggregates.is_empty() {
            aggregates = self.means.aggregates(&status);
            for aggregate in &mut aggregates {
                aggregate.metric.llm_scoring = header.judged(&aggregate.scorer);
                aggregate.scorer_args = header.scorer_args(&aggregate.scorer);
            }
            self.writer
                .warn("the log has no results, so the means of its samples stand in for them");
            for (id, bytes) in std::mem::take(&mut self.held) {
                let is_result = aggregates.iter().any(|result| result.id == id);
                if is_result && self.writes_rows && !bytes.is_empty() {
                    self.writer.rows(&bytes, 1)?;
                }
            }
        }
        if aggregates.is_empty() {
            return Err(Refusal::Nothing(format!(
                "`{}` has status `{status}`, no results and no sample with a score",
                log.path
            )));
        }
        for aggregate in &mut aggregates {
            let mut prompts = self.prompts.iter();
            let prompt = prompts.find(|prompt| prompt.asker == aggregate.scorer);
            if let (Some(scoring), Some(prompt)) = (&mut aggregate.metric.llm_scoring, prompt) {
                prompt.add_to(scoring);
            }
        }
        let was_read = self.writes_rows || !header.has_results();
        let own = RunProgress {
            status: Some(status),
            planned: header.planned(),
            completed: was_read.then_some(self.read - self.failed),
            scored: was_read.then_some(self.scored),
            failed: was_read.then_some(self.failed),
        };
        let progress = header.progress(own);
        if progress.is_incomplete() {
            self.writer.warn(progress.words());
        }
        let writer = &mut self.writer;
        let record = header
            .record(
                log.options,
                aggregates,
                self.served.as_deref(),
                progress,
                |warning| writer.warn(warning),
            )
            .ok_or_else(|| Refusal::damaged(log.path, "its header cannot be read"))?;
        self.writer.finish(record)
    }
}
