//! Rows of a samples file as columns: scores here, text there.

mod plan;

use std::num::NonZeroU64;

use assay_formats::Value;

use self::plan::Plan;
use crate::record::RecordFacts;
use crate::sample::{Asked, Block, Questions, Sample};

/// Reads the rows of a file, each in the light of those before.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// What the last row had, and where.
    plan: Plan,
    /// How that was laid out, as far as it is known.
    layout: Option<NonZeroU64>,
    /// Where the next question is expected.
    expected: u32,
}

impl Reader {
    /// Takes a row in, which stands on this line of its file.
    pub(crate) fn push(
        &mut self,
        block: &mut Block,
        facts: &RecordFacts,
        questions: &Questions,
        row: Value<'_>,
        line: u64,
    ) {
        self.look_at(row);
        let plan = &self.plan;
        let asked = match plan.input.get(row) {
            Some(input) => questions.asked(input, self.expected),
            None => Asked::Nothing,
        };
        if let Asked::Kept(place) = asked {
            self.expected = place + 1;
            questions.will_ask(self.expected);
        }
        let [task, id, result_id] =
            [plan.task, plan.id, plan.result_id].map(|place| place.text(row));
        // Where the question was left out, what the row says is all there is.
        let question = asked.get(questions);
        let has_hash = question.is_some_and(|question| question.hash.is_some());
        let theirs = if has_hash { None } else { plan.hash.text(row) };
        let sample = Sample {
            task: task.as_deref(),
            hash: theirs.as_deref().map(str::as_bytes),
            id: id.as_deref(),
            result_id: result_id.as_deref(),
            line: i64::try_from(line).ok(),
        };
        block.push(&sample, asked, questions, || {
            facts.metric(result_id.as_deref(), task.as_deref())
        });
        for (number, place) in &plan.numbers {
            if let Some(bits) = place.get(row).and_then(|value| number.read(value)) {
                block.number(*number as usize, bits);
            }
        }
        if let Some(interaction) = plan.interaction.text(row) {
            block.interaction(&interaction);
        }
        if let Some(metadata) = plan.metadata.get(row) {
            block.metadata(metadata.raw());
        }
        plan.say(row, block);
    }

    /// Finds what is wanted of a row. Most rows of a file are laid out alike, and then it stands where that of the row before stood.
    fn look_at(&mut self, row: Value<'_>) {
        let layout = row.layout();
        if layout.is_none() || layout != self.layout {
            self.plan.make(row);
            self.layout = layout;
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_formats::Tape;
    use assay_formats::json::Parser;
    use proptest::prelude::*;

    use super::*;

    /// A row with some of the parts, in one of two orders; digits and words differ from row to row.
    fn row() -> impl Strategy<Value = String> {
        (any::<[bool; 5]>(), "[1-9][0-9]{0,2}", "[a-c]{0,3}").prop_map(|(has, number, word)| {
            let mut parts = vec![
                format!(r#""evaluation_name": "{word}""#),
                format!(r#""evaluation": {{"score": {number}, "is_correct": true}}"#),
            ];
            if has[0] {
                parts.push(format!(r#""input": {{"raw": "{word}", "reference": []}}"#));
            }
            if has[1] {
                parts.push(format!(r#""token_usage": {{"output_tokens": {number}}}"#));
            }
            if has[2] {
                parts.push(r#""interactions": [], "error": null"#.to_owned());
            }
            if has[3] {
                parts.push(format!(
                    r#""output": {{"raw": ["{word}"]}}, "sample_\u0069d": "{number}""#
                ));
            }
            if has[4] {
                parts.reverse();
            }
            format!("{{{}}}", parts.join(", "))
        })
    }

    proptest! {
        #[test]
        fn parts_stand_where_they_are_found_without_the_row_before(
            rows in proptest::collection::vec((row(), 1_usize..40), 1..6),
        ) {
            let (mut parser, mut tape, mut reader) = (Parser::default(), Tape::new(), Reader::default());
            let mut known = 0;
            for (row, times) in &rows {
                for number in 0..*times {
                    let text = row.replace('1', &(number % 9 + 1).to_string());
                    prop_assert!(parser.parse(&text, &mut tape));
                    let row = tape.root(&text).unwrap();
                    known += usize::from(row.layout().is_some() && row.layout() == reader.layout);
                    reader.look_at(row);
                    let mut plan = Plan::default();
                    plan.make(row);
                    prop_assert_eq!(&reader.plan, &plan);
                }
            }
            // Rows that are repeated often enough are known.
            prop_assert!(known > 0 || rows.iter().all(|(_, times)| *times < 30));
        }
    }
}
