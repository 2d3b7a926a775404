use assay_lake::Error;
use assay_lake::compare::{Comparison, Question, RankScope, Verdict, compare, rank_all};

use crate::support::{Run, World};

fn question(model_a: &str, model_b: &str, task: &str) -> Question {
    Question {
        model_a: model_a.to_owned(),
        model_b: model_b.to_owned(),
        task: Some(task.to_owned()),
        flips: 10,
        ..Question::default()
    }
}

async fn compared(world: &World, question: &Question) -> Comparison {
    compare(&world.engine().await, question).await.unwrap()
}

#[tokio::test]
async fn right_and_wrong_are_counted_sample_by_sample_across_harnesses() {
    let world = World::ingested();

    let comparison = compared(&world, &question("acme/small", "acme/large", "sums")).await;

    assert_eq!(
        (
            comparison.shared,
            comparison.samples_a,
            comparison.samples_b
        ),
        (8, 8, 8)
    );
    let table = (
        comparison.both_right,
        comparison.only_a_right,
        comparison.only_b_right,
        comparison.both_wrong,
    );
    assert_eq!(table, (3, 1, 3, 1));
    assert_eq!((comparison.mean_a, comparison.mean_b), (0.5, 0.75));
    // Of four coins one or none, or three or four, fall on one side: 10 of 16.
    let mcnemar = comparison.mcnemar.unwrap();
    assert!((mcnemar.p_value - 0.625).abs() < 1e-12, "{mcnemar:?}");
    assert_eq!(mcnemar.method, "mcnemar-exact");
    assert_eq!(comparison.verdict, Verdict::NotSeparated);
    let difference = comparison.difference.unwrap();
    assert_eq!(
        (difference.value, difference.method),
        (-0.25, "bonett-price")
    );
    assert!(
        difference.low < -0.25 && difference.high > 0.0,
        "{difference:?}"
    );
}

#[tokio::test]
async fn a_flip_has_the_question_the_reference_and_both_answers() {
    let world = World::ingested();

    let comparison = compared(&world, &question("acme/small", "acme/large", "sums")).await;

    assert_eq!(comparison.flips.len(), 4);
    let flip = comparison
        .flips
        .iter()
        .find(|flip| flip.input.as_deref() == Some("sums: 4 + 1"))
        .unwrap();
    assert_eq!(flip.references, ["5"]);
    assert_eq!(
        (flip.a.right, flip.a.output.as_deref()),
        (true, Some("it is 5"))
    );
    assert_eq!(
        (flip.b.right, flip.b.output.as_deref()),
        (false, Some("it is 4"))
    );
}

#[tokio::test]
async fn scores_between_right_and_wrong_have_a_bootstrap_that_is_the_same_each_time() {
    let world = World::ingested();
    let question = question("acme/large", "acme/small", "summaries");

    let first = compared(&world, &question).await;
    let second = compared(&world, &question).await;

    let difference = first.difference.unwrap();
    assert_eq!(
        (difference.value, difference.method),
        (0.125, "paired-bootstrap")
    );
    assert!(
        difference.low < 0.125 && difference.high > 0.125,
        "{difference:?}"
    );
    assert_eq!(first, second);
}

#[tokio::test]
async fn partial_scores_have_the_verdict_of_their_interval_and_no_test_of_right_and_wrong() {
    let world = World::new();
    // Neither is ever right, and one scores a little higher on every sample.
    let scores = |more: f64| (0..40).map(move |sample| f64::from(sample % 7) / 16.0 + more);
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / 40.0;
    for (number, model, more) in [(80, "acme/more", 0.0625), (81, "acme/less", 0.0)] {
        let samples: Vec<f64> = scores(more).collect();
        let run = Run {
            number,
            model,
            benchmark: "partial",
            score: mean(&samples),
            samples,
            ..Run::all()[0].clone()
        };
        run.write(world.root.path());
    }
    let report = world.ingest_paths(&["data/partial"]);
    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    let question = |model_a: &str, model_b: &str| Question {
        task: None,
        benchmark: Some("partial".to_owned()),
        ..question(model_a, model_b, "")
    };

    let comparison = compared(&world, &question("acme/more", "acme/less")).await;
    let swapped = compared(&world, &question("acme/less", "acme/more")).await;
    let itself = compared(&world, &question("acme/more", "acme/more")).await;

    let difference = comparison.difference.unwrap();
    assert!(difference.low > 0.0, "{difference:?}");
    assert_eq!(
        (comparison.verdict, swapped.verdict, itself.verdict),
        (Verdict::AHigher, Verdict::BHigher, Verdict::NotSeparated)
    );
    assert_eq!((comparison.only_a_right, comparison.only_b_right), (0, 0));
    assert_eq!(comparison.mcnemar, None);
}

#[tokio::test]
async fn epochs_of_one_sample_are_one_sample() {
    let world = World::ingested();
    let epoch = Run {
        number: 50,
        samples: vec![0.0; 8],
        score: 0.0,
        ..Run::all()[1].clone()
    };
    let again = Run {
        number: 51,
        ..epoch.clone()
    };
    epoch.write(world.root.path());
    again.write(world.root.path());
    world.ingest();

    let comparison = compared(&world, &question("acme/small", "acme/large", "sums")).await;

    // Large is now right in one of three epochs at the most, which is no longer right.
    assert_eq!(
        (
            comparison.shared,
            comparison.both_right,
            comparison.only_a_right
        ),
        (8, 0, 4)
    );
    assert!((comparison.mean_b - 0.25).abs() < 1e-12, "{comparison:?}");
}

#[tokio::test]
async fn a_model_without_samples_and_models_without_a_shared_one_are_told_apart() {
    let world = World::ingested();
    let engine = world.engine().await;

    let unknown = compare(&engine, &question("acme/small", "acme/none", "sums")).await;
    let disjoint = compare(
        &engine,
        &Question {
            task: None,
            benchmark: None,
            ..question("acme/small", "zeta/base", "")
        },
    )
    .await
    .unwrap();
    let none = compare(
        &engine,
        &question("acme/small", "acme/none'; DROP TABLE results --", "sums"),
    )
    .await;

    assert!(
        matches!(unknown, Err(Error::Compare(message)) if message.contains("`acme/none` has no such samples"))
    );
    assert_eq!(disjoint.shared, 8);
    assert!(matches!(none, Err(Error::Compare(_))));
}

#[tokio::test]
async fn all_models_are_ranked_on_the_questions_that_they_share() {
    const QUESTIONS: usize = 60;
    let world = World::new();
    let right = |is_right: &dyn Fn(usize) -> bool, questions: usize| -> Vec<f64> {
        let scores = (0..questions).map(|question| f64::from(u8::from(is_right(question))));
        scores.collect()
    };
    let runs = [
        (
            "acme/good",
            right(&|question| question % 10 != 0, QUESTIONS),
        ),
        (
            "acme/better",
            right(&|question| question % 12 != 0, QUESTIONS),
        ),
        ("zeta/bad", right(&|question| question % 4 == 0, QUESTIONS)),
        ("zeta/short", right(&|_| true, QUESTIONS / 4)),
    ];
    for (number, (model, samples)) in (70..).zip(runs) {
        let run = Run {
            number,
            model,
            benchmark: "ranked",
            score: samples.iter().sum::<f64>() / f64::from(u32::try_from(samples.len()).unwrap()),
            samples,
            ..Run::all()[0].clone()
        };
        run.write(world.root.path());
    }
    let report = world.ingest_paths(&["data/ranked"]);
    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    let scope = RankScope {
        benchmark: Some("ranked".to_owned()),
        ..RankScope::default()
    };

    let ranking = rank_all(&world.engine().await, &scope).await.unwrap();

    assert_eq!((ranking.questions, ranking.pairs), (QUESTIONS, 3));
    let models: Vec<(&str, usize, usize)> = ranking
        .models
        .iter()
        .map(|own| (own.model.as_str(), own.rank, own.tier))
        .collect();
    assert_eq!(
        models,
        [
            ("acme/better", 1, 1),
            ("acme/good", 2, 1),
            ("zeta/bad", 3, 2)
        ]
    );
    assert_eq!(ranking.separated, 2);
    let left_out: Vec<&str> = ranking
        .left_out
        .iter()
        .map(|own| own.model.as_str())
        .collect();
    assert_eq!(left_out, ["zeta/short"]);
    let unknown = RankScope {
        benchmark: Some("nothing".to_owned()),
        ..RankScope::default()
    };
    let refused = rank_all(&world.engine().await, &unknown).await;
    assert!(matches!(refused, Err(Error::Compare(_))), "{refused:?}");
}
