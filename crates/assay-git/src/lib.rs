//! Bare repositories: commits, refs, pull-request refs, large files, the git protocol over byte
//! streams.
//!
//! [`Repositories`] is a directory of them. A [`Repository`] has refs, which move by
//! compare-and-swap, and [`Objects`], which are only read. What is new is written to a
//! [`Quarantine`] first, where it can be read like everything else, and admitted when it has been
//! validated. So a ref never points at something that is not there.
//!
//! Everything here blocks, except what speaks the git protocol: call it where blocking is allowed.

pub mod command;

mod arrival;
mod base;
mod blob;
mod changes;
mod cpu_limit;
mod diff;
mod error;
mod facts;
mod history;
mod id;
mod large_file;
mod large_files;
mod layers;
mod loose;
mod maintain;
mod merge;
mod object;
mod objects;
mod pack;
mod plan;
mod process;
mod quarantine;
mod ref_name;
mod refs;
mod repositories;
mod repository;
mod scratch;
mod set_aside;
mod shadow;
mod snapshot;
mod special;
mod storage;
mod stored_files;
mod sync;
mod tree;
mod unfinished;
mod update;
mod wire;

pub use arrival::Arrival;
pub use blob::BlobReader;
pub use error::Error;
pub use facts::read_facts;
pub use large_file::{LargeFile, LargeFileId, LargeFileIdError};
pub use large_files::{LargeFiles, Removal, Upload};
pub use merge::{FastForward, MergePlan, Merged};
pub use object::{Change, ChangeSet, CommitInfo, Depth, Diff, EntryKind, TreeEntry, Version};
pub use objects::Objects;
pub use plan::{Blob, CommitPlan, FileMode, Signature, TagPlan, TreeEdit};
pub use process::{ProcessTurn, Processes};
pub use quarantine::Quarantine;
pub use ref_name::{RefName, RefNameError};
pub use refs::{Expected, RefChange, RefKind, Reference};
pub use repositories::{Recovered, Repositories};
pub use repository::Repository;
pub use set_aside::SetAside;
pub use snapshot::{RepositorySnapshot, check_connected, write_packed_refs};
pub use special::is_checked_by_git;
pub use storage::ObjectSize;
pub use stored_files::StoredFile;
pub use unfinished::Unfinished;
pub use wire::{
    Command, Commands, Push, ReceiveLimits, Received, Reply, Service, UploadPack, WireError,
    parse_commands,
};
