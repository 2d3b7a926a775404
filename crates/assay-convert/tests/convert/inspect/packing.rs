//! The same log packed in every way that Inspect has packed logs in.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::support::{convert_bytes, jobs};

/// More than is unpacked at once.
const LONG: usize = 17 << 20;

fn archive(method: CompressionMethod) -> Vec<u8> {
    let header = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "a/b", "created": "2026-01-01T00:00:00+00:00"},
        "results": {"scores": [{"name": "m", "scorer": "m", "metrics": {"mean": {"name": "mean", "value": 0.5}}}]}}"#;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    let mut add = |name: &str, text: &str| {
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    };
    for (id, events) in [(1, 0), (2, LONG), (3, 10)] {
        let sample = format!(
            r#"{{"id": {id}, "epoch": 1, "input": "q{id}", "target": "t", "events": ["{}"], "scores": {{"m": {{"value": {}}}}}}}"#,
            "x".repeat(events),
            id - 1
        );
        add(&format!("samples/{id}_epoch_1.json"), &sample);
    }
    add("header.json", header);
    writer.finish().unwrap().into_inner()
}

#[test]
fn samples_are_the_same_however_they_were_packed() {
    let expected = [("1", 0.0), ("2", 1.0), ("3", 2.0)];
    for method in [
        CompressionMethod::Zstd,
        CompressionMethod::Deflated,
        CompressionMethod::Stored,
    ] {
        let outcome = convert_bytes(archive(method), &jobs(2)).unwrap();

        let scores = outcome.scores_of("m:mean");
        let found: Vec<(&str, f64)> = scores.iter().map(|row| (&*row.0, row.2)).collect();
        assert_eq!(found, expected, "{method}");
    }
}

#[test]
fn a_sample_whose_checksum_is_wrong_is_left_out_however_it_was_packed() {
    for method in [
        CompressionMethod::Zstd,
        CompressionMethod::Deflated,
        CompressionMethod::Stored,
    ] {
        let mut bytes = archive(method);
        let at = bytes
            .windows(4)
            .position(|window| window == b"PK\x01\x02")
            .unwrap();
        // The checksum of the first sample in the list of members.
        bytes[at + 16] ^= 0xff;

        let outcome = convert_bytes(bytes, &jobs(1)).unwrap();

        let found: Vec<String> = outcome
            .scores_of("m:mean")
            .into_iter()
            .map(|row| row.0)
            .collect();
        assert_eq!(found, ["2", "3"], "{method}");
        assert!(outcome.warnings()[0].contains("damaged"), "{method}");
    }
}
