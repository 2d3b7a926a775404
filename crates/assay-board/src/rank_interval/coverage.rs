//! Simulates how often all rank intervals of a board hold at once, over many boards on which all
//! rows are equally good.
//!
//! That is the hardest case: every pair that is told apart is an error. Rows come in two sizes,
//! because a small sample with few misses beside a large one is where intervals by a normal error
//! fail.

use std::collections::HashMap;

use assay_model::Direction;
use parking_lot::Mutex;

use super::{Contender, Point, bound, intervals, point};
use crate::share::TailBound;
use crate::{SplitMix64, Uncertainty};

/// The coverage that every design must reach.
const LEAST: f64 = 0.945;
/// After so many boards a design may be decided.
const FIRST_LOOK: u32 = 250;
/// After so many boards the observed share decides. Its standard error is then 0.2 points, so that
/// a design with a true coverage of 95 % passes in 998 of 1,000 simulations, and one with 94 % in 2
/// of 1,000.
const MOST_BOARDS: u32 = 16_000;
/// A design passes early when its observed coverage is above the least one by so many standard
/// errors.
const SURE: f64 = 3.3;

const ROWS: [usize; 5] = [2, 5, 10, 20, 40];
const SHARES: [f64; 8] = [0.5, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999];
const SIZES: [(u32, u32); 5] = [
    (30, 1_000),
    (20, 2_000),
    (50, 5_000),
    (100, 10_000),
    (200, 200),
];
const SHARES_WITH_ERRORS: [f64; 6] = [0.5, 0.9, 0.95, 0.98, 0.99, 0.999];
const SIZES_WITH_ERRORS: [(u32, u32); 4] = [(50, 1_000), (100, 10_000), (20, 2_000), (200, 200)];

/// The uncertainty that a row reports.
#[derive(Debug, Clone, Copy)]
enum Report {
    Samples,
    /// The plain standard error of the share. It is zero where all answers are alike, and then
    /// nothing is known.
    StandardError,
}

/// Boards of a kind.
#[derive(Debug, Clone, Copy)]
struct Design {
    rows: usize,
    share: f64,
    sizes: (u32, u32),
    report: Report,
}

fn designs() -> Vec<Design> {
    let mut designs = Vec::new();
    for rows in ROWS {
        for (shares, sizes, report) in [
            (SHARES.as_slice(), SIZES.as_slice(), Report::Samples),
            (
                &SHARES_WITH_ERRORS,
                &SIZES_WITH_ERRORS,
                Report::StandardError,
            ),
        ] {
            designs.extend(shares.iter().flat_map(|&share| {
                sizes.iter().map(move |&sizes| Design {
                    rows,
                    share,
                    sizes,
                    report,
                })
            }));
        }
    }
    designs
}

/// The probabilities of at most so many right answers.
struct Binomial(Vec<f64>);

impl Binomial {
    fn new(samples: u32, share: f64, ln_factorials: &[f64]) -> Self {
        let mut sum = 0.0;
        let below = (0..=samples).map(|right| {
            let wrong = samples - right;
            let ln_ways = ln_factorials[samples as usize]
                - ln_factorials[right as usize]
                - ln_factorials[wrong as usize];
            let ln_each = f64::from(right) * share.ln() + f64::from(wrong) * (-share).ln_1p();
            sum += (ln_ways + ln_each).exp();
            sum
        });
        Self(below.collect())
    }

    fn draw(&self, random: &mut SplitMix64) -> u32 {
        let place = random.unit();
        let right = self.0.partition_point(|below| *below <= place);
        u32::try_from(right.min(self.0.len() - 1)).unwrap()
    }
}

fn contender(right: u32, samples: u32, report: Report) -> Contender {
    let (share, n) = (f64::from(right) / f64::from(samples), f64::from(samples));
    let error = (share * (1.0 - share) / n).sqrt();
    Contender {
        value: share,
        uncertainty: match report {
            Report::Samples => Uncertainty::of_share(u64::from(samples), 1.0),
            Report::StandardError => Uncertainty::of_share_error(share, error, 1.0),
        },
    }
}

/// Boards of one design, with what is computed for a row kept for the next row like it.
struct Simulation<'b> {
    design: Design,
    bounds: &'b [TailBound],
    random: SplitMix64,
    binomials: [Binomial; 2],
    contenders: HashMap<(u32, u32), Contender>,
    points: HashMap<(usize, u32, u32), Option<Point>>,
}

impl<'b> Simulation<'b> {
    fn new(design: Design, seed: u64, ln_factorials: &[f64], bounds: &'b [TailBound]) -> Self {
        let (small, large) = design.sizes;
        Self {
            design,
            bounds,
            random: SplitMix64::new(seed),
            binomials: [small, large]
                .map(|samples| Binomial::new(samples, design.share, ln_factorials)),
            contenders: HashMap::new(),
            points: HashMap::new(),
        }
    }

    /// Returns whether all intervals of one more board hold.
    fn holds(&mut self) -> bool {
        let (small, large) = self.design.sizes;
        let seen: Vec<(u32, u32)> = (0..self.design.rows)
            .map(|row| {
                let samples = if row % 2 == 0 { small } else { large };
                (self.binomials[row % 2].draw(&mut self.random), samples)
            })
            .collect();
        let report = self.design.report;
        let known = seen
            .iter()
            .filter(|(right, samples)| {
                let of = || contender(*right, *samples, report);
                let row = self.contenders.entry((*right, *samples)).or_insert_with(of);
                row.uncertainty.is_some()
            })
            .count();
        if known < 2 {
            return true;
        }
        let points: Vec<Option<Point>> = seen
            .iter()
            .map(|&(right, samples)| {
                let row = self.contenders[&(right, samples)];
                let of = || point(&row, &self.bounds[known], Direction::HigherIsBetter);
                *self
                    .points
                    .entry((known, right, samples))
                    .or_insert_with(of)
            })
            .collect();
        let found = intervals(&points);
        let rows = self.design.rows;
        found
            .iter()
            .flatten()
            .all(|one| one.best == 1 && one.worst == rows)
    }

    /// Returns the observed coverage and of how many boards it is.
    fn coverage(&mut self, boards: Option<u32>) -> (f64, u32) {
        let mut next_look = boards.unwrap_or(FIRST_LOOK);
        let (mut held, mut seen) = (0_u32, 0_u32);
        loop {
            held += (seen..next_look)
                .map(|_| u32::from(self.holds()))
                .sum::<u32>();
            seen = next_look;
            let n = f64::from(seen);
            let coverage = f64::from(held) / n;
            // With one miss more than was seen, no run of luck has an error of zero.
            let missed = (1.0 - coverage + 1.0 / n).min(1.0);
            let error = (missed * (1.0 - missed) / n).sqrt();
            let is_sure = coverage - SURE * error > LEAST;
            if boards.is_some() || is_sure || seen >= MOST_BOARDS {
                return (coverage, seen);
            }
            next_look = seen * 2;
        }
    }
}

/// `ASSAY_COVERAGE_BOARDS` asks for so many boards of each design and prints what was found.
#[test]
#[expect(clippy::print_stdout, reason = "the longer form prints its figures")]
fn all_ranks_hold_at_once_for_uneven_samples_near_all_right_and_with_stated_errors() {
    let asked = std::env::var_os("ASSAY_COVERAGE_BOARDS");
    let boards = asked.map(|boards| boards.to_str().unwrap().parse().unwrap());
    let mut ln_factorials = vec![0.0];
    for n in 1..=10_000_u32 {
        ln_factorials.push(ln_factorials[n as usize - 1] + f64::from(n).ln());
    }
    let bounds: Vec<TailBound> = (0..=40).map(bound).collect();
    let designs = designs();
    let queue = Mutex::new(designs.iter().zip(1..));
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let next = queue.lock().next();
                let Some((design, seed)) = next else { break };
                let coverage =
                    Simulation::new(*design, seed, &ln_factorials, &bounds).coverage(boards);
                found.lock().push((seed, *design, coverage));
            }
        };
        scope.spawn(work);
        work();
    });

    let mut found = found.into_inner();
    found.sort_unstable_by(|left, right| left.2.0.total_cmp(&right.2.0));
    assert!(found.len() >= 300, "{}", found.len());
    if boards.is_some() {
        for (_, design, (coverage, boards)) in found.iter().take(10) {
            println!("{:.2} % of {boards} boards of {design:?}", 100.0 * coverage);
        }
    }
    for (_, design, (coverage, boards)) in found {
        // Only a design that was undecided to the end is judged by its observed share.
        assert!(
            coverage >= LEAST,
            "{coverage} of {boards} boards of {design:?}"
        );
    }
}
