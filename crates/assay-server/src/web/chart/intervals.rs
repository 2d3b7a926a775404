use assay_app::BoardRow;
use assay_board::Interval;
use assay_board::chart::Axis;
use assay_model::Metric;

use super::{Chart, label};
use crate::web::svg::Svg;
use crate::web::{links, show};

/// Number of rows that the plot has.
const ROWS: usize = 10;
/// Number of units that a row is high.
const ROW: f64 = 19.0;
const WIDTH: u32 = 420;
const LEFT: f64 = 176.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 40.0;
/// Number of characters of a that name fit.
const NAME: usize = 24;

/// The scores with their intervals, best first. None when fewer than two rows have one. Rows in
/// doubt are drawn, and the sentence passes them over.
pub(crate) fn intervals(
    rows: &[&BoardRow],
    metric: &Metric,
    is_doubtful: impl Fn(&BoardRow) -> bool,
) -> Option<Chart> {
    let known: Vec<(&BoardRow, Interval)> = rows
        .iter()
        .filter_map(|row| Some((*row, row.estimate?.interval)))
        .take(ROWS)
        .collect();
    if known.len() < 2 {
        return None;
    }
    let ends = known
        .iter()
        .flat_map(|(_, interval)| [interval.low, interval.high]);
    let axis = Axis::linear(ends)?;
    let title = format!("{} with 95\u{a0}% intervals", metric.display_name);
    let sure: Vec<(&BoardRow, Interval)> = known
        .iter()
        .filter(|(row, _)| !is_doubtful(row))
        .copied()
        .collect();
    let summary = summary(&sure);
    let count = u32::try_from(known.len()).unwrap_or_default();
    let bottom = TOP + ROW * f64::from(count);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "there are few rows"
    )]
    let height = (bottom + BOTTOM) as u32;
    let mut svg = Svg::new("intervals", WIDTH, height, &title, &summary);
    let x = |value: f64| LEFT + axis.place(value) * (f64::from(WIDTH) - LEFT - RIGHT);
    for tick in axis.ticks() {
        svg.line("grid", (x(*tick), TOP), (x(*tick), bottom));
        svg.text(
            "tick middle",
            (x(*tick), bottom + 16.0),
            &show::number(*tick),
        );
    }
    let middle = (LEFT + f64::from(WIDTH) - RIGHT) / 2.0;
    svg.text(
        "axis-label middle",
        (middle, f64::from(height) - 3.0),
        &label(metric),
    );
    for (position, (row, interval)) in known.iter().enumerate() {
        let y = TOP + ROW * (f64::from(u32::try_from(position).unwrap_or_default()) + 0.5);
        let model = row.loaded.model();
        svg.text(
            "tick end",
            (LEFT - 10.0, y + 4.5),
            &shortened(model.as_str()),
        );
        svg.line("whisker", (x(interval.low), y), (x(interval.high), y));
        for end in [interval.low, interval.high] {
            svg.line("whisker", (x(end), y - 3.5), (x(end), y + 3.5));
        }
        let says = format!("{model}: {}", worded(row.value, interval));
        svg.point("record-point", (x(row.value), y), 4.5, &says);
    }
    Some(Chart {
        id: "intervals",
        title,
        summary,
        svg: svg.finish(),
        heads: ["Model", "Value", "From", "To"].map(str::to_owned).to_vec(),
        rows: known
            .iter()
            .map(|(row, interval)| {
                let width = interval.high - interval.low;
                let cells = vec![
                    row.loaded.model().to_string(),
                    show::number(row.value),
                    show::end(interval.low, width),
                    show::end(interval.high, width),
                ];
                (links::model(row.loaded.model()), cells)
            })
            .collect(),
        more: 0,
    })
}

/// A value and its interval in words.
pub(crate) fn worded(value: f64, interval: &Interval) -> String {
    let width = interval.high - interval.low;
    format!(
        "{}, from {} to {}",
        show::number(value),
        show::end(interval.low, width),
        show::end(interval.high, width)
    )
}

/// Returns whether the first is told apart from the second, by intervals that do not touch.
fn summary(known: &[(&BoardRow, Interval)]) -> String {
    let [(first, own), (second, other), ..] = known else {
        return String::new();
    };
    let gap = show::number((first.value - second.value).abs());
    let (leader, next) = (first.loaded.model(), second.loaded.model());
    if own.low > other.high || own.high < other.low {
        format!("{leader} leads {next} by {gap}, and their intervals do not overlap.")
    } else {
        format!(
            "{leader} leads {next} by {gap}, but their intervals overlap: the order may be chance."
        )
    }
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    let kept: String = name.chars().take(NAME - 1).collect();
    format!("{kept}\u{2026}")
}
