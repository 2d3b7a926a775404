//! What was asked.
//!
//! A benchmark asks every model the same. So a question is taken apart, decoded and hashed when it is met first; whoever asks it again,
//! letter by letter, gets what came of it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use assay_formats::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::block::Part;
use super::hash::{DIGITS, hash_of};
use super::lane::small;
use super::sequence::Sequences;
use crate::near::ask_for;
use crate::value::{each, text, texts};

/// How many questions of a benchmark are kept at most.
const MAX_KEPT: usize = 1 << 18;
/// How much memory they may take, about.
const MAX_KEPT_BYTES: usize = 128 << 20;
/// How many of them lie together. Memory is taken for so many at a time.
const SHELF: usize = 1 << 10;
/// About how much memory a question takes beside its texts.
const QUESTION_BYTES: usize = 256;

/// A question with its right answers and those to choose from.
#[derive(Debug, Default)]
pub(crate) struct Question {
    /// The question as it stands in its file, and after that the texts that are spelled otherwise than they read.
    buffer: String,
    /// How many bytes of that stand in the file.
    spelled: usize,
    /// Its hash, unless nothing is asked.
    pub(crate) hash: Option<[u8; DIGITS]>,
    /// Its texts, and where they lie.
    pieces: Vec<(Part, Range<usize>)>,
}

/// What was asked in a sample.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Nothing.
    Nothing,
    /// The question that is kept at this place.
    Kept(u32),
    /// A question for which there was no room.
    Own(Box<Question>),
}

/// The questions of one benchmark. They can be read while others are added, and stay where they are.
#[derive(Debug)]
pub(crate) struct Questions {
    shelves: Box<[OnceLock<Shelf>]>,
    /// How many are kept at most.
    room: usize,
    places: Mutex<Places>,
    /// The orders in which files asked them.
    pub(super) sequences: Sequences,
}

/// Places for some questions, one after the other.
type Shelf = Box<[OnceLock<Question>]>;

/// Where questions are kept.
#[derive(Debug, Default)]
struct Places {
    /// By a hash of how they are spelled. Of two that have the same, one is kept.
    known: HashMap<u64, u32>,
    bytes: usize,
}

impl Questions {
    /// None is known yet.
    pub(crate) fn new() -> Self {
        Self::with_room_for(MAX_KEPT)
    }

    /// At most so many will be kept.
    pub(crate) fn with_room_for(questions: usize) -> Self {
        Self {
            shelves: empty(questions.div_ceil(SHELF)),
            room: questions,
            places: Mutex::default(),
            sequences: Sequences::default(),
        }
    }

    /// The question at a place.
    #[inline]
    pub(crate) fn get(&self, place: u32) -> Option<&Question> {
        let place = place as usize;
        self.shelves.get(place / SHELF)?.get()?[place % SHELF].get()
    }

    /// How much memory they take with all that was written of them, about.
    pub(crate) fn bytes(&self) -> usize {
        self.places().bytes + self.sequences.bytes()
    }

    /// What the `input` of a row asks. Most files ask in the same order, so it is looked for at the place where it is expected first.
    pub(crate) fn asked(&self, input: Value<'_>, expected: u32) -> Asked {
        let spelled = input.raw();
        if self.is_at(expected, spelled) {
            return Asked::Kept(expected);
        }
        let key = xxh3_64(spelled.as_bytes());
        let known = self.places().known.get(&key).copied();
        match known {
            Some(place) if self.is_at(place, spelled) => Asked::Kept(place),
            Some(_) => Asked::Own(Box::new(Question::read(input))),
            None => self.keep(key, Question::read(input)),
        }
    }

    /// The question at this place is likely to be asked next.
    #[inline]
    pub(crate) fn will_ask(&self, place: u32) {
        if let Some(question) = self.get(place) {
            ask_for(question.spelled().as_bytes());
        }
    }

    fn is_at(&self, place: u32, spelled: &str) -> bool {
        let question = self.get(place);
        question.is_some_and(|question| question.spelled() == spelled)
    }

    fn keep(&self, key: u64, question: Question) -> Asked {
        let mut places = self.places();
        // Another thread may have met it meanwhile.
        if let Some(place) = places.known.get(&key)
            && self.is_at(*place, question.spelled())
        {
            return Asked::Kept(*place);
        }
        let bytes = places.bytes + question.bytes();
        let place = small(places.known.len());
        let has_room = bytes <= MAX_KEPT_BYTES
            && places.known.len() < self.room
            && !places.known.contains_key(&key);
        let shelf = self.shelves.get(place as usize / SHELF);
        let left = match shelf.filter(|_| has_room) {
            Some(shelf) => shelf.get_or_init(|| empty(SHELF))[place as usize % SHELF]
                .set(question)
                .err(),
            None => Some(question),
        };
        if let Some(question) = left {
            return Asked::Own(Box::new(question));
        }
        places.known.insert(key, place);
        places.bytes = bytes;
        Asked::Kept(place)
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// So many places that nothing lies at.
fn empty<T>(places: usize) -> Box<[OnceLock<T>]> {
    std::iter::repeat_with(OnceLock::new).take(places).collect()
}

impl Asked {
    /// The question.
    pub(crate) fn get<'q>(&'q self, questions: &'q Questions) -> Option<&'q Question> {
        match self {
            Self::Nothing => None,
            Self::Kept(place) => questions.get(*place),
            Self::Own(question) => Some(question),
        }
    }
}

impl Question {
    fn read(input: Value<'_>) -> Self {
        let (mut raw, mut reference, mut choices) = (None, None, None);
        each(input, |name, value| match name {
            "raw" => raw = Some(value),
            "reference" => reference = Some(value),
            "choices" => choices = Some(value),
            _ => {}
        });
        let spelled = input.raw();
        let mut question = Self {
            buffer: spelled.to_owned(),
            spelled: spelled.len(),
            ..Self::default()
        };
        if let Some(raw) = raw
            && let Some(asked) = text(raw)
        {
            // Converters in the wild have recipes of their own for `sample_hash`, so the question is hashed here by the one that
            // the schema describes.
            let is_asked = !asked.trim().is_empty();
            question.hash = is_asked.then(|| hash_of(raw, &asked, reference));
            question.add(Part::Input, &asked, spelled);
        }
        for answer in reference.into_iter().flat_map(texts) {
            question.add(Part::Reference, &answer, spelled);
        }
        for choice in choices.into_iter().flat_map(texts) {
            question.add(Part::Choice, &choice, spelled);
        }
        question
    }

    fn spelled(&self) -> &str {
        &self.buffer[..self.spelled]
    }

    /// Adds a text of a question that is spelled like this.
    fn add(&mut self, part: Part, text: &str, spelled: &str) {
        // A text that reads as it is spelled is a part of that.
        let start = text.as_ptr().addr().wrapping_sub(spelled.as_ptr().addr());
        let range = start..start.saturating_add(text.len());
        if self.spelled().get(range.clone()) == Some(text) {
            self.pieces.push((part, range));
            return;
        }
        let start = self.buffer.len();
        self.buffer.push_str(text);
        self.pieces.push((part, start..self.buffer.len()));
    }

    /// How many texts it has.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Its texts, and what they are.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Part, &str)> {
        let pieces = self.pieces.iter();
        pieces.map(|(part, range)| (*part, &self.buffer[range.clone()]))
    }

    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        QUESTION_BYTES + self.buffer.len()
    }
}
