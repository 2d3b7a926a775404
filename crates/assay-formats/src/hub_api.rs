//! What clients of a hub send and expect, as JSON: the shapes that `huggingface_hub` and its relatives speak.
//!
//! What comes in implements `Deserialize` and takes keys that are not known, since clients of every age come by. What goes
//! out implements `Serialize`. Who may ask, and with which status and headers it is answered, is for others.

mod account;
mod audit;
mod commit;
mod discussion;
mod error;
mod eval_results;
mod eval_tokens;
mod expand;
mod info;
mod large;
mod leaderboard;
mod oauth;
#[cfg(feature = "openapi")]
mod openapi;
mod preupload;
mod readiness;
mod records;
mod refs;
mod repo;
mod tree;
mod validate;
mod webhook;

pub use account::{AccessToken, Account, AccountType, Auth, Membership, TokenRole, WhoAmI};
pub use audit::{AuditActor, AuditPage, AuditRow, AuditSubject};
pub use commit::{
    Commit, CommitAnswer, CommitError, CommitFault, CommitLimits, CommitPrefix, CommitPrefixError,
    CommitReader, FileContent, Operation,
};
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
pub use info::{LargeSibling, RepoInfo, SafeTensors, Sibling};
pub use large::{
    Action, Actions, BatchAnswer, BatchObject, BatchRef, BatchRequest, ObjectAnswer, ObjectError,
    Verify,
};
pub use leaderboard::{
    Badge, BoardAttested, BoardRow, BoardSource, BoardStanding, RankInterval, Submitter,
};
pub use oauth::{
    OauthError, OauthIntrospection, OauthMetadata, OauthToken, OauthTokenOnly, OauthTokenRequest,
};
pub use preupload::{Preupload, PreuploadAnswer, PreuploadFile, PreuploadedFile, UploadMode};
pub use readiness::{Readiness, ReadinessCheck};
pub use records::RecordItem;
pub use refs::{CommitAuthor, CommitItem, CreateBranch, CreateTag, Ref, Refs};
pub use repo::{
    CreateRepo, CreatedRepo, DeleteRepo, Gated, MoveRepo, RepoSettings, SettingsAnswer, Visibility,
    VisibilityError,
};
pub use tree::{EntryType, LargeEntry, LastCommit, PathsInfo, TreeEntry};
pub use validate::{ValidateYaml, YamlMessage, YamlReport};
pub use webhook::{Watched, Webhook};
