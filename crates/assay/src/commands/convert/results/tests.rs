use std::path::Path;

use assay_convert::convert::Harness;
use assay_convert::entry::{Candidate, Choice, MetricPair, Remarks, entry};
use assay_model::{Benchmark, Direction, Entry, Metric, Number, Setup, Task};
use clap::Parser as _;

use super::file::{Place, Written, add};
use super::{Problem, about, with_option};
use crate::args::{Args, Command};
use crate::benchmarks::Lists;
use crate::commands::convert::ConvertArgs;

fn candidate(result: &str, metric: &str, score: f64) -> Candidate {
    Candidate {
        log: "run.eval".to_owned(),
        harness: Some(Harness::Inspect),
        evaluation_id: "sums/acme/model-x/1767225600".to_owned(),
        model: ["acme/model-x".to_owned(), "model-x".to_owned()],
        evaluation_name: "words".to_owned(),
        dataset: [Some("sums".to_owned()), None],
        result_id: result.to_owned(),
        metric: [Some(metric.to_owned()), None],
        unit: Some("proportion".to_owned()),
        score: Number::new(score).unwrap(),
        sample_size: Some(8),
        library_name: "inspect_ai".to_owned(),
        library_version: "0.3.285".to_owned(),
        model_revision: None,
        timestamp: Some("1767225600.25".to_owned()),
        incomplete: None,
        retried: None,
        setup: Setup::default(),
    }
}

fn metric(id: &str, unit: Option<&str>, primary: bool) -> Metric {
    Metric {
        id: id.parse().unwrap(),
        display_name: id.to_owned(),
        direction: Direction::HigherIsBetter,
        primary,
        unit: unit.map(str::to_owned),
        aggregation: None,
        slice: None,
        value_type: None,
        min: None,
        max: None,
    }
}

fn benchmark(metrics: Vec<Metric>) -> Benchmark {
    Benchmark {
        name: "Sums".to_owned(),
        description: "Sums in words.".to_owned(),
        framework: None,
        metrics,
        tasks: vec![Task {
            id: "words".parse().unwrap(),
            display_name: None,
            config: None,
            split: None,
            dataset: None,
        }],
        comparable_by: Vec::new(),
    }
}

fn args(more: &[&str]) -> ConvertArgs {
    let line = [
        "assay",
        "convert",
        "run.eval",
        "--out",
        "-",
        "--to",
        "eval-results",
        "--benchmark",
        "acme/sums",
        "--task",
        "words",
        "--model",
        "acme/model-x",
    ];
    match Args::parse_from(line.iter().chain(more)).command {
        Command::Convert(args) => *args,
        other => panic!("`convert` was typed and {other:?} was read"),
    }
}

/// Returns the outcome of some scores: the entry, remarks and warnings of the choice; or the first
/// reason why there is none.
fn made(
    candidates: &[Candidate],
    definition: Option<&Benchmark>,
    more: &[&str],
) -> Result<(Entry, Remarks, Vec<String>), String> {
    let args = args(more);
    let choice = Choice {
        benchmark: args.results.benchmark.as_ref().unwrap(),
        task: args.results.task.as_ref().unwrap(),
        model: args.results.model.as_ref().unwrap(),
        definition,
        pairs: &args.results.metric,
        evaluation: args.results.evaluation.as_deref(),
    };
    let chosen = choice.choose(candidates).map_err(with_option)?;
    let (entry, remarks) =
        entry(&choice, &chosen, about(&args.results, &args.said)).map_err(with_option)?;
    Ok((entry, remarks, chosen.warnings))
}

fn scores(entry: &Entry) -> Vec<(&str, String)> {
    let scores = entry.scores.iter();
    scores
        .map(|score| {
            let metric = score.metric.as_ref().map_or("", |metric| metric.as_str());
            (metric, score.literal.clone())
        })
        .collect()
}

#[test]
fn an_alias_is_the_metric_and_units_decide_the_scale() {
    let definition = benchmark(vec![metric("accuracy", Some("percentage"), true)]);
    let candidates = [
        candidate("acc", "acc", 0.29),
        candidate("loss", "loss", 3.0),
    ];

    let (entry, remarks, warnings) = made(&candidates, Some(&definition), &[]).unwrap();

    assert_eq!(scores(&entry), [("accuracy", "29".to_owned())]);
    assert_eq!(remarks.changes.len(), 1, "{remarks:?}");
    assert!(
        remarks.changes[0].ends_with("0.29 became 29"),
        "{remarks:?}"
    );
    assert_eq!((remarks.warnings, warnings), (Vec::new(), Vec::new()));
    assert_eq!(entry.sample_size, Some(8));
    assert_eq!(entry.date.unwrap().as_str(), "2026-01-01T00:00:00Z");
    let framework = entry.framework.unwrap();
    assert_eq!(framework.name.as_deref(), Some("inspect-ai"));
    assert_eq!(framework.version.as_deref(), Some("0.3.285"));
}

#[test]
fn an_incomplete_run_is_no_result_unless_a_person_says_so() {
    let definition = benchmark(vec![metric("accuracy", None, true)]);
    let mut partial = candidate("acc", "accuracy", 1.0);
    partial.incomplete = Some("cancelled, 5 of 8 samples completed".to_owned());

    let refused = made(&[partial], Some(&definition), &[]).unwrap_err();

    assert!(refused.contains("5 of 8 samples"), "{refused}");
    assert!(refused.contains("--allow-incomplete"), "{refused}");
}

#[test]
fn a_run_that_was_retried_with_success_does_not_stand_in_the_way() {
    let definition = benchmark(vec![metric("accuracy", None, true)]);
    let mut before = candidate("acc", "accuracy", 1.0);
    before.incomplete = Some("error".to_owned());
    before.retried = Some("task".to_owned());
    before.evaluation_id = "other".to_owned();
    let mut after = candidate("acc", "accuracy", 0.5);
    after.retried = Some("task".to_owned());

    let (entry, _, warnings) = made(&[before, after], Some(&definition), &[]).unwrap();

    assert_eq!(scores(&entry), [("accuracy", "0.5".to_owned())]);
    assert!(warnings[0].contains("was retried"), "{warnings:?}");
}

#[test]
fn a_score_of_unknown_unit_is_kept_and_doubted() {
    let definition = benchmark(vec![metric("accuracy", Some("percentage"), true)]);
    let mut score = candidate("acc", "accuracy", 0.29);
    score.unit = None;

    let (entry, remarks, _) = made(&[score], Some(&definition), &[]).unwrap();

    assert_eq!(scores(&entry), [("accuracy", "0.29".to_owned())]);
    assert_eq!(remarks.changes, [] as [String; 0]);
    assert_eq!(remarks.warnings.len(), 1, "{remarks:?}");
}

#[test]
fn per_cent_becomes_a_share_and_equal_units_change_nothing() {
    let mut score = candidate("acc", "accuracy", 29.0);
    score.unit = Some("percent".to_owned());
    for (unit, expected, changes) in [
        (Some("proportion"), "0.29", 1),
        (Some("%"), "29", 0),
        (Some("points"), "29", 0),
        (None, "29", 0),
    ] {
        let definition = benchmark(vec![metric("accuracy", unit, true)]);

        let (entry, remarks, _) = made(&[score.clone()], Some(&definition), &[]).unwrap();

        assert_eq!(scores(&entry), [("accuracy", expected.to_owned())]);
        assert_eq!(remarks.changes.len(), changes, "{unit:?}");
    }
}

#[test]
fn several_scores_of_one_metric_must_be_told_apart() {
    let definition = benchmark(vec![
        metric("accuracy", None, true),
        metric("f1", None, false),
    ]);
    let candidates = [
        candidate("match:accuracy", "accuracy", 0.5),
        candidate("choice:accuracy", "accuracy", 0.75),
        candidate("match:f1", "f1", 0.25),
    ];

    let asked = made(&candidates, Some(&definition), &[]).unwrap_err();
    let told = ["--metric", "choice:accuracy=accuracy"];
    let (entry, _, _) = made(&candidates, Some(&definition), &told).unwrap();

    assert!(
        asked.contains("`match:accuracy` of `words` in run.eval (0.5)"),
        "{asked}"
    );
    assert!(asked.contains("`choice:accuracy`"), "{asked}");
    assert_eq!(
        scores(&entry),
        [("accuracy", "0.75".to_owned()), ("f1", "0.25".to_owned())]
    );
}

#[test]
fn what_does_not_fit_is_refused_with_what_there_is() {
    let definition = benchmark(vec![metric("accuracy", None, true)]);
    let one = candidate("loss", "loss", 2.0);
    let mut other_task = candidate("acc", "acc", 0.5);
    other_task.evaluation_name = "digits".to_owned();
    let mut third_task = other_task.clone();
    third_task.evaluation_name = "letters".to_owned();
    let mut other_run = candidate("acc", "acc", 0.5);
    other_run.evaluation_id = "another".to_owned();
    let mut other_model = candidate("acc", "acc", 0.5);
    other_model.model = ["acme/y".to_owned(), "y".to_owned()];
    let mut third_model = other_model.clone();
    third_model.model = ["acme/z".to_owned(), "z".to_owned()];
    let acc = candidate("acc", "acc", 0.5);
    let cases: [(&[Candidate], &[&str], &str); 8] = [
        (&[], &[], "the logs hold no score"),
        (
            std::slice::from_ref(&one),
            &[],
            "no score of the logs is of a metric",
        ),
        (
            &[other_task.clone(), third_task],
            &[],
            "several evaluations, none called `words`",
        ),
        (
            std::slice::from_ref(&other_task),
            &["--evaluation", "x"],
            "no evaluation `x`",
        ),
        (
            &[other_model, third_model],
            &[],
            "no log names the model `acme/model-x`",
        ),
        (
            std::slice::from_ref(&acc),
            &["--metric", "acc=f1"],
            "`f1` is no metric of the benchmark",
        ),
        (
            std::slice::from_ref(&acc),
            &["--metric", "x=accuracy"],
            "no score of the logs goes by",
        ),
        (
            std::slice::from_ref(&acc),
            &["--source-name", "a page"],
            "give `--source-url`",
        ),
    ];
    for (candidates, more, expected) in cases {
        let refused = made(candidates, Some(&definition), more).unwrap_err();

        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    let runs = [acc, other_run];
    let refused = made(&runs, None, &[]).unwrap_err();
    assert!(
        refused.contains("several scores could be `acc`"),
        "{refused}"
    );
}

#[test]
fn scores_of_two_runs_are_no_entry() {
    let definition = benchmark(vec![
        metric("accuracy", None, true),
        metric("f1", None, false),
    ]);
    let mut other_run = candidate("f1", "f1", 0.5);
    other_run.evaluation_id = "another".to_owned();
    let runs = [candidate("acc", "acc", 0.5), other_run];

    let refused = made(&runs, Some(&definition), &[]).unwrap_err();

    assert!(refused.contains("several runs"), "{refused}");
}

#[test]
fn a_model_of_another_name_is_taken_with_a_warning() {
    let mut score = candidate("acc", "acc", 0.5);
    score.model = ["local/checkpoint-7".to_owned(), "checkpoint-7".to_owned()];

    let (entry, _, warnings) = made(&[score], None, &[]).unwrap();

    assert_eq!(scores(&entry), [("acc", "0.5".to_owned())]);
    assert_eq!(
        warnings,
        ["the log names the model `local/checkpoint-7`; the entry is for `acme/model-x`"]
    );
}

#[test]
fn a_benchmark_without_metrics_takes_the_one_score_as_value() {
    let definition = benchmark(vec![metric(Benchmark::ANONYMOUS_METRIC, None, true)]);

    let (entry, _, _) = made(&[candidate("acc", "acc", 0.5)], Some(&definition), &[]).unwrap();

    assert_eq!(entry.scores[0].metric, None);
    assert_eq!(entry.scores[0].literal, "0.5");
}

fn lists() -> Lists {
    Lists::open(&[], None, 1).unwrap()
}

fn one_entry(score: f64) -> Entry {
    let more = [
        "--source-url",
        "https://acme.example/run",
        "--source-name",
        "Run 7: \"final\"",
    ];
    made(&[candidate("acc", "accuracy", score)], None, &more)
        .unwrap()
        .0
}

fn written(out: &Path, entry: Entry) -> Result<Written, Vec<String>> {
    match add(entry, Place::Written(out), &lists()) {
        Ok(made) => {
            assert_eq!(made.warnings, [] as [String; 0]);
            Ok(made.file.unwrap().1)
        }
        Err(Problem::Refused(reasons) | Problem::Failed(reasons)) => Err(reasons),
    }
}

#[test]
fn an_entry_is_added_once_and_nothing_else_changes() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join(".eval_results/sums.yaml");
    let mut other = one_entry(0.25);
    other.task = "digits".parse().unwrap();

    let first = written(out.path(), one_entry(0.5));
    let text = std::fs::read_to_string(&path).unwrap();
    let commented = format!("# kept by hand\n{text}# the end");
    std::fs::write(&path, &commented).unwrap();
    let again = written(out.path(), one_entry(0.5));
    let second = written(out.path(), other);

    assert_eq!(
        (first, again),
        (Ok(Written::Created), Ok(Written::Unchanged))
    );
    assert_eq!(second, Ok(Written::Added));
    let whole = std::fs::read_to_string(&path).unwrap();
    assert!(
        whole.starts_with(&format!("{commented}\n- dataset:")),
        "{whole}"
    );
    assert_eq!(
        std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
        1
    );
}

#[test]
fn an_entry_with_another_value_is_refused_and_the_file_stays() {
    let out = tempfile::tempdir().unwrap();
    written(out.path(), one_entry(0.5)).unwrap();
    let path = out.path().join(".eval_results/sums.yaml");
    let before = std::fs::read(&path).unwrap();

    let refused = written(out.path(), one_entry(0.75)).unwrap_err();

    assert!(
        refused[0].contains("with other values (0.5 there, 0.75 here)"),
        "{refused:?}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_cannot_be_added_to_is_left_alone() {
    let flow = "[{dataset: {id: acme/sums, task_id: t}, metrics: [{metric_id: m, value: 1}]}]\n";
    for text in [flow, "- dataset: oops\n", "a: [", "\u{0}"] {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join(".eval_results/sums.yaml");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();

        let refused = written(out.path(), one_entry(0.5));

        assert!(refused.is_err(), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_dry_run_and_standard_output_write_nothing() {
    let out = tempfile::tempdir().unwrap();

    let tried = add(one_entry(0.5), Place::Tried(out.path()), &lists()).unwrap();
    let printed = add(one_entry(0.5), Place::Nowhere, &lists()).unwrap();

    assert_eq!(
        tried.file.map(|(_, written)| written),
        Some(Written::Created)
    );
    assert!(printed.file.is_none());
    assert_eq!(printed.text, tried.text);
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn pairs_of_metrics_are_cut_at_the_last_sign() {
    let pair: MetricPair = "f=1:mean=accuracy".parse().unwrap();

    assert_eq!(
        (pair.from.as_str(), pair.to.as_str()),
        ("f=1:mean", "accuracy")
    );
    for text in ["", "=", "a=", "=b", "a", "a=b c"] {
        assert!(text.parse::<MetricPair>().is_err(), "{text}");
    }
}

#[test]
fn a_record_gives_its_scores() {
    let record = serde_json::json!({
        "evaluation_id": "e",
        "evaluation_timestamp": "1",
        "eval_library": { "name": "inspect_ai", "version": "1" },
        "model_info": { "id": "a/b", "name": "b" },
        "evaluation_results": [{
            "evaluation_result_id": "r",
            "evaluation_name": "n",
            "source_data": { "dataset_name": "d", "source_type": "other", "samples_number": 3 },
            "metric_config": { "metric_id": "acc", "lower_is_better": false },
            "score_details": { "score": 0.5 },
        }],
    });

    let read = Candidate::read_all("log", None, &record.to_string()).unwrap();

    assert_eq!(read.len(), 1);
    assert_eq!((read[0].sample_size, read[0].score.get()), (Some(3), 0.5));
    assert!(read[0].is_called("acc") && read[0].is_called("r"));
    assert!(Candidate::read_all("log", None, "{}").is_err());
}
