use assay_app::{BoardRecord, BoardRow};
use assay_board::chart::{Axis, records};
use assay_model::{Metric, Timestamp};

use super::plot::{HEIGHT, Plot, WIDTH, right, told_apart};
use super::{Chart, MAX_LISTED, label};
use crate::web::svg::Svg;
use crate::web::{links, show};

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The scores over time, with the line of the record. None when there is no time to speak of.
pub(crate) fn over_time(
    rows: &[&BoardRow],
    records: &[BoardRecord],
    metric: &Metric,
) -> Option<Chart> {
    let mut points: Vec<(Timestamp, f64)> = rows
        .iter()
        .map(|row| (row.loaded.moment(), row.value))
        .collect();
    let set: Vec<(Timestamp, f64)> = records.iter().map(|one| (one.moment, one.value)).collect();
    points.retain(|point| !set.contains(point));
    let all = || points.iter().chain(&set);
    let moments = || all().map(|(moment, _)| moment.millis());
    // Results that came together and do not say when they were made have no history.
    if moments().max()? - moments().min()? < DAY_MS {
        return None;
    }
    let across = Axis::time(all().map(|(moment, _)| *moment))?;
    let up = Axis::linear(all().map(|(_, value)| *value))?;
    let title = format!("{} over time", metric.display_name);
    let summary = summary(records)?;
    let mut svg = Svg::new("over-time", WIDTH, HEIGHT, &title, &summary);
    let plot = Plot::new(&across, &up);
    plot.draw(&mut svg, "date of the evaluation", month, show::number);
    let place = |(moment, value): &(Timestamp, f64)| plot.at(float(moment.millis()), *value);
    svg.dots("dots", told_apart(points.iter().map(place)));
    svg.path("record", steps(set.iter().map(place), right()));
    for (record, point) in records.iter().zip(&set) {
        let said = format!("{}: {}", record.model, show::number(record.value));
        svg.point("record-point", place(point), 4.5, &said);
    }
    Some(Chart {
        id: "over-time",
        title: format!("{} over time", label(metric)),
        summary,
        svg: svg.finish(),
        heads: ["Model", "Record", "Date"].map(str::to_owned).to_vec(),
        rows: records.iter().rev().take(MAX_LISTED).map(listed).collect(),
        more: records.len().saturating_sub(MAX_LISTED),
    })
}

/// The records among the rows themselves, for a board of which only a part is shown.
pub(crate) fn records_of(rows: &[&BoardRow], metric: &Metric) -> Vec<BoardRecord> {
    let points: Vec<(Timestamp, f64)> = rows
        .iter()
        .map(|row| (row.loaded.moment(), row.value))
        .collect();
    let set = records(&points, metric.direction);
    set.into_iter()
        .map(|index| BoardRecord {
            model: rows[index].loaded.model().clone(),
            moment: points[index].0,
            date: rows[index].loaded.date(),
            value: points[index].1,
        })
        .collect()
}

fn listed(record: &BoardRecord) -> (String, Vec<String>) {
    let cells = vec![
        record.model.to_string(),
        show::number(record.value),
        show::day_of(&record.date).to_owned(),
    ];
    (links::model(&record.model), cells)
}

fn summary(records: &[BoardRecord]) -> Option<String> {
    let (first, best) = (records.first()?, records.last()?);
    let day = show::day_of(&best.date);
    let value = show::number(best.value);
    let model = &best.model;
    if records.len() == 1 {
        return Some(format!("Best so far: {value} ({model}, {day})."));
    }
    Some(format!(
        "The record went from {} to {value} in {} steps; {model} holds it since {day}.",
        show::number(first.value),
        records.len()
    ))
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
