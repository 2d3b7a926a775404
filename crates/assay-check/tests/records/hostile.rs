//! Input that was made to break readers, or that breaks the reference.

use assay_check::Context;
use serde_json::json;

use crate::support::{Memory, Pair, findings, single_turn};

/// The codes found in a record with this text.
fn record(bytes: impl Into<Vec<u8>>) -> Vec<String> {
    let files = Memory::default().with(&Pair::new().record_path(), bytes);
    codes(&findings(&files.judge()))
}

/// The codes found in samples with this text, whose record is valid but for the digest and the
/// number of rows.
fn samples(bytes: impl Into<Vec<u8>>) -> Vec<String> {
    let pair = Pair::new().unsealed();
    let files = pair.files().with(&pair.samples_path(), bytes);
    let found = findings(&files.judge());
    let found: Vec<String> = found
        .into_iter()
        .filter(|one| one.starts_with("jsonl"))
        .collect();
    codes(&found)
}

fn codes(found: &[String]) -> Vec<String> {
    found
        .iter()
        .map(|text| {
            text.split(' ')
                .skip(2)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

fn valid_record() -> String {
    let pair = Pair::new();
    String::from_utf8(pair.files().0[&pair.record_path()].clone()).unwrap()
}

#[test]
fn p01_what_is_not_json_is_located() {
    let broken = record("{\"a\": 1,}");
    assert!(broken.contains(&"AY006 1:8".to_owned()), "{broken:?}");
    let broken = samples("{}\n{\"a\" 1}\n");
    assert!(broken.contains(&"AY006 2:6".to_owned()), "{broken:?}");
}

#[test]
fn p02_a_key_may_not_stand_twice_at_any_depth() {
    let text = valid_record().replace(
        "\"name\": \"Model X\",",
        "\"name\": \"Model X\", \"name\": \"Y\",",
    );

    let pair = Pair::new();
    let found = codes(&findings(
        &pair.files().with(&pair.record_path(), text).judge(),
    ));

    assert_eq!(found, ["AY007 18:24"]);
}

#[test]
fn p03_numbers_are_finite() {
    let row = single_turn("0").to_string();
    for literal in ["NaN", "Infinity", "-Infinity", "1e999"] {
        let text = row.replace("\"score\":1", &format!("\"score\":{literal}"));

        let found = samples(text);

        assert!(
            found.iter().any(|one| one.starts_with("AY008 1:")),
            "{literal} {found:?}"
        );
    }
}

#[test]
fn p04_a_file_that_cannot_be_opened_is_reported() {
    let pair = Pair::new();

    let reports = pair.files().judge_some(
        &["data/sums/acme/model-x/gone.json"],
        &Context::default(),
        1,
    );

    assert_eq!(reports.len(), 1);
    assert!(reports[0].unreadable, "{:?}", findings(&reports));
    assert_eq!(codes(&findings(&reports))[0], "AY001 0:0");
}

#[test]
fn bytes_that_are_no_utf8_are_located_and_the_other_rows_judged() {
    let good = single_turn("0").to_string();
    let mut bytes = format!("{good}\n").into_bytes();
    bytes.extend_from_slice(b"{\"sample_id\": \"\xff\"}\n");
    bytes.extend_from_slice(single_turn("").to_string().as_bytes());

    let found = samples(bytes);

    assert_eq!(found[0], "AY004 2:16");
    assert!(
        found.iter().any(|one| one.starts_with("AY523 3:")),
        "{found:?}"
    );
}

#[test]
fn utf16_is_named() {
    let utf16: Vec<u8> = "\u{feff}{\"a\": 1}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();

    assert_eq!(record(utf16.clone()), ["AY004 1:1"]);
    assert!(samples(utf16).iter().any(|one| one.starts_with("AY004 1:")));
}

#[test]
fn nesting_has_a_limit_that_is_reported() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));

    assert!(
        record(deep.clone())
            .iter()
            .any(|one| one.starts_with("AY011 1:"))
    );
    assert!(samples(deep).iter().any(|one| one.starts_with("AY011 1:")));
}

#[test]
fn an_integer_of_5000_digits_is_no_crash() {
    let digits = "9".repeat(5000);
    let text = valid_record().replace("\"score\": 0.5", &format!("\"score\": {digits}"));
    let row = single_turn("0")
        .to_string()
        .replace("\"score\":1", &format!("\"score\":{digits}"));

    assert!(
        record(text)
            .iter()
            .any(|one| one.starts_with("AY008 47:18"))
    );
    assert!(samples(row).iter().any(|one| one.starts_with("AY008 1:")));
}

#[test]
fn half_a_character_is_refused() {
    let row = single_turn("0")
        .to_string()
        .replace("\"1 + 1\"", r#""\ud800""#);

    assert!(samples(row).iter().any(|one| one.starts_with("AY009 1:")));
}

#[test]
fn separators_inside_a_string_do_not_end_a_row() {
    let pair = Pair::new().row(0, |row| {
        row["input"]["raw"] = json!("a\u{2028}b\u{2029}c\u{85}d");
    });
    assert_eq!(pair.findings(), [""; 0]);

    let alone = pair
        .files()
        .judge_some(&[&pair.samples_path()], &Context::default(), 1);

    assert_eq!(findings(&alone), [""; 0]);
    assert_eq!(alone[0].rows, Some(2));
}

#[test]
fn line_ends_of_windows_and_a_missing_last_one_are_accepted() {
    let pair = Pair::new();
    let crlf = pair.samples().replace('\n', "\r\n");

    assert_eq!(samples(crlf), [""; 0]);
    assert_eq!(samples(pair.samples().trim_end()), [""; 0]);
}

#[test]
fn empty_lines_are_no_rows() {
    let pair = Pair::new();
    let text = pair.samples().replace('\n', "\n\n \r\n");

    assert_eq!(
        samples(text),
        ["AY501 2:1", "AY501 3:1", "AY501 5:1", "AY501 6:1"]
    );
}

#[test]
fn a_byte_order_mark_is_one_finding() {
    let pair = Pair::new();

    assert_eq!(
        samples(format!("\u{feff}{}", pair.samples())),
        ["AY005 1:1"]
    );
    let files = pair
        .files()
        .with(&pair.record_path(), format!("\u{feff}{}", valid_record()));
    assert_eq!(codes(&findings(&files.judge())), ["AY005 1:1"]);
}

#[test]
fn one_bad_file_never_stops_the_others() {
    let pair = Pair::new();
    let path = |number: u8| {
        format!(
            "{}/5eed0000-0000-4000-8000-0000000000{number:02}.json",
            pair.directory
        )
    };
    let files = pair
        .files()
        .with(&path(1), b"\xff\xfe{".to_vec())
        .with(&path(2), "[".repeat(100_000))
        .with(&path(3), "")
        .with(&path(4), "null");

    let reports = files.judge_with(&Context::default(), 2);

    assert_eq!(reports.len(), 6);
    for report in &reports {
        let is_ours = report.path.contains(crate::support::UUID);
        assert_eq!(report.findings.has_errors(), !is_ours, "{}", report.path);
    }
}
