//! One sample as the rows of the results that it counts for.

use std::borrow::Cow;

use assay_formats::Value;
use assay_formats::eee::row::{Attribution, Evaluation, InteractionType, Row, Text};

use super::super::judging::SentPrompt;
use super::super::metric::Correctness;
use super::super::question::{Fit, set_correctness, write_row};
use super::super::reader::Reader;
use super::dialogue::Dialogue;
use super::frame::{Frame, Rows, Tally};
use super::message::{content, detail, message};
use super::sample_metadata::{self, json_of};
use super::score::{self, Judgement, Scored};
use super::usage::{self, Usage};

/// The key of the scorer's explanation.
const EXPLANATION: &str = "explanation";
/// The key of the status of a sample without a score.
const SCORE_STATUS: &str = "score_status";
/// The metadata that a scorer gives its score, as JSON.
const SCORE_METADATA: &str = "score_metadata";
/// The tokens of the judges, as JSON.
const JUDGE_USAGE: &str = "judge_token_usage";
/// The key under which scorers keep the exchange with their judge.
const GRADING: &str = "grading";
/// The warning about samples without the calls that tell answers from judgements.
const NOT_TOLD_APART: &str = "the evaluated model judged itself and the log does not say which tokens it answered with, so \
                              a sample has none";
/// The warning about rows that are too large.
const CUT: &str = "a row was too large; its score was kept and its transcript cut";
const LEFT_OUT: &str = "a row that is too large even without its transcript was left out";

/// The key of what the dataset says of a sample.
pub(super) const METADATA: &str = "metadata";

/// Makes the rows of a sample.
pub(super) fn rows(frame: &Frame, reader: &mut Reader, sample: &[u8]) -> Rows {
    let mut rows = Rows::default();
    let root = reader.read(sample);
    match root.filter(|root| root.present("id").is_some()) {
        Some(root) => {
            rows.is_sample = true;
            Sample::new(frame, root).write(&mut rows);
        }
        None => rows
            .notes
            .push("a sample that cannot be read was left out".to_owned()),
    }
    rows
}

struct Sample<'d> {
    frame: &'d Frame,
    root: Value<'d>,
    dialogue: Dialogue<'d>,
    epoch: i64,
    error: Option<Text<'d>>,
}

impl<'d> Sample<'d> {
    fn new(frame: &'d Frame, root: Value<'d>) -> Self {
        Self {
            frame,
            root,
            dialogue: Dialogue::new(root),
            epoch: root.get("epoch").and_then(Value::integer).unwrap_or(1),
            error: error(root),
        }
    }

    fn write(&self, rows: &mut Rows) {
        rows.is_failed = self.error.is_some();
        rows.served = self
            .root
            .get("output")
            .and_then(|output| output.text_of("model"))
            .filter(|model| !model.is_empty())
            .map(Cow::into_owned);
        rows.prompts = self.sent_prompts();
        let mut row = self.row();
        if self.frame.judges_itself() && row.token_usage.is_none() {
            rows.notes.push(NOT_TOLD_APART.to_owned());
        }
        if self.frame.aggregates.is_empty() {
            self.write_scores(&mut row, rows);
        } else {
            self.write_results(&mut row, rows);
        }
    }

    /// A row for each result of the log.
    fn write_results(&self, row: &mut Row<'d>, rows: &mut Rows) {
        for aggregate in self
            .frame
            .aggregates
            .iter()
            .filter(|result| result.members.count(self.root))
        {
            let judgement = score::judgement(self.root, &aggregate.scorer, &aggregate.name);
            let scored = judgement.and_then(|judgement| score::scored(judgement.value));
            let scored = scored.map(|scored| scored.under(aggregate.counts_right_answers));
            // A sample that failed before it was scored is a row that is wrong, never one that is
            // missing or right.
            let Some(scored) = scored.or_else(|| self.failed()) else {
                rows.notes.push(format!(
                    "a sample has no finite score for `{}`, so it has no row there",
                    aggregate.id
                ));
                continue;
            };
            let tally = Tally {
                id: aggregate.id.clone(),
                scorer: aggregate.scorer.clone(),
                name: aggregate.name.clone(),
                score: scored.score,
                is_first_epoch: self.epoch == 1,
            };
            self.push(row, tally, judgement, scored, rows);
        }
    }

    /// A row for each score, in a log that sums nothing up.
    fn write_scores(&self, row: &mut Row<'d>, rows: &mut Rows) {
        let found = score::all(self.root);
        if let (true, Some(scored)) = (found.is_empty(), self.failed()) {
            self.write_failure(row, scored, rows);
            return;
        }
        if found.is_empty() {
            rows.notes
                .push("a sample has no finite score, so it has no row".to_owned());
        }
        for (scorer, key, judgement, scored) in found {
            let subject = match &key {
                Some(key) => format!("{scorer}/{key}"),
                None => scorer.clone(),
            };
            let tally = Tally {
                id: format!("{subject}:mean"),
                name: key.unwrap_or_else(|| scorer.clone()),
                scorer,
                score: scored.score,
                is_first_epoch: self.epoch == 1,
            };
            self.push(row, tally, Some(judgement), scored, rows);
        }
    }

    fn failed(&self) -> Option<Scored> {
        self.error.as_ref().map(|_| Scored {
            score: 0.0,
            correctness: Correctness::Wrong,
        })
    }

    /// A row for each scorer that would have scored the sample.
    fn write_failure(&self, row: &mut Row<'d>, scored: Scored, rows: &mut Rows) {
        for scorer in &self.frame.scorers {
            let mut own = Rows::default();
            let tally = Tally {
                id: format!("{scorer}:mean"),
                scorer: scorer.clone(),
                name: scorer.clone(),
                score: scored.score,
                is_first_epoch: self.epoch == 1,
            };
            let id = tally.id.clone();
            self.push(row, tally, None, scored, &mut own);
            rows.notes.append(&mut own.notes);
            rows.failures.push((id, own.bytes));
        }
    }

    /// Gives the row of the sample one of its scores, and writes it.
    fn push(
        &self,
        row: &mut Row<'d>,
        tally: Tally,
        judgement: Option<Judgement<'d>>,
        scored: Scored,
        rows: &mut Rows,
    ) {
        row.evaluation_result_id = tally.id.clone().into();
        row.evaluation.score = scored.score;
        let correctness = match (&self.error, scored.correctness) {
            (Some(_), Correctness::Right) => Correctness::Wrong,
            (_, correctness) => correctness,
        };
        set_correctness(row, correctness);
        // What the score before left in the row goes.
        row.answer_attribution.clear();
        row.metadata.remove(EXPLANATION);
        row.metadata.remove(SCORE_STATUS);
        row.metadata.remove(SCORE_METADATA);
        if let Some(judgement) = judgement {
            row.answer_attribution = self.attribution(row, &tally.scorer, judgement);
            self.explain(row, judgement);
            Self::keep_metadata(row, judgement);
        } else {
            row.metadata.insert(SCORE_STATUS.into(), "failed".into());
        }
        match write_row(row, &mut rows.bytes) {
            Fit::Whole => {}
            Fit::Cut => rows.notes.push(CUT.to_owned()),
            Fit::LeftOut => {
                rows.notes.push(LEFT_OUT.to_owned());
                return;
            }
        }
        rows.count += 1;
        rows.scores.push(tally);
    }

    /// Returns the prompts of the judges of this sample: the first message of the exchange that a
    /// scorer kept.
    fn sent_prompts(&self) -> Vec<SentPrompt> {
        let prompt = |scorer: &String| {
            let score = self.root.get("scores")?.get(scorer)?;
            let exchange = score.present(METADATA)?.present(GRADING)?;
            let asked = exchange.items().next()?;
            let text = content(asked.get("content"), &self.dialogue.attachments, "\n").text;
            let sample = self.root.get("id").map(detail).unwrap_or_default();
            SentPrompt::new(scorer, sample, &text)
        };
        self.frame
            .without_prompt
            .iter()
            .filter_map(prompt)
            .collect()
    }

    /// The row without its score.
    fn row(&self) -> Row<'d> {
        let kind = self.dialogue.interaction();
        let id = self.root.get("id").map(detail).unwrap_or_default();
        let id = if id.trim().is_empty() {
            "unknown".to_owned()
        } else {
            id
        };
        let mut evaluation = Evaluation {
            score: 0.0,
            is_correct: false,
            num_turns: Some(1),
            tool_calls_count: Some(0),
        };
        let mut messages = None;
        if kind != InteractionType::SingleTurn {
            let turns: Vec<_> = self
                .dialogue
                .messages
                .iter()
                .enumerate()
                .map(|(position, value)| message(position, *value, &self.dialogue.attachments))
                .collect();
            evaluation.num_turns = Some(turns.len());
            evaluation.tool_calls_count =
                Some(turns.iter().map(|turn| turn.tool_calls.len()).sum());
            messages = Some(turns);
        }
        let input = self.dialogue.input(messages.is_none());
        let mut row = Row::new(id.into(), kind, input, evaluation);
        row.evaluation_id = self.frame.evaluation_id.as_str().into();
        row.model_id = self.frame.model_id.as_str().into();
        row.evaluation_name = self.frame.evaluation_name.as_str().into();
        row.output = messages.is_none().then(|| self.dialogue.output());
        row.messages = messages;
        let usage = Usage::of(self.root, &self.frame.model, &self.frame.judges);
        row.token_usage = usage.model;
        row.performance = usage::performance(self.root);
        row.error.clone_from(&self.error);
        row.metadata = sample_metadata::metadata(self.root, self.epoch);
        let judged = usage.judges.map(|usage| usage::detail(&usage).into());
        row.metadata
            .extend(judged.map(|usage| (JUDGE_USAGE.into(), usage)));
        row
    }

    /// Returns the place of the answer that the scorer judged: in the last message of the model.
    fn attribution(
        &self,
        row: &Row<'d>,
        scorer: &str,
        judgement: Judgement<'d>,
    ) -> Vec<Attribution<'d>> {
        let answer = judgement
            .score
            .present("answer")
            .and_then(|answer| self.dialogue.attachments.text(answer));
        let Some(answer) = answer.filter(|answer| !answer.is_empty()) else {
            return Vec::new();
        };
        let (turn_idx, source) = match &row.messages {
            Some(messages) => {
                let last = messages
                    .iter()
                    .rposition(|message| message.role == "assistant");
                (last.unwrap_or(messages.len().saturating_sub(1)), "messages")
            }
            None => (0, "output.raw"),
        };
        vec![Attribution {
            turn_idx,
            source: source.into(),
            extracted_value: answer,
            extraction_method: scorer.to_owned().into(),
            is_terminal: true,
        }]
    }

    /// Keeps why the scorer decided so, unless that is only what the model said.
    fn explain(&self, row: &mut Row<'d>, judgement: Judgement<'d>) {
        let text = judgement
            .score
            .present("explanation")
            .and_then(|text| self.dialogue.attachments.text(text));
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return;
        };
        let is_answer = row
            .answer_attribution
            .iter()
            .any(|answer| answer.extracted_value == text);
        let is_output = row
            .output
            .iter()
            .flat_map(|output| &output.raw)
            .any(|raw| *raw == text);
        let is_message = row
            .messages
            .iter()
            .flatten()
            .any(|message| message.content.as_ref() == Some(&text));
        if !is_answer && !is_output && !is_message {
            row.metadata.insert(EXPLANATION.into(), text);
        }
    }

    /// Keeps what the scorer says of its score, such as how it was reached.
    fn keep_metadata(row: &mut Row<'d>, judgement: Judgement<'d>) {
        if let Some(text) = json_of(judgement.score.present(METADATA)) {
            row.metadata.insert(SCORE_METADATA.into(), text);
        }
    }
}

/// Returns the error of the sample: the message, and the place.
fn error(root: Value<'_>) -> Option<Text<'_>> {
    let error = root.present("error")?;
    if let Some(text) = error.text() {
        return Some(text);
    }
    let said = error
        .text_of("message")
        .unwrap_or(Cow::Borrowed("unknown error"));
    Some(match error.text_of("traceback") {
        Some(traceback) if !traceback.is_empty() => format!("{said}\n{traceback}").into(),
        Some(_) | None => said,
    })
}
