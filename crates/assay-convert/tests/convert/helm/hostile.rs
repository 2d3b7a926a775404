//! Damaged runs: refused, or converted with a warning, and never the end of the program.

use assay_convert::convert::Options;
use proptest::prelude::*;
use serde_json::json;

use super::run::Run;
use super::store::Tree;

const FILES: [&str; 5] = [
    "run_spec.json",
    "scenario.json",
    "scenario_state.json",
    "stats.json",
    "per_instance_stats.json",
];

/// Converts; what comes out must be valid, and what is refused must say why.
fn survives(tree: &Tree) {
    match tree.convert() {
        Ok(outcome) => outcome.is_valid(),
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
    }
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_refused_as_damaged() {
    let whole = Run::of(2).tree();
    for name in [
        "scenario_state.json",
        "stats.json",
        "per_instance_stats.json",
    ] {
        let path = format!("run/{name}");
        for length in 0..whole.0[&path].len() {
            let mut tree = whole.clone();
            tree.0.get_mut(&path).unwrap().truncate(length);

            let refusal = tree.convert().unwrap_err();

            assert_eq!(refusal.slug(), "damaged", "{name} after {length} bytes");
            assert!(
                refusal
                    .to_string()
                    .starts_with(&format!("`{path}` is damaged: "))
            );
        }
    }
}

#[test]
fn a_description_that_was_cut_off_is_refused_unless_it_is_only_the_scenario() {
    for (name, refused) in [("run_spec.json", true), ("scenario.json", false)] {
        let mut tree = Run::of(2).tree();
        tree.0.get_mut(&format!("run/{name}")).unwrap().truncate(20);

        assert_eq!(tree.convert().is_err(), refused, "{name}");
    }
}

#[test]
fn one_broken_request_does_not_fail_the_run() {
    let mut run = Run::of(4);
    run.states[1] = json!("no request");
    run.states[2] = json!({"instance": {"input": {"text": "no id"}}});
    run.per_instance.push(json!(7));

    let outcome = run.tree().convert().unwrap();

    outcome.is_valid();
    assert_eq!(outcome.converted.rows, 2);
    let warnings: Vec<(&str, u64)> = outcome
        .converted
        .warnings
        .iter()
        .map(|warning| (warning.message.as_str(), warning.count))
        .collect();
    assert_eq!(
        warnings,
        [
            (
                "an entry of `per_instance_stats.json` that cannot be read was left out",
                1
            ),
            ("a request without an instance was left out", 2)
        ]
    );
}

#[test]
fn values_of_another_kind_do_no_harm() {
    for wrong in [
        json!(null),
        json!([]),
        json!({}),
        json!(-1),
        json!("x"),
        json!(1e308),
        json!([[[]]]),
    ] {
        for pointer in [
            "/request_states/0/instance",
            "/request_states/0/instance/references",
            "/request_states/0/instance/perturbation",
            "/request_states/0/request",
            "/request_states/0/request/max_tokens",
            "/request_states/0/result",
            "/request_states/0/result/completions",
            "/request_states/0/result/request_time",
            "/request_states/0/result/request_datetime",
            "/request_states/0/train_trial_index",
            "/request_states/0",
            "/request_states",
        ] {
            let tree = Run::of(2).tree().change("scenario_state.json", |state| {
                *state.pointer_mut(pointer).unwrap() = wrong.clone();
            });

            survives(&tree);
        }
        for pointer in [
            "/0/name",
            "/0/name/perturbation",
            "/0/name/split",
            "/0/count",
            "/0/mean",
            "/0",
        ] {
            let tree = Tree::of_fixture("joint").change("stats.json", |stats| {
                if let Some(value) = stats.pointer_mut(pointer) {
                    *value = wrong.clone();
                }
            });

            survives(&tree);
        }
        for pointer in [
            "/adapter_spec",
            "/adapter_spec/model",
            "/adapter_spec/temperature",
            "/name",
            "/scenario_spec",
        ] {
            let tree = Run::of(2).tree().change("run_spec.json", |spec| {
                *spec.pointer_mut(pointer).unwrap() = wrong.clone();
            });

            survives(&tree);
        }
    }
}

#[test]
fn values_nested_without_end_are_no_request() {
    let mut tree = Run::of(2).tree();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let state = format!("{{\"request_states\": [{deep}, {{\"instance\": {deep}}}]}}");
    tree.0
        .insert("run/scenario_state.json".to_owned(), state.into_bytes());

    let outcome = tree.convert().unwrap();

    assert_eq!(outcome.converted.rows, 0);
    assert_eq!(outcome.warnings().len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn bytes_changed_at_random_do_no_harm(
        file in 0..FILES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        jobs in 1..3_usize,
    ) {
        let mut tree = Run::of(3).tree();
        let bytes = tree.0.get_mut(&format!("run/{}", FILES[file])).unwrap();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }

        let options = Options { jobs, ..Options::default() };
        match tree.convert_with(&options) {
            Ok(outcome) => outcome.is_valid(),
            Err(refusal) => prop_assert!(!refusal.to_string().is_empty()),
        }
    }
}
