use assay_hub_api::{Commit, CommitOperation};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::read::{WIDE, in_pieces};

/// A file of a commit: its path, its bytes, and whether they are sent as text if they can be.
type File = (String, Vec<u8>, bool);

fn files() -> impl Strategy<Value = Vec<File>> {
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        any::<String>().prop_map(String::into_bytes),
    ];
    prop::collection::vec(("[a-z]{1,8}(/[a-z]{1,8})?", bytes, any::<bool>()), 0..6)
}

/// The body that brings these files, as a client would write it.
fn body(files: &[File]) -> String {
    let mut lines = json!({"key": "header", "value": {"summary": "s"}}).to_string();
    for (path, bytes, as_text) in files {
        let (content, encoding) = match std::str::from_utf8(bytes) {
            Ok(text) if *as_text => (text.to_owned(), "utf-8"),
            Ok(_) | Err(_) => (STANDARD.encode(bytes), "base64"),
        };
        let value = json!({"content": content, "path": path, "encoding": encoding});
        lines.push('\n');
        lines.push_str(&json!({"key": "file", "value": value}).to_string());
    }
    lines
}

/// Returns the operations as a reader that holds everything in memory sees them; none when it would
/// refuse the body.
fn plainly(body: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (number, line) in body.split('\n').enumerate() {
        let line: Json = serde_json::from_str(line).ok()?;
        let value = line.get("value")?;
        let text = |key: &str| value.get(key).and_then(Json::as_str);
        match (number, line.get("key")?.as_str()?) {
            (0, "header") => drop(text("summary")?),
            (1.., "file") => {
                let content = text("content")?;
                let bytes = match text("encoding")? {
                    "base64" => STANDARD.decode(content).ok()?,
                    "utf-8" => content.as_bytes().to_vec(),
                    _ => return None,
                };
                files.push((text("path")?.to_owned(), bytes));
            }
            _ => return None,
        }
    }
    Some(files)
}

fn written(commit: &Commit<Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    let files = commit.operations.iter().map(|operation| match operation {
        CommitOperation::File { path, content, .. } => (path.to_string(), content.written.clone()),
        other => panic!("only files were sent: {other:?}"),
    });
    files.collect()
}

proptest! {
    #[test]
    fn what_is_sent_arrives_however_it_is_cut(files in files(), piece in 1_usize..40) {
        let commit = in_pieces(body(&files).as_bytes(), piece, WIDE).unwrap();

        let sent: Vec<_> = files.into_iter().map(|(path, bytes, _)| (path, bytes)).collect();
        prop_assert_eq!(written(&commit), sent);
    }

    #[test]
    fn a_damaged_body_is_read_as_a_plain_reader_would_or_refused(
        files in files(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        piece in 1_usize..40,
    ) {
        let mut body = body(&files).into_bytes();
        let at = at.index(body.len());
        body[at] = byte;

        let commit = in_pieces(&body, piece, WIDE);

        let whole = in_pieces(&body, usize::MAX, WIDE);
        prop_assert_eq!(commit.is_ok(), whole.is_ok(), "pieces change nothing");
        if let Ok(commit) = commit {
            // What was damaged may be a path, and then it is another path; but never other content.
            let plain = std::str::from_utf8(&body).ok().and_then(plainly);
            let renamed = plain.is_some_and(|plain| plain == written(&commit));
            let is_blank_line = byte == b'\n' || byte == b'\r';
            prop_assert!(renamed || is_blank_line, "{}", String::from_utf8_lossy(&body));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), piece in 1_usize..20) {
        prop_assert_eq!(in_pieces(&bytes, piece, WIDE).is_ok(), in_pieces(&bytes, 200, WIDE).is_ok());
    }
}
