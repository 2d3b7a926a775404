use assay_app::BoardRow;
use assay_board::chart::{Axis, frontier};
use assay_model::Metric;

use super::plot::{HEIGHT, Plot, WIDTH, told_apart};
use super::{Chart, MAX_LISTED, label, unit, value_of};
use crate::web::svg::Svg;
use crate::web::{links, show};

/// The value that a score is set against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cost<'m> {
    /// A metric that is better when it is lower, such as a price.
    Metric(&'m Metric),
    /// Number of parameters that the model has.
    Parameters,
}

impl Cost<'_> {
    fn of(self, row: &BoardRow) -> Option<f64> {
        match self {
            Self::Metric(metric) => value_of(row, metric),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a chart shows no more than three digits"
            )]
            Self::Parameters => row.loaded.parameters.map(|count| count as f64),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Metric(metric) => metric.display_name.to_lowercase(),
            Self::Parameters => "parameters".to_owned(),
        }
    }

    fn axis(self) -> String {
        match self {
            Self::Metric(metric) => label(metric),
            Self::Parameters => "parameters".to_owned(),
        }
    }

    fn shown(self, value: f64) -> String {
        match self {
            Self::Metric(metric) if unit(metric) == "$" => format!("${}", show::number(value)),
            Self::Metric(_) => show::number(value),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it was a count before"
            )]
            Self::Parameters => show::parameters(value as u64),
        }
    }
}

/// The scores against what they cost, with the line of those that nobody beats in both. None when
/// fewer than three rows tell.
pub(crate) fn against(rows: &[&BoardRow], metric: &Metric, cost: Cost<'_>) -> Option<Chart> {
    let known: Vec<(&BoardRow, f64)> = rows
        .iter()
        .filter_map(|row| Some((*row, cost.of(row).filter(|cost| *cost > 0.0)?)))
        .collect();
    if known.len() < 3 {
        return None;
    }
    let points: Vec<(f64, f64)> = known.iter().map(|(row, cost)| (*cost, row.value)).collect();
    let unbeaten = frontier(&points, metric.direction);
    let costs = points.iter().map(|(cost, _)| *cost);
    let across = Axis::logarithmic(costs)?;
    let up = Axis::linear(points.iter().map(|(_, value)| *value))?;
    let title = format!("{} against {}", metric.display_name, cost.name());
    let summary = summary(&known, &unbeaten, cost);
    let mut svg = Svg::new("against", WIDTH, HEIGHT, &title, &summary);
    let plot = Plot::new(&across, &up);
    let axis = format!("{}, logarithmic", cost.axis());
    plot.draw(&mut svg, &axis, |tick| cost.shown(tick), show::number);
    let place = |index: usize| plot.at(points[index].0, points[index].1);
    let others = (0..points.len()).filter(|index| !unbeaten.contains(index));
    svg.dots("dots", told_apart(others.map(place)));
    svg.path("record", unbeaten.iter().map(|index| place(*index)));
    for index in &unbeaten {
        let (row, dear) = known[*index];
        let model = row.loaded.model();
        let says = format!(
            "{model}: {} for {}",
            show::number(row.value),
            cost.shown(dear)
        );
        svg.point("record-point", place(*index), 4.5, &says);
    }
    Some(Chart {
        id: "against",
        title,
        summary,
        svg: svg.finish(),
        heads: vec!["Model".to_owned(), metric.display_name.clone(), cost.axis()],
        rows: unbeaten
            .iter()
            .take(MAX_LISTED)
            .map(|index| {
                let (row, dear) = known[*index];
                let cells = vec![
                    row.loaded.model().to_string(),
                    show::number(row.value),
                    cost.shown(dear),
                ];
                (links::model(row.loaded.model()), cells)
            })
            .collect(),
        more: unbeaten.len().saturating_sub(MAX_LISTED),
    })
}

fn summary(known: &[(&BoardRow, f64)], unbeaten: &[usize], cost: Cost<'_>) -> String {
    let (count, of, name) = (unbeaten.len(), known.len(), cost.name());
    match unbeaten {
        [only] => {
            let model = known[*only].0.loaded.model();
            format!("{model} beats every other of {of} results in both score and {name}.")
        }
        _ => format!("{count} of {of} models are on the Pareto front of score and {name}."),
    }
}
