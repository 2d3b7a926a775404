//! Charts of a board. What they show is computed by `assay_board::chart`; here it gets pixels,
//! words and a table.

mod against;
mod intervals;
mod over_time;
mod plot;

use assay_app::BoardRow;
use assay_model::{Direction, Metric};

pub(crate) use self::against::{Cost, against};
pub(crate) use self::intervals::intervals;
pub(crate) use self::over_time::{over_time, records_of};

/// Number of points of the table under a chart that are listed.
const MAX_LISTED: usize = 12;

/// A chart with everything that stands round it.
#[derive(Debug)]
pub(crate) struct Chart {
    /// The anchor of the chart.
    pub(crate) id: &'static str,
    /// The title of the chart.
    pub(crate) title: String,
    /// The message of the chart, in a sentence.
    pub(crate) summary: String,
    /// The drawing.
    pub(crate) svg: String,
    /// The heads of the table.
    pub(crate) heads: Vec<String>,
    /// The rows of the table: an address and the cells, the first of which leads there.
    pub(crate) rows: Vec<(String, Vec<String>)>,
    /// Number of rows that are not listed.
    pub(crate) more: usize,
}

/// A metric as charts and tables name it, with its unit and which way is better.
pub(crate) fn label(metric: &Metric) -> String {
    match unit(metric) {
        "" => metric.display_name.clone(),
        unit => format!("{} ({unit})", metric.display_name),
    }
}

/// The unit of a metric, short.
pub(crate) fn unit(metric: &Metric) -> &str {
    assay_hub_api::unit_sign(metric.unit.as_deref())
}

/// Returns the better direction of a metric, as a sign and in words.
pub(crate) fn way(direction: Direction) -> (&'static str, &'static str) {
    match direction {
        Direction::HigherIsBetter => ("\u{2191}", "higher is better"),
        Direction::LowerIsBetter => ("\u{2193}", "lower is better"),
    }
}

/// The value of a row for a metric, of the whole task.
pub(crate) fn value_of(row: &BoardRow, metric: &Metric) -> Option<f64> {
    let mut scores = row.loaded.scores().iter();
    let found = scores.find(|score| {
        let is_named = match &score.metric {
            Some(id) => *id == metric.id,
            None => metric.primary,
        };
        is_named && (score.slice.is_none() || score.slice == metric.slice)
    });
    found.map(|score| score.value.get())
}
