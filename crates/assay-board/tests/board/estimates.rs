use assay_board::{
    Basis, Contender, Interval, Method, Uncertainty, interval_of, rank_intervals, uncertainty_of,
    wilson,
};
use assay_model::{Direction, Entry, Metric, Score};

fn metric(id: &str, unit: &str, primary: bool) -> Metric {
    Metric {
        id: id.parse().unwrap(),
        display_name: id.to_owned(),
        direction: Direction::HigherIsBetter,
        primary,
        unit: Some(unit.to_owned()),
        aggregation: None,
        slice: None,
        value_type: None,
        min: None,
        max: None,
    }
}

fn entry(scores: &[(&str, &str)], sample_size: Option<u64>) -> Entry {
    let score = |(id, literal): &(&str, &str)| Score {
        literal: (*literal).to_owned(),
        ..Score::new(Some(id.parse().unwrap()), literal.parse().unwrap())
    };
    Entry {
        sample_size,
        ..Entry::new(
            "a/b".parse().unwrap(),
            "t".parse().unwrap(),
            scores.iter().map(score).collect(),
        )
    }
}

fn ends(found: Option<(Interval, Basis)>) -> Option<(f64, f64, Basis)> {
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    found.map(|(interval, basis)| (tenth(interval.low), tenth(interval.high), basis))
}

#[test]
fn what_the_entry_says_of_its_uncertainty_comes_first() {
    let accuracy = metric("accuracy", "percentage", true);
    for (scores, expected) in [
        (
            [("accuracy", "43.6"), ("ci95_half_width", "3.6")].as_slice(),
            (40.0, 47.2, Basis::HalfWidth),
        ),
        (
            &[("accuracy", "43.6"), ("accuracy_stderr", "1.0")],
            (41.6, 45.6, Basis::StandardError),
        ),
        (
            &[
                ("accuracy", "43.6"),
                ("ci95_low", "41"),
                ("ci95_high", "45.5"),
            ],
            (41.0, 45.5, Basis::Ends),
        ),
    ] {
        let found = interval_of(&entry(scores, Some(500)), &accuracy, 43.6);

        assert_eq!(ends(found), Some(expected));
    }
}

#[test]
fn a_number_of_samples_tells_the_uncertainty_of_a_share_of_right_answers_alone() {
    let of = |id, unit, samples| {
        let own = metric(id, unit, true);
        ends(interval_of(&entry(&[(id, "90")], samples), &own, 90.0))
    };

    assert_eq!(
        of("accuracy", "percentage", Some(100)),
        Some((82.6, 94.5, Basis::Samples(100)))
    );
    assert_eq!(of("accuracy", "percentage", None), None);
    assert_eq!(of("accuracy", "points", Some(100)), None);
    assert_eq!(of("wer", "percentage", Some(100)), None);
}

#[test]
fn the_uncertainty_of_one_metric_is_not_that_of_another() {
    let second = metric("f1", "percentage", false);

    let found = interval_of(
        &entry(&[("f1", "40"), ("ci95_half_width", "3.6")], None),
        &second,
        40.0,
    );

    assert_eq!(found, None);
}

#[test]
fn nonsense_has_no_interval() {
    let accuracy = metric("accuracy", "percentage", true);
    let negative = entry(&[("accuracy", "40"), ("ci95_half_width", "-1")], None);
    let elsewhere = entry(
        &[("accuracy", "40"), ("ci95_low", "50"), ("ci95_high", "60")],
        None,
    );

    assert_eq!(interval_of(&negative, &accuracy, 40.0), None);
    assert_eq!(interval_of(&elsewhere, &accuracy, 40.0), None);
    assert_eq!(wilson(1.2, 10), None);
    assert_eq!(wilson(0.5, 0), None);
}

#[test]
fn an_interval_stays_within_what_a_share_can_be() {
    for samples in [1, 10, 1_000_000] {
        for share in [0.0, 0.5, 1.0] {
            let interval = wilson(share, samples).unwrap();

            assert!(interval.low >= 0.0 && interval.high <= 1.0);
            assert!(interval.low <= share && share <= interval.high + 1e-12);
            assert!(interval.low < interval.high);
        }
    }
}

#[test]
fn wilsons_interval_agrees_with_statsmodels() {
    // `proportion_confint(…, method="wilson")`.
    for (share, samples, low, high) in [
        (0.9, 100, 0.825_634_338_495_086_5, 0.944_770_862_939_324_9),
        (0.0, 20, 0.0, 0.161_125_158_052_819_4),
    ] {
        let found = wilson(share, samples).unwrap();

        assert!((found.low - low).abs() < 1e-12, "{found:?}");
        assert!((found.high - high).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn an_error_of_zero_is_no_error() {
    let accuracy = metric("accuracy", "percentage", true);
    let scores = [("accuracy", "100"), ("accuracy_stderr", "0.0")];

    let counted = interval_of(&entry(&scores, Some(20)), &accuracy, 100.0);

    assert_eq!(ends(counted), Some((83.9, 100.0, Basis::Samples(20))));
    assert_eq!(interval_of(&entry(&scores, None), &accuracy, 100.0), None);
    assert_eq!(Uncertainty::of_error(0.0), None);
    assert_eq!(Uncertainty::of_error(f64::NAN), None);
    assert_eq!(Uncertainty::of_share(0, 1.0), None);
}

/// Returns whether a row is told apart from nineteen that have 90 % of a thousand samples right.
fn leads(row: Option<Uncertainty>, value: f64) -> bool {
    let other = Contender {
        value: 90.0,
        uncertainty: Uncertainty::of_share(1_000, 100.0),
    };
    let mut board = vec![other; 20];
    board[0] = Contender {
        value,
        uncertainty: row,
    };
    let found = rank_intervals(&board, Direction::HigherIsBetter);
    found[0].is_some_and(|found| found.worst == 1)
}

#[test]
fn a_stated_error_of_few_misses_ranks_like_the_share_it_is_of() {
    let accuracy = metric("accuracy", "percentage", true);
    let leads_with = |scores: &[(&str, &str)], samples| {
        leads(
            uncertainty_of(&entry(scores, samples), &accuracy, 98.0),
            98.0,
        )
    };
    // One miss of fifty: with a true share of 90 % that happens in three of a hundred cases, not in
    // one of 30,000.
    let counted = [("accuracy", "98")].as_slice();
    let stated = [("accuracy", "98"), ("accuracy_stderr", "1.98")];
    let half_width = [("accuracy", "98"), ("ci95_half_width", "3.88")];
    let by_wilson = [
        ("accuracy", "98"),
        ("ci95_low", "89.5"),
        ("ci95_high", "99.65"),
    ];

    for scores in [&stated, &half_width, by_wilson.as_slice()] {
        assert!(!leads_with(scores, None), "{scores:?}");
        assert!(!leads_with(scores, Some(50)), "{scores:?}");
    }
    assert!(!leads_with(counted, Some(50)));
    assert!(leads(Uncertainty::of_error(1.98), 98.0));
    // Eight misses of four hundred are no chance.
    let many = [("accuracy", "98"), ("accuracy_stderr", "0.7")];
    assert!(leads_with(counted, Some(400)) && leads_with(&many, None));
}

#[test]
fn an_error_of_a_share_has_the_normal_interval() {
    let found = Uncertainty::of_share_error(90.0, 4.0, 100.0).unwrap();

    assert_eq!(
        found.interval(90.0),
        Uncertainty::of_error(4.0).unwrap().interval(90.0)
    );
    assert_eq!(found.basis(), Basis::StandardError);
    // No share has so large an error, and nothing is known for certain.
    assert_eq!(
        Uncertainty::of_share_error(0.9, 0.5, 1.0),
        Uncertainty::of_error(0.5)
    );
    assert_eq!(Uncertainty::of_share_error(0.9, 0.0, 1.0), None);
}

#[test]
fn every_method_has_its_own_name() {
    let names: std::collections::BTreeSet<&str> =
        Method::ALL.iter().map(|method| method.as_str()).collect();

    assert_eq!(names.len(), Method::ALL.len());
    assert_eq!(Basis::Samples(9).method(), Method::Wilson);
    assert_eq!(Basis::Ends.method(), Method::Stated);
    assert_eq!(Basis::StandardError.method(), Method::Normal);
}
