use crate::estimate::{CONFIDENCE, Z95, of_ends, wilson_at};
use crate::special::{as_float, student_quantile};
use crate::{Estimate, Method};

/// Samples that are not independent of one another, such as the epochs of one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// The sum of their scores.
    pub total: f64,
    /// The number of samples in the cluster.
    pub size: u64,
}

/// The mean and variance of all clusters.
struct Summary {
    mean: f64,
    variance: f64,
    samples: f64,
    clusters: f64,
    /// True if each of them is one sample.
    single: bool,
}

/// The mean of independent values, with Student's 95 % interval; none for fewer than two, or when
/// one is not finite.
pub fn mean_of(values: &[f64]) -> Option<Estimate> {
    let clusters: Vec<Cluster> = values
        .iter()
        .map(|&total| Cluster { total, size: 1 })
        .collect();
    clustered_mean(&clusters)
}

/// The mean over all samples of all clusters, with a 95 % interval that counts clusters, not
/// samples; none for fewer than two clusters, an empty one, or one whose total is not finite.
///
/// The standard error is the cluster-robust one, √(G/(G−1) · Σ(Tᵢ − nᵢm)²) / N, and Student's
/// distribution has G − 1 degrees of freedom. Where each cluster is one sample that is the ordinary
/// error of a mean.
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

/// A share of right answers over all samples of all clusters, whose totals count them, with a 95 %
/// interval; none for fewer than two clusters, or where a total is no count.
///
/// It is Wilson's interval for as many independent samples as the clusters are worth, after Korn
/// and Graubard (1998). How much that is, a few clusters near all right or all wrong tell badly, so
/// one imaginary cluster that is all right and one that is all wrong are counted with them.
pub fn clustered_share(clusters: &[Cluster]) -> Option<Estimate> {
    let counts = |cluster: &Cluster| (0.0..=as_float(cluster.size)).contains(&cluster.total);
    if !clusters.iter().all(counts) {
        return None;
    }
    let summary = summary(clusters)?;
    let share = summary.mean.clamp(0.0, 1.0);
    let (samples, method) = if summary.single {
        (summary.samples, Method::Wilson)
    } else {
        let shrunk = (Z95 / reach(&summary)).powi(2);
        let worth = summary.samples / design_effect(clusters, &summary);
        (worth * shrunk, Method::ClusteredWilson)
    };
    Some(Estimate {
        value: share,
        interval: wilson_at(share, samples, Z95)?,
        method,
    })
}

/// Returns the variance in relation to that of independent samples.
fn design_effect(clusters: &[Cluster], summary: &Summary) -> f64 {
    let size = summary.samples / summary.clusters;
    let mut parts: Vec<(f64, f64)> = clusters.iter().map(part).collect();
    parts.extend([(size, size), (0.0, size)]);
    let (mean, variance, samples) = moments(&parts);
    let alone = mean * (1.0 - mean) / samples;
    // Epochs that disagree more than chance would have it are luck, not knowledge.
    (variance / alone).clamp(1.0, summary.samples)
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
    let parts: Vec<(f64, f64)> = clusters.iter().map(part).collect();
    let (mean, variance, samples) = moments(&parts);
    Some(Summary {
        mean,
        variance,
        samples,
        clusters: as_float(clusters.len() as u64),
        single: clusters.iter().all(|cluster| cluster.size == 1),
    })
}

/// The total and the size of a cluster.
fn part(cluster: &Cluster) -> (f64, f64) {
    (cluster.total, as_float(cluster.size))
}

/// The mean over all samples, its variance, and how many samples there are.
fn moments(parts: &[(f64, f64)]) -> (f64, f64, f64) {
    let samples = sum(parts.iter().map(|(_, size)| *size));
    let mean = sum(parts.iter().map(|(total, _)| *total)) / samples;
    let squares = sum(parts.iter().map(|(total, size)| {
        let residual = total - size * mean;
        residual * residual
    }));
    let clusters = as_float(parts.len() as u64);
    let variance = clusters / (clusters - 1.0) * squares / (samples * samples);
    (mean, variance, samples)
}

/// A sum that does not depend on the order of what is added.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.iter().sum()
}
