//! Rows of a samples file that are being gathered, as columns.

use super::lane::{Lane, Names, Text, small};
use super::question::{Asked, AskedAll, Questions};

/// How many numbers and truths a sample has.
pub(crate) const NUMBERS: usize = 14;
/// How many texts a piece of a conversation has.
pub(crate) const TEXTS: usize = 4;
/// About how much memory a sample takes beside its texts.
const SAMPLE_BYTES: usize = 64;
/// About how much memory the scores of a sample take.
const SCORE_BYTES: usize = NUMBERS * size_of::<Option<u64>>();
/// About how much memory a piece takes beside its texts.
const PIECE_BYTES: usize = 64;

/// What all that is told of one sample carries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample<'a> {
    pub(crate) task: Option<&'a str>,
    pub(crate) hash: Option<&'a [u8]>,
    pub(crate) id: Option<&'a str>,
    pub(crate) result_id: Option<&'a str>,
    pub(crate) line: Option<i64>,
}

/// The row of a sample in `instances`, beside that.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Score<'a> {
    pub(crate) interaction: Option<&'a str>,
    pub(crate) metadata: Option<&'a str>,
    /// The numbers and truths as bits, in the order of the table.
    pub(crate) numbers: [Option<u64>; NUMBERS],
}

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
    pub(super) asked: AskedAll,
    pub(super) talk: Talk,
    /// The texts of what was said.
    pub(super) buffer: Vec<u8>,
}

/// What tells samples apart.
#[derive(Default)]
pub(super) struct Samples {
    pub(super) task: Names,
    pub(super) hash: Lane<Text>,
    pub(super) id: Lane<Text>,
    pub(super) line: Lane<Option<u64>>,
    pub(super) result_id: Names,
    /// The hashes and ids.
    pub(super) buffer: Vec<u8>,
}

/// The columns that only `instances` has.
#[derive(Default)]
pub(super) struct Scores {
    pub(super) metric: Names,
    pub(super) interaction: Names,
    pub(super) metadata: Names,
    pub(super) numbers: [Lane<Option<u64>>; NUMBERS],
    /// The metric that was found last, and for which task and result.
    last: Option<([u32; 2], u32)>,
}

/// The columns that only `messages` has.
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
    /// Adds what is asked in the last sample.
    pub(crate) fn ask(&mut self, asked: Asked, questions: &Questions) {
        self.asked.push(asked, questions);
    }

    /// Adds a sample. The metric is looked up only when task or result are others than before.
    pub(crate) fn push<'m>(
        &mut self,
        sample: &Sample<'_>,
        score: &Score<'_>,
        metric: impl FnOnce() -> Option<&'m str>,
    ) {
        let key = self.samples.push(sample);
        self.scores.push(score, key, metric);
        self.talk.pieces.push(0);
    }

    /// Adds a piece of what was said in the last sample.
    pub(crate) fn say(&mut self, piece: &Piece<'_>) {
        if let Some(count) = self.talk.pieces.last_mut() {
            *count += 1;
        }
        self.talk.part.push(piece.part as u32);
        self.talk.turn.push(piece.turn.map(i64::cast_unsigned));
        self.talk.role.push(piece.role);
        for (lane, text) in self.talk.texts.iter_mut().zip(piece.texts) {
            lane.push(Text::write(text.map(str::as_bytes), &mut self.buffer));
        }
    }

    /// Forgets all rows, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
        self.scores.clear();
        self.asked.clear();
        self.talk.clear();
        self.buffer.clear();
    }
}

impl Samples {
    fn push(&mut self, sample: &Sample<'_>) -> [u32; 2] {
        self.hash.push(Text::write(sample.hash, &mut self.buffer));
        let id = sample.id.map(str::as_bytes);
        self.id.push(Text::write(id, &mut self.buffer));
        self.line.push(sample.line.map(i64::cast_unsigned));
        [
            self.task.push(sample.task),
            self.result_id.push(sample.result_id),
        ]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.line.len()
    }

    /// Adds other samples.
    pub(super) fn append(&mut self, other: &Self) {
        let before = self.buffer.len();
        self.buffer.extend_from_slice(&other.buffer);
        self.hash.append(&other.hash, |text| text.after(before));
        self.id.append(&other.id, |text| text.after(before));
        self.line.append(&other.line, |line| line);
        self.task.append(&other.task);
        self.result_id.append(&other.result_id);
    }

    /// How much memory they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.len() * SAMPLE_BYTES + self.buffer.len() + self.task.bytes() + self.result_id.bytes()
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.task.clear();
        self.hash.clear();
        self.id.clear();
        self.line.clear();
        self.result_id.clear();
        self.buffer.clear();
    }

    /// The hash of a sample.
    #[inline]
    pub(super) fn hash_of(&self, sample: u32) -> Option<&[u8]> {
        self.hash.get(sample as usize)?.of(&self.buffer)
    }

    /// The id of a sample.
    pub(super) fn id_of(&self, sample: u32) -> Option<&[u8]> {
        self.id.get(sample as usize)?.of(&self.buffer)
    }
}

impl Scores {
    fn push<'m>(
        &mut self,
        score: &Score<'_>,
        key: [u32; 2],
        metric: impl FnOnce() -> Option<&'m str>,
    ) {
        match self.last {
            Some((last, place)) if last == key => self.metric.places.push(place),
            Some(_) | None => self.last = Some((key, self.metric.push(metric()))),
        }
        self.interaction.push(score.interaction);
        self.metadata.push(score.metadata);
        for (lane, number) in self.numbers.iter_mut().zip(score.numbers) {
            lane.push(number);
        }
    }

    /// Adds other rows.
    pub(super) fn append(&mut self, other: &Self) {
        self.metric.append(&other.metric);
        self.interaction.append(&other.interaction);
        self.metadata.append(&other.metadata);
        for (lane, other) in self.numbers.iter_mut().zip(&other.numbers) {
            lane.append(other, |number| number);
        }
    }

    /// How much memory they take, about.
    pub(super) fn bytes(&self) -> usize {
        let names = [&self.metric, &self.interaction, &self.metadata];
        let names: usize = names.into_iter().map(Names::bytes).sum();
        self.metric.places.len() * SCORE_BYTES + names
    }

    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.metric.clear();
        self.interaction.clear();
        self.metadata.clear();
        self.numbers.iter_mut().for_each(Lane::clear);
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
        self.turn.append(&other.turn, |turn| turn);
        self.role.append(&other.role);
        for (lane, other) in self.texts.iter_mut().zip(&other.texts) {
            lane.append(other, |text| text.within(buffer));
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
