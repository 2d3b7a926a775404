use crate::disk::{Access, Disk};
use crate::error::LogError;
use crate::frontier::Frontier;
use crate::growth::Growth;
use crate::slots::Record;
use crate::tile::{Tile, split_entry};
use crate::tree::Tree;

/// Bytes of entries read at a time.
const CHUNK: u64 = 4 << 20;
/// After how many leaves what they add is written out.
const WRITE_EVERY: u64 = 16_384;

/// A log as far as its last checkpoint goes.
pub(crate) struct Recovered {
    /// Its right edge.
    pub(crate) frontier: Frontier,
    /// Offsets of all bundles, including the one that the next leaf goes to.
    pub(crate) starts: Vec<u64>,
    /// Up to which leaf the derived files can be relied on.
    pub(crate) settled: u64,
}

/// Brings what is derived up to the last checkpoint, and makes sure that the entries are those that
/// were signed for.
///
/// Derived files that were made durable are taken as they are: they must lead to the signed root.
/// If they do not, they are made again from all entries, and if those do not lead there either, the
/// log is not what was signed.
pub(crate) fn recover(disk: &Disk, record: &Record, access: Access) -> Result<Recovered, LogError> {
    let claimed = record.checkpoint.claimed();
    let settled = record.settled.min(claimed.size);
    let settled = settled - settled % u64::from(Tile::WIDTH);
    match resume(disk, record, settled, access) {
        Ok(recovered) if recovered.frontier.root() == claimed.root => return Ok(recovered),
        Ok(_) | Err(_) if settled > 0 => {
            tracing::warn!(
                log = %disk.dir().display(),
                "the hashes of the log do not lead to its checkpoint, and are made again from its entries"
            );
        }
        Ok(_) => {}
        Err(error) => return Err(error),
    }
    let recovered = resume(disk, record, 0, access)?;
    if recovered.frontier.root() == claimed.root {
        Ok(recovered)
    } else {
        Err(LogError::Differs {
            dir: disk.dir().to_owned(),
            size: claimed.size,
        })
    }
}

/// Goes on from where everything is on disk, through the entries behind it.
fn resume(
    disk: &Disk,
    record: &Record,
    settled: u64,
    access: Access,
) -> Result<Recovered, LogError> {
    let mut starts = known_starts(disk, record, settled)?;
    let frontier = Tree::new(disk, settled).frontier(settled)?;
    let begin = *starts.last().expect("the first bundle begins at 0");
    let mut growth = Growth::new(frontier, begin);
    let mut write = |growth: &mut Growth| -> Result<(), LogError> {
        starts.extend(match access {
            Access::Write => growth.write(disk)?,
            Access::Read => growth.forget(),
        });
        Ok(())
    };
    let size = record.checkpoint.claimed().size;
    let mut carried = Vec::new();
    let mut at = begin;
    while at < record.end {
        let next = record.end.min(at + CHUNK);
        carried.extend(disk.read_entries(at, next)?);
        at = next;
        let mut rest = carried.as_slice();
        while let Some((leaf, after)) = split_entry(rest) {
            growth.push(leaf);
            rest = after;
            if growth.unwritten() == WRITE_EVERY {
                write(&mut growth)?;
            }
        }
        carried = rest.to_vec();
    }
    write(&mut growth)?;
    if growth.size() != size || !carried.is_empty() {
        return Err(LogError::Differs {
            dir: disk.dir().to_owned(),
            size,
        });
    }
    Ok(Recovered {
        frontier: growth.into_frontier(),
        starts,
        settled,
    })
}

/// Returns the offsets of the settled bundles and of the one behind them.
fn known_starts(disk: &Disk, record: &Record, settled: u64) -> Result<Vec<u64>, LogError> {
    let mut starts = vec![0];
    starts.extend(disk.read_offsets(settled / u64::from(Tile::WIDTH))?);
    let rises = starts.windows(2).all(|pair| pair[0] < pair[1]);
    if rises && starts.last().is_some_and(|last| *last <= record.end) {
        Ok(starts)
    } else {
        Err(LogError::Damaged(disk.dir().join("offsets")))
    }
}
