use assay_board::chart::{Axis, frontier, records};
use assay_model::{Date, Direction, Timestamp};
use proptest::prelude::*;

fn ticks(axis: &Axis) -> Vec<Timestamp> {
    let whole = |tick: &f64| format!("{tick:.0}").parse().unwrap();
    let ticks = axis.ticks().iter();
    ticks
        .map(|tick| Timestamp::from_millis(whole(tick)))
        .collect()
}

fn day(text: &str) -> Timestamp {
    let date: Date = text.parse().unwrap();
    Timestamp::of_date(&date).unwrap()
}

#[test]
fn an_axis_ends_at_round_numbers_whatever_the_size() {
    for (values, ticks) in [
        ([0.12, 0.87], vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        ([91.7, 96.7], vec![91.0, 92.0, 93.0, 94.0, 95.0, 96.0, 97.0]),
        ([-3.0, 4.0], vec![-4.0, -2.0, 0.0, 2.0, 4.0]),
        (
            [0.001_1, 0.001_9],
            vec![0.001, 0.0012, 0.0014, 0.0016, 0.0018, 0.002],
        ),
    ] {
        let axis = Axis::linear(values).unwrap();

        assert_eq!(axis.ticks(), ticks);
    }
}

#[test]
fn an_axis_of_one_value_has_room_on_both_sides_and_one_of_none_is_none() {
    let axis = Axis::linear([50.0]).unwrap();

    let place = axis.place(50.0);
    assert!(place > 0.2 && place < 0.8, "{place}");
    assert!(Axis::linear([0.0]).is_some());
    assert_eq!(Axis::linear([f64::NAN, f64::INFINITY]), None);
    assert_eq!(Axis::linear([]), None);
}

#[test]
fn costs_that_span_powers_of_ten_are_told_apart() {
    let axis = Axis::logarithmic([0.4, 29.4, 0.0, -1.0]).unwrap();

    assert_eq!(axis.ticks(), [0.1, 1.0, 10.0, 100.0]);
    assert!((axis.place(1.0) - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(Axis::logarithmic([0.0, -1.0]), None);
}

#[test]
fn an_axis_of_time_has_its_ticks_where_months_begin() {
    let axis = Axis::time([day("2025-11-20"), day("2026-03-02")]).unwrap();

    let ticks: Vec<String> = ticks(&axis)
        .iter()
        .map(|tick| tick.to_string()[..10].to_owned())
        .collect();
    assert_eq!(
        ticks,
        ["2025-11-01", "2026-01-01", "2026-03-01", "2026-05-01"]
    );
    assert!(Axis::time([Timestamp::MIN, Timestamp::MAX]).is_none());
}

#[test]
fn dates_never_stand_closer_than_they_can_be_read() {
    let first = day("2016-02-29");
    for days in [0, 31, 92, 124, 125, 480, 1_000, 3_900] {
        let last = Timestamp::from_millis(first.millis() + days * 86_400_000);

        let ticks = ticks(&Axis::time([first, last]).unwrap());

        assert!((2..=5).contains(&ticks.len()), "{days}: {ticks:?}");
        assert!(ticks[0] <= first && last <= ticks[ticks.len() - 1]);
    }
}

#[test]
fn for_errors_a_record_is_a_lower_value() {
    let points = [
        (day("2026-01-01"), 2.0),
        (day("2026-02-01"), 1.6),
        (day("2026-03-01"), 1.9),
        (day("2026-04-01"), f64::NAN),
    ];

    assert_eq!(records(&points, Direction::LowerIsBetter), [0, 1]);
}

proptest! {
    #[test]
    fn every_value_lies_on_its_axis(values in proptest::collection::vec(-1e12_f64..1e12, 1..40)) {
        let axis = Axis::linear(values.iter().copied()).unwrap();

        let ticks = axis.ticks();
        prop_assert!(ticks.len() >= 2 && ticks.len() <= 14, "{ticks:?}");
        prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
        for value in values {
            let first = ticks[0];
            let last = ticks[ticks.len() - 1];
            let room = (last - first) * 1e-9;
            prop_assert!(first - room <= value && value <= last + room, "{value} in {ticks:?}");
            prop_assert!((0.0..=1.0).contains(&axis.place(value)));
        }
    }

    #[test]
    fn nobody_on_the_frontier_is_beaten_and_everyone_else_is(
        points in proptest::collection::vec((0_u8..20, 0_u8..20), 0..30)
    ) {
        let points: Vec<(f64, f64)> = points
            .into_iter()
            .map(|(cost, value)| (f64::from(cost), f64::from(value)))
            .collect();

        let unbeaten = frontier(&points, Direction::HigherIsBetter);

        let beats = |one: (f64, f64), other: (f64, f64)| {
            one.0 <= other.0 && one.1 >= other.1 && one != other
        };
        for (index, point) in points.iter().enumerate() {
            let is_beaten = points.iter().any(|other| beats(*other, *point));
            let is_twin = unbeaten.iter().any(|on| points[*on] == *point);
            prop_assert_eq!(!is_beaten, is_twin, "{:?} of {:?}", index, points);
        }
    }
}
