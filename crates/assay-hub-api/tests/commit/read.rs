use assay_hub_api::{Commit, CommitError, CommitLimits, CommitReader};

/// Small limits, so that tests can reach them.
pub(crate) const LIMITS: CommitLimits = CommitLimits {
    operations: 4,
    file_bytes: 100,
    commit_bytes: 150,
};

/// Limits that nothing here reaches.
pub(crate) const WIDE: CommitLimits = CommitLimits {
    operations: 1000,
    file_bytes: 1 << 30,
    commit_bytes: 1 << 30,
};

/// Reads a body in pieces of this size, each file into memory.
pub(crate) fn in_pieces(
    body: &[u8],
    piece: usize,
    limits: CommitLimits,
) -> Result<Commit<Vec<u8>>, CommitError> {
    let mut reader = CommitReader::new(limits, || Ok(Vec::new()));
    for piece in body.chunks(piece) {
        reader.feed(piece)?;
    }
    reader.finish()
}

/// Reads a header and the given lines.
pub(crate) fn with_header(lines: &str) -> Result<Commit<Vec<u8>>, CommitError> {
    let body = format!("{{\"key\": \"header\", \"value\": {{\"summary\": \"s\"}}}}\n{lines}\n");
    in_pieces(body.as_bytes(), body.len(), LIMITS)
}

/// The line of a file whose content is written as it is given.
pub(crate) fn file(content: &str, encoding: &str) -> String {
    format!(
        r#"{{"key": "file", "value": {{"content": "{content}", "path": "a.txt", "encoding": "{encoding}"}}}}"#
    )
}
