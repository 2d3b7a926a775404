//! Questions in the order in which a file asks them.
//!
//! Which questions are asked, in which order, under which ids and on which lines is the same in the files of most models of a
//! benchmark. What follows from nothing else is sorted and packed once, and copied into the next file.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use parquet::errors::Result as ParquetResult;

use super::block::Talk;
use super::lane::{Lane, Names, small};
use super::order::order;
use super::question::Questions;
use super::samples::Samples;
use crate::sheet::{Copied, Group, NONE};

/// How much memory the sequences of a benchmark take that may come again.
const MAX_BYTES: usize = 64 << 20;

/// The sequences of one benchmark.
#[derive(Default)]
pub(super) struct Sequences {
    kept: Mutex<Vec<Arc<Sequence>>>,
}

/// Samples that were asked one after the other, and the columns that follow from that alone.
pub(super) struct Sequence {
    /// Where the question of each is kept.
    places: Vec<u32>,
    /// How many bytes each id has, and the ids one after the other.
    id_lengths: Vec<u32>,
    ids: Vec<u8>,
    lines: Vec<Option<u64>>,
    /// In which order they are written.
    order: Vec<u32>,
    /// Hashes and ids as `instances` has them, and the lines.
    pub(super) scored: OnceLock<Vec<Copied>>,
    pub(super) scored_lines: OnceLock<Vec<Copied>>,
    /// Hashes, ids and lines of what was asked, and all its texts.
    pub(super) asked: OnceLock<Vec<Copied>>,
    said: OnceLock<Said>,
}

/// What a sequence is known by.
#[derive(PartialEq)]
struct Told<'t> {
    places: &'t [u32],
    id_lengths: &'t [u32],
    lines: &'t [Option<u64>],
    ids: &'t [u8],
}

/// The columns of what was said that do not hold its texts.
struct Said {
    pieces: Vec<u32>,
    part: Lane<u32>,
    turn: Lane<Option<u64>>,
    roles: Vec<Box<str>>,
    role: Lane<u32>,
    columns: OnceLock<Vec<Copied>>,
}

/// Some samples that are written together.
pub(super) struct Stretch<'w> {
    pub(super) samples: &'w Samples,
    pub(super) questions: &'w Questions,
    /// The number of the first of them.
    first: u32,
    /// What they have in common with those of other files.
    pub(super) sequence: Option<Arc<Sequence>>,
    /// In which order they are written, where no sequence tells.
    own: Vec<u32>,
}

impl Sequences {
    /// How much memory they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.kept().iter().map(|own| own.bytes()).sum()
    }

    fn find(&self, told: &Told<'_>) -> Option<Arc<Sequence>> {
        let kept = self.kept();
        let own = kept.iter().find(|own| own.told() == *told);
        own.map(Arc::clone)
    }

    fn keep(&self, sequence: Sequence) -> Arc<Sequence> {
        let mut kept = self.kept();
        // Another thread may have met the same meanwhile.
        if let Some(own) = kept.iter().find(|own| own.told() == sequence.told()) {
            return Arc::clone(own);
        }
        let bytes: usize = kept.iter().map(|own| own.bytes()).sum();
        if bytes + sequence.bytes() > MAX_BYTES {
            kept.clear();
        }
        let sequence = Arc::new(sequence);
        kept.push(Arc::clone(&sequence));
        sequence
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Arc<Sequence>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Sequences {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sequences").finish_non_exhaustive()
    }
}

impl Sequence {
    fn of(told: &Told<'_>, order: Vec<u32>) -> Self {
        Self {
            places: told.places.to_owned(),
            id_lengths: told.id_lengths.to_owned(),
            ids: told.ids.to_owned(),
            lines: told.lines.to_owned(),
            order,
            scored: OnceLock::new(),
            scored_lines: OnceLock::new(),
            asked: OnceLock::new(),
            said: OnceLock::new(),
        }
    }

    fn told(&self) -> Told<'_> {
        Told {
            places: &self.places,
            id_lengths: &self.id_lengths,
            ids: &self.ids,
            lines: &self.lines,
        }
    }

    /// The columns of what was said, where it is said in as many pieces by the same; of those that come otherwise none are kept.
    pub(super) fn said(&self, talk: &Talk) -> Option<&OnceLock<Vec<Copied>>> {
        let said = self.said.get_or_init(|| Said::of(talk));
        said.is_of(talk).then_some(&said.columns)
    }

    /// How much memory it takes, about.
    fn bytes(&self) -> usize {
        let columns = [&self.scored, &self.scored_lines, &self.asked];
        let said = self.said.get();
        let columns = columns
            .into_iter()
            .chain(said.map(|said| &said.columns))
            .filter_map(OnceLock::get)
            .flatten();
        let sample = size_of::<[u32; 3]>() + size_of::<Option<u64>>();
        let said = said.map_or(0, Said::bytes);
        self.places.len() * sample
            + self.ids.len()
            + columns.map(Copied::bytes).sum::<usize>()
            + said
    }
}

impl<'t> Told<'t> {
    fn of(samples: &'t Samples, range: &Range<usize>) -> Self {
        Self {
            places: &samples.places[range.clone()],
            id_lengths: &samples.id_lengths[range.clone()],
            lines: &samples.lines[range.clone()],
            ids: samples.ids_in(range),
        }
    }
}

impl Said {
    fn of(talk: &Talk) -> Self {
        Self {
            pieces: talk.pieces.clone(),
            part: talk.part.clone(),
            turn: talk.turn.clone(),
            roles: talk.role.texts.clone(),
            role: talk.role.places.clone(),
            columns: OnceLock::new(),
        }
    }

    fn is_of(&self, talk: &Talk) -> bool {
        self.pieces == talk.pieces
            && self.part == talk.part
            && self.turn == talk.turn
            && self.roles == talk.role.texts
            && self.role == talk.role.places
    }

    fn bytes(&self) -> usize {
        let piece = size_of::<[u32; 2]>() + size_of::<Option<u64>>();
        self.pieces.len() * size_of::<u32>() + self.part.len() * piece
    }
}

impl<'w> Stretch<'w> {
    /// Samples that are written together, in which order, and what is known of them already.
    pub(super) fn of(
        samples: &'w Samples,
        range: Range<usize>,
        metric: Option<&Names>,
        questions: &'w Questions,
    ) -> Self {
        let is_one = [Some(&samples.task), metric]
            .into_iter()
            .flatten()
            .all(|names| names.same().is_some());
        let told = Told::of(samples, &range);
        let is_shared = is_one && !told.places.contains(&NONE);
        let known = is_shared.then(|| questions.sequences.find(&told)).flatten();
        let mut own = Vec::new();
        if known.is_none() {
            own = order(samples, range.clone(), metric, questions);
        }
        let sequence = known.or_else(|| {
            let order = is_shared.then(|| std::mem::take(&mut own))?;
            Some(questions.sequences.keep(Sequence::of(&told, order)))
        });
        Self {
            samples,
            questions,
            first: small(range.start),
            sequence,
            own,
        }
    }

    /// The numbers of the samples, as they are written.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> {
        let order = match &self.sequence {
            Some(sequence) => &sequence.order,
            None => &self.own,
        };
        order.iter().map(|sample| sample + self.first)
    }

    /// The number of a sample among these.
    pub(super) fn place_of(&self, sample: u32) -> usize {
        (sample - self.first) as usize
    }

    /// The hash of a sample.
    pub(super) fn hash_of(&self, sample: u32) -> Option<&[u8]> {
        self.samples.hash_of(sample, self.questions)
    }
}

/// Writes columns again that are kept, or for the first time, and keeps them where that is wanted.
pub(super) fn once(
    group: &mut Group<'_>,
    kept: Option<&OnceLock<Vec<Copied>>>,
    write: impl FnOnce(&mut Group<'_>) -> ParquetResult<()>,
) -> ParquetResult<()> {
    let Some(kept) = kept else {
        return write(group);
    };
    if let Some(columns) = kept.get() {
        return group.again(columns);
    }
    let columns = group.copied(write)?;
    // Another thread may have been faster, with the same.
    kept.set(columns).ok();
    Ok(())
}
