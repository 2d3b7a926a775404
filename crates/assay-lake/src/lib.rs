//! Every result and every sample as columns: Delta tables, filled by [`ingest`](mod@ingest) and asked in SQL.
//!
//! A lake is a directory, or a prefix of object storage, that other engines can read ([`Lake`]); this crate adds what they lack: only
//! files that break no rule come in, twice the same file comes in once, and a reader sees the old versions of all tables or the new.

mod batch;
mod board_rows;
mod bucket;
mod catalog;
mod check;
mod checksum;
pub mod cluster;
mod compact;
pub mod compare;
mod definition;
mod delta;
mod depth;
mod discover;
mod draft;
mod engine;
mod error;
mod forget;
mod functions;
pub mod ingest;
mod lake;
mod manifest;
mod moment;
mod names;
mod order;
mod partition;
mod percentile;
mod place;
mod record;
mod results;
mod row;
mod runs;
mod sources;
mod store;
mod table;
mod turns;
mod value;
mod views;
mod visibility;
mod writer;

pub use bucket::Storage;
pub use check::{Fault, check};
pub use compact::{Compacted, compact};
pub use engine::{Answer, Engine, Limits};
pub use error::{Error, Result};
pub use forget::forget_missing;
pub use lake::{Lake, RETENTION, Snapshot, Writing};
pub use manifest::{DataFile, Manifest, Source};
pub use partition::{Bounds, Partition};
pub use table::{ColumnType, Table};
pub use views::{VIEWS, View};
