//! The answer does not depend on the number of threads.

use assay_check::Context;
use serde_json::json;

use crate::support::{Memory, Pair, agentic, single_turn};

/// More than the size from which on all threads work on one file, and many blocks of it.
const LARGE: usize = 17 << 20;

fn large_pair() -> (Pair, Memory) {
    let pair = Pair::new().unsealed();
    let filler = "x".repeat(2000);
    let mut text = String::with_capacity(LARGE + (1 << 16));
    let mut number = 0;
    while text.len() < LARGE {
        let mut row = if number % 3 == 0 {
            agentic(&number.to_string())
        } else {
            single_turn(&number.to_string())
        };
        row["input"]["raw"] = json!(filler);
        match number % 1000 {
            100 => row["model_id"] = json!("acme/other"),
            200 => row["evaluation"]["score"] = json!(2),
            300 => row["sample_id"] = json!("7"),
            400 => row["evaluation_result_id"] = json!("none"),
            500 => text.push_str(" \n"),
            600 => text.push_str("{\"broken\": \n"),
            _ => {}
        }
        text.push_str(&row.to_string());
        text.push('\n');
        number += 1;
    }
    let files = pair.files().with(&pair.samples_path(), text);
    (pair, files)
}

#[test]
fn a_large_samples_file_gets_the_same_report_from_any_number_of_threads() {
    let (pair, files) = large_pair();
    let judge = |jobs: usize| {
        let reports = files.judge_with(&Context::default(), jobs);
        assert_eq!(*reports[1].path, pair.samples_path());
        reports
            .into_iter()
            .map(|report| {
                let counts: Vec<_> = report.findings.counts().collect();
                (
                    report.path,
                    report.rows,
                    report.bytes,
                    counts,
                    report.findings.diagnostics().to_vec(),
                )
            })
            .collect::<Vec<_>>()
    };

    let alone = judge(1);

    let (_, rows, _, counts, kept) = &alone[1];
    assert!(rows.unwrap() > 6000, "{rows:?}");
    for code in ["AY006", "AY501", "AY502", "AY505", "AY509", "AY511"] {
        assert!(
            counts
                .iter()
                .any(|(_, own, count)| own.to_string() == code && *count >= 6),
            "{code} {counts:?}"
        );
    }
    assert!(
        kept.windows(2)
            .all(|pair| pair[0].place.line <= pair[1].place.line)
    );
    for jobs in [2, 8] {
        assert_eq!(judge(jobs), alone);
    }
}
