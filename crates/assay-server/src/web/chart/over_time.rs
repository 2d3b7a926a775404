use assay_app::BoardRow;
use assay_board::chart::{Axis, records};
use assay_model::{Metric, Timestamp};

use super::plot::{HEIGHT, Plot, WIDTH, right, told_apart};
use super::{Chart, MAX_LISTED, label};
use crate::web::svg::Svg;
use crate::web::{links, show};

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The scores over time, with the line of the record. None when there is no time to speak of.
pub(crate) fn over_time(rows: &[&BoardRow], metric: &Metric) -> Option<Chart> {
    let points: Vec<(Timestamp, f64)> = rows
        .iter()
        .map(|row| (row.brief.moment(), row.value))
        .collect();
    let moments = || points.iter().map(|(moment, _)| moment.millis());
    // Results that came together and do not say when they were made have no history.
    if moments().max()? - moments().min()? < DAY_MS {
        return None;
    }
    let set = records(&points, metric.direction);
    let across = Axis::time(points.iter().map(|(moment, _)| *moment))?;
    let up = Axis::linear(points.iter().map(|(_, value)| *value))?;
    let (first, best) = (*set.first()?, *set.last()?);
    if points.len() < 2 {
        return None;
    }
    let title = format!("{} over time", metric.display_name);
    let summary = summary(rows, &set, first, best);
    let mut svg = Svg::new("over-time", WIDTH, HEIGHT, &title, &summary);
    let plot = Plot::new(&across, &up);
    plot.draw(&mut svg, "date of the evaluation", month, show::number);
    let place = |index: usize| {
        let (moment, value) = points[index];
        plot.at(float(moment.millis()), value)
    };
    let others = (0..points.len()).filter(|index| !set.contains(index));
    svg.dots("dots", told_apart(others.map(place)));
    svg.path(
        "record",
        steps(set.iter().map(|index| place(*index)), right()),
    );
    for index in &set {
        let row = &rows[*index];
        let model = row.brief.model();
        svg.point(
            "record-point",
            place(*index),
            4.5,
            &format!("{model}: {}", show::number(row.value)),
        );
    }
    Some(Chart {
        id: "over-time",
        title: format!("{} over time", label(metric)),
        summary,
        svg: svg.finish(),
        heads: ["Model", "Record", "Date"].map(str::to_owned).to_vec(),
        rows: set
            .iter()
            .rev()
            .take(MAX_LISTED)
            .map(|index| listed(rows[*index]))
            .collect(),
        more: set.len().saturating_sub(MAX_LISTED),
    })
}

fn listed(row: &BoardRow) -> (String, Vec<String>) {
    let cells = vec![
        row.brief.model().to_string(),
        show::number(row.value),
        show::day_of(&row.brief.date()).to_owned(),
    ];
    (links::model(row.brief.model()), cells)
}

fn summary(rows: &[&BoardRow], set: &[usize], first: usize, best: usize) -> String {
    let (first, best) = (&rows[first], &rows[best]);
    let date = best.brief.date();
    let day = show::day_of(&date);
    let value = show::number(best.value);
    let model = best.brief.model();
    if set.len() == 1 {
        return format!("{model} holds the record of {value} since {day}; nobody has set another.");
    }
    format!(
        "The record went from {} to {value} in {} steps; {model} holds it since {day}.",
        show::number(first.value),
        set.len()
    )
}

/// A line that stays level until the next record.
fn steps(points: impl Iterator<Item = (f64, f64)>, right: f64) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        if let Some((_, level)) = line.last().copied() {
            line.push((x, level));
        }
        line.push((x, y));
    }
    if let Some((_, level)) = line.last().copied() {
        line.push((right, level));
    }
    line
}

fn month(millis: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a tick is the first moment of a month"
    )]
    let moment = Timestamp::from_millis(millis as i64).to_string();
    moment.get(..7).unwrap_or_default().to_owned()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of four-digit years are exact in a float"
)]
fn float(millis: i64) -> f64 {
    millis as f64
}
