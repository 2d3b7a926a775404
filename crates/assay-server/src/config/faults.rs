use std::fmt;
use std::path::Path;

use super::{Config, KEYS, LakeConfig, Origin};

/// The longest path that every system can bind a socket to, in bytes.
const MAX_SOCKET: usize = 100;

/// A fault of a configuration, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// The key.
    pub key: String,
    /// The origin of the value; none when several keys together are at fault.
    pub origin: Option<Origin>,
    /// The reason why it cannot be so.
    pub reason: String,
}

impl ConfigFault {
    pub(super) fn new(key: &str, origin: &Origin, reason: &str) -> Self {
        let help = match nearest(key) {
            Some(near) if !is_known(key) => format!("; did you mean `{near}`?"),
            _ => String::new(),
        };
        Self {
            key: key.to_owned(),
            origin: Some(origin.clone()),
            reason: format!("{reason}{help}"),
        }
    }

    fn together(key: &str, reason: impl Into<String>) -> Self {
        Self {
            key: key.to_owned(),
            origin: None,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.key)?;
        if let Some(origin) = &self.origin {
            write!(f, " ({origin})")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// Returns the reason why a policy file cannot be used.
fn bad_policy(file: &Path) -> Option<ConfigFault> {
    let fault = assay_app::issuer::check_policy(file).err()?;
    Some(ConfigFault::together("issuer.policy", fault))
}

/// Every reason why a server cannot start with these values together.
pub(super) fn of(config: &Config) -> Vec<ConfigFault> {
    let mut faults = Vec::new();
    faults.extend(config.issuer.policy.as_deref().and_then(bad_policy));
    match (&config.tls_certificate, &config.tls_key) {
        (Some(_), None) => faults.push(ConfigFault::together(
            "tls.key",
            "a certificate needs its key",
        )),
        (None, Some(_)) => faults.push(ConfigFault::together(
            "tls.certificate",
            "a key needs its certificate",
        )),
        (Some(certificate), Some(key)) => {
            faults.extend(unreadable("tls.certificate", certificate));
            faults.extend(unreadable("tls.key", key));
            if faults.is_empty()
                && let Err(error) = crate::tls::Certificate::open(certificate, key)
            {
                faults.push(ConfigFault::together("tls.certificate", error.to_string()));
            }
        }
        (None, None) => {}
    }
    if !config.has_tls() && !config.listen.ip().is_loopback() && !config.allow_plain_http {
        faults.push(ConfigFault::together(
            "listen",
            format!(
                "`{}` is reached by other machines and there is no TLS; give `tls.certificate` and `tls.key`, or set \
                 `allow_plain_http` when a proxy has them",
                config.listen
            ),
        ));
    }
    faults.extend(no_name(config));
    faults.extend(data_directory(&config.data));
    faults.extend(large_files(config));
    faults.extend(limits(config));
    faults.extend(itself(config));
    faults.extend(lake(config));
    faults
}

/// A hub that listens on every address, or behind a proxy, has no name that others could call it
/// by. Tokens and logs get theirs from it for good, so it is asked for before the first start.
fn no_name(config: &Config) -> Option<ConfigFault> {
    let is_named = config.public_url.is_some() || config.trust.issuer.is_some();
    let reason = if config.listen.ip().is_unspecified() {
        "`listen` names every address of this machine and no name"
    } else if config.trust_proxy {
        "a proxy is in front of this hub"
    } else {
        return None;
    };
    (!is_named).then(|| {
        ConfigFault::together(
            "public_url",
            format!(
                "{reason}; say what clients call this hub: `--set public_url=https://hub.example`, \
                 `ASSAY_PUBLIC_URL`, or `public_url` in the configuration file. Signed tokens and logs carry that \
                 name for good; a hub that has run without it keeps its name with `--set trust.issuer={}`",
                config.issuer()
            ),
        )
    })
}

/// A data directory must be one, or be makeable.
fn data_directory(path: &Path) -> Option<ConfigFault> {
    let existing = path
        .ancestors()
        .find(|part| part.as_os_str().is_empty() || part.exists())?;
    if existing.as_os_str().is_empty() || existing.is_dir() {
        return None;
    }
    let reason = format!("`{}` is not a directory", existing.display());
    Some(ConfigFault::together("data", reason))
}

/// The address of a bucket, and what the variables say of it, must make sense. Nothing is asked of
/// the storage.
fn large_files(config: &Config) -> Option<ConfigFault> {
    let place = config.large_files.as_ref()?;
    let reason = place.check(&config.storage).err()?.to_string();
    Some(ConfigFault::together("large_files", reason))
}

/// Limits that contradict each other would refuse what another one allows.
fn limits(config: &Config) -> Option<ConfigFault> {
    let limits = &config.limits;
    (limits.file_bytes > limits.commit_bytes).then(|| {
        ConfigFault::together(
            "limits.file_bytes",
            "a file may not be larger than `limits.commit_bytes`",
        )
    })
}

/// The own issuer is trusted on terms of its own, and its keys are not in a file.
fn itself(config: &Config) -> Option<ConfigFault> {
    let own = config.issuer();
    let is_named = config.issuers.iter().any(|new| new.issuer == own);
    let reason = || format!("`{own}` is this hub itself, which it trusts already");
    is_named.then(|| ConfigFault::together("trust.issuers", reason()))
}

/// Returns the fault of the lake: its directory must be clear, and the system must be able to name
/// its socket.
fn lake(config: &Config) -> Option<ConfigFault> {
    let LakeConfig {
        directory,
        socket,
        cluster,
        ..
    } = &config.lake;
    if directory.is_some() && socket.is_some() {
        return Some(ConfigFault::together(
            "lake.socket",
            "an `assay-lake` is either started for `lake.directory` or asked at a socket, not both",
        ));
    }
    if cluster.is_some() && directory.is_none() {
        return Some(ConfigFault::together(
            "lake.cluster",
            "no `assay-lake` is started that could ask it; name its lake with `lake.directory`, or give the one at \
             `lake.socket` its own `--cluster`",
        ));
    }
    if config.lake.memory < LakeConfig::LEAST_MEMORY {
        let reason = format!(
            "questions cannot be answered with less than {} bytes",
            LakeConfig::LEAST_MEMORY
        );
        return Some(ConfigFault::together("lake.memory", reason));
    }
    let path = crate::lake::socket_of(config)?;
    (path.as_os_str().len() > MAX_SOCKET).then(|| {
        let reason = format!(
            "the path of a socket has at most {MAX_SOCKET} bytes, which `{}` exceeds; start `assay lake serve` with a \
             shorter one and name that",
            path.display()
        );
        ConfigFault::together("lake.socket", reason)
    })
}

fn unreadable(key: &str, path: &Path) -> Option<ConfigFault> {
    let error = fs_err::File::open(path).err()?;
    Some(ConfigFault::together(key, error.to_string()))
}

fn is_known(name: &str) -> bool {
    name == "config" || KEYS.iter().any(|key| key.name == name)
}

/// The key that shares most letters at the same place, when most are shared: enough to catch a slip
/// of the hand.
fn nearest(name: &str) -> Option<&'static str> {
    let near = |key: &&str| {
        let longest = key.len().max(name.len());
        distance(key, name) * 3 <= longest
    };
    KEYS.iter()
        .map(|key| key.name)
        .filter(near)
        .min_by_key(|key| distance(key, name))
}

/// Returns the number of letters that have to be added, removed or replaced to get from one name to
/// another.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, left) in from.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = line + 1;
        for (column, right) in to.bytes().enumerate() {
            let replaced = corner + usize::from(left != right);
            corner = row[column + 1];
            row[column + 1] = replaced.min(corner + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(config: &Config) -> Vec<String> {
        of(config).into_iter().map(|fault| fault.key).collect()
    }

    #[test]
    fn the_defaults_have_no_fault() {
        assert_eq!(keys(&Config::default()), Vec::<String>::new());
    }

    #[test]
    fn without_tls_only_this_machine_is_answered() {
        let mut config = Config {
            listen: ([0, 0, 0, 0], 80).into(),
            ..Config::default()
        };

        assert_eq!(keys(&config), ["listen", "public_url"]);

        config.allow_plain_http = true;
        config.public_url = Some("https://hub.example".parse().unwrap());
        assert_eq!(keys(&config), Vec::<String>::new());
    }

    #[test]
    fn a_hub_that_others_reach_by_another_address_is_named() {
        let mut config = Config {
            trust_proxy: true,
            ..Config::default()
        };

        let faults = of(&config);

        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].key, "public_url");
        let reason = &faults[0].reason;
        assert!(
            reason.contains("--set public_url=https://hub.example"),
            "{reason}"
        );
        assert!(
            reason.contains("--set trust.issuer=http://127.0.0.1:8460"),
            "{reason}"
        );

        config.trust.issuer = Some("http://127.0.0.1:8460".to_owned());
        assert_eq!(keys(&config), Vec::<String>::new());
    }

    #[test]
    fn a_certificate_and_its_key_come_together_and_can_be_read() {
        let half = Config {
            tls_certificate: Some("cert.pem".into()),
            ..Config::default()
        };
        let absent = Config {
            tls_key: Some("/nowhere/key.pem".into()),
            ..half.clone()
        };

        assert_eq!(keys(&half), ["tls.key"]);
        assert_eq!(keys(&absent), ["tls.certificate", "tls.key"]);
    }

    #[test]
    fn a_data_directory_that_is_a_file_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let config = Config {
            data: file.path().join("data"),
            ..Config::default()
        };

        assert_eq!(keys(&config), ["data"]);
    }
}
