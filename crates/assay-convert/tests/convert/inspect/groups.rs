//! Metrics of groups, as Inspect's `grouped()` computes them.

use super::support::fixture;

#[test]
fn each_group_has_the_rows_of_its_samples_and_their_mean_is_its_score() {
    let outcome = fixture("groups.eval");

    let sizes: Vec<(&str, usize)> = outcome
        .results()
        .into_iter()
        .map(|(id, score)| {
            let rows = outcome.scores_of(id);
            let count = f64::from(u32::try_from(rows.len()).unwrap());
            let mean = rows.iter().map(|row| row.2).sum::<f64>() / count;
            assert!((mean - score).abs() < 1e-12, "{id}: {mean} is not {score}");
            (id, rows.len())
        })
        .collect();
    assert_eq!(
        sizes,
        [
            ("exact:even", 3),
            ("exact:odd", 3),
            ("exact:all", 6),
            ("exact:level 0", 2),
            ("exact:level 1", 2),
            ("exact:level 2", 2),
            ("exact:all2", 6),
        ]
    );
}

#[test]
fn groups_of_a_log_in_chunks_have_the_same_rows() {
    let whole = fixture("groups.eval");

    let chunked = fixture("groups_chunked.eval");

    assert_eq!(chunked.files, whole.files);
}

#[test]
fn a_group_says_what_was_measured_and_nothing_of_how_sure_it_is() {
    let outcome = fixture("groups.eval");

    let results = &outcome.record["evaluation_results"];

    let (even, all) = (&results[0], &results[2]);
    assert_eq!(even["metric_config"]["metric_name"], "accuracy");
    assert_eq!(
        even["metric_config"]["metric_parameters"]["group_key"],
        "kind"
    );
    assert_eq!(
        even["metric_config"]["evaluation_description"],
        "accuracy of `even` from scorer exact"
    );
    assert!(even["score_details"].get("uncertainty").is_none());
    assert_eq!(all["score_details"]["uncertainty"]["num_samples"], 6);
}
