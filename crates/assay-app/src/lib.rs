//! The hub: its operations and its access rules.
//!
//! Every change of a repository, whether it comes by git push, API commit, merge or web form, goes
//! through [`publish`](Hub) in one order: objects into a quarantine, validation, refs by
//! compare-and-swap, one transaction of the index. Who may do what is decided in `access.rs` and
//! nowhere else. Nothing here knows HTTP, SQL or HTML.

#[cfg(test)]
extern crate self as assay_app;

mod access;
mod account;
mod adopt;
mod adoption;
mod arrival;
mod arriving;
mod attributes;
mod audit;
mod backup;
mod board;
mod bucket;
mod collect;
mod commit;
mod config;
mod damage;
mod data_dir_lock;
mod device;
mod diffs;
mod discussion;
mod disk;
mod docs;
mod duplicate;
mod error;
mod facts;
mod file;
mod findings;
mod guesses;
mod home;
mod hub;
mod hub_file;
mod index;
pub mod issuer;
mod known;
mod lake;
mod large;
mod large_list;
mod large_move;
mod large_storage;
mod listing;
mod lock;
mod moderate;
mod name;
mod new_account;
mod operator;
mod origin;
mod password;
mod preupload;
mod publish;
mod publisher;
mod purge;
mod push;
mod push_turns;
mod quota;
mod readiness;
mod record;
mod recover;
mod reference;
mod relocate;
mod repo_info;
mod repo_lookup;
mod repository;
mod reserve;
mod rights;
mod search;
mod secret;
mod services;
mod session;
mod sign;
mod status;
mod target;
mod token;
mod trust;
mod unpacked;
mod unrecorded;
mod validator;
mod web_session;
mod webhook;
mod xet;

pub use access::{Caller, Scope, ScopePattern};
pub use account::{Account, AccountKind, Identity, Membership, NewToken, TokenInfo, TokenSecret};
pub use adoption::{
    AdoptedPull, AdoptedRepository, Adoption, GivenName, NOT_IN_GIT, RefusedRepository,
};
pub use assay_convert::convert::Harness;
pub use assay_convert::entry::{Candidate, MetricPair, NoEntry, Question};
#[cfg(feature = "testing")]
pub use assay_store::testing;
pub use assay_store::{
    AuditAction, AuditActor, AuditRow, AuditSubject, AuditSubjectKind, Copied, Database,
    DatabaseError, DeliveryCounts, PublicCounts, WriterWaits,
};
pub use assay_trust::{KeyPurpose, KeyState, Scope as RevocationScope, TrustedIssuer};
pub use audit::{AuditPage, AuditQuery, SignInMethod};
pub use backup::{
    BackupOptions, BackupPlace, BackupReport, CheckReport, Generation, Restored, check_backup,
    list_generations, restore_backup,
};
pub use board::{
    BoardChange, BoardChanges, BoardDiff, BoardPlace, BoardPreview, BoardQuery, BoardRecord,
    BoardRow, BoardState, BoardView, BroughtEntry, BroughtEvaluation, BroughtFile, BroughtRecord,
    BroughtResults, ChangedBoards, Displaced, EvalResult, EvaluationChoice, FindingsList,
    FindingsQuery, FullRow, HubDiff, Leader, LoadedResult, Moments, News, NewsQuery, Preview,
    RankMove, ResultWithFindings, RowChange, RowChangeCounts, RowChangeKind, SearchText,
    entry_text,
};
pub use bucket::{ByteStream, StorageVariables};
pub use collect::{Collected, GRACE, UPLOAD_LIFE};
pub use commit::{CommitRequest, Committed, FileSource};
pub use config::{Founders, HubConfig, Limits, Passphrase, TrustConfig};
pub use damage::{Damage, DamagedRepository};
pub use data_dir_lock::{ServerMark, Servers, make_data_directory};
pub use device::{DEVICE_CODE_SECONDS, DEVICE_POLL_SECONDS, DevicePoll, DeviceSignIn};
pub use diffs::DiffText;
pub use discussion::{
    Discussion, DiscussionFilter, DiscussionPage, Earlier, Event, EventData, EventPage, Inbox,
    Mention, NewDiscussion, PullDetails, Referable, Reference, Status, references,
};
pub use docs::{RulePage, doubts_value, rule_page, rule_pages};
pub use error::{
    Busy, Conflict, Denied, EndedToken, Error, Existing, Limit, Missing, Quota, UnusablePath,
};
pub use facts::RepoFacts;
pub use file::{Blob, BlobContent, CommitPage, FileEntry, LargePointer, LastCommit};
pub use findings::findings;
pub use hub::Hub;
pub use hub_file::{HubFile, HubId, HubIdError};
pub use lake::{Exported, FailedExport};
pub use large::{LargeObject, Uploader};
pub use large_list::LargeFileFacts;
pub use large_move::{MovedLargeFiles, move_large_files};
pub use large_storage::{LargeContent, LargeFilesPlace};
pub use listing::{ListPage, ListQuery, ListSort};
pub use moderate::CommitDetails;
pub use new_account::{LookAlike, NewAccount};
pub use operator::{IndexCheck, IndexDifference, Reindexed};
pub use origin::Origin;
pub use preupload::{Preupload, PreuploadFile, PreuploadPlan};
pub use publisher::{NewPublisher, PUBLISHER_TOKEN_SECONDS, PublisherInfo, read_claims};
pub use purge::{PurgeReport, PurgedItem, PurgedPage};
pub use push::{PushOutcome, PushRejection, PushReply};
pub use readiness::{CheckStatus, Readiness, ReadinessCheck};
pub use record::{RecordFile, RecordPage};
pub use reference::{RefInfo, RefList};
pub use relocate::copy_database;
pub use repo_info::RepoInfo;
pub use repo_lookup::{Repo, RepoPermissions};
pub use repository::{NewRepository, Settings, Visibility};
pub use search::BenchmarkHit;
pub use secret::draw_secret;
pub use services::{
    AccountService, BoardService, DiscussionService, EvidenceService, LakeService,
    OperationService, RepositoryService, WebhookService,
};
pub use status::{DatabaseStatus, DiskSpace, HubStatus, WitnessLag};
pub use trust::{
    AffectedRow, AskWitness, ClaimLine, EntryVersion, KeyInfo, LogFile, LogName, NewIssuer,
    NewRevocation, Provenance, RenamedLogs, RevocationInfo, Revoked, RevokedFrom, TokenStatus,
    TokenTrail, WitnessAddress, WitnessAnswer, Witnesses, hint, keys_of_jwks, rename_logs,
};
pub use unpacked::{UnpackedBlob, UnpackedReader};
pub use unrecorded::UnrecordedRepository;
pub use web_session::{SessionInfo, SessionSecret, Visitor};
pub use webhook::{
    DeliveryInfo, DeliveryOutcome, HookChange, HookEvent, HookInfo, HookPlace, HookSecret,
    InFlight, PlacedHook, QueuedDelivery,
};
pub use xet::XORB_LIFE;
