//! Logs that are damaged, and logs that mean harm.

use std::io::{Cursor, Write};

use assay_convert::convert::{Options, Refusal};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::support::{convert_bytes, fixture_bytes, jobs};

const HEADER: &str = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "a/b", "created": "2026-01-01T00:00:00Z"},
    "results": {"scores": [{"name": "m", "scorer": "m", "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}}}]}}"#;

fn sample(id: &str, value: &str) -> String {
    format!(
        r#"{{"id": {id}, "epoch": 1, "input": "q", "target": "t", "scores": {{"m": {{"value": {value}}}}}}}"#
    )
}

fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (position, (name, text)) in members.iter().enumerate() {
        let method = if position % 2 == 0 {
            CompressionMethod::Deflated
        } else {
            CompressionMethod::Zstd
        };
        writer
            .start_file(
                *name,
                SimpleFileOptions::default().compression_method(method),
            )
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_log_that_was_cut_off_is_refused_and_never_taken_as_whole() {
    let bytes = fixture_bytes("mcq.eval");
    for length in (0..bytes.len()).step_by(97) {
        let refusal = convert_bytes(bytes[..length].to_vec(), &jobs(1)).unwrap_err();

        assert_eq!(refusal.slug(), "damaged", "{length}");
    }
    let bytes = fixture_bytes("mcq.json");
    for length in (0..bytes.len() - 2).step_by(331) {
        let refusal = convert_bytes(bytes[..length].to_vec(), &jobs(1)).unwrap_err();

        assert_eq!(refusal.slug(), "damaged", "{length}");
    }
}

#[test]
fn a_member_whose_checksum_is_wrong_is_one_sample_less() {
    let one = sample("1", "1");
    let two = sample("2", "0");
    let mut bytes = archive(&[
        ("header.json", HEADER),
        ("samples/1_epoch_1.json", &one),
        ("samples/2_epoch_1.json", &two),
    ]);
    let name = b"samples/1_epoch_1.json";
    let central = bytes
        .windows(name.len())
        .rposition(|window| window == name)
        .unwrap();
    bytes[central - 46 + 16] ^= 0xff;

    let outcome = convert_bytes(bytes, &jobs(1)).unwrap();

    assert_eq!(
        outcome.scores_of("m:accuracy"),
        [("2".to_owned(), "1".to_owned(), 0.0)]
    );
    assert_eq!(outcome.warnings().len(), 1);
    assert!(
        outcome.warnings()[0].contains("damaged sample"),
        "{:?}",
        outcome.warnings()
    );
}

#[test]
fn a_sample_that_is_no_json_is_one_sample_less() {
    let good = sample("2", "1");
    let bytes = archive(&[
        ("samples/1_epoch_1.json", "{\"id\": 1, \"epoch\""),
        ("samples/3_epoch_1.json", "[]"),
        ("samples/2_epoch_1.json", &good),
        ("header.json", HEADER),
    ]);

    let outcome = convert_bytes(bytes, &jobs(2)).unwrap();

    assert_eq!(outcome.rows.len(), 1);
    assert_eq!(
        outcome.warnings(),
        ["2 × a sample that cannot be read was left out"]
    );
}

#[test]
fn the_last_of_two_members_with_one_name_counts() {
    let first = sample("1", "0");
    let last = sample("1", "1");
    let mut bytes = archive(&[
        ("header.json", HEADER),
        ("samples/1_epoch_1.json", &first),
        ("samples/X_epoch_1.json", &last),
    ]);
    // The writer refuses a name twice, so the second is renamed where it stands.
    let name = b"samples/X_epoch_1.json";
    while let Some(at) = bytes.windows(name.len()).position(|window| window == name) {
        bytes[at + 8] = b'1';
    }

    let outcome = convert_bytes(bytes, &jobs(1)).unwrap();

    assert_eq!(
        outcome.scores_of("m:accuracy"),
        [("1".to_owned(), "1".to_owned(), 1.0)]
    );
}

#[test]
fn a_run_that_has_not_finished_is_read_from_its_journal() {
    let start = r#"{"version": 2, "eval": {"task": "t", "model": "a/b", "created": "2026-01-01T00:00:00Z"}}"#;
    let one = sample("1", "1");
    let bytes = archive(&[
        ("_journal/start.json", start),
        ("samples/1_epoch_1.json", &one),
    ]);
    let without = archive(&[("_journal/start.json", start)]);

    let outcome = convert_bytes(bytes, &jobs(1)).unwrap();
    let refusal = convert_bytes(without, &jobs(1)).unwrap_err();

    assert_eq!(outcome.results(), [("m:mean", 1.0)]);
    assert_eq!(
        outcome.record["evaluation_results"][0]["score_details"]["details"]["status"],
        "started"
    );
    assert!(matches!(refusal, Refusal::Nothing(_)));
}

#[test]
fn more_members_than_sixteen_bits_count_are_all_read() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.start_file("header.json", options).unwrap();
    writer.write_all(HEADER.as_bytes()).unwrap();
    for id in 0..66_000 {
        writer
            .start_file(format!("samples/{id}_epoch_1.json"), options)
            .unwrap();
        writer
            .write_all(sample(&id.to_string(), "1").as_bytes())
            .unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();

    let outcome = convert_bytes(bytes, &jobs(2)).unwrap();

    assert_eq!(outcome.converted.rows, 66_000);
    assert_eq!(outcome.rows[10]["sample_id"], "10");
}

#[test]
fn a_member_that_unpacks_to_much_more_than_it_is_costs_no_memory_and_no_log() {
    let filler = "x".repeat(16 << 20);
    let bomb = format!(r#"{{"id": 1, "events": "{filler}", "scores": {{"m": {{"value": 1}}}}}}"#);
    let bytes = archive(&[("header.json", HEADER), ("samples/1_epoch_1.json", &bomb)]);
    assert!(bytes.len() < 1 << 18);

    let outcome = convert_bytes(bytes, &jobs(1)).unwrap();

    assert_eq!(outcome.rows.len(), 1);
}

#[test]
fn a_row_that_no_reader_would_take_keeps_its_score_and_is_cut() {
    let filler = "x".repeat(17 << 20);
    let large = format!(r#"{{"id": 1, "input": "{filler}", "scores": {{"m": {{"value": 1}}}}}}"#);
    let bytes = archive(&[("header.json", HEADER), ("samples/1_epoch_1.json", &large)]);

    let outcome = convert_bytes(bytes, &jobs(1)).unwrap();

    assert_eq!(outcome.rows[0]["evaluation"]["score"], 1.0);
    assert_eq!(outcome.rows[0]["metadata"]["transcript"], "cut");
    assert!(outcome.warnings()[0].contains("its transcript cut"));
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (bytes, reason) in [
        (Vec::new(), "neither"),
        (b"hello".to_vec(), "neither"),
        (b"[1]".to_vec(), "neither"),
        (b"{}".to_vec(), "no `eval`"),
        (br#"{"version": 3, "eval": {}}"#.to_vec(), "version 3"),
        (archive(&[("a.txt", "a")]), "no log of Inspect"),
        (archive(&[("header.json", "{")]), "header cannot be read"),
    ] {
        let refusal = convert_bytes(bytes, &jobs(1)).unwrap_err();

        assert!(refusal.to_string().contains(reason), "{refusal}");
    }
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let samples = format!(
        r#"[{{"id": 1, "metadata": {deep}, "scores": {{"m": {{"value": 1}}}}}}, {{"id": 2, "input": {deep}}}]"#
    );
    let header = HEADER.trim_end().strip_suffix('}').unwrap();

    let outcome = convert_bytes(
        format!(r#"{header}, "samples": {samples}}}"#).into_bytes(),
        &jobs(1),
    )
    .unwrap();

    assert_eq!(outcome.rows.len(), 1);
    assert_eq!(
        outcome.warnings(),
        ["1 × a sample that cannot be read was left out"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn flipped_bytes_end_in_a_refusal_or_in_a_record(
        name in prop::sample::select(vec!["scorers.eval", "scorers.json", "chunked.eval", "agentic.json"]),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = fixture_bytes(name);
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }

        if let Ok(outcome) = convert_bytes(bytes, &jobs(2)) {
            prop_assert!(!outcome.results().is_empty());
        }
    }
}

#[test]
fn a_sample_may_refer_to_very_many_texts() {
    const TEXTS: usize = 20_000;
    let messages: Vec<String> = (0..TEXTS)
        .map(|number| {
            format!(r#"{{"role": "assistant", "content": "attachment://{number:032x}"}}"#)
        })
        .collect();
    let attachments: Vec<String> = (0..TEXTS)
        .map(|number| format!(r#""{number:032x}": "text {number}""#))
        .collect();
    let sample = format!(
        r#"{{"id": 1, "epoch": 1, "input": "q", "target": "t", "scores": {{"m": {{"value": 1}}}}, "messages": [{}], "attachments": {{{}}}}}"#,
        messages.join(","),
        attachments.join(",")
    );
    let log = archive(&[("samples/1_epoch_1.json", &sample), ("header.json", HEADER)]);

    // Looking through all texts for each reference would take minutes.
    let outcome = convert_bytes(log, &jobs(1)).unwrap();

    let said = outcome.rows[0]["messages"].as_array().unwrap();
    assert_eq!(said.len(), TEXTS);
    for (number, message) in said.iter().enumerate() {
        assert_eq!(message["content"], format!("text {number}"));
    }
}

#[test]
fn an_archive_that_unpacks_to_more_than_it_may_is_refused_before_anything_is_unpacked() {
    let zeros = " ".repeat(4 << 20);
    let bytes = archive(&[("header.json", HEADER), ("samples/1_epoch_1.json", &zeros)]);
    assert!(bytes.len() < 64 << 10, "{}", bytes.len());
    let options = Options {
        max_unpacked: 1 << 20,
        samples: false,
        ..jobs(1)
    };

    let refusal = convert_bytes(bytes.clone(), &options).unwrap_err();

    assert!(
        refusal.to_string().contains("more than 1048576 bytes"),
        "{refusal}"
    );
    let options = Options {
        max_unpacked: 8 << 20,
        ..options
    };
    assert!(convert_bytes(bytes, &options).is_ok());
}

/// The directory of an archive can lie: what a member really unpacks to is read no further than it
/// says.
#[test]
fn a_member_that_unpacks_to_more_than_the_archive_says_is_damaged() {
    let header = format!("{HEADER}{}", " ".repeat(1 << 20));
    let mut bytes = archive(&[("header.json", &header)]);
    let size = u32::try_from(header.len()).unwrap().to_le_bytes();
    let lie = u32::try_from(HEADER.len() - 10).unwrap().to_le_bytes();
    let places: Vec<usize> = (0..bytes.len() - 4)
        .filter(|&at| bytes[at..at + 4] == size)
        .collect();
    assert_eq!(
        places.len(),
        2,
        "the size stands in front of the member and in the directory"
    );
    for at in places {
        bytes[at..at + 4].copy_from_slice(&lie);
    }

    let refusal = convert_bytes(bytes, &jobs(1)).unwrap_err();

    assert_eq!(refusal.slug(), "damaged");
}
