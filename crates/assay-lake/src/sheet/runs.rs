//! Columns whose values come in runs.

use parquet::basic::Encoding;
use parquet::errors::Result;

use super::bounds::Bounds;
use super::chunk::{Page, put_levels_of};
use super::codec::Codec;
use super::group::{Group, NONE};
use super::hybrid::{width_of, write_run};
use super::numbers::{bounds_of, write_plain};
use super::texts::put_text;

/// So many rows after each other that have the value at one place of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where the value stands, or [`NONE`].
    pub(crate) place: u32,
    /// How many rows have it.
    pub(crate) rows: usize,
}

impl Group<'_> {
    /// A column of texts.
    pub(crate) fn runs_of_texts<T: AsRef<[u8]>>(
        &mut self,
        texts: &[T],
        runs: &[Run],
    ) -> Result<()> {
        let mut list = Vec::new();
        for text in texts {
            put_text(text.as_ref(), &mut list);
        }
        self.runs((&list, texts.len()), runs, |page| {
            let texts = page.iter().filter_map(|run| texts.get(run.place as usize));
            Bounds::of_texts(texts.map(AsRef::as_ref))
        })
    }

    /// A column of numbers, as the bits that they are.
    pub(crate) fn runs_of_numbers(&mut self, numbers: &[u64], runs: &[Run]) -> Result<()> {
        let holds = self.holds();
        let mut list = Vec::new();
        write_plain(numbers.iter().copied(), &mut list);
        self.runs((&list, numbers.len()), runs, |page| {
            let numbers = page
                .iter()
                .filter_map(|run| numbers.get(run.place as usize));
            bounds_of(holds, numbers.copied())
        })
    }

    fn runs(
        &mut self,
        (list, count): (&[u8], usize),
        runs: &[Run],
        bounds: impl Fn(&[Run]) -> Option<Bounds>,
    ) -> Result<()> {
        let width = width_of(count);
        self.column(Codec::Unlike, |chunk, scratch| {
            chunk.dictionary(list, count)?;
            let mut page = Vec::new();
            let mut runs = Pages { runs, taken: 0 };
            loop {
                runs.take(scratch.page_rows, &mut page);
                if page.is_empty() {
                    return Ok(());
                }
                let rows = page.iter().map(|run| run.rows).sum();
                let missing = page.iter().filter(|run| run.place == NONE);
                let nulls = missing.map(|run| run.rows).sum();
                let body = &mut scratch.body;
                body.clear();
                if chunk.is_nullable() {
                    scratch.levels.clear();
                    if nulls > 0 {
                        let levels = page
                            .iter()
                            .map(|run| (u32::from(run.place != NONE), run.rows));
                        let levels =
                            levels.flat_map(|(level, rows)| std::iter::repeat_n(level, rows));
                        scratch.levels.extend(levels);
                    }
                    put_levels_of(rows, nulls, &scratch.levels, body);
                }
                body.push(width.to_le_bytes()[0]);
                for run in page.iter().filter(|run| run.place != NONE) {
                    write_run(run.rows, run.place, width, body);
                }
                chunk.page(Page {
                    body,
                    rows,
                    nulls,
                    encoding: Encoding::RLE_DICTIONARY,
                    bounds: chunk.has_bounds().then(|| bounds(&page)).flatten(),
                })?;
            }
        })
    }
}

/// Runs that are cut into pages.
struct Pages<'r> {
    runs: &'r [Run],
    /// How many rows of the first are in the page before.
    taken: usize,
}

impl Pages<'_> {
    fn take(&mut self, mut rows: usize, page: &mut Vec<Run>) {
        page.clear();
        while let Some((first, rest)) = self.runs.split_first() {
            let taken = (first.rows - self.taken).min(rows);
            if taken > 0 {
                page.push(Run {
                    rows: taken,
                    ..*first
                });
            }
            rows -= taken;
            self.taken += taken;
            if self.taken < first.rows {
                return;
            }
            self.runs = rest;
            self.taken = 0;
        }
    }
}
