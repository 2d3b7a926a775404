//! Samples that lie in several members: messages and long texts in chunks, each named by the number
//! of its first item.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use assay_formats::json::{Stream, StreamError};

use super::archive::{Archive, Place, member};
use super::excerpt::{ATTACHMENT_PREFIXES, Excerpt, MAX_VALUE_BYTES};

/// The most messages of one sample.
const MAX_MESSAGES: u64 = 1 << 20;

/// Adds the messages that the sample refers to, and the attachments that those refer to.
pub(super) fn complete(
    archive: &mut Archive<'_>,
    place: &Place,
    excerpt: &mut Excerpt,
) -> Result<(), StreamError> {
    let wanted = referred_messages(excerpt)?;
    let set: BTreeSet<u64> = wanted.iter().copied().collect();
    let found = items(archive, &place.messages, &set)?;
    let list: Vec<&[u8]> = wanted
        .iter()
        .map(|number| found.get(number).map(Vec::as_slice).ok_or_else(missing))
        .collect::<Result<_, _>>()?;
    let mut messages = list.join(&b',');
    messages.insert(0, b'[');
    messages.push(b']');
    excerpt.add("messages", &messages);
    let wanted = referred_attachments(excerpt.kept());
    let mut map = Vec::new();
    for (number, text) in items(archive, &place.attachments, &wanted)? {
        map.push(if map.is_empty() { b'{' } else { b',' });
        map.extend_from_slice(format!("\"{number}\":").as_bytes());
        map.extend_from_slice(&text);
    }
    if !map.is_empty() {
        map.push(b'}');
        excerpt.add("attachments", &map);
    }
    Ok(())
}

/// Adds a member that is the value of one key.
pub(super) fn add(
    archive: &mut Archive<'_>,
    index: usize,
    key: &str,
    excerpt: &mut Excerpt,
) -> Result<(), StreamError> {
    let mut member = member(archive, index)?;
    let mut stream = Stream::new(&mut member, MAX_VALUE_BYTES);
    excerpt.add(key, stream.value()?);
    drop(stream);
    // The rest is nothing, but its checksum is judged at the end.
    io::copy(&mut member, &mut io::sink())?;
    Ok(())
}

/// The numbers of the messages, from half-open ranges.
fn referred_messages(excerpt: &Excerpt) -> Result<Vec<u64>, StreamError> {
    let document = excerpt.document().ok_or_else(missing)?;
    let refs = document
        .root()
        .and_then(|root| root.present("message_refs"));
    let mut numbers = Vec::new();
    for range in refs.into_iter().flat_map(assay_formats::Value::items) {
        let mut ends = range
            .items()
            .filter_map(|end| u64::try_from(end.integer()?).ok());
        let (Some(start), Some(end)) = (ends.next(), ends.next()) else {
            return Err(missing());
        };
        if end.saturating_sub(start) + numbers.len() as u64 > MAX_MESSAGES {
            return Err(missing());
        }
        numbers.extend(start..end);
    }
    Ok(numbers)
}

/// The numbers of the attachments that a text refers to.
fn referred_attachments(text: &[u8]) -> BTreeSet<u64> {
    let prefix = ATTACHMENT_PREFIXES[0].as_bytes();
    memchr::memmem::find_iter(text, prefix)
        .filter_map(|at| {
            let rest = &text[at + prefix.len()..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
        })
        .collect()
}

/// The items with these numbers, out of the chunks that can hold them.
fn items(
    archive: &mut Archive<'_>,
    chunks: &BTreeMap<u64, usize>,
    wanted: &BTreeSet<u64>,
) -> Result<BTreeMap<u64, Vec<u8>>, StreamError> {
    let mut found = BTreeMap::new();
    for (&start, &index) in chunks {
        let end = chunks
            .range(start.saturating_add(1)..)
            .next()
            .map_or(u64::MAX, |(next, _)| *next);
        if wanted.range(start..end).next().is_none() {
            continue;
        }
        let mut member = member(archive, index)?;
        let mut stream = Stream::new(&mut member, MAX_VALUE_BYTES);
        stream.enter_list()?;
        let mut number = start;
        while stream.has_item()? {
            if wanted.contains(&number) {
                found.insert(number, stream.value()?.to_vec());
            } else {
                stream.skip()?;
            }
            number = number.saturating_add(1);
        }
        drop(stream);
        io::copy(&mut member, &mut io::sink())?;
    }
    Ok(found)
}

/// A sample that refers to what its chunks do not hold.
fn missing() -> StreamError {
    StreamError::Io(io::Error::new(
        io::ErrorKind::InvalidData,
        "a part of the sample is missing",
    ))
}
