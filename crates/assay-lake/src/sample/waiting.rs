//! Samples that wait to be sorted and written.

use super::block::{Block, Scores, Talk};
use super::samples::Samples;

/// How many buffers are kept for the next texts.
const SPARE_BUFFERS: usize = 128;

/// Samples that wait. Texts take more memory than scores and are written sooner; scores never are before their texts.
#[derive(Default)]
pub(crate) struct Waiting {
    pub(super) samples: Samples,
    pub(super) scores: Scores,
    /// How many samples, from the first on, have their texts written.
    pub(super) told: usize,
    /// What was said in the others.
    pub(super) talk: Talk,
    /// The texts of that, as they lay in their blocks.
    pub(super) buffers: Vec<Vec<u8>>,
    buffers_bytes: usize,
    spare: Vec<Vec<u8>>,
}

impl Waiting {
    /// Moves the samples of a block here, and leaves it another buffer.
    pub(crate) fn add(&mut self, block: &mut Block) {
        self.samples.append(&mut block.samples);
        self.scores.append(&block.scores);
        self.talk.append(&block.talk, self.buffers.len());
        self.buffers_bytes += block.buffer.len();
        let spare = self.spare.pop().unwrap_or_default();
        self.buffers
            .push(std::mem::replace(&mut block.buffer, spare));
    }

    /// How many rows of scores wait.
    pub(crate) fn scores(&self) -> usize {
        self.samples.len()
    }

    /// How much memory they take, about.
    pub(crate) fn scores_bytes(&self) -> usize {
        self.samples.bytes() + self.scores.bytes()
    }

    /// How many rows of texts wait.
    pub(crate) fn texts(&self) -> usize {
        let asked = self.samples.counts[self.told..].iter();
        asked.map(|count| *count as usize).sum::<usize>() + self.talk.len()
    }

    /// How much memory they take, about.
    pub(crate) fn texts_bytes(&self) -> usize {
        self.samples.asked_bytes() + self.talk.bytes() + self.buffers_bytes
    }

    /// Forgets texts that have been written.
    pub(super) fn forget_texts(&mut self) {
        self.told = self.samples.len();
        self.samples.forget_questions();
        self.talk.clear();
        self.buffers_bytes = 0;
        for mut buffer in self.buffers.drain(..) {
            if self.spare.len() < SPARE_BUFFERS {
                buffer.clear();
                self.spare.push(buffer);
            }
        }
    }

    /// Forgets samples that have been written.
    pub(crate) fn clear(&mut self) {
        self.samples.clear();
        self.scores.clear();
        self.forget_texts();
    }
}
