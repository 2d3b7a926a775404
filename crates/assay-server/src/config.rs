//! The configuration of the operator: a file, the environment and flags, one precedence. Nothing
//! else reads the environment.

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_app::issuer::AbuseRules;
use assay_app::{Database, HubConfig, LargeFilesPlace, Limits, NewIssuer, StorageVariables};
use assay_app::{TrustConfig, WitnessAddress};
use assay_model::Durability;

use crate::base_url::BaseUrl;
use crate::connection::ConnectionLimits;

mod faults;
mod issuers;
mod keys;
mod listed;
mod text;
mod witnesses;

pub use faults::ConfigFault;
pub use keys::{KEYS, Key};

/// The variable that names the configuration file when no flag does.
const FILE_VARIABLE: &str = "ASSAY_CONFIG";

/// Everything an operator can choose. The defaults run a hub on this machine alone.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The data directory.
    pub data: PathBuf,
    /// The database; a file in the data directory when absent.
    pub database: Option<Database>,
    /// Where large files are; where they were last when absent.
    pub large_files: Option<LargeFilesPlace>,
    /// How object storage is reached.
    pub storage: StorageVariables,
    /// The public address of this hub; the `Host` header of each request when absent.
    pub public_url: Option<BaseUrl>,
    /// The certificate chain, in PEM.
    pub tls_certificate: Option<PathBuf>,
    /// The key of the certificate, in PEM.
    pub tls_key: Option<PathBuf>,
    /// True if other machines may be answered without TLS.
    pub allow_plain_http: bool,
    /// True if `X-Forwarded-For` and `X-Forwarded-Proto` come from a proxy of ours.
    pub trust_proxy: bool,
    /// True if `/metrics` is answered.
    pub metrics: bool,
    /// The days that rows of the audit log are kept; zero for ever.
    pub audit_days: u32,
    /// True if webhooks may lead into private networks, such as this machine.
    pub webhooks_private: bool,
    /// The format of the log.
    pub log_format: LogFormat,
    /// The level of the log, or directives such as `info,assay_server=debug`.
    pub log_level: String,
    /// True if each request gets a line in the log.
    pub log_requests: RequestLog,
    /// True if the request log names the address of each client.
    pub log_addresses: bool,
    /// A page about many boards that takes longer than this to make may be served stale for a few
    /// seconds.
    pub slow_page: Duration,
    /// Maximum duration of requests in flight once the server was told to stop, in seconds.
    pub shutdown_seconds: u64,
    /// The failures that an acknowledged change survives.
    pub durability: Durability,
    /// The largest body of an ordinary request, in bytes. Commits, pushes and large files have
    /// limits of their own.
    pub body_bytes: usize,
    /// The most bytes of answers that wait in memory for their clients, all together.
    pub answer_bytes: u64,
    /// The limits on the number and the time of connections.
    pub connections: ConnectionLimits,
    /// The rate limits.
    pub rates: Rates,
    /// The limits of one request, file or account.
    pub limits: Limits,
    /// The configuration of signing and trust.
    pub trust: TrustConfig,
    /// The lake that is asked about samples.
    pub lake: LakeConfig,
    /// The issuers trusted beside this hub; from `[[trust.issuers]]` of the file.
    pub issuers: Vec<NewIssuer>,
    /// The witnesses that sign the checkpoints of the logs as well; from `[[trust.witnesses]]` of
    /// the file.
    pub witnesses: Vec<WitnessAddress>,
    /// The configuration of the issuer.
    pub issuer: IssuerConfig,
    /// The parts of the hub that are served.
    pub serves: Serves,
}

/// The configuration of the issuer.
#[derive(Debug, Clone, Default)]
pub struct IssuerConfig {
    /// The policy file; without one nobody is.
    pub policy: Option<PathBuf>,
    /// The hub whose benchmarks count; this one when absent.
    pub hub: Option<BaseUrl>,
    /// True if key sets and benchmarks may be fetched from this machine, over plain http. For
    /// tests.
    pub allow_loopback: bool,
    /// The rules that slow and stop identities.
    pub rules: AbuseRules,
}

/// The lake that is asked about samples. Without a directory and a socket there is none.
#[derive(Debug, Clone)]
pub struct LakeConfig {
    /// Its directory: `assay-lake` is started for it.
    pub directory: Option<PathBuf>,
    /// A socket on which an `assay-lake` answers that somebody else has started.
    pub socket: Option<PathBuf>,
    /// The program; the one beside this one, else one on the PATH, when absent.
    pub program: Option<PathBuf>,
    /// The executors of the cluster that works on questions, separated by commas, when it is not
    /// the process that is started alone.
    pub cluster: Option<String>,
    /// Maximum number of bytes of memory that all questions together may take, of the process that
    /// is started.
    pub memory: u64,
}

impl LakeConfig {
    /// The memory of all questions together unless told otherwise, in bytes.
    const DEFAULT_MEMORY: u64 = 4 << 30;
    /// The least memory with which questions can be answered, in bytes.
    pub(crate) const LEAST_MEMORY: u64 = 512 << 20;
}

impl Default for LakeConfig {
    fn default() -> Self {
        Self {
            directory: None,
            socket: None,
            program: None,
            cluster: None,
            memory: Self::DEFAULT_MEMORY,
        }
    }
}

/// The parts of the hub that a server serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Serves {
    /// Everything that a hub has.
    #[default]
    Hub,
    /// The issuer of tokens, and nothing of repositories.
    IssuerAlone,
}

/// The rate limits. Zero is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Requests with one token, in a window.
    pub per_token: u64,
    /// Requests without a token from one address, in a window.
    pub per_address: u64,
    /// The length of a window, in seconds.
    pub window_seconds: u64,
}

/// A format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line, for machines.
    Json,
}

/// The rule whether a request gets a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestLog {
    /// Unless the log goes to a terminal, where someone reads it.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// The origin of a value, in order of precedence: later ones win.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said otherwise.
    Default,
    /// The configuration file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
    /// A flag of the command line.
    LenientBool,
}

/// A configuration with where each value came from, for `assay config check`.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// The origin of each key's value, in the order of [`KEYS`].
    pub origins: Vec<(&'static Key, Origin)>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8460)),
            data: PathBuf::from("assay-data"),
            database: None,
            large_files: None,
            storage: StorageVariables::default(),
            public_url: None,
            tls_certificate: None,
            tls_key: None,
            allow_plain_http: false,
            trust_proxy: false,
            metrics: true,
            audit_days: 400,
            webhooks_private: false,
            log_format: LogFormat::Text,
            log_level: "info".to_owned(),
            log_requests: RequestLog::Auto,
            log_addresses: false,
            slow_page: Duration::from_millis(100),
            shutdown_seconds: 30,
            durability: Durability::default(),
            body_bytes: 8 << 20,
            answer_bytes: 256 << 20,
            connections: ConnectionLimits::default(),
            rates: Rates::default(),
            limits: Limits::default(),
            trust: TrustConfig::default(),
            lake: LakeConfig::default(),
            issuers: Vec::new(),
            witnesses: Vec::new(),
            issuer: IssuerConfig::default(),
            serves: Serves::default(),
        }
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            per_token: 60_000,
            per_address: 30_000,
            window_seconds: 300,
        }
    }
}

impl Config {
    /// Reads the file that is named by a flag or by `ASSAY_CONFIG`, then the environment, then the
    /// flags. Every fault is told, not only the first.
    pub fn load(file: Option<&Path>, flags: &[(&str, String)]) -> Result<Loaded, Vec<ConfigFault>> {
        let mut loaded = load_from(file, flags, &variable)?;
        loaded.config.storage = storage_variables();
        Ok(loaded)
    }

    /// Every reason why a server cannot start like this.
    pub fn check(&self) -> Vec<ConfigFault> {
        faults::of(self)
    }

    /// Returns the configuration of the hub itself.
    pub fn hub(&self) -> HubConfig {
        HubConfig {
            data: self.data.clone(),
            database: self.database.clone(),
            large_files: self.large_files.clone(),
            storage: self.storage.clone(),
            limits: self.limits,
            durability: self.durability,
            trust: TrustConfig {
                issuer: Some(self.issuer()),
                ..self.trust.clone()
            },
            shell_user: None,
        }
    }

    /// The name under which tokens are issued: the one that was given, else what clients call this
    /// hub.
    pub(crate) fn issuer(&self) -> String {
        let given = self.trust.issuer.clone();
        let public = || self.public_url.as_ref().map(ToString::to_string);
        let scheme = if self.has_tls() { "https" } else { "http" };
        given
            .or_else(public)
            .unwrap_or_else(|| format!("{scheme}://{}", self.listen))
    }

    /// Returns whether connections are encrypted by this server.
    pub fn has_tls(&self) -> bool {
        self.tls_certificate.is_some() && self.tls_key.is_some()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file `{}`", path.display()),
            Self::Environment(name) => write!(f, "variable `{name}`"),
            Self::LenientBool => f.write_str("flag"),
        }
    }
}

/// One value that someone gave.
struct Given {
    key: String,
    value: String,
    origin: Origin,
}

fn load_from(
    file: Option<&Path>,
    flags: &[(&str, String)],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Loaded, Vec<ConfigFault>> {
    let mut faults = Vec::new();
    let named = variable(FILE_VARIABLE).map(PathBuf::from);
    let text::FromFile {
        mut given,
        issuers,
        witnesses,
    } = match file.or(named.as_deref()) {
        Some(path) => text::read_file(path, &mut faults),
        None => text::FromFile::default(),
    };
    given.extend(KEYS.iter().filter_map(|key| {
        let name = key.variable();
        Some(Given {
            key: key.name.to_owned(),
            value: variable(&name)?,
            origin: Origin::Environment(name),
        })
    }));
    given.extend(flags.iter().map(|(key, value)| Given {
        key: (*key).to_owned(),
        value: value.clone(),
        origin: Origin::LenientBool,
    }));

    let mut loaded = apply(given, &mut faults);
    loaded.config.issuers = issuers;
    loaded.config.witnesses = witnesses;
    if faults.is_empty() {
        Ok(loaded)
    } else {
        Err(faults)
    }
}

/// Sets the values in the order they are given, so that later ones win.
fn apply(given: Vec<Given>, faults: &mut Vec<ConfigFault>) -> Loaded {
    let mut loaded = Loaded {
        config: Config::default(),
        origins: KEYS.iter().map(|key| (key, Origin::Default)).collect(),
    };
    for Given { key, value, origin } in given {
        let known = loaded.origins.iter_mut().find(|(own, _)| own.name == key);
        let Some((own, place)) = known else {
            faults.push(ConfigFault::new(&key, &origin, "there is no such key"));
            continue;
        };
        match (own.set)(&mut loaded.config, &value) {
            Ok(()) => *place = origin,
            Err(reason) => faults.push(ConfigFault::new(&key, &origin, &reason)),
        }
    }
    loaded
}

/// The variables that say how object storage is reached.
fn storage_variables() -> StorageVariables {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    StorageVariables::among(std::env::vars_os().filter_map(text))
}

/// A variable that is set, is text and is not blank.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place of the server that reads the environment"
)]
fn variable(name: &str) -> Option<String> {
    let text = std::env::var(name).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), text).unwrap();
        file
    }

    fn none(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn a_flag_outweighs_the_environment_and_that_the_file() {
        let file =
            file("listen = '127.0.0.1:1'\ndata = 'from-file'\n[limits]\nfile_bytes = '3 MiB'\n");
        let environment = |name: &str| match name {
            "ASSAY_LISTEN" => Some("127.0.0.1:2".to_owned()),
            "ASSAY_LIMITS_COMMIT_FILES" => Some("12".to_owned()),
            _ => None,
        };
        let flags = [("listen", "127.0.0.1:3".to_owned())];

        let loaded = load_from(Some(file.path()), &flags, &environment).unwrap();

        assert_eq!(loaded.config.listen.port(), 3);
        assert_eq!(loaded.config.data, Path::new("from-file"));
        assert_eq!(loaded.config.limits.file_bytes, 3 << 20);
        assert_eq!(loaded.config.limits.commit_files, 12);
        let origin = |name: &str| {
            let found = loaded.origins.iter().find(|(key, _)| key.name == name);
            found.map(|(_, origin)| origin.to_string())
        };
        assert_eq!(origin("listen").unwrap(), "flag");
        assert_eq!(
            origin("limits.commit_files").unwrap(),
            "variable `ASSAY_LIMITS_COMMIT_FILES`"
        );
        assert_eq!(origin("metrics").unwrap(), "default");
    }

    #[test]
    fn every_fault_is_told_with_its_key_and_origin() {
        let file = file("listne = 'x'\nmetrics = 'maybe'\n[limits]\nfile_bytes = -1\n");

        let faults = load_from(
            Some(file.path()),
            &[("listen", "nowhere".to_owned())],
            &none,
        )
        .unwrap_err();

        let keys: Vec<&str> = faults.iter().map(|fault| fault.key.as_str()).collect();
        assert_eq!(keys, ["limits.file_bytes", "listne", "metrics", "listen"]);
        assert!(
            faults[1].to_string().contains("did you mean `listen`"),
            "{}",
            faults[1]
        );
        assert!(faults[3].to_string().contains("flag"), "{}", faults[3]);
    }

    #[test]
    fn a_file_that_is_no_toml_is_named_with_its_line() {
        let file = file("listen = \n");

        let faults = load_from(Some(file.path()), &[], &none).unwrap_err();

        assert_eq!(faults.len(), 1);
        assert!(faults[0].to_string().contains("line 1"), "{}", faults[0]);
    }

    #[test]
    fn what_is_shown_of_a_key_can_be_set_again() {
        let shown: Vec<(&Key, String)> = KEYS
            .iter()
            .map(|key| (key, (key.show)(&Config::default())))
            .collect();

        for (key, text) in shown {
            if !text.is_empty() {
                let mut config = Config::default();
                assert_eq!((key.set)(&mut config, &text), Ok(()), "{}", key.name);
                assert_eq!((key.show)(&config), text, "{}", key.name);
            }
        }
    }
}
