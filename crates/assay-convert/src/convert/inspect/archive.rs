//! The members of an `.eval` archive.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};

use assay_formats::json::{Stream, StreamError};
use parking_lot::Mutex;
use zip::ZipArchive;
use zip::read::ZipFile;

use super::super::{LogFile, Logs, Refusal};
use super::excerpt::{self, Excerpt, MAX_VALUE_BYTES};

/// The most that one member may hold, in bytes; beyond it the member counts as damaged. This bounds
/// the work that a member of a few bytes can ask for; memory is bounded by what is kept of it.
const MAX_MEMBER_BYTES: u64 = 4 << 30;
/// The most members that an archive may have.
const MAX_MEMBERS: usize = 8 << 20;
/// The directory of the samples.
const SAMPLES: &str = "samples/";
/// The number of digits to which Inspect fills up a number when it orders samples.
const ID_DIGITS: usize = 20;

/// An archive. A copy shares the list of members and reads through a file of its own, so threads do
/// not wait for each other.
pub(super) type Archive<'a> = ZipArchive<Reopened<'a>>;

/// A file that is opened when it is first read; copies are opened again.
pub(super) struct Reopened<'a> {
    logs: &'a dyn Logs,
    path: &'a str,
    /// Never contended: the lock only lets the copies on several threads look at each other's
    /// outside.
    file: Mutex<Option<Box<dyn LogFile + 'a>>>,
}

impl<'a> Reopened<'a> {
    pub(super) fn new(logs: &'a dyn Logs, path: &'a str) -> Self {
        Self {
            logs,
            path,
            file: Mutex::new(None),
        }
    }

    fn file(&mut self) -> io::Result<&mut Box<dyn LogFile + 'a>> {
        let file = self.file.get_mut();
        match file {
            Some(file) => Ok(file),
            empty @ None => Ok(empty.insert(self.logs.open(self.path)?)),
        }
    }
}

impl Clone for Reopened<'_> {
    fn clone(&self) -> Self {
        Self::new(self.logs, self.path)
    }
}

impl Read for Reopened<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file()?.read(buffer)
    }
}

impl Seek for Reopened<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file()?.seek(to)
    }
}

/// Opens an archive whose members hold at most `max_unpacked` bytes together. [`member`] reads no
/// more of a member than the archive says that it holds, so this also bounds the work that an
/// archive of a few bytes can ask for.
pub(super) fn open<'a>(
    logs: &'a dyn Logs,
    path: &'a str,
    max_unpacked: u64,
) -> Result<Archive<'a>, Refusal> {
    let mut archive = ZipArchive::new(Reopened::new(logs, path))
        .map_err(|error| Refusal::damaged(path, format!("it is no whole archive ({error})")))?;
    if archive.len() > MAX_MEMBERS {
        return Err(Refusal::damaged(
            path,
            format!("it has more than {MAX_MEMBERS} members"),
        ));
    }
    if max_unpacked < u64::MAX && unpacked_size(&mut archive) > u128::from(max_unpacked) {
        return Err(Refusal::damaged(
            path,
            format!("unpacked it would have more than {max_unpacked} bytes"),
        ));
    }
    Ok(archive)
}

/// Returns the number of bytes that the members hold together, as the archive says.
fn unpacked_size(archive: &mut Archive<'_>) -> u128 {
    if let Some(size) = archive.decompressed_size() {
        return size;
    }
    // An archive that was written as a stream: its directory has the sizes all the same.
    (0..archive.len())
        .map(|index| {
            let member = archive.by_index_raw(index);
            member.map_or(u128::MAX >> 32, |member| u128::from(member.size()))
        })
        .fold(0, u128::saturating_add)
}

/// Reads the header of a finished log, or that of one that is still running or has crashed.
pub(super) fn header(archive: &mut Archive<'_>, path: &str) -> Result<(Excerpt, bool), Refusal> {
    let finished = archive.index_for_name("header.json");
    let index = finished.or_else(|| archive.index_for_name("_journal/start.json"));
    let Some(index) = index else {
        return Err(Refusal::damaged(
            path,
            "it has neither `header.json` nor `_journal/start.json`, so it is no log of Inspect",
        ));
    };
    let mut stream = Stream::new(
        member(archive, index).map_err(|error| damaged(path, &error))?,
        MAX_VALUE_BYTES,
    );
    let (excerpt, _) = excerpt::header(&mut stream).map_err(|error| damaged(path, &error))?;
    Ok((excerpt, finished.is_some()))
}

fn damaged(path: &str, error: &StreamError) -> Refusal {
    let reason = match error {
        StreamError::Io(error) => error.to_string(),
        StreamError::Syntax { .. }
        | StreamError::Truncated { .. }
        | StreamError::TooLarge { .. } => error.to_string(),
    };
    Refusal::damaged(path, format!("its header cannot be read ({reason})"))
}

/// The place of a sample in an archive.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The member with the sample, or with what is left of it when the messages lie elsewhere.
    pub(super) main: usize,
    /// The members with messages and with attachments, by the number of their first item.
    pub(super) messages: BTreeMap<u64, usize>,
    /// The member with what the dataset says of the sample, when that lies elsewhere.
    pub(super) metadata: Option<usize>,
    pub(super) attachments: BTreeMap<u64, usize>,
}

/// A member that is a sample or a part of one. There can be hundreds of thousands, so it owns
/// nothing.
struct Part<'n> {
    epoch: u64,
    id: &'n str,
    is_number: bool,
    rest: &'n str,
    index: usize,
}

impl Part<'_> {
    /// Orders samples: by epoch, and by id with whole numbers filled up with zeros.
    fn order(&self, other: &Self) -> Ordering {
        fn filled<'p>(part: &'p Part<'_>) -> impl Iterator<Item = u8> + 'p {
            let missing = if part.is_number {
                ID_DIGITS.saturating_sub(part.id.len())
            } else {
                0
            };
            std::iter::repeat_n(b'0', missing).chain(part.id.bytes())
        }
        self.epoch
            .cmp(&other.epoch)
            .then_with(|| filled(self).cmp(filled(other)))
            .then_with(|| self.id.cmp(other.id))
    }
}

/// Finds the samples, in the order of epoch and id, and counts the members that should be samples
/// and cannot be told which. Whole numbers among the ids are compared as numbers; `is_number` says
/// whether an id is one.
pub(super) fn samples(
    archive: &Archive<'_>,
    is_number: impl Fn(&str) -> bool,
) -> (Vec<Place>, u64) {
    // The names come in the order of the indices.
    let names = archive.file_names().enumerate();
    let mut unnamed = 0;
    let mut parts: Vec<Part<'_>> = names
        .filter_map(|(index, name)| {
            let Some((id, epoch, rest)) = parts_of(name) else {
                unnamed += u64::from(name.starts_with(SAMPLES) && name.len() > SAMPLES.len());
                return None;
            };
            Some(Part {
                epoch,
                id,
                is_number: is_number(id),
                rest,
                index,
            })
        })
        .collect();
    parts.sort_by(Part::order);
    let places = parts
        .chunk_by(|a, b| a.order(b) == Ordering::Equal)
        .filter_map(place)
        .collect();
    (places, unnamed)
}

/// Puts the parts of one sample together; `None` when what they belong to is missing.
fn place(parts: &[Part<'_>]) -> Option<Place> {
    let mut main = None;
    let mut place = Place::default();
    for part in parts {
        if part.rest == ".json" || (part.rest == "/sample.json" && main.is_none()) {
            main = Some(part.index);
        } else if part.rest == "/metadata.json" {
            place.metadata = Some(part.index);
        } else if let Some(start) = chunk(part.rest, "/messages/") {
            place.messages.insert(start, part.index);
        } else if let Some(start) = chunk(part.rest, "/attachments/") {
            place.attachments.insert(start, part.index);
        }
    }
    main.map(|main| Place { main, ..place })
}

/// Takes `samples/{id}_epoch_{epoch}{rest}` apart. Ids may hold slashes and anything else.
fn parts_of(name: &str) -> Option<(&str, u64, &str)> {
    let (id, tail) = name.strip_prefix(SAMPLES)?.rsplit_once("_epoch_")?;
    let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
    Some((id, tail[..digits].parse().ok()?, &tail[digits..]))
}

fn chunk(rest: &str, folder: &str) -> Option<u64> {
    rest.strip_prefix(folder)?
        .strip_suffix(".json")?
        .parse()
        .ok()
}

/// Returns a member as it was before it was packed, up to the size that the archive gives for it
/// and to a limit.
pub(super) fn member<'m, 'a>(
    archive: &'m mut Archive<'a>,
    index: usize,
) -> Result<io::Take<ZipFile<'m, Reopened<'a>>>, StreamError> {
    let file = archive
        .by_index(index)
        .map_err(|error| StreamError::Io(io::Error::other(error.to_string())))?;
    // One byte beyond the end is asked for: that is when the checksum is verified.
    let most = file.size().saturating_add(1);
    Ok(file.take(most.min(MAX_MEMBER_BYTES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members_come_apart_whatever_the_id_holds() {
        for (name, expected) in [
            ("samples/1_epoch_2.json", Some(("1", 2, ".json"))),
            ("samples/s/0 ü_epoch_1.json", Some(("s/0 ü", 1, ".json"))),
            (
                "samples/a_epoch_1_epoch_3/sample.json",
                Some(("a_epoch_1", 3, "/sample.json")),
            ),
            (
                "samples/a_epoch_1/messages/20.json",
                Some(("a", 1, "/messages/20.json")),
            ),
            ("samples/a.json", None),
            ("samples/a_epoch_x.json", None),
            ("summaries.json", None),
        ] {
            assert_eq!(parts_of(name), expected, "{name}");
        }
        assert_eq!(chunk("/messages/20.json", "/messages/"), Some(20));
        assert_eq!(chunk("/events/stats.json", "/events/"), None);
    }
}
