//! What tells samples apart, and what they were asked.

use std::ops::Range;

use super::hash::DIGITS;
use super::lane::{Lane, Names, Text, small};
use super::order::prefix;
use super::question::{Asked, Question, Questions};
use crate::sheet::NONE;

/// About how much memory a sample takes beside its texts.
const SAMPLE_BYTES: usize = 64;

/// What all that is told of one sample carries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample<'a> {
    pub(crate) task: Option<&'a str>,
    /// What the row has for a hash, which counts where its question has none.
    pub(crate) hash: Option<&'a [u8]>,
    pub(crate) id: Option<&'a str>,
    pub(crate) result_id: Option<&'a str>,
    pub(crate) line: Option<i64>,
}

/// Samples, each by its number.
#[derive(Default)]
pub(super) struct Samples {
    pub(super) task: Names,
    pub(super) result_id: Names,
    /// Where the question of each sample is kept that has a hash; [`NONE`] for all others.
    pub(super) places: Vec<u32>,
    /// What was asked in those others, by the number of the sample, until it is written.
    pub(super) others: Vec<(u32, Asked)>,
    /// How many texts each question has.
    pub(super) counts: Vec<u32>,
    /// The beginning of each hash, as a number.
    pub(super) prefixes: Vec<u64>,
    /// The hash of those others, and where it lies.
    hash: Lane<Text>,
    hashes: Vec<u8>,
    /// How many bytes each id has; [`NONE`] where there is none.
    pub(super) id_lengths: Vec<u32>,
    /// The ids, one after the other.
    pub(super) ids: Vec<u8>,
    pub(super) lines: Vec<Option<u64>>,
    /// How much memory the questions take that are not written yet.
    asked_bytes: usize,
}

impl Samples {
    /// Adds a sample and what was asked in it, and tells the places of its task and of the result that it counts for.
    pub(super) fn push(
        &mut self,
        sample: &Sample<'_>,
        asked: Asked,
        questions: &Questions,
    ) -> [u32; 2] {
        let question = asked.get(questions);
        self.counts
            .push(question.map_or(0, |question| small(question.len())));
        self.asked_bytes += question.map_or(0, Question::bytes);
        let own = question.and_then(|question| question.hash.as_ref());
        let hash = own.map(<[u8; DIGITS]>::as_slice).or(sample.hash);
        self.prefixes.push(hash.map_or(0, prefix));
        let place = match asked {
            Asked::Kept(place) if own.is_some() => place,
            Asked::Nothing | Asked::Kept(_) | Asked::Own(_) => NONE,
        };
        let number = self.places.len();
        self.places.push(place);
        if place == NONE {
            if let Some(hash) = hash {
                let text = Text::write(hash, &mut self.hashes);
                self.hash.put(number, text, Text::NONE);
            }
            self.others.push((small(number), asked));
        }
        self.id_lengths
            .push(sample.id.map_or(NONE, |id| small(id.len())));
        self.ids
            .extend_from_slice(sample.id.unwrap_or_default().as_bytes());
        self.lines.push(sample.line.map(i64::cast_unsigned));
        [
            self.task.push(sample.task),
            self.result_id.push(sample.result_id),
        ]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Moves other samples here.
    pub(super) fn append(&mut self, other: &mut Self) {
        let before = self.len();
        let others = other.others.drain(..);
        self.others
            .extend(others.map(|(sample, asked)| (sample + small(before), asked)));
        if other.hash.len() > 0 {
            let hashes = self.hashes.len();
            self.hash.fill(before, Text::NONE);
            self.hash.append(&other.hash, |text| text.after(hashes));
        }
        self.hashes.append(&mut other.hashes);
        self.places.append(&mut other.places);
        self.counts.append(&mut other.counts);
        self.prefixes.append(&mut other.prefixes);
        self.id_lengths.append(&mut other.id_lengths);
        self.ids.append(&mut other.ids);
        self.lines.append(&mut other.lines);
        self.asked_bytes += other.asked_bytes;
        self.task.append(&other.task);
        self.result_id.append(&other.result_id);
        other.clear();
    }

    /// How much memory they take beside their questions, about.
    pub(super) fn bytes(&self) -> usize {
        let names = self.task.bytes() + self.result_id.bytes();
        self.len() * SAMPLE_BYTES + self.hashes.len() + self.ids.len() + names
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.task.clear();
        self.result_id.clear();
        self.places.clear();
        self.counts.clear();
        self.prefixes.clear();
        self.hash.clear();
        self.hashes.clear();
        self.id_lengths.clear();
        self.ids.clear();
        self.lines.clear();
        self.forget_questions();
    }

    /// What was asked in a sample.
    pub(super) fn question_of<'q>(
        &'q self,
        sample: u32,
        questions: &'q Questions,
    ) -> Option<&'q Question> {
        match self.places.get(sample as usize) {
            Some(&NONE) | None => {
                let other = self.others.binary_search_by_key(&sample, |(own, _)| *own);
                self.others.get(other.ok()?)?.1.get(questions)
            }
            Some(place) => questions.get(*place),
        }
    }

    /// How much memory the questions take that are not written yet, about.
    pub(super) fn asked_bytes(&self) -> usize {
        self.asked_bytes
    }

    /// Forgets what was asked, once it is written. Those that are kept for other files stay there.
    pub(super) fn forget_questions(&mut self) {
        self.others.clear();
        self.asked_bytes = 0;
    }

    /// The hash of a sample: that of its question, or what its row has.
    pub(super) fn hash_of<'q>(&'q self, sample: u32, questions: &'q Questions) -> Option<&'q [u8]> {
        match self.places.get(sample as usize) {
            Some(&NONE) | None => self.hash.get(sample as usize)?.of(&self.hashes),
            Some(place) => questions
                .get(*place)?
                .hash
                .as_ref()
                .map(<[u8; DIGITS]>::as_slice),
        }
    }

    /// The ids of some samples, one after the other.
    pub(super) fn ids_in(&self, range: &Range<usize>) -> &[u8] {
        let bytes = |lengths: &[u32]| -> usize {
            let lengths = lengths.iter().filter(|length| **length != NONE);
            lengths.map(|length| *length as usize).sum()
        };
        let start = bytes(&self.id_lengths[..range.start]);
        &self.ids[start..start + bytes(&self.id_lengths[range.clone()])]
    }

    /// The id of each sample.
    pub(super) fn ids(&self) -> Vec<Option<&[u8]>> {
        let mut at = 0;
        let ids = self.id_lengths.iter().map(|length| {
            let length = Some(*length).filter(|length| *length != NONE)? as usize;
            at += length;
            Some(&self.ids[at - length..at])
        });
        ids.collect()
    }
}
