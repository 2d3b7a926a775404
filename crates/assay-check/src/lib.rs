//! The rules of Assay, one file each: from what was parsed to what is valid, and every fault on the
//! way.
//!
//! [`validate`] is the one function that validates files, whoever asks: the command line, a git
//! push, a commit through the API or a preview in the browser. It reads through [`Files`], so it
//! neither knows nor cares where they lie.

mod apply;
mod bounds;
mod collection;
mod context;
mod digest;
mod document;
mod eval_results;
mod eval_yaml;
mod forensics;
mod kept;
mod kind;
mod layout;
mod lines;
mod observer;
mod pairing;
mod parts;
mod record;
mod result_file;
mod row;
mod rule;
pub mod rules;
mod samples;
mod scale;
mod session;
mod sink;
mod suggest;
mod turns;
mod web_address;
mod yaml_shape;

pub use collection::{BoardValue, Boards};
pub use context::{Benchmarks, Context, LayoutPolicy, Lookup, NoBenchmarks};
pub use kind::{FileKind, FileKindError};
pub use observer::{ReadSamples, SampleObserver};
pub use result_file::{ResultFile, ValidEntry};
pub use rule::Rule;
pub use scale::scale_findings;
pub use session::{
    FileReport, Files, Item, Options, Validated, ValidatedFile, validate, validate_with,
};
pub use sink::Findings;
pub use suggest::closest;
