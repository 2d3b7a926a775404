//! What clients of a hub send.

use assay_formats::card;
use assay_hub_api::{Commit, CommitError, CommitLimits, CommitOperation, CommitReader};

use crate::harness::fuzz;

const LIMITS: CommitLimits = CommitLimits {
    operations: 20,
    file_bytes: 200,
    commit_bytes: 300,
};

/// Cutting the body elsewhere changes nothing, and limits hold whatever is sent.
#[test]
fn commit() {
    fuzz("commit", |bytes| {
        let whole = read(bytes, usize::MAX);

        for piece in [1, 3, 64] {
            let cut = read(bytes, piece);
            match (&whole, &cut) {
                (Ok(whole), Ok(cut)) => assert_eq!(whole, cut),
                (Err(whole), Err(cut)) => assert_eq!(whole.fault(), cut.fault()),
                (_, _) => panic!("{whole:?} whole, {cut:?} in pieces of {piece}"),
            }
        }
        if let Ok(commit) = whole {
            assert_within_limits(&commit);
        }
    });
}

fn read(bytes: &[u8], piece: usize) -> Result<Commit<Vec<u8>>, CommitError> {
    let mut reader = CommitReader::new(LIMITS, || Ok(Vec::new()));
    for piece in bytes.chunks(piece) {
        reader.feed(piece)?;
        assert!(reader.held() <= bytes.len());
    }
    reader.finish()
}

fn assert_within_limits(commit: &Commit<Vec<u8>>) {
    assert!(commit.operations.len() <= LIMITS.operations);
    let sizes = commit.operations.iter().map(|operation| match operation {
        CommitOperation::File { content, .. } => {
            assert_eq!(content.size, content.written.len() as u64);
            content.size
        }
        CommitOperation::LargeFile { oid, .. } => {
            assert_eq!(oid.len(), 64);
            0
        }
        CommitOperation::DeleteFile { .. } | CommitOperation::DeleteFolder { .. } => 0,
    });
    let sizes: Vec<u64> = sizes.collect();
    assert!(sizes.iter().all(|size| *size <= LIMITS.file_bytes));
    assert!(sizes.iter().sum::<u64>() <= LIMITS.commit_bytes);
}

/// A card never breaks those who read it, and is always told about when nothing came of it.
#[test]
fn card() {
    fuzz("card", |bytes| {
        let (card, report) = card::read(&String::from_utf8_lossy(bytes));

        assert!(card.tags.len() <= card::MAX_TAGS);
        for tag in &card.tags {
            assert!(!tag.to_lowercase().starts_with("benchmark:"), "{tag:?}");
            assert!(tag.len() <= card::MAX_TAG_BYTES);
        }
        for legacy in &card.legacy {
            assert!(!legacy.standing().is_verified() && legacy.entry.token.is_none());
        }
        match &card.data {
            Some(data) => assert!(!data.contains_key("self")),
            None => assert!(!report.errors.is_empty() || !report.warnings.is_empty()),
        }
    });
}
