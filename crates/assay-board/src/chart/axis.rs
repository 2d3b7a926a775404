use assay_model::{Date, Timestamp};

/// Number of ticks that an axis has at most.
const MAX_TICKS: f64 = 6.0;
/// Number of ticks that an axis of time has at most: dates are wider than numbers, and must not
/// touch.
const MAX_DATES: i32 = 5;
/// The steps in months between two ticks of a time axis.
const MONTHS: [i32; 9] = [1, 2, 3, 6, 12, 24, 60, 120, 1200];

/// A stretch of values, with the ticks that people read it by.
///
/// ```
/// # use assay_board::chart::Axis;
/// let axis = Axis::linear([17.1, 43.6]).unwrap();
///
/// assert_eq!(axis.ticks(), [10.0, 20.0, 30.0, 40.0, 50.0]);
/// assert_eq!(axis.place(30.0), 0.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    is_logarithmic: bool,
}

impl Axis {
    /// An axis that holds every value and ends at round numbers. None without a finite value.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = ends(values)?;
        let (low, high) = if low < high {
            (low, high)
        } else {
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.05 };
            (low - room, high + room)
        };
        let step = round_step((high - low) / (MAX_TICKS - 1.0));
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        if !(step.is_finite() && step > 0.0 && (last - first) <= 4.0 * MAX_TICKS) {
            return None;
        }
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last {
            // A multiple of the step, not a sum of steps: sums drift.
            ticks.push(clean(at * step, step));
            at += 1.0;
        }
        Some(Self {
            low: clean(first * step, step),
            high: clean(last * step, step),
            ticks,
            is_logarithmic: false,
        })
    }

    /// An axis of powers of ten, for what spans several of them. None without a positive value;
    /// others are left out.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let positive = values.into_iter().filter(|value| *value > 0.0);
        let (low, high) = ends(positive)?;
        let first = low.log10().floor();
        let last = high.log10().ceil().max(first + 1.0);
        let every = ((last - first) / MAX_TICKS).ceil().max(1.0);
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last {
            ticks.push(10_f64.powf(at));
            at += every;
        }
        Some(Self {
            low: first,
            high: last,
            ticks,
            is_logarithmic: true,
        })
    }

    /// An axis of time in milliseconds, with ticks where months begin.
    pub fn time(moments: impl IntoIterator<Item = Timestamp>) -> Option<Self> {
        let millis = moments.into_iter().map(|moment| float(moment.millis()));
        let (low, high) = ends(millis)?;
        let (first, last) = (month_of(low)?, month_of(high)?);
        let around = |every: i32| {
            let begin = first - first.rem_euclid(every);
            (every, begin, last + every - last.rem_euclid(every))
        };
        let (every, begin, end) = MONTHS
            .into_iter()
            .map(around)
            .find(|(every, begin, end)| (end - begin) / every < MAX_DATES)?;
        let mut ticks = Vec::new();
        let mut month = begin;
        while month <= end {
            ticks.push(start_of(month)?);
            month += every;
        }
        Some(Self {
            low: *ticks.first()?,
            high: *ticks.last()?,
            ticks,
            is_logarithmic: false,
        })
    }

    /// The values to mark.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// Returns the position of a value: 0 at the beginning of the axis, 1 at its end.
    pub fn place(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic {
            value.log10()
        } else {
            value
        };
        let place = (value - self.low) / (self.high - self.low);
        if place.is_nan() {
            0.0
        } else {
            place.clamp(0.0, 1.0)
        }
    }
}

/// The least and the greatest of the finite values.
fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let mut ends = None;
    for value in values.into_iter().filter(|value| value.is_finite()) {
        let (low, high) = ends.unwrap_or((value, value));
        ends = Some((value.min(low), value.max(high)));
    }
    ends
}

/// The smallest step of 1, 2 or 5 times a power of ten that is no smaller than this.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0);
    factor * power
}

/// A tick without the last digits of floating-point arithmetic.
fn clean(value: f64, step: f64) -> f64 {
    let scale = 10_f64.powf(step.log10().floor());
    let tidy = (value / scale).round() * scale;
    // Below one the scale itself is not exact; dividing by its inverse is.
    if scale < 1.0 {
        let inverse = (1.0 / scale).round();
        (value * inverse).round() / inverse
    } else {
        tidy
    }
}

/// The number of the month that a moment is in, from the year 0.
fn month_of(millis: f64) -> Option<i32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a timestamp is cut to what a calendar has"
    )]
    let moment = Timestamp::from_millis(millis as i64).to_string();
    let mut parts = moment.split('-');
    let year: i32 = parts.next()?.parse().ok()?;
    let month: i32 = parts.next()?.parse().ok()?;
    Some(year * 12 + month - 1)
}

fn start_of(month: i32) -> Option<f64> {
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
    let date: Date = format!("{year:04}-{month:02}-01").parse().ok()?;
    Some(float(Timestamp::of_date(&date)?.millis()))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of four-digit years are exact in a float"
)]
fn float(millis: i64) -> f64 {
    millis as f64
}
