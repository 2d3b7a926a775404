use assay_board::{Error, Level, TaskScore, mean_over_tasks};

fn whole(task: &str, value: f64) -> TaskScore {
    TaskScore {
        task: task.parse().unwrap(),
        level: Level::Whole,
        value,
    }
}

fn part(task: &str, slice: &str, value: f64) -> TaskScore {
    TaskScore {
        level: Level::Part(slice.to_owned()),
        ..whole(task, value)
    }
}

#[test]
fn t25_a_whole_and_its_parts_are_not_averaged_together() {
    let scores = [
        whole("mmlu", 70.0),
        part("mmlu", "biology", 90.0),
        part("mmlu", "law", 50.0),
    ];

    let refusal = mean_over_tasks(&scores).unwrap_err();

    assert_eq!(
        refusal.to_string(),
        "the score of `mmlu` is of the part `biology` and others are of the whole; a whole and its parts are not averaged together"
    );
}

#[test]
fn t25_two_different_slices_are_not_averaged_together() {
    let scores = [part("a", "hard", 1.0), part("b", "easy", 3.0)];

    let refusal = mean_over_tasks(&scores).unwrap_err();

    assert!(matches!(refusal, Error::MixedLevels { .. }), "{refusal}");
}

#[test]
fn t25_no_task_counts_twice() {
    let scores = [whole("a", 1.0), whole("b", 3.0), whole("a", 1.0)];

    let refusal = mean_over_tasks(&scores).unwrap_err();

    assert_eq!(refusal, Error::RepeatedTask("a".parse().unwrap()));
}

#[test]
fn tasks_weigh_the_same() {
    let wholes = mean_over_tasks(&[whole("a", 1.0), whole("b", 2.0), whole("c", 6.0)]).unwrap();
    let parts = mean_over_tasks(&[part("a", "hard", 1.0), part("b", "hard", 2.0)]).unwrap();

    assert_eq!((wholes.value, wholes.tasks), (3.0, 3));
    assert_eq!(
        (parts.value, parts.level),
        (1.5, Level::Part("hard".to_owned()))
    );
}

#[test]
fn a_mean_of_nothing_or_of_what_is_no_number_is_refused() {
    assert_eq!(mean_over_tasks(&[]), Err(Error::NothingToAverage));
    assert_eq!(
        mean_over_tasks(&[whole("a", 1.0), whole("b", f64::NAN)]),
        Err(Error::NotFinite("b".parse().unwrap()))
    );
}

#[test]
fn huge_values_have_a_mean() {
    let mean = mean_over_tasks(&[whole("a", f64::MAX), whole("b", f64::MAX)]).unwrap();

    assert!(mean.value.total_cmp(&f64::MAX).is_eq(), "{}", mean.value);
}
