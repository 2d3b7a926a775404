//! Times that cannot be.

use serde_json::json;

use crate::case::{Draft, Kind, Step, as_it_is};

const fn kind(name: &'static str, plant: Step) -> Kind {
    Kind {
        family: "time",
        name,
        prepare: as_it_is,
        plant,
    }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("retrieved in the future", |d| retrieved(d, "1924992000")),
    kind("retrieved at the epoch", |d| retrieved(d, "0")),
    kind("retrieved in 1995", |d| retrieved(d, "800000000")),
    kind("retrieved in 2010", |d| retrieved(d, "1264000000")),
    kind("retrieved in milliseconds", |d| {
        retrieved(d, "1770822797839")
    }),
    kind("retrieved on no day", |d| retrieved(d, "2026-02-30")),
    kind("retrieved is empty", |d| retrieved(d, "")),
    kind("evaluated after it was retrieved", |d| {
        d.value["evaluation_timestamp"] = json!("1779000000");
        true
    }),
    kind("evaluated in the future", |d| {
        d.value["evaluation_timestamp"] = json!("2031-01-01T00:00:00Z");
        true
    }),
    kind("evaluated at the epoch", |d| {
        d.value["evaluation_timestamp"] = json!("1970-01-01");
        true
    }),
];

fn retrieved(draft: &mut Draft<'_>, time: &str) -> bool {
    draft.value["retrieved_timestamp"] = json!(time);
    true
}
