//! Statements of a record about its samples, and whether they hold.

use std::io::{self, Read};

use assay_check::{Context, FileKind, Files, Item, LayoutPolicy, Options, validate};
use assay_formats::rows::Algorithm;
use serde_json::{Value, json};

use crate::support::{DIRECTORY, Memory, Pair, UUID, context, digest, findings, pretty};

fn declared(pair: Pair, change: impl FnOnce(&mut Value)) -> Pair {
    pair.record(|record| change(&mut record["detailed_evaluation_results"]))
}

/// A pair whose record has right numbers to begin with, which a test then changes.
fn sealed(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let pair = Pair::new();
    let samples = pair.samples();
    declared(pair.unsealed(), |declared| {
        declared["checksum"] = json!(digest(samples.as_bytes(), Algorithm::Sha256));
        declared["total_rows"] = json!(2);
        change(declared);
    })
    .findings()
}

#[test]
fn s07_samples_beside_a_record_must_be_declared() {
    let pair = Pair::new().unsealed().record(|record| {
        record
            .as_object_mut()
            .unwrap()
            .remove("detailed_evaluation_results");
    });

    assert_eq!(
        pair.findings(),
        [format!(
            "json error AY424 1:1 `{UUID}_samples.jsonl` lies beside the record, but the record has no `detailed_evaluation_results`"
        )]
    );
}

#[test]
fn s08_the_path_is_that_of_the_samples_beside_the_record() {
    let elsewhere = format!("data/sums/acme/model-y/{UUID}_samples.jsonl");

    let found = sealed(|declared| declared["file_path"] = json!(elsewhere));

    assert_eq!(
        found,
        [format!(
            "json error AY425 65:18 `file_path` is `{elsewhere}`, which is not the samples file of this record"
        )]
    );
}

#[test]
fn s08_a_blank_or_local_path_is_reported_once() {
    for path in ["", "/home/me/out.jsonl", "  "] {
        let found = sealed(|declared| declared["file_path"] = json!(path));

        assert!(
            found.len() == 1 && found[0].starts_with("json error AY109 65:18"),
            "{found:?}"
        );
    }
}

#[test]
fn s08_outside_of_a_datastore_only_the_name_counts() {
    let mut pair = Pair::new();
    pair.directory = "out".to_owned();

    let reports = pair.files().judge_with(&context(LayoutPolicy::Off), 1);

    assert_eq!(findings(&reports), [""; 0]);
}

#[test]
fn s09_the_format_is_jsonl() {
    let found = sealed(|declared| declared["format"] = json!("json"));

    assert!(
        found.len() == 1 && found[0].starts_with("json error AY103 64:15"),
        "{found:?}"
    );
}

#[test]
fn s10_the_samples_must_exist() {
    let pair = Pair::new();
    let mut files = pair.files();
    files.0.remove(&pair.samples_path());

    assert_eq!(
        findings(&files.judge()),
        [format!(
            "json error AY427 65:18 the samples file `{UUID}_samples.jsonl` is not beside the record"
        )]
    );
}

#[test]
fn s10_the_old_name_of_samples_went_out_with_0_2_3() {
    let pair = Pair::new();
    let mut files = pair.files();
    let samples = files.0.remove(&pair.samples_path()).unwrap();
    let files = files.with(&format!("{}/{UUID}.jsonl", pair.directory), samples);

    let reports = files.judge();

    assert_eq!(
        findings(&reports),
        [format!(
            "json error AY427 65:18 the samples file `{UUID}_samples.jsonl` is not beside the record"
        )]
    );
    let help = reports[0].findings.diagnostics()[0]
        .help
        .as_deref()
        .unwrap();
    assert!(
        help.starts_with(&format!("rename `{UUID}.jsonl`")),
        "{help}"
    );
}

#[test]
fn s11_rows_must_be_objects() {
    let mut pair = Pair::new();
    pair.rows.push(json!([1, 2]));

    let found = pair.findings();

    assert!(
        found
            .iter()
            .any(|one| one.starts_with("jsonl error AY102 3:1 ")),
        "{found:?}"
    );
}

#[test]
fn s12_a_samples_file_has_rows() {
    let mut pair = Pair::new();
    pair.rows.clear();

    assert_eq!(
        pair.findings(),
        ["jsonl error AY503 0:0 the samples file has no rows"]
    );
}

#[test]
fn s15_the_number_of_rows_is_the_declared_one() {
    assert_eq!(
        sealed(|declared| declared["total_rows"] = json!(3)),
        ["json error AY428 68:19 `total_rows` is 3, but the samples file has 2 rows"]
    );
    assert_eq!(
        sealed(|declared| declared["total_rows"] = json!(2.0)),
        [""; 0]
    );
    let found = sealed(|declared| declared["total_rows"] = json!(true));
    assert!(found.len() == 1 && found[0].contains("AY102"), "{found:?}");
}

#[test]
fn a_changed_byte_is_found_by_the_checksum() {
    let pair = Pair::new();
    let mut files = pair.files();
    let samples = files.0.get_mut(&pair.samples_path()).unwrap();
    samples.extend_from_slice(b" ");

    let reports = files.judge();

    let found = findings(&reports);
    assert_eq!(
        found[0],
        "json error AY429 67:17 `checksum` is not the digest of the samples file"
    );
    let notes = &reports[0].findings.diagnostics()[0].notes;
    assert!(notes[0].starts_with("declared: ") && notes[1].starts_with("computed: "));
    assert_ne!(notes[0][10..], notes[1][10..]);
}

/// Files whose samples were hashed by whoever wrote them.
struct Hashed(Memory, String);

impl Files for Hashed {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        self.0.open(path)
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.size(path)
    }

    fn sha256(&self, path: &str) -> Option<&str> {
        let is_samples = path.contains("_samples");
        is_samples.then_some(self.1.as_str())
    }
}

#[test]
fn a_digest_that_was_made_before_is_not_made_again_and_still_compared() {
    let pair = Pair::new();
    let right = digest(pair.samples().as_bytes(), Algorithm::Sha256);
    let items = [Item {
        path: format!("{DIRECTORY}/{UUID}.json").into(),
        kind: Some(FileKind::Record),
    }];
    let judge = |known: String| {
        let files = Hashed(pair.files(), known);
        findings(&validate(
            &files,
            &items,
            &Context::default(),
            &Options::default(),
        ))
    };

    let (same, other) = (judge(right), judge("0".repeat(64)));

    assert_eq!(same, [""; 0]);
    assert_eq!(
        other,
        ["json error AY429 67:17 `checksum` is not the digest of the samples file"]
    );
}

#[test]
fn the_case_of_a_checksum_does_not_count() {
    let found = sealed(|declared| {
        let upper = declared["checksum"].as_str().unwrap().to_uppercase();
        declared["checksum"] = json!(upper);
    });

    assert_eq!(found, [""; 0]);
}

#[test]
fn a_checksum_has_the_digits_of_its_algorithm() {
    for text in ["abc", "sha256:00", &"g".repeat(64), &"0".repeat(32), ""] {
        let found = sealed(|declared| declared["checksum"] = json!(text));

        assert_eq!(
            found,
            [format!("json error AY430 67:17 `{text}` is not a digest of sha256, which has 64 hexadecimal digits")
                .replace(&"g".repeat(64), &format!("{}…", "g".repeat(60)))]
        );
    }
}

#[test]
fn md5_is_computed_and_called_weak() {
    let md5 = digest(Pair::new().samples().as_bytes(), Algorithm::Md5);

    let found = sealed(|declared| {
        declared["hash_algorithm"] = json!("md5");
        declared["checksum"] = json!(md5);
    });

    assert_eq!(
        found,
        ["json note AY433 66:23 `hash_algorithm` is `md5`, which tells accidents but not attacks"]
    );
}

#[test]
fn a_checksum_without_an_algorithm_is_taken_by_its_length() {
    for algorithm in [Algorithm::Sha256, Algorithm::Md5] {
        let right = digest(Pair::new().samples().as_bytes(), algorithm);

        let found = sealed(|declared| {
            declared.as_object_mut().unwrap().remove("hash_algorithm");
            declared["checksum"] = json!(right);
        });

        assert_eq!(
            found,
            ["json warning AY431 67:17 `checksum` is given without `hash_algorithm`"]
        );
    }
}

#[test]
fn a_missing_checksum_is_computed_for_the_author() {
    let pair = declared(Pair::new().unsealed(), |declared| {
        declared["total_rows"] = json!(2);
    });

    let reports = pair.files().judge();

    assert_eq!(
        findings(&reports),
        ["json note AY432 63:34 the samples file has no `checksum`"]
    );
    let help = reports[0].findings.diagnostics()[0]
        .help
        .as_deref()
        .unwrap();
    assert!(
        help.contains(&digest(pair.samples().as_bytes(), Algorithm::Sha256)),
        "{help}"
    );
}

#[test]
fn a_result_rests_on_as_many_samples_as_it_has_rows() {
    let pair = Pair::new().result(|result| {
        result["score_details"]["uncertainty"]["num_samples"] = json!(7);
        result["score_details"]["uncertainty"]["standard_deviation"] = json!(0.5);
    });

    assert_eq!(
        pair.findings(),
        [
            "json warning AY434 58:26 `num_samples` is 7, but `sums/accuracy` has 2 rows in the samples file"
        ]
    );
}

#[test]
fn two_epochs_give_twice_as_many_rows() {
    let pair = Pair::new().result(|result| {
        result["score_details"]["uncertainty"]["num_samples"] = json!(1);
    });

    assert_eq!(pair.findings(), [""; 0]);
}

#[test]
fn s16_samples_need_their_record() {
    let pair = Pair::new();
    let mut files = pair.files();
    files.0.remove(&pair.record_path());

    assert_eq!(
        findings(&files.judge()),
        [format!(
            "jsonl error AY506 0:0 the record `{UUID}.json` is not beside its samples"
        )]
    );
}

#[test]
fn s16_samples_need_a_record_that_can_be_read() {
    let pair = Pair::new();
    for broken in ["", "\u{0}", "nothing"] {
        let files = pair.files().with(&pair.record_path(), broken);

        let found = findings(&files.judge_some(&[&pair.samples_path()], &Context::default(), 1));

        assert_eq!(
            found,
            [format!(
                "jsonl error AY507 0:0 the record `{UUID}.json` cannot be read"
            )]
        );
    }
}

#[test]
fn s16_samples_that_were_named_alone_tell_what_their_record_says() {
    let pair = Pair::new();
    let mut record = pair.record.clone();
    record["detailed_evaluation_results"]["total_rows"] = json!(9);
    let files = pair.files().with(&pair.record_path(), pretty(&record));

    let found = findings(&files.judge_some(&[&pair.samples_path()], &Context::default(), 1));

    assert_eq!(
        found,
        [
            "jsonl error AY508 0:0 the record says otherwise: `total_rows` is 9, but the samples file has 2 rows"
        ]
    );
}

#[test]
fn samples_under_both_names_are_both_judged() {
    let pair = Pair::new();
    let old = format!("{}/{UUID}.jsonl", pair.directory);
    let files: Memory = pair.files().with(&old, "{}\n");

    let reports = files.judge();

    let mut paths: Vec<&str> = reports.iter().map(|report| &*report.path).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [pair.record_path(), old.clone(), pair.samples_path()]
    );
    let broken = reports.iter().find(|report| *report.path == old).unwrap();
    assert!(broken.findings.has_errors());
}
