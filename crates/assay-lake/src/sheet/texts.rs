//! Columns of texts.

use parquet::basic::Encoding;
use parquet::errors::Result;

use super::bounds::Bounds;
use super::chunk::{Page, put_levels, put_levels_of};
use super::codec::Codec;
use super::group::{Group, NONE};
use super::hybrid::{put_places, width_of};
use crate::near::Ahead;

/// How many bytes of text a page has, about. Whoever reads one text unpacks its page, and a page that fits into the memory beside a
/// core is gathered and packed there.
const PAGE_BYTES: usize = 1 << 18;
/// How many bytes of texts are put into a list that rows refer to.
const LIST_BYTES: usize = 1 << 20;
/// The room before the texts of a page for what it says of empty rows, when no row is or all are.
const LEVELS_ROOM: usize = 16;

impl Group<'_> {
    /// A column of a few texts, each row by the place of its text in a list.
    pub(crate) fn places<T: AsRef<str>>(&mut self, texts: &[T], places: &[u32]) -> Result<()> {
        let bytes = |place: usize| texts.get(place).map(|text| text.as_ref().as_bytes());
        if texts.iter().map(|text| text.as_ref().len()).sum::<usize>() > LIST_BYTES {
            let texts = places.iter().map(|place| bytes(*place as usize));
            return self.texts(Codec::Small, texts);
        }
        self.column(Codec::Small, |chunk, scratch| {
            let body = &mut scratch.body;
            body.clear();
            for text in texts {
                put_text(text.as_ref().as_bytes(), body);
            }
            chunk.dictionary(body, texts.len())?;
            let width = width_of(texts.len());
            for places in places.chunks(scratch.page_rows) {
                body.clear();
                let nulls = places.iter().filter(|place| **place == NONE).count();
                if chunk.is_nullable() {
                    let levels = places.iter().map(|place| *place != NONE);
                    put_levels(places.len(), nulls, levels, &mut scratch.levels, body);
                }
                put_places(places, nulls, width, &mut scratch.places, body);
                let mut bounds = None;
                if chunk.has_bounds() {
                    let mut seen = vec![false; texts.len()];
                    for place in places.iter().filter(|place| **place != NONE) {
                        seen[*place as usize] = true;
                    }
                    let seen = seen.into_iter().enumerate().filter(|(_, seen)| *seen);
                    bounds = Bounds::of_texts(seen.filter_map(|(place, _)| bytes(place)));
                }
                chunk.page(Page {
                    body,
                    rows: places.len(),
                    nulls,
                    encoding: Encoding::RLE_DICTIONARY,
                    bounds,
                })?;
            }
            Ok(())
        })
    }

    /// A column of texts that are seldom the same twice, one after the other.
    pub(crate) fn texts<'t>(
        &mut self,
        codec: Codec,
        texts: impl Iterator<Item = Option<&'t [u8]>>,
    ) -> Result<()> {
        let mut texts = Ahead::of(texts);
        self.column(codec, |chunk, scratch| {
            let (body, levels) = (&mut scratch.body, &mut scratch.levels);
            loop {
                body.clear();
                body.resize(LEVELS_ROOM, 0);
                levels.clear();
                let (mut rows, mut nulls) = (0, 0);
                let mut extremes: Option<(&[u8], &[u8])> = None;
                for text in texts.by_ref() {
                    rows += 1;
                    levels.push(u32::from(text.is_some()));
                    match text {
                        Some(text) => {
                            put_text(text, body);
                            if chunk.has_bounds() {
                                extremes = Some(extremes.map_or((text, text), |(low, high)| {
                                    // Rows are mostly sorted by what has bounds.
                                    if text >= high {
                                        (low, text)
                                    } else {
                                        (low.min(text), high)
                                    }
                                }));
                            }
                        }
                        None => nulls += 1,
                    }
                    if rows == scratch.page_rows || body.len() >= PAGE_BYTES {
                        break;
                    }
                }
                if rows == 0 {
                    return Ok(());
                }
                let from = if chunk.is_nullable() {
                    put_levels_before(rows, nulls, levels, body)
                } else {
                    LEVELS_ROOM
                };
                chunk.page(Page {
                    body: &body[from..],
                    rows,
                    nulls,
                    encoding: Encoding::PLAIN,
                    bounds: extremes
                        .map(|(low, high)| Bounds::Texts(low.to_owned(), high.to_owned())),
                })?;
            }
        })
    }
}

/// Writes a text with its length before it.
pub(super) fn put_text(text: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(text.len()).expect("a row is far smaller");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text);
}

/// Writes which rows have a value before the texts that are there already, and tells where that begins.
fn put_levels_before(rows: usize, nulls: usize, levels: &[u32], body: &mut Vec<u8>) -> usize {
    let mut before = Vec::with_capacity(LEVELS_ROOM);
    put_levels_of(rows, nulls, levels, &mut before);
    if let Some(from) = LEVELS_ROOM.checked_sub(before.len()) {
        body[from..LEVELS_ROOM].copy_from_slice(&before);
        return from;
    }
    body.splice(..LEVELS_ROOM, before);
    0
}
