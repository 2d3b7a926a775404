//! Memory that is asked for before it is needed.
//!
//! Samples are written in another order than they came, and compared with questions that were met long before: most of that lies
//! outside of what a core has at hand. To wait for each text took longer than to copy it.

use prefetch_index::prefetch_index;

/// How many bytes of memory come together.
const LINE_BYTES: usize = 64;
/// How many texts are asked for before the first of them is needed.
const AHEAD: usize = 8;

/// Asks for bytes that will be read soon.
#[inline]
pub(crate) fn ask_for(bytes: &[u8]) {
    for at in (0..bytes.len()).step_by(LINE_BYTES) {
        prefetch_index(bytes, at);
    }
}

/// Texts that lie anywhere, each asked for before its turn.
pub(crate) struct Ahead<'t, I> {
    texts: I,
    /// Those that were asked for, in a ring.
    asked: [Option<&'t [u8]>; AHEAD],
    /// How many came so far, and how many of them were handed on.
    came: usize,
    gone: usize,
}

impl<'t, I: Iterator<Item = Option<&'t [u8]>>> Ahead<'t, I> {
    /// The same texts.
    pub(crate) fn of(texts: I) -> Self {
        Self {
            texts,
            asked: [None; AHEAD],
            came: 0,
            gone: 0,
        }
    }
}

impl<'t, I: Iterator<Item = Option<&'t [u8]>>> Iterator for Ahead<'t, I> {
    type Item = Option<&'t [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.came < self.gone + AHEAD
            && let Some(text) = self.texts.next()
        {
            ask_for(text.unwrap_or_default());
            self.asked[self.came % AHEAD] = text;
            self.came += 1;
        }
        if self.gone == self.came {
            return None;
        }
        let text = self.asked[self.gone % AHEAD];
        self.gone += 1;
        Some(text)
    }
}
