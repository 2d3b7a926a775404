use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use assay_app::Passphrase;

use super::{Config, LogFormat, RequestLog};
use crate::base_url::BaseUrl;

/// One thing that can be configured, under one name in the file, the environment and the flags.
#[derive(Debug)]
pub struct Key {
    /// The name in the file; dots are tables.
    pub name: &'static str,
    /// A description in a sentence.
    pub about: &'static str,
    /// Reads a value, or says why not.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
    /// The value as one would write it; empty when there is none.
    pub show: fn(&Config) -> String,
}

impl Key {
    /// The name in the environment.
    pub fn variable(&self) -> String {
        format!("ASSAY_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

/// Everything that can be configured.
pub const KEYS: &[Key] = &[
    Key {
        name: "listen",
        about: "address and port to listen on",
        set: |config, text| parse(text, "an address with a port", &mut config.listen),
        show: |config| config.listen.to_string(),
    },
    Key {
        name: "data",
        about: "directory of repositories and index",
        set: |config, text| {
            config.data = PathBuf::from(text);
            Ok(())
        },
        show: |config| config.data.display().to_string(),
    },
    Key {
        name: "database",
        about: "database of the hub: `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`; a file in the data directory when absent. The password is never shown",
        set: |config, text| {
            config.database = Some(text.parse().map_err(reason)?);
            Ok(())
        },
        show: |config| show(config.database.as_ref()),
    },
    Key {
        name: "large_files",
        about: "where large files are: `disk`, which is the data directory, or `s3://BUCKET/PREFIX`, which several servers can share; keys and endpoint are in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`",
        set: |config, text| {
            config.large_files = Some(text.parse()?);
            Ok(())
        },
        show: |config| show(config.large_files.as_ref()),
    },
    Key {
        name: "durability",
        about: "what an acknowledged change outlasts: `full`, a loss of power; `fast`, the death of the process",
        set: |config, text| {
            config.durability = text.parse().map_err(reason)?;
            Ok(())
        },
        show: |config| config.durability.to_string(),
    },
    Key {
        name: "public_url",
        about: "what clients call this hub, and what its tokens and logs are named after; needed on `0.0.0.0` and with `trust_proxy`",
        set: |config, text| {
            config.public_url = Some(text.parse().map_err(reason)?);
            Ok(())
        },
        show: |config| show(config.public_url.as_ref()),
    },
    Key {
        name: "tls.certificate",
        about: "certificate chain, in PEM",
        set: |config, text| {
            config.tls_certificate = Some(PathBuf::from(text));
            Ok(())
        },
        show: |config| show(config.tls_certificate.as_ref().map(|path| path.display())),
    },
    Key {
        name: "tls.key",
        about: "key of the certificate, in PEM",
        set: |config, text| {
            config.tls_key = Some(PathBuf::from(text));
            Ok(())
        },
        show: |config| show(config.tls_key.as_ref().map(|path| path.display())),
    },
    Key {
        name: "allow_plain_http",
        about: "answer other machines without TLS, as behind a proxy that has it",
        set: |config, text| parse(text, "`true` or `false`", &mut config.allow_plain_http),
        show: |config| config.allow_plain_http.to_string(),
    },
    Key {
        name: "trust_proxy",
        about: "believe `X-Forwarded-For` and `X-Forwarded-Proto`",
        set: |config, text| parse(text, "`true` or `false`", &mut config.trust_proxy),
        show: |config| config.trust_proxy.to_string(),
    },
    Key {
        name: "metrics",
        about: "answer `/metrics`",
        set: |config, text| parse(text, "`true` or `false`", &mut config.metrics),
        show: |config| config.metrics.to_string(),
    },
    Key {
        name: "audit.days",
        about: "days that rows of the audit log are kept; 0 for ever",
        set: |config, text| parse(text, "a number of days", &mut config.audit_days),
        show: |config| config.audit_days.to_string(),
    },
    Key {
        name: "webhooks.private",
        about: "let webhooks lead into private networks, such as this machine",
        set: |config, text| parse(text, "`true` or `false`", &mut config.webhooks_private),
        show: |config| config.webhooks_private.to_string(),
    },
    Key {
        name: "log.format",
        about: "`text` or `json`",
        set: |config, text| {
            config.log_format = match text {
                "text" => LogFormat::Text,
                "json" => LogFormat::Json,
                _ => return Err(format!("`{text}` is neither `text` nor `json`")),
            };
            Ok(())
        },
        show: |config| match config.log_format {
            LogFormat::Text => "text".to_owned(),
            LogFormat::Json => "json".to_owned(),
        },
    },
    Key {
        name: "log.level",
        about: "`error`, `warn`, `info`, `debug`, `trace`, or directives of a module each",
        set: |config, text| {
            crate::log::filter(text)?;
            text.clone_into(&mut config.log_level);
            Ok(())
        },
        show: |config| config.log_level.clone(),
    },
    Key {
        name: "log.requests",
        about: "a line for each request: `on`, `off`, or `auto`, which is off where the log goes to a terminal",
        set: |config, text| {
            config.log_requests = match text {
                "auto" => RequestLog::Auto,
                "on" => RequestLog::On,
                "off" => RequestLog::Off,
                _ => return Err(format!("`{text}` is none of `auto`, `on` and `off`")),
            };
            Ok(())
        },
        show: |config| match config.log_requests {
            RequestLog::Auto => "auto".to_owned(),
            RequestLog::On => "on".to_owned(),
            RequestLog::Off => "off".to_owned(),
        },
    },
    Key {
        name: "log.addresses",
        about: "name the address of each client in the request log",
        set: |config, text| parse(text, "`true` or `false`", &mut config.log_addresses),
        show: |config| config.log_addresses.to_string(),
    },
    Key {
        name: "shutdown_seconds",
        about: "how long requests in flight may take once the server was told to stop",
        set: |config, text| parse(text, "a number of seconds", &mut config.shutdown_seconds),
        show: |config| config.shutdown_seconds.to_string(),
    },
    Key {
        name: "trust.issuer",
        about: "name under which tokens are issued, an address; what clients call this hub when absent",
        set: |config, text| set_name(text, &mut config.trust.issuer),
        show: |config| config.trust.issuer.clone().unwrap_or_default(),
    },
    Key {
        name: "trust.audience",
        about: "name that tokens for this hub are addressed to; that of the issuer when absent",
        set: |config, text| set_name(text, &mut config.trust.audience),
        show: |config| config.trust.audience.clone().unwrap_or_default(),
    },
    Key {
        name: "trust.passphrase_file",
        about: "file with the passphrase that the signing keys are sealed with",
        set: |config, text| {
            config.trust.passphrase_file = Some(PathBuf::from(text));
            Ok(())
        },
        show: |config| {
            show(
                config
                    .trust
                    .passphrase_file
                    .as_ref()
                    .map(|path| path.display()),
            )
        },
    },
    Key {
        name: "trust.passphrase",
        about: "the passphrase itself, best given by the environment; it is never shown",
        set: |config, text| {
            config.trust.passphrase = Some(Passphrase(text.to_owned()));
            Ok(())
        },
        show: |_| String::new(),
    },
    Key {
        name: "issuer.policy",
        about: "file that says who is given tokens and for what; nobody is without one",
        set: |config, text| {
            config.issuer.policy = Some(PathBuf::from(text));
            Ok(())
        },
        show: |config| show(config.issuer.policy.as_ref().map(|path| path.display())),
    },
    Key {
        name: "issuer.hub",
        about: "address of the hub whose benchmarks tokens are issued for; this one when absent",
        set: |config, text| {
            config.issuer.hub = Some(text.parse().map_err(reason)?);
            Ok(())
        },
        show: |config| show(config.issuer.hub.as_ref()),
    },
    Key {
        name: "issuer.allow_loopback",
        about: "fetch key sets and benchmarks from this machine too, without TLS; for tests",
        set: |config, text| parse(text, "`true` or `false`", &mut config.issuer.allow_loopback),
        show: |config| config.issuer.allow_loopback.to_string(),
    },
    Key {
        name: "lake.directory",
        about: "directory of the lake that is asked about samples; `assay-lake` is started for it",
        set: |config, text| set_path(text, &mut config.lake.directory),
        show: |config| show_path(config.lake.directory.as_ref()),
    },
    Key {
        name: "lake.socket",
        about: "socket on which an `assay-lake` answers that somebody else has started",
        set: |config, text| set_path(text, &mut config.lake.socket),
        show: |config| show_path(config.lake.socket.as_ref()),
    },
    Key {
        name: "lake.program",
        about: "the program `assay-lake`; the one beside `assay`, else one on the PATH, when absent",
        set: |config, text| set_path(text, &mut config.lake.program),
        show: |config| show_path(config.lake.program.as_ref()),
    },
    Key {
        name: "lake.cluster",
        about: "executors of the cluster that answers about samples, `http://HOST:PORT,...`, for the `assay-lake` that is started",
        set: |config, text| {
            config.lake.cluster = Some(text.to_owned());
            Ok(())
        },
        show: |config| show(config.lake.cluster.as_ref()),
    },
    Key {
        name: "lake.memory",
        about: "memory that all questions to the lake together may take, for the `assay-lake` that is started",
        set: |config, text| set_bytes(text, &mut config.lake.memory),
        show: |config| config.lake.memory.to_string(),
    },
    Key {
        name: "limits.body_bytes",
        about: "largest body of an ordinary request",
        set: |config, text| {
            config.body_bytes = usize::try_from(bytes(text)?).map_err(reason)?;
            Ok(())
        },
        show: |config| config.body_bytes.to_string(),
    },
    Key {
        name: "limits.answer_bytes",
        about: "bytes of answers that wait in memory for their clients, all together",
        set: |config, text| set_bytes(text, &mut config.answer_bytes),
        show: |config| config.answer_bytes.to_string(),
    },
    Key {
        name: "limits.connections",
        about: "connections at once; never more than three quarters of the descriptors that the process may have",
        set: |config, text| {
            parse(
                text,
                "a number of connections",
                &mut config.connections.total,
            )
        },
        show: |config| config.connections.total.to_string(),
    },
    Key {
        name: "limits.connections_per_address",
        about: "connections at once from one address; 0 is no limit, and behind a trusted proxy there is none",
        set: |config, text| {
            parse(
                text,
                "a number of connections",
                &mut config.connections.per_address,
            )
        },
        show: |config| config.connections.per_address.to_string(),
    },
    Key {
        name: "limits.header_seconds",
        about: "time for the headers of a request, and for a TLS handshake",
        set: |config, text| set_seconds(text, &mut config.connections.header_time),
        show: |config| config.connections.header_time.as_secs().to_string(),
    },
    Key {
        name: "limits.idle_seconds",
        about: "time that a connection may stay open between two requests",
        set: |config, text| set_seconds(text, &mut config.connections.idle_time),
        show: |config| config.connections.idle_time.as_secs().to_string(),
    },
    Key {
        name: "limits.stall_seconds",
        about: "time that a client may be waited for while it sends or reads less than `limits.least_rate`",
        set: |config, text| set_seconds(text, &mut config.connections.stall_time),
        show: |config| config.connections.stall_time.as_secs().to_string(),
    },
    Key {
        name: "limits.least_rate",
        about: "bytes a second that a client must send or read while it is waited for",
        set: |config, text| set_bytes(text, &mut config.connections.least_rate),
        show: |config| config.connections.least_rate.to_string(),
    },
    Key {
        name: "limits.git_processes",
        about: "fetches at once, and as many pushes",
        set: |config, text| {
            parse(
                text,
                "a number of processes",
                &mut config.limits.git_processes,
            )?;
            match config.limits.git_processes {
                0 => Err("at least one process has to run".to_owned()),
                _ => Ok(()),
            }
        },
        show: |config| config.limits.git_processes.to_string(),
    },
    Key {
        name: "limits.git_seconds",
        about: "time that git may take for a fetch or a push, not counting the time in which it waits for the client",
        set: |config, text| set_seconds(text, &mut config.limits.git_time),
        show: |config| config.limits.git_time.as_secs().to_string(),
    },
    Key {
        name: "limits.streamed_bytes",
        about: "disk space for files out of git that are being sent",
        set: |config, text| set_bytes(text, &mut config.limits.streamed_bytes),
        show: |config| config.limits.streamed_bytes.to_string(),
    },
    Key {
        name: "limits.requests_per_token",
        about: "requests with one token in a window; 0 is no limit",
        set: |config, text| parse(text, "a number of requests", &mut config.rates.per_token),
        show: |config| config.rates.per_token.to_string(),
    },
    Key {
        name: "limits.requests_per_address",
        about: "requests without a token from one address in a window; 0 is no limit",
        set: |config, text| parse(text, "a number of requests", &mut config.rates.per_address),
        show: |config| config.rates.per_address.to_string(),
    },
    Key {
        name: "limits.window_seconds",
        about: "how long a window is",
        set: |config, text| {
            parse(
                text,
                "a number of seconds",
                &mut config.rates.window_seconds,
            )?;
            match config.rates.window_seconds {
                0 => Err("a window has at least one second".to_owned()),
                _ => Ok(()),
            }
        },
        show: |config| config.rates.window_seconds.to_string(),
    },
    Key {
        name: "limits.file_bytes",
        about: "largest file kept in git itself",
        set: |config, text| set_bytes(text, &mut config.limits.file_bytes),
        show: |config| config.limits.file_bytes.to_string(),
    },
    Key {
        name: "limits.large_file_bytes",
        about: "largest file kept beside git",
        set: |config, text| set_bytes(text, &mut config.limits.large_file_bytes),
        show: |config| config.limits.large_file_bytes.to_string(),
    },
    Key {
        name: "limits.commit_bytes",
        about: "largest commit through the API, all files together",
        set: |config, text| set_bytes(text, &mut config.limits.commit_bytes),
        show: |config| config.limits.commit_bytes.to_string(),
    },
    Key {
        name: "limits.pack_bytes",
        about: "largest pack of a push",
        set: |config, text| set_bytes(text, &mut config.limits.pack_bytes),
        show: |config| config.limits.pack_bytes.to_string(),
    },
    Key {
        name: "limits.unpacked_bytes",
        about: "largest push when its objects are unpacked",
        set: |config, text| set_bytes(text, &mut config.limits.unpacked_bytes),
        show: |config| config.limits.unpacked_bytes.to_string(),
    },
    Key {
        name: "limits.push_objects",
        about: "most objects in one push",
        set: |config, text| parse(text, "a number of objects", &mut config.limits.push_objects),
        show: |config| config.limits.push_objects.to_string(),
    },
    Key {
        name: "limits.pushes_at_once",
        about: "most pushes of one account that are received at once",
        set: |config, text| {
            parse(
                text,
                "a number of pushes",
                &mut config.limits.pushes_at_once,
            )
        },
        show: |config| config.limits.pushes_at_once.to_string(),
    },
    Key {
        name: "limits.commit_files",
        about: "most files in one commit",
        set: |config, text| parse(text, "a number of files", &mut config.limits.commit_files),
        show: |config| config.limits.commit_files.to_string(),
    },
    Key {
        name: "limits.push_commits",
        about: "most new commits in one push",
        set: |config, text| parse(text, "a number of commits", &mut config.limits.push_commits),
        show: |config| config.limits.push_commits.to_string(),
    },
    Key {
        name: "limits.path_bytes",
        about: "longest path of a file; never more than 1024",
        set: |config, text| parse(text, "a number of bytes", &mut config.limits.path_bytes),
        show: |config| config.limits.path_bytes.to_string(),
    },
    Key {
        name: "limits.repositories",
        about: "most repositories of one account",
        set: |config, text| {
            parse(
                text,
                "a number of repositories",
                &mut config.limits.repositories,
            )
        },
        show: |config| config.limits.repositories.to_string(),
    },
    Key {
        name: "limits.organizations",
        about: "most organisations that one user makes; operators make as many as they like",
        set: |config, text| {
            parse(
                text,
                "a number of organisations",
                &mut config.limits.organizations,
            )
        },
        show: |config| config.limits.organizations.to_string(),
    },
    Key {
        name: "organizations.create",
        about: "who makes organisations: `users` or `operators`",
        set: |config, text| {
            config.limits.founders = text.parse()?;
            Ok(())
        },
        show: |config| config.limits.founders.as_str().to_owned(),
    },
    Key {
        name: "limits.validated_bytes",
        about: "largest result file, definition or record that is validated",
        set: |config, text| set_bytes(text, &mut config.limits.validated_bytes),
        show: |config| config.limits.validated_bytes.to_string(),
    },
    Key {
        name: "limits.repository_bytes",
        about: "most bytes of one repository, git objects and large files together; 0 is no limit",
        set: |config, text| set_bytes(text, &mut config.limits.repository_bytes),
        show: |config| config.limits.repository_bytes.to_string(),
    },
    Key {
        name: "limits.repository_objects",
        about: "most git objects of one repository; 0 is no limit",
        set: |config, text| parse(text, "a number", &mut config.limits.repository_objects),
        show: |config| config.limits.repository_objects.to_string(),
    },
    Key {
        name: "limits.account_bytes",
        about: "most bytes of all repositories of one account; 0 is no limit",
        set: |config, text| set_bytes(text, &mut config.limits.account_bytes),
        show: |config| config.limits.account_bytes.to_string(),
    },
    Key {
        name: "limits.waiting_bytes",
        about: "most bytes of one account's uploads that no commit names yet; 0 is no limit",
        set: |config, text| set_bytes(text, &mut config.limits.waiting_bytes),
        show: |config| config.limits.waiting_bytes.to_string(),
    },
    Key {
        name: "limits.stranger_file_bytes",
        about: "largest large file from accounts that may not write to the repository",
        set: |config, text| set_bytes(text, &mut config.limits.stranger_file_bytes),
        show: |config| config.limits.stranger_file_bytes.to_string(),
    },
    Key {
        name: "limits.stranger_waiting_bytes",
        about: "most bytes of waiting uploads from an account that may not write to the repository; 0 is no limit",
        set: |config, text| set_bytes(text, &mut config.limits.stranger_waiting_bytes),
        show: |config| config.limits.stranger_waiting_bytes.to_string(),
    },
    Key {
        name: "limits.open_pulls",
        about: "most open pull requests of one account in one repository; 0 is no limit",
        set: |config, text| parse(text, "a number", &mut config.limits.open_pulls),
        show: |config| config.limits.open_pulls.to_string(),
    },
    Key {
        name: "limits.writes_per_minute",
        about: "most writes of one account in a minute; 0 is no limit",
        set: |config, text| parse(text, "a number", &mut config.limits.writes_per_minute),
        show: |config| config.limits.writes_per_minute.to_string(),
    },
    Key {
        name: "limits.free_bytes",
        about: "free space of the disk below which `/readyz` says that the hub is not ready",
        set: |config, text| set_bytes(text, &mut config.limits.free_bytes),
        show: |config| config.limits.free_bytes.to_string(),
    },
];

fn parse<T: FromStr>(text: &str, what: &str, place: &mut T) -> Result<(), String> {
    *place = text
        .parse()
        .map_err(|_| format!("`{text}` is not {what}"))?;
    Ok(())
}

/// The name of an issuer or a hub: an address without anything that two readers could write in two
/// ways.
fn set_name(text: &str, place: &mut Option<String>) -> Result<(), String> {
    let url: BaseUrl = text.parse().map_err(reason)?;
    *place = Some(url.to_string());
    Ok(())
}

fn set_bytes(text: &str, place: &mut u64) -> Result<(), String> {
    *place = bytes(text)?;
    Ok(())
}

fn set_seconds(text: &str, place: &mut Duration) -> Result<(), String> {
    let mut seconds = 0;
    parse(text, "a number of seconds", &mut seconds)?;
    if seconds == 0 {
        return Err("it takes at least a second".to_owned());
    }
    *place = Duration::from_secs(seconds);
    Ok(())
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "setting anything else can fail, and all are called alike"
)]
fn set_path(text: &str, place: &mut Option<PathBuf>) -> Result<(), String> {
    *place = Some(PathBuf::from(text));
    Ok(())
}

fn show_path(path: Option<&PathBuf>) -> String {
    show(path.map(|path| path.display()))
}

/// A size: `1048576`, `1 MiB`, `1MiB`.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].trim() {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return Err(not_bytes(text)),
    };
    let count: u64 = digits.parse().map_err(|_| not_bytes(text))?;
    count.checked_mul(1 << shift).ok_or_else(|| not_bytes(text))
}

fn not_bytes(text: &str) -> String {
    format!("`{text}` is not a size such as `1048576` or `1 MiB`")
}

fn reason(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn show(value: Option<impl std::fmt::Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_a_unit() {
        assert_eq!(bytes("1048576"), Ok(1 << 20));
        assert_eq!(bytes("100 MiB"), Ok(100 << 20));
        assert_eq!(bytes("2GiB"), Ok(2 << 30));
        for text in ["", "MiB", "-1", "1 MB", "1.5 GiB", "99999999 TiB"] {
            assert!(bytes(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_are_unique_and_so_are_variables() {
        let mut names: Vec<String> = KEYS.iter().map(Key::variable).collect();
        names.sort();
        let count = names.len();
        names.dedup();

        assert_eq!(names.len(), count);
    }
}
