use crate::error::LogError;
use crate::log::Log;
use crate::tile::{Bundle, split_entry};

/// Leaves in their order, with their indexes.
pub struct Leaves {
    log: Log,
    next: u64,
    end: u64,
    read: std::vec::IntoIter<Vec<u8>>,
}

impl Leaves {
    /// The leaves of a log from one index up to another, which it must have.
    pub(crate) fn new(log: Log, start: u64, end: u64) -> Self {
        Self {
            log,
            next: start,
            end,
            read: Vec::new().into_iter(),
        }
    }
}

impl Iterator for Leaves {
    type Item = Result<(u64, Vec<u8>), LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        if self.read.len() == 0 {
            let bundle = Bundle::around(self.next, self.end)?;
            match self.log.bundle(bundle) {
                Ok(bytes) => {
                    let skip = usize::try_from(self.next - bundle.first()).ok()?;
                    let leaves: Vec<_> = entries(&bytes).skip(skip).map(<[u8]>::to_vec).collect();
                    self.read = leaves.into_iter();
                }
                Err(error) => {
                    self.next = self.end;
                    return Some(Err(error));
                }
            }
        }
        let leaf = self.read.next()?;
        let index = self.next;
        self.next += 1;
        Some(Ok((index, leaf)))
    }
}

/// The leaves in the bytes of a bundle, as far as they are whole.
pub(crate) fn entries(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (leaf, after) = split_entry(rest)?;
        rest = after;
        Some(leaf)
    })
}
