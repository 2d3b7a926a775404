//! The database of the hub: its own records, and the index that is derived from git.
//!
//! A [`Store`] answers questions; a [`Tx`] changes what must change together, and answers the same
//! questions about what it has changed so far. Each table has a file, and each function is named
//! for the question it answers. Every statement is written once, for `SQLite` and `PostgreSQL`
//! alike; what a backend does in its own way (how a database is opened, how a change of another
//! process is noticed) is in `sqlite.rs` and `postgres.rs`.

#[macro_use]
mod question;
#[macro_use]
mod word;

mod accounts;
mod audit;
mod audit_action;
mod backend;
mod benchmarks;
mod board;
mod cards;
mod counts;
mod database;
mod deliveries;
mod device_codes;
mod discussions;
mod dump;
mod entries;
mod entry_changes;
mod entry_json;
mod entry_row;
mod error;
mod event_id;
mod events;
mod history;
mod inbox;
mod indexed_refs;
mod issuer;
mod large_objects;
mod listing;
mod log_requests;
mod logged;
mod members;
mod migrate;
mod news;
mod official;
mod passwords;
mod peek;
mod postgres;
mod publishers;
mod purges;
mod ranking_row;
mod recorded;
mod records;
mod redirects;
mod repositories;
mod rights;
mod row;
mod seen;
mod settings;
mod sha256;
mod sign_in_failures;
mod sql;
mod sqlite;
mod storage;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod token_entries;
mod tokens;
mod transfer;
mod turn;
mod tx;
mod uploads;
mod waits;
mod web_sessions;
mod webhooks;

pub use accounts::{Account, AccountId, AccountKind, NewAccount};
pub use audit::{AuditActor, AuditFilter, AuditRow, AuditSubject, AuditSubjectKind, NewAuditRow};
pub use audit_action::AuditAction;
pub use benchmarks::{IndexedBenchmark, NewBenchmark};
pub use board::{Board, BoardEntry, EntryId, Owner};
pub use cards::Card;
pub use counts::{Counts, PublicCounts};
pub use database::{Database, DatabaseError, Server};
pub use deliveries::{Attempt, Delivery, DeliveryCause, DeliveryCounts, DeliveryId, DueDelivery};
pub use device_codes::{DeviceApproval, DeviceCode, DeviceCodeId};
pub use discussions::{
    Author, Discussion, DiscussionFilter, DiscussionKind, DiscussionPage, DiscussionState,
    NewDiscussion, Status,
};
pub use dump::{DumpRow, IndexDump};
pub use entries::{Branch, EntryPlace, Evidence, IndexedEntry, NewEntry};
pub use error::{Error, Taken};
pub use event_id::{EventId, EventIdError};
pub use events::{Event, EventKind, NewEvent};
pub use history::{BranchChange, History, VersionEnd};
pub use inbox::{LocatedDiscussion, Mention};
pub use indexed_refs::IndexedRef;
pub use issuer::{
    AccessToken, CredentialKind, EventFilter, IssuerCredential, IssuerEvent, IssuerIdentity,
    IssuerIntegration, NewIssuerEvent, Quota, Repeated,
};
pub use listing::{BenchmarkFilter, Cursor, CursorError, Filter, Listed, Page, Sort, Viewer};
pub use log_requests::LogRequest;
pub use logged::{LogKind, LoggedDecision, LoggedIssue};
pub use members::Member;
pub use news::{ChangedBoard, News, NewsFilter};
pub use peek::Peeked;
pub use publishers::{NewTrustedPublisher, PublisherId, TrustedPublisher};
pub use purges::{Purge, PurgeKind};
pub use ranking_row::{RankingRow, SearchTextRow};
pub use recorded::RecordedRepository;
pub use records::Record;
pub use repositories::{Gate, LocatedRepository, LookedUp, NewRepository, Repository, Settings};
pub use rights::{Rights, SignIn};
pub use sha256::{Sha256, Sha256Error};
pub use sign_in_failures::SignInFailures;
pub use storage::StorageUse;
pub use store::{RepositoryTurn, Store};
pub use token_entries::TokenEntry;
pub use tokens::{Credential, NewToken, Token, TokenId};
pub use transfer::Copied;
pub use tx::Tx;
pub use uploads::Upload;
pub use waits::WriterWaits;
pub use web_sessions::{NewWebSession, WebSession, WebSessionId, WebVisitor};
pub use webhooks::{HookedTo, NewWebhook, Webhook, WebhookId};
pub use word::WordError;
