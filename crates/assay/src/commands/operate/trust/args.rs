use std::path::PathBuf;

use assay_model::{Date, Revision};
use clap::{Args, Subcommand};

use crate::args::ShowFormat;
use crate::commands::operate::args::HubPlace;

/// The hub, and the format of the answer.
#[derive(Debug, Args)]
pub(crate) struct Place {
    #[command(flatten)]
    pub(crate) hub: HubPlace,

    /// Format of the answer
    #[arg(long, global = true, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// Manage the keys that sign a hub's tokens
#[derive(Debug, Args)]
#[command(
    long_about = "\
Manage the keys that sign a hub's tokens. Every change is a leaf of the public control log.

It works on the data directory itself. When a server runs there, the server writes the leaf and this command waits for \
it; when none runs, this command writes it.",
    after_help = "\
Examples:
  assay keys list
  assay keys create && sleep 1d && assay keys rotate    publish a key before it is used
  assay keys revoke KID --from-index 4711 --reason 'key was on a lost laptop' --dry-run

Exit codes:
  0  done
  1  it cannot be done, and why
  3  wrong usage, or the data directory cannot be used"
)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) action: KeysAction,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// A command on keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysAction {
    /// List every key that the control log knows
    #[command(after_help = "Examples:\n  assay keys list --format json")]
    List,
    /// Make a key and publish it, to be used later
    #[command(after_help = "Examples:\n  assay keys create")]
    #[command(name = "create", alias = "generate")]
    Generate,
    /// Let another key sign from now on
    #[command(after_help = "Examples:\n  assay keys rotate\n  assay keys rotate --to KID")]
    Rotate {
        /// The key [default: one that waits, else a new one]
        #[arg(long, value_name = "KID", allow_hyphen_values = true)]
        to: Option<String>,
    },
    /// End the life of a key that signs no more; what it signed stands
    #[command(after_help = "Examples:\n  assay keys retire KID")]
    Retire {
        /// The key
        #[arg(value_name = "KID", allow_hyphen_values = true)]
        key: String,
    },
    /// Revoke what a key signed; when it signs at present, another takes its place first
    #[command(
        after_help = "Examples:\n  assay keys revoke KID --reason 'stolen' --dry-run\n  assay keys revoke KID --reason 'stolen' --from-index 4711"
    )]
    Revoke {
        /// The key
        #[arg(value_name = "KID", allow_hyphen_values = true)]
        key: String,
        /// Only what the results log has from this index on [default: everything]
        #[arg(long, value_name = "N")]
        from_index: Option<u64>,
        /// Reason in words; it is public
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Change nothing: list every result that would change
        #[arg(long)]
        dry_run: bool,
    },
}

/// Revoke signed evidence, and trust other issuers
#[derive(Debug, Args)]
#[command(
    long_about = "\
Revoke signed evidence, take revocations back, and trust other issuers. Every change is a leaf of the public control log, \
and the standing of every result that it touches is computed again before the command ends.

A revocation counts by the position in the results log and not by the time that a token names, because a thief chooses the \
time. It works beside a server that runs.",
    after_help = "\
Examples:
  assay trust revoke --integration inspect-ai --reason 'scores were made up' --dry-run
  assay trust revoke --kid KID --after 2026-05-01T00:00:00Z --reason 'key was stolen'
  assay trust list
  assay trust unrevoke 17 --reason 'it was another key'
  assay trust issuer create https://evals.example --jwks keys.json --framework inspect-ai
  assay trust rename https://hub.example

Exit codes:
  0  done
  1  it cannot be done, and why
  3  wrong usage, or the data directory cannot be used"
)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    pub(crate) action: TrustAction,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// A command of `assay trust`.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustAction {
    /// Revoke what falls under a scope, and list every result that changes
    Revoke(RevokeArgs),
    /// Take a revocation back
    Unrevoke(UnrevokeArgs),
    /// List the revocations in force
    #[command(after_help = "Examples:\n  assay trust list --format json")]
    List,
    Rename(RenameArgs),
    /// Issuers beside this hub: create, list, delete
    #[command(subcommand, after_help = "Examples:\n  assay trust issuer list")]
    Issuer(IssuerAction),
}

/// Give a hub that began under a wrong name its right one; what was signed stays verifiable
#[derive(Debug, Args)]
#[command(
    long_about = "\
Give a hub that began under a wrong name, such as https://0.0.0.0 or http://127.0.0.1:8460, its right one.

The server must be stopped. Both logs keep their entries and keys and get the new name, which checkpoints have from now on. \
Tokens are issued and addressed under the new name; the former issuer stays trusted for what it has signed. The trust note \
of the hub lists the former name, so that earlier proofs verify with it. Readers who kept the former trust note, witnesses \
and those who audit the logs fetch it again.",
    after_help = "\
Examples:
  assay trust rename https://hub.example --data /srv/assay --dry-run
  assay trust rename https://hub.example --data /srv/assay"
)]
pub(crate) struct RenameArgs {
    /// The address by which clients reach the hub, as in `public_url`
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Change nothing: tell what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The scope, the start and the reason of a revocation.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  assay trust revoke --jti AAAAAAAAAAAAAAAAAAAAAQ --reason 'issued by mistake'\n  assay trust revoke --framework inspect-ai --versions '>=0.4.0, <0.4.3' --reason 'scoring bug' --dry-run"
)]
pub(crate) struct RevokeArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Versions
    #[arg(
        long,
        value_name = "RANGE",
        default_value = "*",
        requires = "framework"
    )]
    pub(crate) versions: String,
    /// Only what the results log has from this index on [default: everything]
    #[arg(long, value_name = "N")]
    pub(crate) from_index: Option<u64>,
    /// Only what the results log got after this moment
    #[arg(long, value_name = "TIME", conflicts_with = "from_index")]
    pub(crate) after: Option<Date>,
    /// Reason in words; it is public
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Change nothing: list every result that would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The scope of a revocation: one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ScopeArgs {
    /// Everything that a key signed
    #[arg(long, value_name = "KID", allow_hyphen_values = true)]
    pub(crate) kid: Option<String>,
    /// Everything that an integration was given
    #[arg(long, value_name = "NAME")]
    pub(crate) integration: Option<String>,
    /// One token
    #[arg(long, value_name = "JTI", allow_hyphen_values = true)]
    pub(crate) jti: Option<String>,
    /// Everything that an issuer issued
    #[arg(long, value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// Everything that a machine identity was given
    #[arg(long, value_name = "NAME")]
    pub(crate) identity: Option<String>,
    /// Everything that versions of a framework produced
    #[arg(long, value_name = "NAME")]
    pub(crate) framework: Option<String>,
    /// Everything that was measured on a commit of a benchmark; it is withdrawn, and nobody did
    /// wrong
    #[arg(long, value_name = "SHA")]
    pub(crate) benchmark_revision: Option<Revision>,
}

/// The revocation to take back.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  assay trust unrevoke 17 --reason 'it was another key'")]
pub(crate) struct UnrevokeArgs {
    /// Its leaf in the control log, as `assay trust list` shows it
    pub(crate) index: u64,
    /// Reason in words; it is public
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Change nothing: list every result that would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A command on issuers.
#[derive(Debug, Subcommand)]
pub(crate) enum IssuerAction {
    /// Trust an issuer and its keys
    #[command(
        after_help = "Examples:\n  assay trust issuer create https://evals.example --jwks keys.json --framework inspect-ai"
    )]
    #[command(name = "create", alias = "add")]
    Add {
        /// Its name, as its tokens have it in `iss`
        issuer: String,
        /// Its keys, as a JWK set; those that are not Ed25519 are passed over
        #[arg(long, value_name = "FILE")]
        jwks: PathBuf,
        /// Audience of its tokens, `aud` [default: the name of this hub]
        #[arg(long, value_name = "URL")]
        audience: Option<String>,
        /// A framework that it may sign for [default: all]; may be given several times
        #[arg(long, value_name = "NAME")]
        framework: Vec<String>,
        /// Let its tokens count only when the results log of this hub has their issuance
        #[arg(long)]
        logged: bool,
    },
    /// List every issuer that the control log knows
    #[command(after_help = "Examples:\n  assay trust issuer list")]
    List,
    /// Trust an issuer no more: what it signed becomes unverified
    #[command(after_help = "Examples:\n  assay trust issuer delete https://evals.example")]
    #[command(name = "delete", alias = "remove")]
    Remove {
        /// Its name
        issuer: String,
    },
}
