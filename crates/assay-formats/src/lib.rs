//! Foreign shapes read and written, with places: `eval.yaml`, result files, Every Eval Ever records
//! and samples.
//!
//! Reading never panics and never judges: it turns bytes into values that know where they stand,
//! and says what is wrong with the text. What the values mean is for `assay-check`.

pub mod card;
pub mod eee;
pub mod eval_results;
pub mod eval_yaml;
pub mod json;
pub mod lake_api;
mod ordered;
pub mod rows;
pub mod shape;
pub mod syntax;
mod tape;
mod to_json;
#[cfg(feature = "testing")]
pub mod watch;
pub mod yaml;

pub use ordered::{each, each_with, ordered};
pub use tape::{Entries, Items, Kind, Tape, Value};
pub use to_json::JsonConverter;
