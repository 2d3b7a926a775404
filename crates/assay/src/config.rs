//! The environment of the process. Nothing else reads it.

#[cfg(feature = "client")]
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::num::NonZero;
#[cfg(feature = "client")]
use std::path::PathBuf;

use crate::args::Color;
#[cfg(feature = "client")]
use crate::issuer::IssuerSettings;

/// The width of output that does not go to a terminal: wide enough that no excerpt is cut a second
/// time.
const WIDTH_OF_A_FILE: usize = 240;
/// The narrowest terminal that excerpts are fitted to.
const MIN_WIDTH: usize = 60;

/// A token for a hub, and the variable that has it.
#[cfg(feature = "client")]
#[derive(Debug, Clone)]
pub(crate) struct EnvironmentToken {
    pub(crate) variable: &'static str,
    pub(crate) secret: String,
}

/// The settings of the environment.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// True if `NO_COLOR` is set, or the terminal knows no colours.
    pub(crate) no_color: bool,
    /// The token for a hub, when there is one.
    #[cfg(feature = "client")]
    pub(crate) token: Option<EnvironmentToken>,
    /// The address of the hub to talk to, when none is named.
    #[cfg(feature = "client")]
    pub(crate) hub: Option<String>,
    /// The file that `assay hub login` keeps tokens in.
    #[cfg(feature = "client")]
    pub(crate) credentials: Option<PathBuf>,
    /// The directory of submissions that wait to be sent.
    #[cfg(feature = "client")]
    pub(crate) outbox: Option<PathBuf>,
    /// The directories that programs are searched in.
    #[cfg(feature = "client")]
    pub(crate) search_path: Option<OsString>,
    /// The settings of the issuer of tokens.
    #[cfg(feature = "client")]
    pub(crate) issuer: IssuerSettings,
    /// True if standard output is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// True if standard error is a terminal.
    pub(crate) stderr_is_terminal: bool,
    /// Number of columns output that may take.
    pub(crate) width: usize,
    /// Number of threads that this machine can run at once.
    pub(crate) cores: usize,
}

impl Config {
    /// Reads the environment.
    pub(crate) fn from_environment() -> Self {
        let stdout_is_terminal = std::io::stdout().is_terminal();
        Self {
            no_color: variable("NO_COLOR").is_some()
                || variable("TERM").is_some_and(|terminal| terminal == "dumb"),
            #[cfg(feature = "client")]
            token: token(),
            #[cfg(feature = "client")]
            hub: variable("ASSAY_HUB").or_else(|| variable("HF_ENDPOINT")),
            #[cfg(feature = "client")]
            credentials: credentials(),
            #[cfg(feature = "client")]
            outbox: outbox(),
            #[cfg(feature = "client")]
            search_path: std::env::var_os("PATH"),
            #[cfg(feature = "client")]
            issuer: IssuerSettings {
                address: variable("ASSAY_ISSUER"),
                credential: variable("ASSAY_CREDENTIAL"),
                client_id: variable("ASSAY_CLIENT_ID"),
                client_secret: variable("ASSAY_CLIENT_SECRET"),
                client_key: variable("ASSAY_CLIENT_KEY").map(PathBuf::from),
                id_token: variable("ASSAY_ID_TOKEN"),
                actions_url: variable("ACTIONS_ID_TOKEN_REQUEST_URL"),
                actions_token: variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
            },
            stdout_is_terminal,
            stderr_is_terminal: std::io::stderr().is_terminal(),
            width: if stdout_is_terminal {
                width_of_terminal()
            } else {
                WIDTH_OF_A_FILE
            },
            cores: std::thread::available_parallelism().map_or(1, NonZero::get),
        }
    }

    /// Returns the number of threads to that use: as many as were asked for, or one for each core.
    pub(crate) fn jobs(&self, asked: Option<u16>) -> usize {
        asked.map_or(self.cores, usize::from)
    }

    /// Returns whether progress is shown, which only a terminal can.
    pub(crate) fn shows_progress(&self, unwanted: bool) -> bool {
        self.stderr_is_terminal && !unwanted
    }

    /// Returns whether standard output gets colours.
    pub(crate) fn colors(&self, wish: Color) -> bool {
        self.choose(wish, self.stdout_is_terminal)
    }

    /// Returns whether standard error gets colours.
    pub(crate) fn error_colors(&self, wish: Color) -> bool {
        self.choose(wish, self.stderr_is_terminal)
    }

    fn choose(&self, wish: Color, is_terminal: bool) -> bool {
        match wish {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !self.no_color,
        }
    }
}

/// The place for what a person's programs keep about them.
#[cfg(feature = "client")]
fn credentials() -> Option<PathBuf> {
    let directory = variable("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(directory.join("assay").join("credentials.json"))
}

/// The directory of submissions that wait to be sent.
#[cfg(feature = "client")]
fn outbox() -> Option<PathBuf> {
    if let Some(directory) = variable("ASSAY_OUTBOX") {
        return Some(PathBuf::from(directory));
    }
    let directory = variable("XDG_STATE_HOME")
        .map(PathBuf::from)
        .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".local/state")))?;
    Some(directory.join("assay").join("outbox"))
}

/// The operating system user who runs this command, for the audit log; with `sudo`, also who called
/// it.
#[cfg(feature = "hub")]
pub(crate) fn shell_user() -> String {
    let user = whoami::username().unwrap_or_else(|_| "unknown".to_owned());
    match variable("SUDO_USER") {
        Some(caller) if caller != user => format!("{user} (sudo by {caller})"),
        Some(_) | None => user,
    }
}

fn width_of_terminal() -> usize {
    terminal_size::terminal_size().map_or(WIDTH_OF_A_FILE, |(width, _)| {
        usize::from(width.0).max(MIN_WIDTH)
    })
}

/// The token for hubs, and the variable that has it.
#[cfg(feature = "client")]
fn token() -> Option<EnvironmentToken> {
    let variables = ["ASSAY_TOKEN", "HF_TOKEN"];
    variables.into_iter().find_map(|name| {
        Some(EnvironmentToken {
            variable: name,
            secret: variable(name)?,
        })
    })
}

/// A variable that is set, is text and is not blank.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
fn variable(name: &str) -> Option<String> {
    let text = std::env::var(name).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(no_color: bool) -> Config {
        Config {
            no_color,
            #[cfg(feature = "client")]
            token: None,
            #[cfg(feature = "client")]
            hub: None,
            #[cfg(feature = "client")]
            credentials: None,
            #[cfg(feature = "client")]
            outbox: None,
            #[cfg(feature = "client")]
            search_path: None,
            #[cfg(feature = "client")]
            issuer: IssuerSettings::default(),
            stdout_is_terminal: true,
            stderr_is_terminal: false,
            width: 80,
            cores: 4,
        }
    }

    #[test]
    fn a_flag_outweighs_the_environment_and_the_terminal() {
        assert!(config(true).colors(Color::Always));
        assert!(!config(false).colors(Color::Never));
    }

    #[test]
    fn without_a_flag_colours_need_a_terminal_and_no_objection() {
        assert!(config(false).colors(Color::Auto));
        assert!(!config(true).colors(Color::Auto));
        assert!(!config(false).error_colors(Color::Auto));
    }
}
