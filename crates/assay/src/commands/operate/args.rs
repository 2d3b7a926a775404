use std::path::PathBuf;

use assay_app::{Database, LargeFilesPlace};
use assay_model::{RepoId, Role};
use clap::{Args, Subcommand};

use super::adopt::args::AdoptArgs;
use super::audit::Audit;
use super::backup::args::{BackupArgs, RestoreArgs};
use crate::args::ShowFormat;
use crate::commands::serve::KeyValue;

/// The data directory and configuration of the hub.
#[derive(Debug, Args)]
pub(crate) struct HubPlace {
    /// The data directory [default: assay-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The database, as the server was told [default: a file in the data directory]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub(crate) database: Option<String>,

    /// A configuration file, in TOML
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl HubPlace {
    /// Returns the flags as keys of the configuration.
    pub(crate) fn flags(&self) -> Vec<(&'static str, String)> {
        let data = self.data.as_ref();
        let data = data.map(|data| ("data", data.display().to_string()));
        let database = self.database.clone();
        let database = database.map(|database| ("database", database));
        data.into_iter().chain(database).collect()
    }
}

/// The configuration of a server, as flags say it.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// The address and port to listen on [default: 127.0.0.1:8460]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,

    /// The data directory [default: assay-data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The database: `sqlite:PATH` or `postgres://...` [default: a file in the data directory]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) database: Option<String>,

    /// The lake that is asked about samples; `assay-lake` is started for it [default: none]
    #[arg(long, value_name = "DIR")]
    pub(crate) lake: Option<PathBuf>,

    /// A configuration file, in TOML
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Any key of the configuration; `assay config check` lists them
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<KeyValue>,
}

impl ServerArgs {
    /// Returns the flags as keys of the configuration. Flags of their own win over `--set`.
    pub(crate) fn flags(&self) -> Vec<(&str, String)> {
        let own = [
            ("listen", self.listen.clone()),
            (
                "data",
                self.data.as_ref().map(|path| path.display().to_string()),
            ),
            ("database", self.database.clone()),
            (
                "lake.directory",
                self.lake.as_ref().map(|path| path.display().to_string()),
            ),
        ];
        let own = own
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        let set = self
            .set
            .iter()
            .map(|pair| (pair.key.as_str(), pair.value.clone()));
        set.chain(own).collect()
    }
}

/// Run a hub
#[derive(Debug, Args)]
#[command(
    long_about = "\
Run a hub: repositories for the unmodified huggingface_hub client, the hf command and git; validation of every push; \
leaderboards.

Everything lies in one data directory, and nothing else is needed but git. The first start prints the operator's token, \
once. Values come from flags, then the environment (`ASSAY_LISTEN`, ...), then the file, then defaults.",
    after_help = "\
Examples:
  assay serve --demo                              a hub on this machine, with something to look at
  assay serve --data /srv/assay --listen 127.0.0.1:8080
  assay serve --config assay.toml
  assay serve --lake /srv/lake                    with SQL and pages over samples
  ASSAY_DATABASE=postgres://hub:secret@db/assay assay serve --data /srv/assay
  HF_ENDPOINT=http://127.0.0.1:8460 hf download ...

Exit codes:
  0  told to stop, and every request was finished
  3  the configuration is wrong, or the address or data directory cannot be used"
)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) server: ServerArgs,

    /// Fill the hub with four benchmarks and a few invented models
    #[arg(long)]
    pub(crate) demo: bool,
}

/// Manage a hub at the shell of its machine
#[derive(Debug, Args)]
#[command(
    long_about = "\
Manage a hub at the shell of its machine: accounts, tokens, official benchmarks, backups and the audit log.

It works on the data directory itself, so whoever can write there may do everything; the hub may be running.",
    after_help = "\
Examples:
  assay admin user create alice --full-name 'Alice Liddell'
  assay admin token create alice --scope write
  assay admin org create acme && assay admin org member acme alice --role admin
  assay admin benchmark official cais/hle
  assay admin backup /backup/hub --keep 14

Exit codes:
  0  done
  1  it cannot be done, and why
  3  wrong usage, or the data directory cannot be used"
)]
pub(crate) struct Admin {
    #[command(subcommand)]
    pub(crate) action: AdminAction,

    #[command(flatten)]
    pub(crate) hub: HubPlace,

    /// Format of the answer
    #[arg(long, global = true, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// A command of `assay admin`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminAction {
    /// Users: create, list, password, disable, enable
    #[command(
        subcommand,
        after_help = "Examples:\n  assay admin user create alice\n  assay admin user list"
    )]
    User(UserAction),
    /// Organisations: create, members
    #[command(
        subcommand,
        after_help = "Examples:\n  assay admin org create acme\n  assay admin org member acme alice --role write"
    )]
    Org(OrgAction),
    /// Tokens: create, list, delete
    #[command(
        subcommand,
        after_help = "Examples:\n  assay admin token create alice --scope write --days 90"
    )]
    Token(TokenAction),
    /// Manage the trusted publishers of a repository: CI jobs that write without a stored secret
    #[command(
        subcommand,
        after_help = "Examples:\n  assay admin publisher list models/acme/small\n  assay admin publisher create models/acme/small --as alice --claim repository=acme/evals"
    )]
    Publisher(PublisherAction),
    /// Remove large files that no repository has any more
    #[command(after_help = "Examples:\n  assay admin gc --dry-run\n  assay admin gc")]
    Gc {
        /// Tell what would be removed and remove nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy the large files of a hub that is stopped to object storage, or back, and keep them
    /// there from then on
    #[command(
        after_help = "Examples:\n  assay admin move-large-files --to s3://acme-hub/files\n  assay admin move-large-files --to disk"
    )]
    MoveLargeFiles {
        /// Where they are to be: `s3://BUCKET/PREFIX` or `disk`
        #[arg(long, value_name = "PLACE")]
        to: LargeFilesPlace,
        /// Show no progress bar
        #[arg(long)]
        no_progress: bool,
    },
    /// List repositories that the database did not know and that were set aside
    #[command(
        after_help = "Examples:\n  assay admin unrecorded\n  assay admin unrecorded --format json"
    )]
    Unrecorded,
    Adopt(AdoptArgs),
    /// Benchmarks: official or not
    #[command(
        subcommand,
        after_help = "Examples:\n  assay admin benchmark official cais/hle"
    )]
    Benchmark(BenchmarkAction),
    /// Show the audit log: who changed what, when and from where
    #[command(
        after_help = "Examples:\n  assay admin audit --since 7d --account mallory\n  assay admin audit --repo acme/small --action repo --format json"
    )]
    Audit(Audit),
    /// Remove content for good, with a public trace: a pull request, commits, a comment, an
    /// account's personal data
    #[command(
        subcommand,
        after_help = "Examples:\n  assay admin purge pull models/alice/small 4 --reason 'malware'\n  assay admin purge account mallory --reason 'asked for by its owner'"
    )]
    Purge(PurgeAction),
    /// Back up a running hub to a directory or to object storage, and check the copy
    Backup(BackupArgs),
    /// Restore a hub from a backup, to an empty data directory and an empty database
    Restore(RestoreArgs),
}

/// Content that is removed for good.
#[derive(Debug, Subcommand)]
pub(crate) enum PurgeAction {
    /// Remove a pull request or discussion: its commits, title and comments
    #[command(
        after_help = "Examples:\n  assay admin purge pull models/alice/small 4 --reason 'malware'"
    )]
    Pull {
        /// The repository, such as `models/alice/small` or `datasets/cais/hle`
        #[arg(value_name = "REPO")]
        repo: String,
        /// The number of the pull request or discussion
        number: u32,
        /// The reason, which everyone can read
        #[arg(long)]
        reason: String,
    },
    /// Remove commits of a branch; later commits are made again without them
    #[command(
        after_help = "Examples:\n  assay admin purge commits models/alice/small 4f6e1c2..e81b09a --reason 'a court order'"
    )]
    Commits {
        /// The repository, such as `models/alice/small` or `datasets/cais/hle`
        #[arg(value_name = "REPO")]
        repo: String,
        /// The last commit that stays and the last one that goes: `FROM..TO`
        range: String,
        /// The branch
        #[arg(long, default_value = "main")]
        branch: String,
        /// The reason, which everyone can read
        #[arg(long)]
        reason: String,
    },
    /// Remove the text of a comment, with its former versions
    #[command(
        after_help = "Examples:\n  assay admin purge comment 0123456789abcdef01234567 --reason 'personal data'"
    )]
    Comment {
        /// The id of the comment, as the API gives it
        id: String,
        /// The reason, which everyone can read
        #[arg(long)]
        reason: String,
    },
    /// Remove the personal data of a user: full name, address, password, tokens, sessions, comments
    #[command(
        after_help = "Examples:\n  assay admin purge account mallory --reason 'asked for by its owner'"
    )]
    Account {
        /// The user, whose name stays taken
        name: String,
        /// The reason, which everyone can read
        #[arg(long)]
        reason: String,
    },
}

/// A command on users.
#[derive(Debug, Subcommand)]
pub(crate) enum UserAction {
    /// Make a user
    #[command(after_help = "Examples:\n  assay admin user create alice --email alice@example.org")]
    Create {
        /// The name, which is also their namespace
        name: String,
        /// The name for people [default: the name]
        #[arg(long, value_name = "NAME")]
        full_name: Option<String>,
        /// E-mail address
        #[arg(long, value_name = "ADDRESS")]
        email: Option<String>,
        /// Let them run the hub
        #[arg(long)]
        operator: bool,
        /// Accept a name that looks like that of another account
        #[arg(long)]
        allow_look_alike: bool,
    },
    /// List every account
    #[command(after_help = "Examples:\n  assay admin user list --format json")]
    List,
    /// Give a user a password for the web pages, drawn and shown once
    #[command(
        after_help = "Examples:\n  assay admin user password alice\n  assay admin user password alice --stdin < password.txt\n  assay admin user password alice --remove"
    )]
    Password {
        /// The name
        name: String,
        /// Read it from standard input, one line, instead of drawing one
        #[arg(long, conflicts_with = "remove")]
        stdin: bool,
        /// Take the password away: the user signs in with a token
        #[arg(long)]
        remove: bool,
    },
    /// Stop every token of a user; what they made stays
    #[command(after_help = "Examples:\n  assay admin user disable mallory")]
    Disable {
        /// The name
        name: String,
    },
    /// Let a disabled user in again, with the tokens they had
    #[command(after_help = "Examples:\n  assay admin user enable alice")]
    Enable {
        /// The name
        name: String,
    },
}

/// A command on organisations.
#[derive(Debug, Subcommand)]
pub(crate) enum OrgAction {
    /// Make an organisation
    #[command(
        after_help = "Examples:\n  assay admin org create acme --full-name 'Acme Corporation'"
    )]
    Create {
        /// The name, which is also its namespace
        name: String,
        /// The name for people [default: the name]
        #[arg(long, value_name = "NAME")]
        full_name: Option<String>,
        /// Accept a name that looks like that of another account
        #[arg(long)]
        allow_look_alike: bool,
    },
    /// Give a user a role, or list the members
    #[command(
        after_help = "Examples:\n  assay admin org member acme\n  assay admin org member acme alice --role contribute\n  assay admin org member acme alice --remove"
    )]
    Member {
        /// The organisation
        organisation: String,
        /// The user; without one, the members are listed
        user: Option<String>,
        /// Role: read, contribute, write or admin
        #[arg(long, value_name = "ROLE", default_value = "read")]
        role: Role,
        /// Take the role away
        #[arg(long, requires = "user")]
        remove: bool,
    },
}

/// A command on tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenAction {
    /// Make a token; its secret is printed once
    #[command(
        after_help = "Examples:\n  assay admin token create alice --scope write --days 90\n  assay admin token create ci --write acme/model-x --write 'acme-bench/*'"
    )]
    Create {
        /// Owner of the token
        user: String,
        /// Scope: read, write or admin
        #[arg(long, value_name = "SCOPE", default_value = "write", value_parser = ["read", "write", "admin"])]
        scope: String,
        /// Write to this repository only, or to this namespace with `namespace/*`
        #[arg(long, value_name = "REPO", conflicts_with = "scope")]
        write: Vec<String>,
        /// Label
        #[arg(long, value_name = "TEXT", default_value = "made at the shell")]
        label: String,
        /// Lifetime in days [default: until it is revoked]
        #[arg(long, value_name = "N")]
        days: Option<u32>,
    },
    /// List the tokens of a user, without their secrets
    #[command(after_help = "Examples:\n  assay admin token list alice")]
    List {
        /// Owner
        user: String,
    },
    /// End a token at once
    #[command(after_help = "Examples:\n  assay admin token delete alice 7")]
    #[command(name = "delete", alias = "revoke")]
    Revoke {
        /// Owner
        user: String,
        /// Its number, as `token list` shows it
        id: i64,
    },
}

/// A command on trusted publishers.
#[derive(Debug, Subcommand)]
pub(crate) enum PublisherAction {
    /// List the trusted publishers of a repository
    #[command(after_help = "Examples:\n  assay admin publisher list models/acme/small")]
    List {
        /// The repository: `models/acme/small` or `datasets/acme/sums`
        repo: String,
    },
    /// Add a trusted publisher
    #[command(
        after_help = "Examples:\n  assay admin publisher create models/acme/small --as alice --claim repository=acme/evals --claim environment=release\n  assay admin publisher create models/acme/small --as alice --issuer https://gitlab.com --claim project_path=acme/evals"
    )]
    #[command(name = "create", alias = "add")]
    Add {
        /// The repository: `models/acme/small` or `datasets/acme/sums`
        repo: String,
        /// The user whose rights it has
        #[arg(long = "as", value_name = "USER")]
        user: String,
        /// The issuer of its ID tokens
        #[arg(
            long,
            value_name = "ADDRESS",
            default_value = "https://token.actions.githubusercontent.com"
        )]
        issuer: String,
        /// A claim that its ID tokens must have, as `name=value`
        #[arg(long = "claim", value_name = "CLAIM", required = true)]
        claims: Vec<String>,
    },
    /// Remove a trusted publisher and end its tokens
    #[command(after_help = "Examples:\n  assay admin publisher delete models/acme/small 3")]
    #[command(name = "delete", alias = "remove")]
    Remove {
        /// The repository: `models/acme/small` or `datasets/acme/sums`
        repo: String,
        /// Its number, as `publisher list` shows it
        id: i64,
    },
}

/// A command on benchmarks.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchmarkAction {
    /// Mark a benchmark as official
    #[command(after_help = "Examples:\n  assay admin benchmark official cais/hle")]
    Official {
        /// The dataset repository
        id: RepoId,
    },
    /// Take the mark away
    #[command(after_help = "Examples:\n  assay admin benchmark unofficial cais/hle")]
    Unofficial {
        /// The dataset repository
        id: RepoId,
    },
}

/// Rebuild the index of a hub from its repositories, or check it
#[derive(Debug, Args)]
#[command(
    long_about = "\
Rebuild the index of a hub from its repositories, or check that a rebuilt index equals the live one.

The index holds nothing that the repositories and the hub's own records do not say; it can be thrown away at any time. \
Neither a repository nor a record is changed. A repository with a ref to an object that is not there keeps the index it has.",
    after_help = "\
Examples:
  assay reindex --check
  assay reindex --data /srv/assay

Exit codes:
  0  done; with --check: the index is as it should be
  1  a repository is damaged, and how; with --check: the index differs, and where
  3  wrong usage, or the data directory cannot be used"
)]
pub(crate) struct Reindex {
    /// Change nothing: rebuild beside the live index and compare
    #[arg(long)]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) hub: HubPlace,

    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Move the database of a hub, from a file to a server or back
#[derive(Debug, Args)]
#[command(
    long_about = "\
Move the database of a hub, from a file to a PostgreSQL server or back: every table, and the rows of each are counted on \
both sides. It is all there afterwards, or nothing is.

Stop the hub first. The database that is moved stays as it is, and one that has anything in it is not written to. The data \
directory stays where it is: only the database moves.",
    after_help = "\
Examples:
  assay migrate --from sqlite:/srv/assay/hub.db --to postgres://hub:secret@db/assay
  assay serve --data /srv/assay --database postgres://hub:secret@db/assay

Exit codes:
  0  moved
  1  it cannot be done, and why
  3  wrong usage, or a database cannot be used"
)]
pub(crate) struct Migrate {
    /// The database that is moved: `sqlite:PATH` or `postgres://...`
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: Database,

    /// The database that it is moved to, which has nothing yet
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) to: Database,

    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// Look at the configuration of a hub
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay config check
  assay config check --config assay.toml --format json

Exit codes:
  0  a hub can start like this
  1  it cannot, and why")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) action: ConfigAction,
}

/// A command on a configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Show every key, its value and where that comes from, and every fault
    #[command(
        after_help = "Examples:\n  assay config check --config assay.toml\n  assay config check --listen 0.0.0.0:443 --set tls.key=key.pem"
    )]
    Check {
        #[command(flatten)]
        server: ServerArgs,
        /// Format of the answer
        #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
        format: ShowFormat,
    },
}
