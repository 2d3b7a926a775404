//! Measures how fast the body of a commit is read, and how much of it is held: `cargo bench -p
//! assay-hub-api --bench commit`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::io;
use std::time::Instant;

use assay_hub_api::{CommitError, CommitLimits, CommitReader};

/// Number of letters of base64 that the one line has: a file of 100 MiB.
const LETTERS: usize = (100 << 20) / 3 * 4;
/// The number of bytes that arrive at a time.
const PIECE: usize = 64 << 10;
const RUNS: usize = 5;

fn main() -> Result<(), CommitError> {
    let mut fastest = f64::INFINITY;
    let mut most = 0;
    for _ in 0..RUNS {
        let started = Instant::now();
        most = most.max(read()?);
        fastest = fastest.min(started.elapsed().as_secs_f64());
    }
    let megabytes = f64::from(u32::try_from(LETTERS / 1_000_000).unwrap_or(u32::MAX));
    println!(
        "one line of {megabytes} MB: {:.0} MB/s, {} KiB held at most",
        megabytes / fastest,
        most >> 10
    );
    Ok(())
}

/// Reads the line, and says how many bytes of it were held at most.
fn read() -> Result<usize, CommitError> {
    let limits = CommitLimits {
        file_bytes: u64::MAX,
        commit_bytes: u64::MAX,
        ..CommitLimits::default()
    };
    let piece = "QUJDYWJj".repeat(PIECE / 8);
    let mut reader = CommitReader::new(limits, || Ok(io::sink()));
    reader.feed(b"{\"key\": \"header\", \"value\": {\"summary\": \"s\"}}\n")?;
    reader.feed(b"{\"key\": \"file\", \"value\": {\"content\": \"")?;
    let mut most = 0;
    for _ in 0..LETTERS / PIECE {
        reader.feed(piece.as_bytes())?;
        most = most.max(reader.held());
    }
    reader.feed(b"\", \"path\": \"a.bin\", \"encoding\": \"base64\"}}\n")?;
    reader.finish()?;
    Ok(most)
}
