//! The `git` of a person, without anybody's configuration.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `git` in a directory, and stops the benchmark when it fails.
pub(crate) fn run(directory: &Path, arguments: &[&str]) {
    let output = command(directory)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// `git` in a directory.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmark measures the real git, as a person runs it"
)]
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", "Lab")
        .env("GIT_AUTHOR_EMAIL", "lab@users.noreply.invalid")
        .env("GIT_COMMITTER_NAME", "Lab")
        .env("GIT_COMMITTER_EMAIL", "lab@users.noreply.invalid");
    command
}

/// Writes files below a directory.
pub(crate) fn write(directory: &Path, files: &[(String, String)]) {
    for (path, text) in files {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}
