use assay_board::chart::Axis;

use crate::web::svg::Svg;

/// The size of a chart, in units of its own.
pub(super) const WIDTH: u32 = 420;
/// The height of a chart that has no rows.
pub(super) const HEIGHT: u32 = 236;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;
/// The least distance between two points that are told from each other.
const APART: f64 = 2.0;

/// The scales of a plot.
pub(super) struct Plot<'a> {
    across: &'a Axis,
    up: &'a Axis,
}

impl<'a> Plot<'a> {
    /// A plot of two axes.
    pub(super) fn new(across: &'a Axis, up: &'a Axis) -> Self {
        Self { across, up }
    }

    /// Returns the position of a pair of values.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x(x), self.y(y))
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.across.place(value) * (f64::from(WIDTH) - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        f64::from(HEIGHT) - BOTTOM - self.up.place(value) * (f64::from(HEIGHT) - TOP - BOTTOM)
    }

    /// Lines, ticks and what is measured along them.
    pub(super) fn draw(
        &self,
        svg: &mut Svg,
        label: &str,
        across: impl Fn(f64) -> String,
        up: impl Fn(f64) -> String,
    ) {
        let (left, right) = (LEFT, right());
        let bottom = f64::from(HEIGHT) - BOTTOM;
        for tick in self.up.ticks() {
            let y = self.y(*tick);
            svg.line("grid", (left, y), (right, y));
            svg.text("tick end", (left - 6.0, y + 4.5), &up(*tick));
        }
        for tick in self.across.ticks() {
            let x = self.x(*tick);
            svg.line("grid", (x, bottom), (x, bottom + 4.0));
            svg.text("tick middle", (x, bottom + 17.0), &across(*tick));
        }
        svg.text(
            "axis-label middle",
            (left.midpoint(right), f64::from(HEIGHT) - 3.0),
            label,
        );
    }
}

/// The right end of the plot.
pub(super) fn right() -> f64 {
    f64::from(WIDTH) - RIGHT
}

/// Points so near to each other that nobody could tell them apart count once.
pub(super) fn told_apart(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut rounded: Vec<(i32, i32)> = points
        .into_iter()
        .map(|(x, y)| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a chart is some hundred units wide"
            )]
            ((x / APART).round() as i32, (y / APART).round() as i32)
        })
        .collect();
    rounded.sort_unstable();
    rounded.dedup();
    rounded
        .into_iter()
        .map(|(x, y)| (f64::from(x) * APART, f64::from(y) * APART))
        .collect()
}
