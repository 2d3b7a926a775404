//! Rows of a samples file that are being gathered, as columns.

use super::lane::{Lane, Names, Text, small};
use super::question::{Asked, Questions};
use super::samples::{Sample, Samples};
use crate::sheet::NONE;

/// How many numbers and truths a sample has.
pub(crate) const NUMBERS: usize = 14;
/// How many texts a piece of a conversation has.
pub(crate) const TEXTS: usize = 4;
/// About how much memory the scores of a sample take.
const SCORE_BYTES: usize = NUMBERS * size_of::<Option<u64>>();
/// About how much memory a piece takes beside its texts.
const PIECE_BYTES: usize = 64;
/// The numbers and truths that a row does not tell: who has no error has not failed, and nothing is known of the others.
const UNTOLD: [Option<u64>; NUMBERS] = {
    let mut untold = [None; NUMBERS];
    untold[NUMBERS - 1] = Some(0);
    untold
};

/// A piece of what was said: a row of `messages`, beside that.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Piece<'a> {
    pub(crate) part: Part,
    pub(crate) turn: Option<i64>,
    pub(crate) role: Option<&'a str>,
    /// Content, reasoning, calls of tools, and the calls that it answers.
    pub(crate) texts: [Option<&'a str>; TEXTS],
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// The question.
    #[default]
    Input,
    /// A right answer.
    Reference,
    /// An answer to choose from.
    Choice,
    /// What the model said.
    Output,
    /// A turn of a conversation.
    Message,
    /// What was taken for the answer.
    Answer,
    /// Why there is none.
    Error,
}

/// Some rows of a file.
#[derive(Default)]
pub(crate) struct Block {
    pub(super) samples: Samples,
    pub(super) scores: Scores,
    pub(super) talk: Talk,
    /// The texts of what was said.
    pub(super) buffer: Vec<u8>,
}

/// The columns that only `instances` has.
#[derive(Default)]
pub(super) struct Scores {
    pub(super) metric: Names,
    pub(super) interaction: Names,
    pub(super) metadata: Names,
    /// The numbers and truths as bits, in the order of the table. Rows at the end that tell none are left out until others come.
    pub(super) numbers: [Lane<Option<u64>>; NUMBERS],
    rows: usize,
    /// The metric that was found last, and for which task and result.
    last: Option<([u32; 2], u32)>,
}

/// The columns that only `messages` has, of what was said.
#[derive(Default)]
pub(super) struct Talk {
    /// How many pieces each sample has.
    pub(super) pieces: Vec<u32>,
    pub(super) part: Lane<u32>,
    pub(super) turn: Lane<Option<u64>>,
    pub(super) role: Names,
    pub(super) texts: [Lane<Text>; TEXTS],
}

impl Part {
    /// The names, in the order of the parts.
    pub(crate) const NAMES: [&'static str; 7] = [
        "input",
        "reference",
        "choice",
        "output",
        "message",
        "answer",
        "error",
    ];
}

impl Block {
    /// Adds a sample and what was asked in it. The metric is looked up only when task or result are others than before.
    pub(crate) fn push<'m>(
        &mut self,
        sample: &Sample<'_>,
        asked: Asked,
        questions: &Questions,
        metric: impl FnOnce() -> Option<&'m str>,
    ) {
        let key = self.samples.push(sample, asked, questions);
        self.scores.push(key, metric);
        self.talk.pieces.push(0);
    }

    /// Adds a number or truth of the last sample, by its place in the table.
    #[inline]
    pub(crate) fn number(&mut self, number: usize, bits: u64) {
        let row = self.scores.rows - 1;
        self.scores.numbers[number].put(row, Some(bits), UNTOLD[number]);
    }

    /// Adds how the last sample came about.
    pub(crate) fn interaction(&mut self, interaction: &str) {
        let row = self.scores.rows - 1;
        self.scores.interaction.put(row, interaction);
    }

    /// Adds what else is known of the last sample.
    pub(crate) fn metadata(&mut self, metadata: &str) {
        let row = self.scores.rows - 1;
        self.scores.metadata.put(row, metadata);
    }

    /// Adds a piece of what was said in the last sample.
    pub(crate) fn say(&mut self, piece: &Piece<'_>) {
        if let Some(count) = self.talk.pieces.last_mut() {
            *count += 1;
        }
        let row = self.talk.len();
        self.talk.part.push(piece.part as u32);
        // Most pieces have another turn and role than the one before, and a text that is left out is left out of all.
        self.talk.turn.push(piece.turn.map(i64::cast_unsigned));
        self.talk.role.push(piece.role);
        for (lane, text) in self.talk.texts.iter_mut().zip(piece.texts) {
            if let Some(text) = text {
                let text = Text::write(text.as_bytes(), &mut self.buffer);
                lane.put(row, text, Text::NONE);
            }
        }
    }

    /// Forgets all rows, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
        self.scores.clear();
        self.talk.clear();
        self.buffer.clear();
    }
}

impl Scores {
    fn push<'m>(&mut self, key: [u32; 2], metric: impl FnOnce() -> Option<&'m str>) {
        match self.last {
            Some((last, place)) if last == key => self.metric.places.push(place),
            Some(_) | None => self.last = Some((key, self.metric.push(metric()))),
        }
        self.rows += 1;
    }

    /// Adds other rows.
    pub(super) fn append(&mut self, other: &Self) {
        self.rows += other.rows;
        self.metric.append(&other.metric);
        for (own, other) in [
            (&mut self.interaction, &other.interaction),
            (&mut self.metadata, &other.metadata),
        ] {
            own.append(other);
            own.places.fill(self.rows, NONE);
        }
        let numbers = self.numbers.iter_mut().zip(&other.numbers);
        for ((lane, other), untold) in numbers.zip(UNTOLD) {
            lane.append(other, |number| number);
            lane.fill(self.rows, untold);
        }
    }

    /// How much memory they take, about.
    pub(super) fn bytes(&self) -> usize {
        let names = [&self.metric, &self.interaction, &self.metadata];
        let names: usize = names.into_iter().map(Names::bytes).sum();
        self.rows * SCORE_BYTES + names
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.metric.clear();
        self.interaction.clear();
        self.metadata.clear();
        self.numbers.iter_mut().for_each(Lane::clear);
        self.rows = 0;
        self.last = None;
    }
}

impl Talk {
    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.part.len()
    }

    /// Adds other pieces, whose texts lie in the buffer of this number.
    pub(super) fn append(&mut self, other: &Self, buffer: usize) {
        self.pieces.extend_from_slice(&other.pieces);
        self.part.append(&other.part, |part| part);
        let rows = self.len();
        self.turn.append(&other.turn, |turn| turn);
        self.role.append(&other.role);
        for (lane, other) in self.texts.iter_mut().zip(&other.texts) {
            lane.append(other, |text| text.within(buffer));
            lane.fill(rows, Text::NONE);
        }
    }

    /// How much memory they take beside their texts, about.
    pub(super) fn bytes(&self) -> usize {
        self.len() * PIECE_BYTES + self.role.bytes()
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.part.clear();
        self.turn.clear();
        self.role.clear();
        self.texts.iter_mut().for_each(Lane::clear);
    }

    /// Where the pieces of each sample begin, and where the last ones end.
    pub(super) fn starts(&self) -> Vec<u32> {
        let mut at = 0_usize;
        let ends = self.pieces.iter().map(|count| {
            at += *count as usize;
            small(at)
        });
        std::iter::once(0).chain(ends).collect()
    }
}
