#[cfg(test)]
mod coverage;

use assay_model::Direction;

use crate::Method;
use crate::estimate::{CONFIDENCE, Uncertainty};
use crate::share::TailBound;
use crate::special::{as_float, range_quantile};
use crate::tier::tiers;

/// Reaches that differ by less than this factor are searched together.
const ALIKE: f64 = 1.25;

/// A row that takes part in a ranking, with the uncertainty of its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contender {
    /// The value.
    pub value: f64,
    /// The uncertainty of the value, when it is known.
    pub uncertainty: Option<Uncertainty>,
}

/// Between which ranks a row truly lies, as far as chance alone is concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankInterval {
    /// The best rank.
    pub best: usize,
    /// The worst rank.
    pub worst: usize,
    /// With what probability all intervals of the board hold at once.
    pub confidence: f64,
    /// The method of the interval.
    pub method: Method,
    /// The tier, from 1. Rows of the first cannot be told from the leader, rows of the second are
    /// told from it and not from the best of the rest, and so on.
    pub tier: usize,
}

/// A contender that can be compared, turned so that more is better, or less.
#[derive(Clone, Copy, PartialEq)]
struct Point {
    merit: f64,
    /// The distance that the true value may lie below.
    down: f64,
    /// The distance that the true value may lie above.
    up: f64,
}

/// Points whose reach down is about the same, by merit.
struct Class {
    least: f64,
    most: f64,
    merits: Vec<f64>,
    /// The squares of their reaches, in the same order.
    squares: Vec<f64>,
}

/// The 95 % interval of the rank of each contender, in their order; none for one whose uncertainty
/// is not known, and for all when fewer than two have one.
///
/// Two rows are told apart when their values differ by more than chance explains, with all pairs of
/// the board compared at once (Tukey and Kramer): with 95 % confidence nobody is told apart wrongly
/// anywhere on the board, so that all intervals hold together (Al Mohamad, Goeman and van Zwet
/// 2022). The best rank comes after those who are truly better, the worst before those who are
/// truly worse. A row whose uncertainty is not known is told apart from none. Shares reach as far
/// as the interval of Clopper and Pearson does at the confidence of one comparison, other values so
/// many standard errors.
///
/// It takes O(n·k·log n) time, where k is the number of classes of about equal uncertainty: some
/// ten on an honest board.
pub fn rank_intervals(contenders: &[Contender], direction: Direction) -> Vec<Option<RankInterval>> {
    let usable =
        |contender: &Contender| contender.value.is_finite() && contender.uncertainty.is_some();
    let known = contenders.iter().filter(|one| usable(one)).count();
    if known < 2 {
        return vec![None; contenders.len()];
    }
    intervals(&points(contenders, &bound(known), direction))
}

/// Returns how far rows reach so that all comparisons of so many hold at once.
fn bound(rows: usize) -> TailBound {
    let range = range_quantile(as_float(rows as u64), CONFIDENCE);
    TailBound::new(range / std::f64::consts::SQRT_2)
}

fn points(contenders: &[Contender], bound: &TailBound, direction: Direction) -> Vec<Option<Point>> {
    // Only so many shares of so many samples exist, so many rows of a large board are equal, and
    // stand side by side.
    let mut last: Option<(Contender, Option<Point>)> = None;
    let of = |contender: &Contender| {
        let known = last.filter(|(other, _)| other == contender);
        let found = known.unwrap_or_else(|| (*contender, point(contender, bound, direction)));
        last.insert(found).1
    };
    contenders.iter().map(of).collect()
}

/// Returns the interval of each point, in their order.
fn intervals(points: &[Option<Point>]) -> Vec<Option<RankInterval>> {
    let turned: Vec<Option<Point>> = points.iter().map(|point| point.map(opposite)).collect();
    let (better, worse) = (classes(points), classes(&turned));
    let known: Vec<Point> = points.iter().flatten().copied().collect();
    let merits: Vec<f64> = known.iter().map(|point| point.merit).collect();
    let tiers = tiers(&merits, |one, other| is_above(&known[one], &known[other]));
    let mut tiers = tiers.into_iter();
    let interval = |(point, turned, tier): (&Point, &Point, usize)| RankInterval {
        best: 1 + above(point, &better),
        worst: points.len() - above(turned, &worse),
        confidence: CONFIDENCE,
        method: Method::TukeyKramer,
        tier,
    };
    let mut last: Option<(Point, RankInterval)> = None;
    let of = |(point, turned): (&Option<Point>, &Option<Point>)| {
        let (point, turned) = (point.as_ref()?, turned.as_ref()?);
        let tier = tiers.next()?;
        let known = last.filter(|(other, _)| other == point);
        let found = known.unwrap_or_else(|| (*point, interval((point, turned, tier))));
        Some(last.insert(found).1)
    };
    points.iter().zip(&turned).map(of).collect()
}

fn point(contender: &Contender, bound: &TailBound, direction: Direction) -> Option<Point> {
    if !contender.value.is_finite() {
        return None;
    }
    let (down, up) = contender.uncertainty?.reach(contender.value, bound);
    let point = Point {
        merit: contender.value,
        down,
        up,
    };
    Some(match direction {
        Direction::HigherIsBetter => point,
        Direction::LowerIsBetter => opposite(point),
    })
}

fn opposite(point: Point) -> Point {
    Point {
        merit: 0.0 - point.merit,
        down: point.up,
        up: point.down,
    }
}

fn classes(points: &[Option<Point>]) -> Vec<Class> {
    let mut sorted: Vec<Point> = points.iter().flatten().copied().collect();
    sorted.sort_unstable_by(|left, right| left.down.total_cmp(&right.down));
    let mut classes = Vec::new();
    let mut rest = sorted.as_mut_slice();
    while let Some(first) = rest.first() {
        let limit = first.down * ALIKE;
        let (alike, others) = rest.split_at_mut(rest.partition_point(|one| one.down <= limit));
        classes.push(class(alike));
        rest = others;
    }
    classes
}

/// A class of points that come by their reach, at least one.
fn class(points: &mut [Point]) -> Class {
    let reach = |point: Option<&Point>| point.map_or(0.0, |point| point.down);
    let (least, most) = (reach(points.first()), reach(points.last()));
    points.sort_unstable_by(|left, right| left.merit.total_cmp(&right.merit));
    Class {
        least,
        most,
        merits: points.iter().map(|point| point.merit).collect(),
        squares: points.iter().map(|point| point.down * point.down).collect(),
    }
}

/// Returns whether a point is above another by more than both reach towards each other.
fn is_above(point: &Point, other: &Point) -> bool {
    let gap = point.merit - other.merit;
    gap > 0.0 && gap * gap > point.down * point.down + other.up * other.up
}

/// Returns the number of points that are above one by more than both reach towards each other.
fn above(point: &Point, classes: &[Class]) -> usize {
    let own = point.up * point.up;
    let in_class = |class: &Class| {
        let from = |down: f64| {
            let bound = point.merit + (down * down + own).sqrt();
            class.merits.partition_point(|merit| *merit <= bound)
        };
        // Only between these two it depends on the reach of each.
        let (perhaps, surely) = (from(class.least), from(class.most));
        let merits = &class.merits[perhaps..surely];
        let squares = &class.squares[perhaps..surely];
        let between = merits.iter().zip(squares).filter(|(merit, square)| {
            let gap = **merit - point.merit;
            gap * gap > **square + own
        });
        class.merits.len() - surely + between.count()
    };
    classes.iter().map(in_class).sum()
}
