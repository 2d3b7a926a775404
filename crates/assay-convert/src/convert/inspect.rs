//! Inspect AI: `.eval` archives and `.json` logs.
//!
//! A log is read sample by sample. Of each sample only what a row needs is kept; the events, which
//! are most of a log, are passed over. Rows come in the order of epoch and id, as Inspect itself
//! lists samples.

mod archive;
mod chunked;
mod dataset;
mod dialogue;
mod excerpt;
mod frame;
mod generation;
mod group;
mod judges;
mod means;
mod message;
mod model;
mod output;
mod record;
mod results;
mod sample;
mod sample_metadata;
mod score;
mod unpack;
mod usage;

use std::io::{Read, Seek, SeekFrom};

use assay_formats::json::{Stream, StreamError};
use assay_formats::ordered;

use self::excerpt::{Excerpt, MAX_VALUE_BYTES};
use self::frame::Rows;
use self::output::Output;
use self::record::Header;
use self::unpack::Unpacker;
use super::detect::Evidence;
use super::reader::Reader;
use super::{Converted, Converter, HarnessInfo, Log, LogFile, Refusal};

/// The warning about members that should be samples and cannot be told which.
const UNNAMED_MEMBER: &str =
    "a member of the archive has a damaged name, so its sample was left out";
/// The newest version of the format that is known.
const NEWEST_VERSION: i64 = 2;
/// Number of packed bytes a thread that takes out of an archive at a time, about, so that handing
/// over costs little.
const TOGETHER_BYTES: u64 = 64 << 10;
/// The most samples that a thread takes at a time.
const MAX_TOGETHER: usize = 64;
/// The first bytes of an archive, with members and without.
const ARCHIVE_STARTS: [&[u8; 4]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// A mark that some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8; 3] = b"\xef\xbb\xbf";

/// The converter.
pub(super) struct Inspect;

impl Converter for Inspect {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "inspect",
            title: "Inspect AI",
            framework: "inspect-ai",
            library: "inspect_ai",
            source_name: "inspect_ai",
            log: "*.eval, and *.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        let has_samples = || {
            let mut names = evidence.members().iter();
            names.any(|name| name.starts_with("samples/"))
        };
        let is_archive = matches!(evidence, Evidence::Archive(_))
            && (evidence.has_entry("_journal/start.json")
                || (evidence.has_entry("header.json")
                    && (has_samples() || evidence.has_entry("summaries.json"))));
        let beside = ["version", "status", "plan"];
        is_archive
            || (evidence.has_map_with("eval", &["task", "model"])
                && beside.iter().any(|key| evidence.has_key(key)))
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one log. What it is follows from its first bytes, since anything may have been renamed.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let mut file = open(log)?;
    let mut start = Vec::new();
    (&mut file)
        .take(BYTE_ORDER_MARK.len().max(4) as u64)
        .read_to_end(&mut start)
        .map_err(|source| unreadable(log, source))?;
    if ARCHIVE_STARTS.iter().any(|magic| start.starts_with(*magic)) {
        drop(file);
        return convert_archive(log).map(|converted| vec![converted]);
    }
    let skipped = if start.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let is_json = start[skipped..]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_none_or(|byte| *byte == b'{');
    if !is_json || start.is_empty() {
        return Err(Refusal::damaged(
            log.path,
            "it is neither an archive nor a JSON object",
        ));
    }
    file.seek(SeekFrom::Start(skipped as u64))
        .map_err(|source| unreadable(log, source))?;
    convert_json(log, file).map(|converted| vec![converted])
}

fn open<'a>(log: &Log<'a>) -> Result<Box<dyn LogFile + 'a>, Refusal> {
    log.logs
        .open(log.path)
        .map_err(|source| unreadable(log, source))
}

fn unreadable(log: &Log<'_>, source: std::io::Error) -> Refusal {
    Refusal::Read {
        path: log.path.to_owned(),
        source,
    }
}

fn convert_archive(log: &Log<'_>) -> Result<Converted, Refusal> {
    let mut archive = archive::open(log.logs, log.path, log.options.max_unpacked)?;
    let (header, is_finished) = archive::header(&mut archive, log.path)?;
    let header = read_header(log, header)?;
    let (places, unnamed) = if log.options.samples || header.frame.aggregates.is_empty() {
        archive::samples(&archive, header.numbers())
    } else {
        (Vec::new(), 0)
    };
    let mut output = Output::begin(log, &header)?;
    output.warn_times(UNNAMED_MEMBER, unnamed);
    if !is_finished {
        output.warn("the log has no header of a finished run, so its samples may be incomplete");
    }
    let average = archive.central_directory_start() / (archive.len() as u64).max(1);
    let together = usize::try_from(TOGETHER_BYTES / average.max(1)).unwrap_or(MAX_TOGETHER);
    let mut pieces = places.chunks(together.clamp(1, MAX_TOGETHER));
    ordered(
        log.options.jobs,
        || Ok::<_, Refusal>(pieces.next()),
        || {
            let unpacker = Unpacker::new(archive.clone(), header.frame.judges_itself());
            (unpacker, Reader::new())
        },
        |(unpacker, reader), places| {
            let sample = |place| match unpacker.sample(place, log.progress) {
                Ok(excerpt) => rows(&header, reader, excerpt),
                Err(error) => unread(&error),
            };
            places.iter().map(sample).collect::<Vec<_>>()
        },
        |rows| rows.into_iter().for_each(|rows| output.add(rows)),
    )?;
    output.finish(log, &header)
}

fn convert_json(log: &Log<'_>, file: Box<dyn LogFile + '_>) -> Result<Converted, Refusal> {
    let fail = |error: StreamError| Refusal::stream(log.path, error);
    let mut stream = Stream::new(file, MAX_VALUE_BYTES);
    let (header, is_at_samples) = excerpt::header(&mut stream).map_err(fail)?;
    let header = read_header(log, header)?;
    if !is_at_samples {
        // Something that the rows need stood behind the samples, or there are none.
        let mut file = stream_again(log)?;
        std::mem::swap(&mut stream, &mut file);
    }
    let mut output = Output::begin(log, &header)?;
    let wants_samples = log.options.samples || header.frame.aggregates.is_empty();
    let mut is_in_samples =
        wants_samples && (is_at_samples || find_samples(&mut stream).map_err(fail)?);
    if is_in_samples {
        stream.enter_list().map_err(fail)?;
    } else if is_at_samples {
        stream.skip().map_err(fail)?;
    }
    let mut passed = 0;
    let mut next = || -> Result<Option<Piece>, StreamError> {
        if !is_in_samples || !stream.has_item()? {
            is_in_samples = false;
            return Ok(None);
        }
        let piece = if stream.is_map()? {
            Piece::Sample(excerpt::sample(&mut stream, header.frame.judges_itself())?)
        } else {
            stream.skip()?;
            Piece::Unread
        };
        (log.progress)(stream.position() - passed);
        passed = stream.position();
        Ok(Some(piece))
    };
    ordered(
        log.options.jobs,
        || next().map_err(fail),
        Reader::new,
        |reader, piece| match piece {
            Piece::Sample(excerpt) => rows(&header, reader, excerpt),
            Piece::Unread => left_out("a sample that cannot be read was left out"),
        },
        |rows| output.add(rows),
    )?;
    if is_at_samples {
        // What stands behind the samples is not needed, but a log that ends too early must not look
        // whole.
        rest(&mut stream).map_err(fail)?;
    }
    output.finish(log, &header)
}

/// A sample on its way to a worker.
enum Piece {
    Sample(Excerpt),
    Unread,
}

fn stream_again<'a>(log: &Log<'a>) -> Result<Stream<Box<dyn LogFile + 'a>>, Refusal> {
    let mut file = open(log)?;
    let mut start = [0; BYTE_ORDER_MARK.len()];
    let has_mark = file.read_exact(&mut start).is_ok() && &start == BYTE_ORDER_MARK;
    let from = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
    file.seek(SeekFrom::Start(from as u64))
        .map_err(|source| unreadable(log, source))?;
    Ok(Stream::new(file, MAX_VALUE_BYTES))
}

/// Goes to the samples; `false` when there are none.
fn find_samples<R: Read>(stream: &mut Stream<R>) -> Result<bool, StreamError> {
    stream.enter_map()?;
    while let Some(key) = stream.next_key()? {
        if key == "samples" && stream.is_list()? {
            return Ok(true);
        }
        stream.skip()?;
    }
    Ok(false)
}

fn rest<R: Read>(stream: &mut Stream<R>) -> Result<(), StreamError> {
    while stream.next_key()?.is_some() {
        stream.skip()?;
    }
    Ok(())
}

fn read_header(log: &Log<'_>, excerpt: Excerpt) -> Result<Header, Refusal> {
    let header = Header::new(excerpt.into_text(), log.options).ok_or_else(|| {
        Refusal::damaged(log.path, "it has no `eval`, so it is no log of Inspect")
    })?;
    match header.version() {
        Some(version) if version > NEWEST_VERSION => Err(Refusal::damaged(
            log.path,
            format!(
                "it has version {version} of the format, and only versions up to {NEWEST_VERSION} are known"
            ),
        )),
        Some(_) | None => Ok(header),
    }
}

/// The rows of a sample of which everything that matters was kept.
fn rows(header: &Header, reader: &mut Reader, excerpt: Excerpt) -> Rows {
    if excerpt.is_cut() {
        return left_out("a sample that is too large was left out");
    }
    sample::rows(&header.frame, reader, &excerpt.into_bytes())
}

/// A sample that cannot be read, with the reason where it tells more than the fact.
fn unread(error: &StreamError) -> Rows {
    match error {
        StreamError::Io(reason) => left_out(&format!("a damaged sample was left out ({reason})")),
        StreamError::Syntax { .. }
        | StreamError::Truncated { .. }
        | StreamError::TooLarge { .. } => left_out("a sample that cannot be read was left out"),
    }
}

fn left_out(note: &str) -> Rows {
    Rows {
        notes: vec![note.to_owned()],
        ..Rows::default()
    }
}
