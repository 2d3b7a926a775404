//! The vocabulary of Assay: ids, numbers, revisions, directions and diagnostics.
//!
//! Every other crate speaks in these words. Nothing here reads a file, asks the clock or knows how
//! a foreign format spells a thing; text from outside becomes one of these types at the border,
//! through `FromStr`, and never turns back.

mod benchmark;
mod chain;
mod code;
mod date;
mod deserialize;
mod diagnostic;
mod direction;
mod durability;
mod entry;
mod finding;
mod known_framework;
mod metric_id;
mod number;
mod object_id;
#[cfg(feature = "openapi")]
mod openapi;
mod place;
mod provenance;
mod pull_number;
mod repo_id;
mod repo_key;
mod repo_kind;
mod repo_path;
mod reserved;
mod revision;
mod role;
mod setup;
mod skeleton;
mod standing;
mod task_id;
mod text;
mod timestamp;
mod value_type;

pub use benchmark::{Benchmark, Metric, Task, TaskDataset};
pub use chain::chain;
pub use code::{Code, CodeError};
pub use date::{Date, DateError};
pub use diagnostic::{Diagnostic, Edit, Fix, Severity};
pub use direction::Direction;
pub use durability::{Durability, DurabilityError};
pub use entry::{
    Entry, Framework, MetricContext, Score, Source, StatedInterval, StatedUncertainty,
};
pub use finding::Finding;
pub use known_framework::KnownFramework;
pub use metric_id::{MetricId, MetricIdError};
pub use number::{Number, NumberError, Spelling};
pub use object_id::{ObjectId, ObjectIdError};
pub use place::{Excerpt, Place, Span};
pub use provenance::{Cost, Evaluator, Provenance, Relationship, RelationshipError};
pub use pull_number::PullNumber;
pub use repo_id::{RepoId, RepoIdError};
pub use repo_key::RepoKey;
pub use repo_kind::{RepoKind, RepoKindError};
pub use repo_path::{RepoPath, RepoPathError};
pub use reserved::{is_reserved_namespace, reserved_namespaces};
pub use revision::{Revision, RevisionError};
pub use role::{Role, RoleError};
pub use setup::{Setup, SetupKey};
pub use skeleton::skeleton;
pub use standing::{Attested, Standing};
pub use task_id::{TaskId, TaskIdError};
pub use text::{HiddenCharacter, hidden_character, quote};
pub use timestamp::{Clock, Timestamp, TimestampError};
pub use value_type::{ValueType, ValueTypeError};
