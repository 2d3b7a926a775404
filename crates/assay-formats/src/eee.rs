//! Every Eval Ever: aggregate records and instance rows, in the five versions of their schema that
//! are in use.

mod aggregate;
mod facts;
mod instance;
mod layout;
pub mod record;
mod record_setup;
pub mod repo_names;
pub mod row;
mod sample_hash;
mod version;

pub use aggregate::shape as aggregate_shape;
pub use facts::{Facts, MAX_FACT_RESULTS, MAX_FACT_TEXT, ResultFacts};
pub use instance::shape as instance_shape;
pub use layout::{
    Layout, LayoutFault, from_root, is_companion_path, is_portable, layout_of, uuid_of,
};
pub use record_setup::{SETUP_KEYS, known_text, plain_text, setup_of};
pub use sample_hash::{is_hashed_as_spelled, sample_hash};
pub use version::{Version, VersionError};
