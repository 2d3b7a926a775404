//! Faults of scale.

use serde_json::json;

use crate::case::{Draft, Kind, Step, as_it_is};

const fn kind(name: &'static str, plant: Step) -> Kind {
    Kind {
        family: "scale",
        name,
        prepare: as_it_is,
        plant,
    }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("one share times 100", |d| {
        d.is_share() && multiply(d, 0.02, 100.0)
    }),
    kind("all shares of a record times 100", |d| {
        d.is_share() && d.share() > 0.02 && {
            d.multiply_all(100.0);
            true
        }
    }),
    kind("one score of a per-cent record left as a share", |d| {
        d.is_percent() && d.results().len() > 1 && multiply(d, 0.05, 0.01)
    }),
    kind("all scores of a per-cent record left as shares", |d| {
        d.is_percent() && d.share() > 0.05 && {
            d.multiply_all(0.01);
            true
        }
    }),
    kind("one share divided by 100", |d| {
        d.is_share() && multiply(d, 0.2, 0.01)
    }),
    kind("all shares of a record divided by 100", |d| {
        d.is_share() && d.share() > 0.2 && {
            d.multiply_all(0.01);
            true
        }
    }),
    kind("one share times 10", |d| {
        d.is_share() && multiply(d, 0.11, 10.0)
    }),
    kind("one share divided by 10", |d| {
        d.is_share() && multiply(d, 0.4, 0.1)
    }),
    kind("one per cent times 10", |d| {
        d.is_percent() && multiply(d, 0.11, 10.0)
    }),
    kind("one per cent divided by 10", |d| {
        d.is_percent() && multiply(d, 0.4, 0.1)
    }),
    kind("share with bounds 0 to 100, one result", |d| {
        d.is_share() && d.share() > 0.05 && set_max(d, 100.0)
    }),
    kind("shares with bounds 0 to 100, all results", |d| {
        d.is_share() && d.share() > 0.05 && {
            for result in d.results() {
                result["metric_config"]["max_score"] = json!(100.0);
            }
            true
        }
    }),
    kind("per cent with bounds 0 to 1", |d| {
        d.is_percent() && d.share() > 0.02 && set_max(d, 1.0)
    }),
    kind("share with bounds 0 to 10", |d| {
        d.is_share() && set_max(d, 10.0)
    }),
    kind("share with bounds -1 to 1", |d| {
        d.is_share() && {
            d.metric()["min_score"] = json!(-1.0);
            true
        }
    }),
    kind("the least score is 1", |d| {
        d.is_share() && d.share() < 0.999 && {
            d.metric()["min_score"] = json!(1.0);
            true
        }
    }),
    kind("bounds swapped", |d| {
        let top = d.top();
        d.metric()["min_score"] = json!(top);
        d.metric()["max_score"] = json!(0.0);
        true
    }),
    kind("-1 for a missing score", |d| {
        d.set_score(-1.0);
        true
    }),
    kind("sign lost", |d| multiply(d, 0.01, -1.0)),
    kind("999 for a missing score", |d| {
        d.set_score(999.0);
        true
    }),
    kind("unit `percent` beside shares", |d| {
        d.is_share() && set_unit(d, "percent")
    }),
    kind("unit `per cent` beside shares", |d| {
        d.is_share() && set_unit(d, "per cent")
    }),
    kind("unit `percents` beside shares", |d| {
        d.is_share() && set_unit(d, "percents")
    }),
    kind("unit `percentage points` beside shares", |d| {
        d.is_share() && set_unit(d, "percentage points")
    }),
    kind("unit `%` beside shares", |d| {
        d.is_share() && set_unit(d, "%")
    }),
    kind("unit `out of 100` beside shares", |d| {
        d.is_share() && set_unit(d, "out of 100")
    }),
    kind("unit `proportion` beside per cent", |d| {
        d.is_percent() && set_unit(d, "proportion")
    }),
    kind("unit `ratio` beside per cent", |d| {
        d.is_percent() && set_unit(d, "ratio")
    }),
];

fn multiply(draft: &mut Draft<'_>, least: f64, factor: f64) -> bool {
    if draft.share().is_nan() || draft.share() < least {
        return false;
    }
    draft.multiply(factor);
    true
}

fn set_max(draft: &mut Draft<'_>, max: f64) -> bool {
    draft.metric()["max_score"] = json!(max);
    true
}

fn set_unit(draft: &mut Draft<'_>, unit: &str) -> bool {
    draft.metric()["metric_unit"] = json!(unit);
    true
}
