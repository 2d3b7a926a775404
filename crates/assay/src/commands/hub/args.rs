use assay_model::{RepoId, RepoKind};
use clap::{Args, Subcommand, ValueEnum};

use crate::args::ShowFormat;

/// Use a hub from the shell
#[derive(Debug, Args)]
#[command(
    long_about = "\
Use a hub from the shell: sign in, repositories, pull requests, leaderboards and the results of a model.

The hub is the one in `--hub`, else in `ASSAY_HUB` or `HF_ENDPOINT`, else the one that was signed in to last. The token is \
the one in `ASSAY_TOKEN` or `HF_TOKEN`, else the one that `assay hub login` keeps for this hub; it is sent over https or to \
this machine only.",
    after_help = "\
Examples:
  assay hub login --hub https://hub.example      keep a token, read from standard input
  assay hub leaderboard cais/hle                 a leaderboard
  assay hub results acme/model-x --format json   every result of a model
  assay hub pr list acme/model-x                 its pull requests

Exit codes:
  0  done
  1  the hub refused, and said why
  3  wrong usage, or the hub could not be reached"
)]
pub(crate) struct HubArgs {
    #[command(subcommand)]
    pub(crate) action: Action,

    /// The address of the hub
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) hub: Option<String>,

    /// Format of the answer
    #[arg(long, global = true, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// A command on a hub.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    Login(Login),
    /// Forget the token that is kept for a hub
    #[command(after_help = "Examples:\n  assay hub logout --hub https://hub.example")]
    Logout,
    /// Show the owner of the token
    #[command(after_help = "Examples:\n  assay hub whoami\n  assay hub whoami --format json")]
    Whoami,
    /// Print the token that is kept for a hub, for other programs
    #[command(
        after_help = "Examples:\n  HF_ENDPOINT=https://hub.example HF_TOKEN=\"$(assay hub token)\" hf auth whoami"
    )]
    Token,
    Credential(Credential),
    Repo(Repo),
    Pr(Pr),
    Leaderboard(Leaderboard),
    Results(Results),
    Proof(Proof),
}

/// Keep a token for a hub, after asking whose it is
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay hub login --hub https://hub.example
  assay hub login --hub https://hub.example --browser
  assay hub login --hub https://hub.example --git < token.txt
  assay hub login --hub http://127.0.0.1:8080 --token hf_...")]
pub(crate) struct Login {
    /// The token; asked for in a terminal, read from standard input otherwise, so that it stays out
    /// of the shell's history
    #[arg(long, value_name = "TOKEN", conflicts_with = "browser")]
    pub(crate) token: Option<String>,

    /// Sign in with a code that is approved in a browser, on this machine or another; the token
    /// lasts thirty days
    #[arg(long)]
    pub(crate) browser: bool,

    /// Also let git use the token for this hub: `assay hub credential` becomes its credential
    /// helper
    #[arg(long)]
    pub(crate) git: bool,
}

/// Answer git's credential helper protocol; `assay hub login --git` sets it up
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  printf 'protocol=https\\nhost=hub.example\\n\\n' | assay hub credential get")]
pub(crate) struct Credential {
    /// Operation of git: only `get` is answered, tokens are kept by `assay hub login`
    #[arg(value_name = "OPERATION")]
    pub(crate) operation: String,
}

/// Repositories: create, list, delete
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay hub repo create acme/model-x
  assay hub repo list --type dataset --benchmarks
  assay hub repo delete acme/model-x --yes")]
pub(crate) struct Repo {
    #[command(subcommand)]
    pub(crate) action: RepoAction,
}

/// A command on a repository.
#[derive(Debug, Subcommand)]
pub(crate) enum RepoAction {
    /// Create a repository
    #[command(after_help = "Examples:\n  assay hub repo create acme/Sums --type dataset --private")]
    Create {
        /// Its name; without a namespace it becomes your own
        id: RepoId,
        /// Kind of the repository
        #[arg(long = "type", value_enum, default_value_t = Kind::Model, value_name = "TYPE")]
        kind: Kind,
        /// Let only its owner and the members of its organisation see it
        #[arg(long)]
        private: bool,
    },
    /// List repositories
    #[command(
        after_help = "Examples:\n  assay hub repo list --author acme\n  assay hub repo list --type dataset --official"
    )]
    List {
        /// Kind of the repositories
        #[arg(long = "type", value_enum, default_value_t = Kind::Model, value_name = "TYPE")]
        kind: Kind,
        /// Only those of this namespace
        #[arg(long, value_name = "NAME")]
        author: Option<String>,
        /// Only those with this text in their name
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
        /// Only datasets that define a benchmark
        #[arg(long)]
        benchmarks: bool,
        /// Only benchmarks that the operator marked as official
        #[arg(long)]
        official: bool,
        /// Most repositories to list
        #[arg(long, default_value_t = 100, value_name = "N")]
        limit: usize,
    },
    /// Delete a repository, for ever
    #[command(after_help = "Examples:\n  assay hub repo delete acme/model-x --yes")]
    Delete {
        /// Its name
        id: RepoId,
        /// Kind of the repository
        #[arg(long = "type", value_enum, default_value_t = Kind::Model, value_name = "TYPE")]
        kind: Kind,
        /// Yes, really
        #[arg(long)]
        yes: bool,
    },
}

/// Pull requests: list, show, merge, close
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay hub pr list acme/model-x
  assay hub pr show acme/model-x 3
  assay hub pr merge acme/model-x 3")]
pub(crate) struct Pr {
    #[command(subcommand)]
    pub(crate) action: PrAction,

    /// Kind of the repository
    #[arg(long = "type", global = true, value_enum, default_value_t = Kind::Model, value_name = "TYPE")]
    pub(crate) kind: Kind,
}

/// A command on a pull request.
#[derive(Debug, Subcommand)]
pub(crate) enum PrAction {
    /// List pull requests
    #[command(after_help = "Examples:\n  assay hub pr list acme/model-x --all")]
    List {
        /// The repository
        id: RepoId,
        /// Also those that are closed or merged
        #[arg(long)]
        all: bool,
    },
    /// Show what a pull request says and changes
    #[command(after_help = "Examples:\n  assay hub pr show acme/model-x 3")]
    Show {
        /// The repository
        id: RepoId,
        /// Its number
        num: u32,
    },
    /// Merge a pull request
    #[command(after_help = "Examples:\n  assay hub pr merge acme/model-x 3 --comment 'Thanks'")]
    Merge {
        /// The repository
        id: RepoId,
        /// Its number
        num: u32,
        /// Comment beside it
        #[arg(long, value_name = "TEXT")]
        comment: Option<String>,
    },
    /// Close a pull request without merging it
    #[command(
        after_help = "Examples:\n  assay hub pr close acme/model-x 3 --comment 'Superseded by 4'"
    )]
    Close {
        /// The repository
        id: RepoId,
        /// Its number
        num: u32,
        /// Comment beside it
        #[arg(long, value_name = "TEXT")]
        comment: Option<String>,
    },
}

/// Show a leaderboard
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay hub leaderboard cais/hle
  assay hub leaderboard cais/hle --task hle --metric accuracy --policy best
  assay hub leaderboard cais/hle --as-of 2026-02-14 --format json")]
pub(crate) struct Leaderboard {
    /// The benchmark
    pub(crate) benchmark: RepoId,
    /// The task [default: the first one of the benchmark]
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// The metric that ranks [default: the primary one]
    #[arg(long, value_name = "ID")]
    pub(crate) metric: Option<String>,
    /// Run of a model that counts: most-trusted (or authoritative), best, latest or all [default:
    /// most-trusted]
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    /// Only results whose token was checked
    #[arg(long)]
    pub(crate) verified: bool,
    /// Only models that name no base model
    #[arg(long)]
    pub(crate) base_only: bool,
    /// The board as it stood at a date, a moment or a commit of the benchmark
    #[arg(long, value_name = "WHEN")]
    pub(crate) as_of: Option<String>,
    /// Most rows to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

/// Show every result of a model
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay hub results acme/model-x
  assay hub results acme/model-x --format json")]
pub(crate) struct Results {
    /// The model
    pub(crate) model: RepoId,
}

/// Fetch the proof of a verified result
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay hub proof acme/model-x AAAAAAAAAAAAAAAAAAAAAQ > row.proof
  assay verify row.proof --trust hub.note")]
pub(crate) struct Proof {
    /// The model
    pub(crate) model: RepoId,
    /// The identity of its token, as `standing.attested.jti` of the result has it
    #[arg(allow_hyphen_values = true)]
    pub(crate) jti: String,
}

/// A kind of repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A model
    Model,
    /// A dataset
    Dataset,
}

impl Kind {
    /// The same in the words of the model.
    pub(crate) fn get(self) -> RepoKind {
        match self {
            Self::Model => RepoKind::Model,
            Self::Dataset => RepoKind::Dataset,
        }
    }
}
