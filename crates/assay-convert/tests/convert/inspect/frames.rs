//! Members that were packed as several Zstandard frames, as Inspect writes large ones. No writer at
//! hand makes them, so the archive is put together by hand.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::support::{convert_bytes, jobs};

const ZSTANDARD: u16 = 93;

/// A text as one frame, and its checksum.
fn frame(text: &str) -> (Vec<u8>, u32) {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Zstd);
    writer.start_file("a", options).unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    let mut archive = ZipArchive::new(writer.finish().unwrap()).unwrap();
    let mut file = archive.by_index_raw(0).unwrap();
    let mut packed = Vec::new();
    file.read_to_end(&mut packed).unwrap();
    (packed, file.crc32())
}

/// The fields that a local header and an entry of the list of members share.
fn shared(name: &str, packed: &[u8], crc: u32, size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [63, 0, ZSTANDARD, 0, 33] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for long in [
        crc,
        u32::try_from(packed.len()).unwrap(),
        u32::try_from(size).unwrap(),
    ] {
        bytes.extend_from_slice(&long.to_le_bytes());
    }
    bytes.extend_from_slice(&u16::try_from(name.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes
}

/// An archive whose members are each packed as so many frames as they have parts.
fn archive(members: &[(&str, &[&str])]) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for (name, parts) in members {
        let whole = parts.concat();
        let packed: Vec<u8> = parts.iter().flat_map(|part| frame(part).0).collect();
        let fields = shared(name, &packed, frame(&whole).1, whole.len());
        let start = u32::try_from(bytes.len()).unwrap();
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&fields);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&packed);
        list.extend_from_slice(b"PK\x01\x02\x3f\x00");
        list.extend_from_slice(&fields);
        list.extend_from_slice(&[0; 10]);
        list.extend_from_slice(&start.to_le_bytes());
        list.extend_from_slice(name.as_bytes());
    }
    let start = u32::try_from(bytes.len()).unwrap();
    let size = u32::try_from(list.len()).unwrap();
    let count = u16::try_from(members.len()).unwrap().to_le_bytes();
    bytes.extend_from_slice(&list);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    bytes.extend_from_slice(&count);
    bytes.extend_from_slice(&count);
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes
}

#[test]
fn a_member_of_several_frames_is_read_to_its_end() {
    let header = r#"{"status": "success", "eval": {"task": "t", "model": "a/b", "created": "2026-01-01T00:00:00Z"},
        "results": {"scores": [{"name": "m", "scorer": "m", "metrics": {"accuracy": {"name": "accuracy", "value": 1}}}]}}"#;
    let parts = [
        r#"{"id": 1, "epoch": 1, "input": "first "#,
        "second ",
        r#"third", "scores": {"m": {"value": "C"}}}"#,
    ];
    let bytes = archive(&[
        ("header.json", &[header]),
        ("samples/1_epoch_1.json", &parts),
    ]);

    let outcome = convert_bytes(bytes, &jobs(1)).unwrap();

    assert!(outcome.warnings().is_empty(), "{:?}", outcome.warnings());
    assert_eq!(outcome.rows[0]["input"]["raw"], "first second third");
}
