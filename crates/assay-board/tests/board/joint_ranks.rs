//! The ranks of many models on the same questions.

use assay_board::paired::{JointRanks, SEED, SharedScores, joint_ranks};
use assay_board::{Contender, Error, Method, SplitMix64, Uncertainty, mean_of, rank_intervals};
use assay_model::Direction;
use assay_testkit::corpus::{find_corpus, read_gzipped};

use crate::simulated::{normal, share_of};

const HIGHER: Direction = Direction::HigherIsBetter;

fn table(rows: &[Vec<f64>]) -> SharedScores {
    SharedScores::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn of(rows: &[Vec<f64>]) -> JointRanks {
    joint_ranks(&table(rows), HIGHER, SEED)
}

fn ends(found: &JointRanks) -> Vec<(usize, usize)> {
    let ends = |model: &assay_board::paired::JointRank| (model.interval.best, model.interval.worst);
    found.models.iter().map(ends).collect()
}

fn tiers(found: &JointRanks) -> Vec<usize> {
    found
        .models
        .iter()
        .map(|model| model.interval.tier)
        .collect()
}

/// Answers of models to questions of different difficulty: the better the model and the easier the
/// question, the more often the answer is right.
fn answers(random: &mut SplitMix64, skills: &[f64], questions: usize, ease: f64) -> Vec<Vec<f64>> {
    let ease: Vec<f64> = (0..questions)
        .map(|_| ease + 1.5 * normal(random))
        .collect();
    let answer = |random: &mut SplitMix64, merit: f64| {
        let is_right = random.unit() < 1.0 / (1.0 + (-1.7 * merit).exp());
        f64::from(u8::from(is_right))
    };
    skills
        .iter()
        .map(|skill| {
            ease.iter()
                .map(|ease| answer(random, skill + ease))
                .collect()
        })
        .collect()
}

#[test]
fn models_that_chance_explains_share_ranks_and_tiers() {
    let mut random = SplitMix64::new(3);
    let rows = answers(&mut random, &[-2.0, 2.0, 0.0, 0.0, 0.0], 400, 0.0);

    let found = of(&rows);

    assert_eq!(ends(&found), [(5, 5), (1, 1), (2, 4), (2, 4), (2, 4)]);
    assert_eq!(tiers(&found), [3, 1, 2, 2, 2]);
    assert_eq!(found.separated, 7);
    assert_eq!(found.models[0].interval.method, Method::JointBootstrap);
    assert!((found.models[2].mean - rows[2].iter().sum::<f64>() / 400.0).abs() < 1e-12);
}

#[test]
fn models_that_differ_on_few_of_many_questions_are_separated_when_independent_rows_are_not() {
    // The second is wrong where the first is, and on thirty questions more.
    let right = |wrong: usize| {
        (0..1_000)
            .map(|n| f64::from(u8::from(n >= wrong)))
            .collect()
    };
    let rows: [Vec<f64>; 2] = [right(300), right(330)];
    let contender = |row: &Vec<f64>| Contender {
        value: row.iter().sum::<f64>() / 1_000.0,
        uncertainty: Uncertainty::of_share(1_000, 1.0),
    };

    let found = of(&rows);
    let independent = rank_intervals(&[contender(&rows[0]), contender(&rows[1])], HIGHER);

    assert_eq!(ends(&found), [(1, 1), (2, 2)]);
    assert_eq!(independent[0].map(|found| found.worst), Some(2));
}

#[test]
fn equal_answers_are_never_separated_and_a_constant_difference_is() {
    let coins: Vec<f64> = (0..40).map(|n| f64::from(n % 3)).collect();
    let better: Vec<f64> = coins.iter().map(|score| score + 1.0).collect();

    let found = of(&[coins.clone(), better, coins]);

    assert_eq!(ends(&found), [(2, 3), (1, 1), (2, 3)]);
    assert_eq!(tiers(&found), [2, 1, 2]);
    let all_equal = of(&[vec![0.5; 10], vec![0.5; 10]]);
    assert_eq!(ends(&all_equal), [(1, 2), (1, 2)]);
    assert_eq!(all_equal.separated, 0);
}

#[test]
fn ten_questions_do_not_separate_many_models_that_are_all_right_or_all_wrong() {
    // A difference that is the same on all ten questions is chance once in 512, and there are four
    // hundred of them.
    let rows: Vec<Vec<f64>> = (0..40).map(|row| vec![f64::from(row % 2); 10]).collect();

    assert_eq!(of(&rows).separated, 0);
}

#[test]
fn a_model_alone_in_the_lead_leads_its_tier_with_those_it_cannot_be_told_from() {
    let mut random = SplitMix64::new(11);
    let skills: Vec<f64> = (0..12).map(|n| f64::from(n) / 4.0).collect();
    let rows = answers(&mut random, &skills, 500, 0.0);

    let found = of(&rows);

    let means: Vec<f64> = found.models.iter().map(|model| model.mean).collect();
    let leader = (0..12)
        .max_by(|a, b| means[*a].total_cmp(&means[*b]))
        .unwrap();
    assert_eq!(found.models[leader].interval.tier, 1);
    // All of the first tier may be first, up to those that are separated from others of it.
    let first = found
        .models
        .iter()
        .filter(|model| model.interval.tier == 1)
        .count();
    assert_eq!(first, 12 - (12 - found.models[leader].interval.worst));
    let better = |own: f64| means.iter().filter(|other| **other > own).count();
    for model in &found.models {
        assert!(model.interval.best <= 1 + better(model.mean));
        assert!(better(model.mean) < model.interval.worst);
    }
}

#[test]
fn the_order_of_models_and_the_direction_change_nothing() {
    let mut random = SplitMix64::new(5);
    let mut rows = answers(&mut random, &[0.0, 0.3, 0.6, 0.9, 0.9, 1.2], 203, 0.0);
    let found = of(&rows);

    let turned: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.iter().map(|score| 7.0 - 3.0 * score).collect())
        .collect();
    let lower = joint_ranks(&table(&turned), Direction::LowerIsBetter, SEED);
    assert_eq!(ends(&lower), ends(&found));
    assert_eq!(tiers(&lower), tiers(&found));
    assert!((lower.models[0].mean - (7.0 - 3.0 * found.models[0].mean)).abs() < 1e-12);

    rows.rotate_left(2);
    let mut moved = found.models.clone();
    moved.rotate_left(2);
    assert_eq!(of(&rows).models, moved);
    assert_eq!(of(&rows), of(&rows));
}

#[test]
fn scores_without_bounds_are_compared_too() {
    let mut random = SplitMix64::new(8);
    let mut row = |shift: f64, size: f64| -> Vec<f64> {
        (0..50)
            .map(|_| size * (shift + normal(&mut random)))
            .collect()
    };

    let huge = of(&[row(5.0, 1e307), row(-5.0, 1e307)]);
    let tiny = of(&[row(5.0, 1e-300), row(-5.0, 1e-300)]);

    assert_eq!(ends(&huge), [(1, 1), (2, 2)]);
    assert_eq!(ends(&tiny), [(1, 1), (2, 2)]);
}

#[test]
fn what_is_no_table_of_shared_scores_is_rejected() {
    let of = SharedScores::new;

    assert_eq!(
        of(3, 9, vec![0.0; 27]),
        Err(Error::TooFewQuestions {
            found: 9,
            least: 10
        })
    );
    assert!(matches!(
        of(1, 10, vec![0.0; 10]),
        Err(Error::ModelCount { found: 1, .. })
    ));
    assert!(matches!(
        of(10_001, 10, vec![]),
        Err(Error::ModelCount { .. })
    ));
    assert!(matches!(
        of(2, 10, vec![0.0; 19]),
        Err(Error::NotATable { .. })
    ));
    let mut scores = vec![0.0; 20];
    scores[13] = f64::NAN;
    let rejected = of(2, 10, scores).unwrap_err();
    assert_eq!(
        rejected,
        Error::ScoreNotFinite {
            model: 1,
            question: 3
        }
    );
    assert_eq!(
        rejected.to_string(),
        "score 3 of model 1 is not a finite number (both counted from 0)"
    );
}

/// Scores of models whose true means are equal, so that each pair that is separated is an error.
type Equal = fn(&mut SplitMix64) -> Vec<Vec<f64>>;

const EQUAL: [(&str, Equal); 5] = [
    ("20 models, half of 200 questions", |random| {
        answers(random, &[0.0; 20], 200, 0.0)
    }),
    ("20 models, 95 % of 200 questions", |random| {
        answers(random, &[0.0; 20], 200, 4.0)
    }),
    (
        "20 models, 95 % of 300 questions, each on its own",
        |random| {
            let answer = |random: &mut SplitMix64| f64::from(u8::from(random.unit() < 0.95));
            let row = |random: &mut SplitMix64| (0..300).map(|_| answer(random)).collect();
            (0..20).map(|_| row(random)).collect()
        },
    ),
    (
        "10 models, scores of different spread on 40 questions",
        |random| {
            let hard: Vec<f64> = (0..40).map(|_| normal(random)).collect();
            let spread = |row: i32| 0.1 * 1.5_f64.powi(row);
            (0..10)
                .map(|row| {
                    hard.iter()
                        .map(|hard| hard + spread(row) * normal(random))
                        .collect()
                })
                .collect()
        },
    ),
    (
        "10 models, half of them mostly zero, 200 questions",
        |random| {
            let rare = |random: &mut SplitMix64| {
                if random.unit() < 0.1 {
                    2.0 * random.unit()
                } else {
                    0.0
                }
            };
            let even = |random: &mut SplitMix64| 0.2 * random.unit();
            let row = |random: &mut SplitMix64, row: u32| -> Vec<f64> {
                (0..200)
                    .map(|_| {
                        if row.is_multiple_of(2) {
                            rare(random)
                        } else {
                            even(random)
                        }
                    })
                    .collect()
            };
            (0..10).map(|number| row(random, number)).collect()
        },
    ),
];

#[test]
#[expect(clippy::print_stdout, reason = "the longer form prints its figures")]
fn no_pair_anywhere_is_separated_wrongly_in_95_of_100_tables() {
    let tables = coverage_runs(80);
    let mut random = SplitMix64::new(29);
    let mut sum = 0.0;
    for (name, draw) in EQUAL {
        let found = share_of(tables, || of(&draw(&mut random)).separated == 0);

        if tables > 80 {
            println!("{:.2} % of {tables} tables: {name}", 100.0 * found);
        }
        // Of 80 tables a coverage of 95 % shows as 86 % or more in 999 of 1,000 simulations.
        assert!(found >= 0.86, "{name}: {found}");
        sum += found;
    }
    // Together they are on the safe side: 98 % in the longer form.
    assert!(sum / 5.0 >= 0.95, "{}", sum / 5.0);
}

#[test]
fn pairs_that_are_separated_have_the_right_direction() {
    let tables = coverage_runs(40);
    let mut random = SplitMix64::new(31);
    // Two by two are equal, and the others differ by more or less.
    let skills: Vec<f64> = (0..16).map(|n| f64::from(n / 2) * 0.25).collect();
    let found = share_of(tables, || {
        let found = of(&answers(&mut random, &skills, 300, 0.0));
        found.models.iter().zip(0..).all(|(model, place)| {
            let (better, worse) = (14 - place / 2 * 2, place / 2 * 2);
            model.interval.best <= 1 + better && 16 - worse <= model.interval.worst
        })
    });

    // Of 40 tables a coverage of 95 % shows as 82 % or more in 999 of 1,000 simulations.
    assert!(found >= 0.82, "{found}");
}

/// Returns the number of tables that are simulated: more where `ASSAY_COVERAGE_BOARDS` asks for
/// them.
fn coverage_runs(usual: u32) -> u32 {
    let asked = std::env::var_os("ASSAY_COVERAGE_BOARDS");
    asked.map_or(usual, |boards| {
        boards.to_str().unwrap().parse::<u32>().unwrap().max(usual)
    })
}

/// Real scores: models in rows, questions in columns.
fn alpaca_scores() -> Option<Vec<Vec<f64>>> {
    let text = read_gzipped(&find_corpus()?.join("alpaca_eval_2_scores.csv.gz"));
    let row = |line: &str| {
        line.split(',')
            .skip(1)
            .map(|score| score.parse().unwrap())
            .collect()
    };
    Some(text.lines().skip(1).map(row).collect())
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "it says what it found, or why it found nothing"
)]
fn on_real_scores_joint_ranks_separate_more_than_independent_rows() {
    let Some(mut rows) = alpaca_scores() else {
        return;
    };

    let all = of(&rows);
    assert_eq!((rows.len(), rows[0].len()), (58, 797));
    // The model that the others are compared with has the same score on all questions, and no error
    // as a row.
    rows.retain(|row| row.iter().any(|score| (score - row[0]).abs() > 0.0));
    let found = of(&rows);

    let contender = |row: &Vec<f64>| {
        let mean = mean_of(row).unwrap();
        Contender {
            value: mean.value,
            uncertainty: Uncertainty::of_error((mean.interval.high - mean.value) / 1.963),
        }
    };
    let independent: Vec<Contender> = rows.iter().map(contender).collect();
    let independent = rank_intervals(&independent, HIGHER);
    let apart: usize = independent.iter().flatten().map(|one| one.best - 1).sum();
    println!(
        "{} of 1,653 pairs separated; of {} models that vary {}, independent rows {apart}",
        all.separated,
        rows.len(),
        found.separated
    );
    assert!(all.separated >= 970, "{}", all.separated);
    assert!(found.separated >= 970, "{}", found.separated);
    assert!(apart < 900, "{apart}");
}
