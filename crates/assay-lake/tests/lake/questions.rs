//! Every question of `docs/questions.md`, with its answer worked out by hand from the fixture.

use std::path::Path;

use crate::support::{Run, World};

/// The number of each question and its answer.
const ANSWERS: [&[&str]; 20] = [
    &[
        "1 | acme/large | 0.75",
        "2 | acme/small | 0.5",
        "3 | zeta/base | 0.25",
    ],
    &[
        "arith | sums | exact_match | acme/large | 0.75",
        "prose | summaries | rouge | acme/large | 0.625",
        "tools | errands | exact_match | zeta/base | 0.5",
    ],
    // The run of December was the first, and each of the next two was better than all before it.
    &[
        "2025-12-01 | acme/small | 0.375",
        "2026-01-01 | acme/small | 0.5",
        "2026-02-01 | acme/large | 0.75",
    ],
    &[
        "acme/arith | sums | - | 0.75 | entry",
        "arith | sums | exact_match | 0.75 | record",
        "prose | summaries | rouge | 0.625 | record",
    ],
    // Half widths by hand: 1.96 times the deviation with n - 1, by the root of n.
    &[
        "zeta/base | errands | exact_match | 2 | 0.5 | 0.98",
        "acme/large | summaries | rouge | 4 | 0.625 | 0.2237",
        "acme/small | summaries | rouge | 4 | 0.5 | 0.2237",
        "acme/large | sums | exact_match | 8 | 0.75 | 0.3208",
        "acme/small | sums | exact_match | 8 | 0.5 | 0.3704",
        "zeta/base | sums | exact_match | 8 | 0.25 | 0.3208",
    ],
    &["sums | 8 | 3"],
    &[
        "8 | 3 | 0.0",
        "4 | 3 | 0.3333",
        "5 | 3 | 0.3333",
        "6 | 3 | 0.3333",
        "7 | 3 | 0.3333",
        "3 | 3 | 0.6667",
        "1 | 3 | 1.0",
        "2 | 3 | 1.0",
    ],
    &[
        "true | true | 3",
        "true | false | 1",
        "false | true | 3",
        "false | false | 1",
    ],
    &["4 | it is 4", "8 | it is 8"],
    // All records of the fixture report the mean of their samples.
    &[],
    // 1 + 2 + … + 8 tokens, for six, four and two right answers.
    &[
        "acme/large | 36 | 6 | 6.0",
        "acme/small | 36 | 4 | 9.0",
        "zeta/base | 36 | 2 | 18.0",
    ],
    &[
        "acme/large | 100.0 | 450.0 | 800.0",
        "acme/small | 100.0 | 450.0 | 800.0",
        "zeta/base | 100.0 | 450.0 | 800.0",
    ],
    &["zeta/base | sums | 8 | the context was too long"],
    // Right are 1 to 4; 1, 2, 3, 5, 6, 7; and 1, 2.
    &[
        "acme/large | eve | 0.5",
        "acme/large | odd | 1.0",
        "acme/small | eve | 0.5",
        "acme/small | odd | 0.5",
        "zeta/base | eve | 0.25",
        "zeta/base | odd | 0.25",
    ],
    &[
        "acme/arith | 1 | 1 | 0 | 1 | 0",
        "arith | 1 | 3 | 4 | 4 | 24",
        "prose | 1 | 2 | 2 | 2 | 8",
        "tools | 1 | 1 | 1 | 1 | 2",
    ],
    &[
        "acme/large | 3 | 2 | 3 | 12",
        "acme/small | 2 | 3 | 3 | 12",
        "zeta/base | 2 | 2 | 2 | 10",
    ],
    &["acme/small | sums | exact_match | 2 | 0.125"],
    &[
        "sums | exact_match | first_party | 2 | 0.625",
        "sums | exact_match | third_party | 2 | 0.3125",
    ],
    &["arith | acme/small | inspect_ai | 2025-12-01"],
    &["zeta/base | 2 | 2 | 4 | 4", "zeta/base | 1 | 1 | 4 | 4"],
];

/// The titles and the SQL of the page.
pub(crate) fn questions() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/questions.md");
    let page = std::fs::read_to_string(path).unwrap();
    page.split("\n## ")
        .skip(1)
        .map(|section| {
            let (title, rest) = section.split_once('\n').unwrap();
            let sql = rest.split("```sql\n").nth(1).unwrap();
            let (sql, after) = sql.split_once("```").unwrap();
            assert!(!after.contains("```sql"), "`{title}` has one query");
            (title.to_owned(), sql.to_owned())
        })
        .collect()
}

#[tokio::test]
async fn every_question_of_the_page_has_the_answer_that_was_worked_out_by_hand() {
    let world = World::ingested();
    let engine = world.engine().await;
    let questions = questions();
    assert_eq!(questions.len(), ANSWERS.len());

    for (number, ((title, sql), expected)) in (1..).zip(questions.iter().zip(ANSWERS)) {
        let batches = engine.all(sql).await;

        let batches = batches.unwrap_or_else(|error| panic!("{title}: {error}"));
        assert!(title.starts_with(&format!("{number}. ")), "{title}");
        assert_eq!(crate::support::lines(&batches), expected, "{title}");
    }
}

/// The questions whose answers do not change when samples are asked twice and scored by one metric
/// more, by their number. The others list results, records or single answers, which are then more.
const UNMOVED: [usize; 11] = [1, 2, 3, 5, 6, 7, 8, 10, 12, 13, 14];

/// The lines that are not about the further metric: question 2 has a leader by it, and question 5 a
/// mean.
fn of_known_metrics(lines: Vec<String>) -> Vec<String> {
    let mut lines = lines;
    lines.retain(|line| !line.contains("| f1 |"));
    lines
}

#[tokio::test]
async fn epochs_and_further_metrics_move_no_answer_about_samples() {
    let once = World::ingested();
    let more = World::new();
    for run in Run::all() {
        run.write_twice_by_two_metrics(more.root.path());
    }
    let report = more.ingest();
    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    let scores = "SELECT metric, count(*) FROM instances WHERE task = 'sums' GROUP BY metric ORDER BY metric";
    assert_eq!(
        more.answer(scores).await,
        ["exact_match | 48", "f1 | 48"],
        "every row has the metric of its result"
    );

    for (title, sql) in questions() {
        let number: usize = title.split('.').next().unwrap().parse().unwrap();
        if UNMOVED.contains(&number) {
            let expected = once.answer(&sql).await;
            let answer = of_known_metrics(more.answer(&sql).await);
            assert_eq!(answer, expected, "{title}");
        }
    }
    // Two epochs cost twice as much, and are right twice as often.
    let (_, cost) = &questions()[10];
    assert_eq!(
        more.answer(cost).await,
        [
            "acme/large | 72 | 12 | 6.0",
            "acme/small | 72 | 8 | 9.0",
            "zeta/base | 72 | 4 | 18.0"
        ]
    );
}
