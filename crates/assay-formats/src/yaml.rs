//! YAML with places, into the same tape as JSON.
//!
//! The events come from `saphyr-parser`; what they mean is decided here, because YAML 1.1, YAML 1.2
//! and the tools in use do not agree on it. A scalar that they read differently keeps its most
//! telling kind and is marked as loose. What result files do better without (anchors, tags, a
//! second document) is read and reported.

mod ascii;
mod locate;
mod place;
mod read;
mod scalar;
mod words;

pub use read::parse;
pub use scalar::is_text;
