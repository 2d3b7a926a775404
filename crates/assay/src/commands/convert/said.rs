//! Values of options that say what a log does not: metrics, supplements and times.

use assay_convert::convert::{MetricSaid, Supplement, SupplementError};
use assay_model::Direction;

/// The name of a metric, and what is said of it.
fn of_metric(text: &str) -> Result<(String, &str), String> {
    // The name may hold the sign itself; what is said of it does not.
    let (name, said) = text
        .rsplit_once('=')
        .filter(|(name, said)| !name.is_empty() && !said.is_empty())
        .ok_or("write the metric, `=` and what it is")?;
    Ok((name.to_owned(), said))
}

pub(super) fn metric_direction(text: &str) -> Result<MetricSaid, String> {
    let (name, said) = of_metric(text)?;
    let direction = match said {
        "higher" => Direction::HigherIsBetter,
        "lower" => Direction::LowerIsBetter,
        _ => return Err("a metric is better `higher` or `lower`".to_owned()),
    };
    Ok(MetricSaid {
        name,
        direction: Some(direction),
        ..MetricSaid::default()
    })
}

pub(super) fn metric_bounds(text: &str) -> Result<MetricSaid, String> {
    let (name, said) = of_metric(text)?;
    let number = |text: &str| text.parse().ok().filter(|own: &f64| !own.is_nan());
    let bounds = said
        .split_once("..")
        .and_then(|(min, max)| Some((number(min)?, number(max)?)))
        .filter(|(min, max)| min < max)
        .ok_or("bounds are two numbers, the lower one first: `0..1`, `0..inf`")?;
    Ok(MetricSaid {
        name,
        bounds: Some((bounds.0.into(), bounds.1.into())),
        ..MetricSaid::default()
    })
}

pub(super) fn metric_unit(text: &str) -> Result<MetricSaid, String> {
    let (name, said) = of_metric(text)?;
    Ok(MetricSaid {
        name,
        unit: Some(said.to_owned()),
        ..MetricSaid::default()
    })
}

/// Reads a supplement.
pub(super) fn supplement(path: &str) -> Result<Supplement, String> {
    let text = fs_err::read_to_string(path).map_err(|error| error.to_string())?;
    text.parse().map_err(
        |error: SupplementError| match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    )
}

/// Seconds since 1970 as a record has them: digits, and perhaps a fraction.
pub(super) fn unix_seconds(text: &str) -> Result<String, String> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if digits(whole) && digits(fraction) {
        Ok(text.to_owned())
    } else {
        Err("it must be seconds since 1970, such as `1767225600`".to_owned())
    }
}
