//! The JSON that a hub and its clients exchange: the shapes that `huggingface_hub` and its
//! relatives speak, and ours.
//!
//! Requests implement `Deserialize` and accept unknown keys, since clients of every age come by.
//! Answers implement `Serialize`; those that our own client reads implement `Deserialize` too, and
//! pass over what a newer hub adds. Access, statuses and headers are decided elsewhere.
//!
//! The feature `client` adds the HTTP client.

mod account;
mod audit;
mod board_columns;
mod board_diff;
#[cfg(feature = "client")]
pub mod client;
mod commit;
mod digits;
mod discussion;
mod error;
mod eval_results;
mod eval_tokens;
mod expand;
mod finding_list;
mod info;
mod known_items;
mod large;
mod leaderboard;
mod oauth;
mod official;
#[cfg(feature = "openapi")]
mod openapi;
mod organisation;
mod preupload;
mod readiness;
mod records;
mod refs;
mod repo;
mod search;
mod side_by_side;
mod tree;
mod validate;
mod webhook;
mod xet;

pub use account::{
    AccessToken, Account, AccountType, Auth, Member, Membership, StoredRepo, TokenRole, WhoAmI,
};
pub use audit::{AuditActor, AuditPage, AuditRow, AuditSubject};
pub use board_columns::{
    BOARD_COLUMNS, BoardColumn, Cell, CellFormat, CellKind, Column, MetricColumn, Shown, SortKey,
    interval_decimals, interval_words, main_date, parameter_words, unit_sign,
};
pub use board_diff::{BoardDiff, BoardLeader, BoardState, HubDiff, RowChange, RowChangeCounts};
pub use commit::{
    Commit, CommitAnswer, CommitError, CommitFault, CommitLimits, CommitOperation, CommitPrefix,
    CommitPrefixError, CommitReader, FileContent,
};
pub use digits::{Digits, separate_thousands};
pub use discussion::{
    Comment, CommentData, CommentVersion, CreateDiscussion, CreatedDiscussion, Discussion,
    DiscussionChanges, DiscussionPage, DiscussionStatus, EditComment, Event, EventData, Merge,
    Merged, NewMessage, NewStatus, NewTitle, RepoName, SetStatus, SetTitle, UpdatedComment,
};
pub use error::ErrorBody;
pub use eval_results::{
    EvalResult, ResultData, ResultDataset, ResultFramework, ResultMetric, ResultSource,
};
pub use eval_tokens::{
    EvalToken, EvalTokenPreview, EvalTokenRequest, EvalTokenStatus, ExpectedDigests,
    LeakedCredentials, Problem, RevokeEvalToken, TokenDecision, TokenDigests, TokenEvidence,
    TokenLog,
};
pub use expand::{Expand, ExpandError, Property};
pub use finding_list::ResultFindings;
pub use info::{LargeSibling, RepoInfo, SafeTensors, Sibling};
pub use large::{
    Action, Actions, BatchAnswer, BatchObject, BatchRef, BatchRequest, DeleteLargeFiles,
    LargeFileDeletions, LargeFileItem, ObjectAnswer, ObjectError, Verify,
};
pub use leaderboard::{
    Badge, BoardAttested, BoardRow, BoardSetups, BoardSource, BoardStanding, RankInterval,
    Submitter, ValueInterval,
};
pub use oauth::{
    OauthDevice, OauthDeviceRequest, OauthError, OauthIntrospection, OauthMetadata, OauthToken,
    OauthTokenOnly, OauthTokenRequest,
};
pub use official::Official;
pub use organisation::NewOrganisation;
pub use preupload::{Preupload, PreuploadAnswer, PreuploadFile, PreuploadedFile, UploadMode};
pub use readiness::{Readiness, ReadinessCheck};
pub use records::RecordItem;
pub use refs::{
    CommitAuthor, CommitItem, CreateBranch, CreateTag, FormattedCommit, Ref, Refs, SquashBranch,
};
pub use repo::{
    CreateRepo, CreatedRepo, DeleteRepo, DuplicateRepo, DuplicatedRepo, Gated, MoveRepo,
    RepoSettings, SettingsAnswer, Visibility, VisibilityError,
};
pub use search::{FoundBenchmark, FoundModel, SearchAnswer};
pub use side_by_side::{ComparedBoard, ComparedDifference, ComparedRow, Comparison};
pub use tree::{EntryType, LargeEntry, LastCommit, PathsInfo, TreeEntry};
pub use validate::ValidateYaml;
pub use webhook::{Watched, Webhook, WebhookAnswer, WebhookRequest};
pub use xet::{XetConnection, XetShardAnswer, XetXorbAnswer};
