//! Texts of columns for people.

use crate::{BoardRow, ResultMetric};

/// The day of the evaluation; else that of the publication or retrieval, with the word for it.
pub fn main_date(row: &BoardRow) -> (&str, &'static str) {
    match (&row.evaluated, &row.published, &row.retrieved) {
        (None, Some(published), _) => (published, "published "),
        (None, None, Some(retrieved)) => (retrieved, "retrieved "),
        (Some(_), _, _) | (None, None, None) => (&row.date, ""),
    }
}

/// An interval with as many digits as its width bears.
///
/// ```
/// # use assay_hub_api::interval_words;
/// assert_eq!(interval_words(0.61284, 0.68713), "0.613 to 0.687");
/// ```
pub fn interval_words(low: f64, high: f64) -> String {
    let decimals = interval_decimals(high - low);
    format!("{low:.decimals$} to {high:.decimals$}")
}

/// Returns the number of decimals that the ends of an interval of this width are worth: two digits
/// of what it reaches to each side.
pub fn interval_decimals(width: f64) -> usize {
    let half = width / 2.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 0 and 12"
    )]
    let decimals = (1.0 - half.log10().floor()).clamp(0.0, 12.0) as usize;
    if half > 0.0 { decimals } else { 0 }
}

/// The sign of a unit; empty for none and for shares, which have none.
pub fn unit_sign(unit: Option<&str>) -> &str {
    match unit {
        Some("percentage" | "percent") => "%",
        Some("percentage_points") => "pp",
        Some("usd" | "USD") => "$",
        Some("seconds") => "s",
        Some("milliseconds") => "ms",
        Some("proportion" | "fraction" | "share") | None => "",
        Some(other) => other,
    }
}

pub(super) fn date(row: &BoardRow) -> String {
    let (date, kind) = main_date(row);
    format!("{kind}{}", date.get(..10).unwrap_or(date))
}

/// The framework with its version; empty when nobody says.
pub(super) fn framework(row: &BoardRow) -> String {
    let framework = row.framework.as_ref();
    let name = framework.and_then(|found| found.name.as_deref());
    let version = framework.and_then(|found| found.version.as_deref());
    let words: Vec<&str> = name.into_iter().chain(version).collect();
    name.map_or_else(String::new, |_| words.join(" "))
}

/// Returns the name of the evaluator; empty when none is given.
pub(super) fn evaluator(row: &BoardRow) -> String {
    let Some(evaluator) = row.evaluator.as_ref() else {
        return String::new();
    };
    let relationship = evaluator.relationship.words();
    match evaluator.name.as_deref() {
        Some(name) => format!("{relationship}: {name}"),
        None => relationship.to_owned(),
    }
}

/// Verified, or on whose word: the model's own, or that of an open pull request.
pub(super) fn standing(row: &BoardRow) -> String {
    match (row.verified, row.pull_request) {
        (true, _) => "verified".to_owned(),
        (false, Some(num)) => format!("community (#{num})"),
        (false, None) => "unverified".to_owned(),
    }
}

impl BoardRow {
    /// Returns the value that ranks among the values of the entry.
    pub fn ranked_metric(&self) -> Option<&ResultMetric> {
        let mut whole = self.metrics.iter().filter(|metric| metric.slice.is_none());
        whole.find(|metric| metric.metric_id == self.metric_id)
    }

    /// That the value stands for several runs or setups, such as `4 setups, 0.25 to 0.68`.
    pub fn several_words(&self) -> Option<String> {
        let mut words = Vec::new();
        if self.runs > 1 {
            words.push(format!("mean of {} runs", self.runs));
        }
        if self.setups.count > 1 {
            let digits = crate::Digits::of([self.setups.low, self.setups.high]);
            words.push(format!(
                "{} setups, {} to {}",
                self.setups.count,
                digits.written(self.setups.low),
                digits.written(self.setups.high)
            ));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// Between which ranks a row lies.
pub(super) fn ranks(row: &BoardRow) -> Option<String> {
    let found = row.rank_interval.as_ref()?;
    Some(if found.best == found.worst {
        found.best.to_string()
    } else {
        format!("{}-{}", found.best, found.worst)
    })
}

/// A number of parameters, short.
///
/// ```
/// # use assay_hub_api::parameter_words;
/// assert_eq!(parameter_words(7_240_000_000), "7.2B");
/// assert_eq!(parameter_words(405_000_000_000), "405B");
/// assert_eq!(parameter_words(999), "999");
/// ```
#[expect(
    clippy::cast_precision_loss,
    reason = "three digits are shown, a float has fifteen"
)]
pub fn parameter_words(count: u64) -> String {
    let scaled = [
        (1_000_000_000_000, "T"),
        (1_000_000_000, "B"),
        (1_000_000, "M"),
        (1000, "K"),
    ]
    .into_iter()
    .find(|(unit, _)| count >= *unit);
    let Some((unit, letter)) = scaled else {
        return count.to_string();
    };
    let value = count as f64 / unit as f64;
    let text = if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    };
    format!("{}{letter}", text.trim_end_matches(".0"))
}
