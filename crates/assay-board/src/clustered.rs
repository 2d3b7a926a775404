use crate::estimate::{CONFIDENCE, Z95, of_ends, wilson_at};
use crate::special::{as_float, student_quantile};
use crate::{Estimate, Method};

/// Samples that are not independent of one another, such as the epochs of one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// The sum of their scores.
    pub total: f64,
    /// How many they are.
    pub size: u64,
}

/// What the clusters come to.
struct Summary {
    mean: f64,
    variance: f64,
    samples: f64,
    clusters: f64,
    /// Whether each of them is one sample.
    single: bool,
}

/// The mean of independent values, with Student's 95 % interval; none for fewer than two, or when one is not finite.
pub fn mean_of(values: &[f64]) -> Option<Estimate> {
    let clusters: Vec<Cluster> = values
        .iter()
        .map(|&total| Cluster { total, size: 1 })
        .collect();
    clustered_mean(&clusters)
}

/// The mean over all samples of all clusters, with a 95 % interval that counts clusters, not samples; none for fewer than
/// two clusters, an empty one, or one whose total is not finite.
///
/// The standard error is the cluster-robust one, √(G/(G−1) · Σ(Tᵢ − nᵢm)²) / N, and Student's distribution has G − 1
/// degrees of freedom. Where each cluster is one sample that is the ordinary error of a mean.
pub fn clustered_mean(clusters: &[Cluster]) -> Option<Estimate> {
    let summary = summary(clusters)?;
    let half = reach(&summary) * summary.variance.sqrt();
    let interval = of_ends(summary.mean - half, summary.mean + half);
    let is_finite = interval.low.is_finite() && interval.high.is_finite();
    is_finite.then_some(Estimate {
        value: summary.mean,
        interval,
        method: if summary.single {
            Method::Student
        } else {
            Method::ClusteredStudent
        },
    })
}

/// A share of right answers over all samples of all clusters, whose totals count them, with a 95 % interval; none for
/// fewer than two clusters, or where a total is no count.
///
/// It is Wilson's interval for as many independent samples as have the same standard error, after Korn and Graubard
/// (1998). When all answers are right, or all wrong, the error tells nothing and each cluster counts as one sample.
pub fn clustered_share(clusters: &[Cluster]) -> Option<Estimate> {
    let counts = |cluster: &Cluster| (0.0..=as_float(cluster.size)).contains(&cluster.total);
    if !clusters.iter().all(counts) {
        return None;
    }
    let summary = summary(clusters)?;
    let share = summary.mean.clamp(0.0, 1.0);
    let interval = if summary.single {
        wilson_at(share, summary.samples, Z95)
    } else {
        let shrunk = (Z95 / reach(&summary)).powi(2);
        wilson_at(share, effective(share, &summary) * shrunk, Z95)
    };
    Some(Estimate {
        value: share,
        interval: interval?,
        method: if summary.single {
            Method::Wilson
        } else {
            Method::ClusteredWilson
        },
    })
}

/// How many independent samples would be as uncertain.
fn effective(share: f64, summary: &Summary) -> f64 {
    let spread = share * (1.0 - share);
    if spread <= 0.0 || summary.variance <= 0.0 {
        return summary.clusters;
    }
    // Epochs that disagree more than chance would have it are luck, not knowledge.
    (spread / summary.variance).clamp(1.0, summary.samples)
}

/// By how many standard errors a 95 % interval reaches to each side.
fn reach(summary: &Summary) -> f64 {
    student_quantile(f64::midpoint(1.0, CONFIDENCE), summary.clusters - 1.0)
}

fn summary(clusters: &[Cluster]) -> Option<Summary> {
    let is_usable = |cluster: &Cluster| cluster.total.is_finite() && cluster.size > 0;
    if clusters.len() < 2 || !clusters.iter().all(is_usable) {
        return None;
    }
    let samples: f64 = clusters.iter().map(|cluster| as_float(cluster.size)).sum();
    let mean = sum(clusters.iter().map(|cluster| cluster.total)) / samples;
    let squares = sum(clusters.iter().map(|cluster| {
        let residual = cluster.total - as_float(cluster.size) * mean;
        residual * residual
    }));
    let count = as_float(clusters.len() as u64);
    Some(Summary {
        mean,
        variance: count / (count - 1.0) * squares / (samples * samples),
        samples,
        clusters: count,
        single: clusters.iter().all(|cluster| cluster.size == 1),
    })
}

/// A sum that does not depend on the order of what is added.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.iter().sum()
}
