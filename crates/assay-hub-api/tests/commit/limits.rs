use std::io::{self, Write};

use assay_hub_api::{CommitFault, CommitReader};

use crate::read::{LIMITS, WIDE, file, with_header};

const HEADER: &[u8] = b"{\"key\":\"header\",\"value\":{\"summary\":\"s\"}}\n";

/// A writer that keeps nothing but a count.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_line_takes_little_memory() {
    const LETTERS: usize = 24 << 20;
    const MOST: usize = 1100 << 10;
    let piece = "QUJD".repeat(16 << 10);
    let mut reader = CommitReader::new(WIDE, || Ok(Count(0)));
    reader.feed(HEADER).unwrap();
    reader
        .feed(b"{\"key\":\"file\",\"value\":{\"content\":\"")
        .unwrap();

    for _ in 0..LETTERS / piece.len() {
        reader.feed(piece.as_bytes()).unwrap();
        assert!(reader.held() <= MOST, "{} bytes are held", reader.held());
    }
    reader
        .feed(b"\",\"path\":\"a.bin\",\"encoding\":\"base64\"}}\n")
        .unwrap();

    let commit = reader.finish().unwrap();
    let [assay_hub_api::CommitOperation::File { content, .. }] = &commit.operations[..] else {
        panic!("one file was sent");
    };
    assert_eq!(content.size, LETTERS as u64 / 4 * 3);
    assert_eq!(content.written.0, content.size);
}

#[test]
fn a_file_that_is_too_large_is_refused_while_it_arrives() {
    let mut reader = CommitReader::new(LIMITS, || Ok(Vec::new()));
    reader.feed(HEADER).unwrap();
    reader
        .feed(b"{\"key\":\"file\",\"value\":{\"content\":\"")
        .unwrap();

    let arrived = (0..100).find_map(|count| Some((count, reader.feed(b"QUJDQUJD").err()?)));

    let (count, error) = arrived.expect("it is refused");
    assert_eq!(error.fault(), CommitFault::TooLarge);
    assert_eq!(
        error.to_string(),
        "the file of line 2 is larger than 100 bytes"
    );
    assert!(count < 20, "after {count} pieces");
}

#[test]
fn limits_are_exact() {
    let of = |size: usize| with_header(&file(&"a".repeat(size), "utf-8"));

    assert!(of(100).is_ok());
    assert_eq!(of(101).unwrap_err().fault(), CommitFault::TooLarge);
}

#[test]
fn files_are_limited_together() {
    let line = file(&"a".repeat(76), "utf-8");

    let error = with_header(&format!("{line}\n{line}")).unwrap_err();

    assert_eq!(error.fault(), CommitFault::TooLarge);
    assert_eq!(
        error.to_string(),
        "the files of one commit may have 150 bytes together"
    );
}

#[test]
fn operations_are_counted() {
    let line = "{\"key\":\"deletedFile\",\"value\":{\"path\":\"a\"}}\n";

    assert!(with_header(&line.repeat(4)).is_ok());
    let error = with_header(&line.repeat(5)).unwrap_err();

    assert_eq!(error.to_string(), "one commit may have 4 operations");
    assert_eq!(error.fault(), CommitFault::TooLarge);
}

#[test]
fn a_line_without_end_is_refused() {
    let mut reader = CommitReader::new(WIDE, || Ok(Vec::new()));

    let error = (0..10_000)
        .find_map(|_| reader.feed(&[b' '; 100]).err())
        .expect("it is refused");

    assert_eq!(error.fault(), CommitFault::TooLarge);
    assert!(reader.held() <= 256 << 10);
}

#[test]
fn long_text_must_be_sent_as_base64() {
    let mut reader = CommitReader::new(WIDE, || Ok(Vec::new()));
    reader.feed(HEADER).unwrap();
    let line = file(&"abcd".repeat(300 << 10), "utf-8");

    let error = reader
        .feed(line.as_bytes())
        .and_then(|()| reader.feed(b"\n"))
        .unwrap_err();

    assert_eq!(error.fault(), CommitFault::TooLarge);
    assert!(error.to_string().contains("send it as `base64`"), "{error}");
}

#[test]
fn a_writer_that_fails_is_our_fault() {
    let full = || Err::<Vec<u8>, _>(io::Error::from(io::ErrorKind::StorageFull));
    let mut reader = CommitReader::new(WIDE, full);
    reader.feed(HEADER).unwrap();

    let error = reader.feed(file("aGk=", "base64").as_bytes()).unwrap_err();

    assert_eq!(error.fault(), CommitFault::Ours);
}
