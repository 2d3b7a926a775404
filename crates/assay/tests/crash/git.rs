use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Someone's clone of a repository, with real `git`.
pub(crate) struct Clone {
    directory: PathBuf,
}

impl Clone {
    pub(crate) fn of(url: &str, directory: PathBuf) -> Self {
        let cloned = command(Path::new("."))
            .args(["clone", "--quiet", url])
            .arg(&directory)
            .output()
            .unwrap();
        assert!(cloned.status.success(), "{}", said(&cloned));
        Self { directory }
    }

    /// Writes a file and commits it; the answer is the commit.
    pub(crate) fn commit(&self, path: &str, text: &str) -> String {
        let file = self.directory.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self.good(&["add", "--all"]);
        self.good(&["commit", "--quiet", "--allow-empty", "--message", path]);
        self.good(&["rev-parse", "HEAD"])
    }

    pub(crate) fn push(&self, url: &str, refspec: &str) -> Output {
        self.run(&["push", url, refspec])
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        run(&self.directory, args)
    }

    #[track_caller]
    pub(crate) fn good(&self, args: &[&str]) -> String {
        good(&self.directory, args)
    }
}

/// Returns the output of a `git` that must succeed.
#[track_caller]
pub(crate) fn good(directory: &Path, args: &[&str]) -> String {
    let done = run(directory, args);
    assert!(done.status.success(), "git {args:?}: {}", said(&done));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Runs `git` and waits.
pub(crate) fn run(directory: &Path, args: &[&str]) -> Output {
    command(directory).args(args).output().unwrap()
}

/// Returns the message to the person.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// `git` without anybody's settings.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the client, not the hub, and its environment is cleared here"
)]
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "safe.directory=*", "-c", "init.defaultBranch=main"])
        // Of thousands of commits in one clone, git would pack some in the background and hold its
        // locks.
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
        .current_dir(directory)
        .stdin(Stdio::null());
    command
}
