use std::path::PathBuf;

use assay_model::RepoId;
use clap::{Args, Subcommand};

use crate::args::ShowFormat;
use crate::commands::operate::args::HubPlace;
use crate::commands::serve::KeyValue;

/// Issue tokens: run an issuer, check its policy, register who may ask
#[derive(Debug, Args)]
#[command(
    long_about = "\
Issue tokens that make results verified: run an issuer alone, check its policy, register integrations, identities and \
credentials, and look into what was asked.

A hub issues tokens itself when `issuer.policy` names a policy file. Everything but `serve` and `policy` works on the data \
directory, so whoever can write there may do it; the server may be running.",
    after_help = "\
Examples:
  assay issuer policy check policy.toml
  assay issuer integration create inspect-ai
  assay issuer credential create inspect-ai/lab --label 'evaluation box' --days 30
  assay issuer log --outcome refused

Exit codes:
  0  done; with `policy check`: the policy can be used, and allows what was asked
  1  it cannot be done, and why; with `policy check`: it cannot be used, or denies what was asked
  3  wrong usage, or the data directory cannot be used"
)]
pub(crate) struct IssuerArgs {
    #[command(subcommand)]
    pub(crate) action: Action,

    #[command(flatten)]
    pub(crate) place: Place,
}

/// The data directory, and the format of the answer.
#[derive(Debug, Args)]
pub(crate) struct Place {
    #[command(flatten)]
    pub(crate) hub: HubPlace,

    /// The policy file, in place of `issuer.policy` in the configuration
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// Format of the answer
    #[arg(long, global = true, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// A command on the issuer.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    Serve(Serve),
    /// The policy: check it, and ask what it allows
    #[command(
        subcommand,
        after_help = "Examples:\n  assay issuer policy check policy.toml"
    )]
    Policy(PolicyAction),
    /// Integrations: register, list, suspend, resume
    #[command(
        subcommand,
        after_help = "Examples:\n  assay issuer integration create inspect-ai\n  assay issuer integration list"
    )]
    Integration(IntegrationAction),
    /// Identities: create, list, suspend, resume, delete
    #[command(
        subcommand,
        after_help = "Examples:\n  assay issuer identity list\n  assay issuer identity suspend inspect-ai/lab --reason 'scores that nobody can repeat'"
    )]
    Identity(IdentityAction),
    /// Credentials: create, list, delete
    #[command(
        subcommand,
        after_help = "Examples:\n  assay issuer credential create inspect-ai/lab --days 30"
    )]
    Credential(CredentialAction),
    Log(Log),
}

/// Run an issuer without a hub
#[derive(Debug, Args)]
#[command(
    long_about = "\
Run an issuer without a hub: the same addresses, keys and logs, and no repositories. Benchmarks are read from the hub that \
`--hub` names, at the commit that a request names.",
    after_help = "\
Examples:
  assay issuer serve --policy policy.toml --hub https://hub.example
  assay issuer serve --policy policy.toml --hub https://hub.example --listen 0.0.0.0:8470 --set trust.audience=https://hub.example

Exit codes:
  0  told to stop, and every request was finished
  3  the configuration is wrong, or the address or data directory cannot be used"
)]
pub(crate) struct Serve {
    /// The address and port to listen on [default: 127.0.0.1:8460]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,

    /// The hub whose benchmarks tokens are issued for
    #[arg(long, value_name = "URL")]
    pub(crate) hub: String,

    /// Any key of the configuration; `assay config check` lists them
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<KeyValue>,
}

/// A command on a policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// Say what is wrong with a policy, or what it allows
    #[command(
        after_help = "Examples:\n  assay issuer policy check policy.toml\n  assay issuer policy check policy.toml --as-if integration=inspect-ai framework=inspect-ai@0.4.2 benchmark=cais/hle model=acme/a"
    )]
    Check {
        /// The policy file
        file: PathBuf,
        /// Tell which rule decides: `integration=`, `framework=NAME@VERSION`, `benchmark=` and
        /// `model=`
        #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
        as_if: Vec<KeyValue>,
    },
}

/// A command on integrations.
#[derive(Debug, Subcommand)]
pub(crate) enum IntegrationAction {
    /// Register an integration: those that the policy names get nothing before
    #[command(after_help = "Examples:\n  assay issuer integration create inspect-ai")]
    #[command(name = "create", alias = "add")]
    Add {
        /// Its name, as the policy has it
        id: String,
    },
    /// List every integration
    #[command(after_help = "Examples:\n  assay issuer integration list --format json")]
    List,
    /// Give it nothing more, until it is resumed
    #[command(
        after_help = "Examples:\n  assay issuer integration suspend inspect-ai --reason 'a leaked key'"
    )]
    Suspend {
        /// Its name
        id: String,
        /// Reason; the caller is told
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Let it go on
    #[command(after_help = "Examples:\n  assay issuer integration resume inspect-ai")]
    Resume {
        /// Its name
        id: String,
    },
}

/// A command on identities.
#[derive(Debug, Subcommand)]
pub(crate) enum IdentityAction {
    /// Add an identity that the policy does not name
    #[command(
        after_help = "Examples:\n  assay issuer identity create inspect-ai --name lab --kind token\n  assay issuer identity create inspect-ai --kind oauth_client --client-id ins-prod\n  assay issuer identity create inspect-ai --name ci --kind oidc --issuer https://token.actions.githubusercontent.com \\\n    --require repository_owner_id=1 --require repository_id=2 --require job_workflow_ref=org/r/.github/workflows/e.yml@refs/tags/v1 --event push"
    )]
    #[command(name = "create", alias = "add")]
    Add(Box<NewIdentity>),
    /// List every identity
    #[command(after_help = "Examples:\n  assay issuer identity list --format json")]
    List,
    /// Give it nothing more, until it is resumed
    #[command(
        after_help = "Examples:\n  assay issuer identity suspend inspect-ai/lab --reason 'it was stolen'"
    )]
    Suspend {
        /// The identity, as `integration/name`
        identity: String,
        /// Reason; the caller is told
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Let it go on, and forget what it did
    #[command(after_help = "Examples:\n  assay issuer identity resume inspect-ai/lab")]
    Resume {
        /// The identity, as `integration/name`
        identity: String,
    },
    /// Remove one that was added, with its credentials
    #[command(after_help = "Examples:\n  assay issuer identity delete inspect-ai/lab")]
    #[command(name = "delete", alias = "remove")]
    Remove {
        /// The identity, as `integration/name`
        identity: String,
    },
}

/// An identity to be added.
#[derive(Debug, Args)]
pub(crate) struct NewIdentity {
    /// The integration that it stands for
    pub(crate) integration: String,
    /// Its name [default: that of the client]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Proof of identity: `oidc`, `oauth_client` or `token`
    #[arg(long, value_name = "KIND", value_parser = ["oidc", "oauth_client", "token"])]
    pub(crate) kind: String,
    /// Issuer of its ID tokens
    #[arg(long, value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// Value that a claim of its ID token must have
    #[arg(long, value_name = "CLAIM=VALUE")]
    pub(crate) require: Vec<KeyValue>,
    /// Event that may have started its run
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Vec<String>,
    /// Client id
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// Authentication of the client: `private_key_jwt` or `client_secret`
    #[arg(long, value_name = "WAY", value_parser = ["private_key_jwt", "client_secret"])]
    pub(crate) auth: Option<String>,
    /// The most that its runs are worth
    #[arg(long, value_name = "WORD", value_parser = ["attributed", "hosted", "isolated", "reproduced"])]
    pub(crate) assurance: Option<String>,
}

/// A command on credentials.
#[derive(Debug, Subcommand)]
pub(crate) enum CredentialAction {
    /// Make a credential; its secret is printed once
    #[command(
        after_help = "Examples:\n  assay issuer credential create inspect-ai/lab --label 'evaluation box' --days 30\n  assay issuer credential create inspect-ai/ins-prod --public-key client.jwk.json --days 365"
    )]
    #[command(name = "create", alias = "add")]
    Add {
        /// The identity, as `integration/name`
        identity: String,
        /// Label
        #[arg(long, value_name = "TEXT", default_value = "made at the shell")]
        label: String,
        /// Lifetime in days: a secret at most 90, a public key at most 730
        #[arg(long, value_name = "N", default_value_t = 90)]
        days: u32,
        /// The public key of a client with `private_key_jwt`, as a JWK
        #[arg(long, value_name = "FILE")]
        public_key: Option<PathBuf>,
    },
    /// List every credential, without secrets
    #[command(after_help = "Examples:\n  assay issuer credential list --format json")]
    List,
    /// End a credential at once
    #[command(after_help = "Examples:\n  assay issuer credential delete Ab12Cd34Ef56")]
    #[command(name = "delete", alias = "revoke")]
    Revoke {
        /// Its id, as `credential list` shows it
        id: String,
    },
}

/// Look into what was issued and refused
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay issuer log
  assay issuer log --outcome refused --limit 20
  assay issuer log --identity inspect-ai/lab --format json")]
pub(crate) struct Log {
    /// Only of this integration
    #[arg(long, value_name = "ID")]
    pub(crate) integration: Option<String>,
    /// Only of this identity
    #[arg(long, value_name = "IDENTITY")]
    pub(crate) identity: Option<String>,
    /// Only what ended like this: `done`, `refused`, `limited`, `failed`, `slowed`, `suspended` or
    /// `resumed`
    #[arg(long, value_name = "WORD", value_parser = ["done", "refused", "limited", "failed", "slowed", "suspended", "resumed"])]
    pub(crate) outcome: Option<String>,
    /// Number of events, newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u32,
}

/// The request of `--as-if`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AsIf {
    pub(crate) integration: String,
    pub(crate) framework: String,
    pub(crate) version: String,
    pub(crate) benchmark: RepoId,
    pub(crate) model: RepoId,
}

impl AsIf {
    /// Reads the pairs of `--as-if`.
    pub(crate) fn read(pairs: &[KeyValue]) -> Result<Self, String> {
        let known = ["integration", "framework", "benchmark", "model"];
        if let Some(pair) = pairs
            .iter()
            .find(|pair| !known.contains(&pair.key.as_str()))
        {
            return Err(format!(
                "`{}` is none of `{}`",
                pair.key,
                known.join("`, `")
            ));
        }
        let get = |key: &str| {
            let mut given = pairs.iter().filter(|pair| pair.key == key);
            match (given.next(), given.next()) {
                (Some(pair), None) => Ok(pair.value.clone()),
                _ => Err(format!("`--as-if` needs `{key}=` once")),
            }
        };
        let framework = get("framework")?;
        let (name, version) = framework
            .split_once('@')
            .ok_or("a framework is `NAME@VERSION`")?;
        let repo = |key: &str| {
            let text = get(key)?;
            text.parse::<RepoId>()
                .map_err(|error| format!("`{text}`: {error}"))
        };
        Ok(Self {
            integration: get("integration")?,
            framework: name.to_owned(),
            version: version.to_owned(),
            benchmark: repo("benchmark")?,
            model: repo("model")?,
        })
    }
}
