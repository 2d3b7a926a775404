use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The benchmark that every test has.
pub(crate) const BENCHMARK: &str = "alice/Sums";
/// The model that every test has.
pub(crate) const MODEL: &str = "alice/model-x";
/// The path of the results of the benchmark.
pub(crate) const FILE: &str = ".eval_results/sums.yaml";
/// The definition of the benchmark.
pub(crate) const DEFINITION: &str = "\
name: Sums
description: Sums in words.
metrics:
  - id: accuracy
    display_name: Accuracy
    higher_is_better: true
    unit: percentage
    primary: true
  - id: f1
    display_name: F1
    higher_is_better: true
tasks:
  - id: sums
    config: default
    split: test
  - id: digits
    config: default
    split: test
";

/// The configuration file of a hub that has one.
pub(crate) const CONFIG: &str = "assay.toml";

/// The name of the issuer of a hub.
pub(crate) const ISSUER: &str = "https://hub.example";
/// The policy: one integration, by a token or as an OAuth client, for the results of one harness.
pub(crate) const POLICY: &str = "\
version = 1

[[integration]]
id = \"harness\"
frameworks = [{ name = \"lm-evaluation-harness\", versions = \">=0.4\" }]

  [[integration.identity]]
  kind = \"token\"
  name = \"lab\"

  [[integration.identity]]
  kind = \"oauth_client\"
  client_id = \"lab-client\"
  auth = \"client_secret\"

  [[integration.identity]]
  kind = \"oauth_client\"
  client_id = \"key-client\"
  auth = \"private_key_jwt\"

  [[integration.rule]]
  effect = \"allow\"
  benchmarks = [\"alice/*\"]
  models = [\"*/*\"]
";

/// A hub with a benchmark and a model of `alice`, and a `bob` who has neither. It is killed when
/// this is dropped.
pub(crate) struct Hub {
    directory: tempfile::TempDir,
    child: Child,
    settings: Vec<String>,
    pub(crate) url: String,
    pub(crate) alice: String,
    pub(crate) bob: String,
}

/// The outcome of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        write!(
            f,
            "exit code: {code}\n----- stdout -----\n{}----- stderr -----\n{}",
            self.stdout, self.stderr
        )
    }
}

impl Hub {
    /// A hub as it comes.
    pub(crate) fn start() -> Self {
        Self::start_with(tempfile::tempdir().unwrap(), &[])
    }

    /// A hub that signs for one integration, and what that one shows to be signed for: a personal
    /// token.
    pub(crate) fn with_issuer() -> (Self, String) {
        let hub = Self::with_policy(POLICY, &[]);
        let policy = hub.place().join("policy.toml");
        let secret = hub.credential("harness/lab", policy.to_str().unwrap());
        (hub, secret)
    }

    /// A hub that signs for the integration `harness` of a policy.
    pub(crate) fn with_policy(policy: &str, more: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("policy.toml");
        std::fs::write(&path, policy).unwrap();
        let path = path.to_str().unwrap().to_owned();
        let file = format!("issuer.policy={path}");
        let name = format!("trust.issuer={ISSUER}");
        let hub = Self::start_with(directory, &[&[file.as_str(), &name], more].concat());
        hub.operate(&["issuer", "integration", "add", "harness", "--policy", &path]);
        hub
    }

    /// A new credential of an identity.
    pub(crate) fn credential(&self, identity: &str, policy: &str) -> String {
        let made = self.operate(&[
            "issuer",
            "credential",
            "add",
            identity,
            "--policy",
            policy,
            "--format",
            "json",
        ]);
        made.json()["secret"].as_str().unwrap().to_owned()
    }

    /// A hub with settings, in a directory that may hold files for it.
    pub(crate) fn start_with(directory: tempfile::TempDir, settings: &[&str]) -> Self {
        let (child, url) = serve(directory.path(), settings);
        let mut hub = Self {
            directory,
            child,
            url,
            settings: settings.iter().map(|&one| one.to_owned()).collect(),
            alice: String::new(),
            bob: String::new(),
        };
        hub.alice = hub.person("alice");
        hub.bob = hub.person("bob");
        hub.fill();
        hub
    }

    /// Kills the hub, does something to what it left behind, and starts it again.
    pub(crate) fn restart_after(&mut self, change: impl FnOnce(&Path)) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
        change(&self.place().join("data"));
        let settings: Vec<&str> = self.settings.iter().map(String::as_str).collect();
        (self.child, self.url) = serve(self.place(), &settings);
    }

    /// Stops the hub, gives it another name as an operator does, and starts it under that name.
    pub(crate) fn rename(&mut self, url: &str) -> Run {
        let mut told = None;
        for setting in &mut self.settings {
            if setting.starts_with("trust.issuer=") {
                *setting = format!("trust.issuer={url}");
            }
        }
        let place = self.place().to_owned();
        self.restart_after(|data| {
            let data = data.to_str().unwrap();
            told = Some(alone(&place, &["trust", "rename", url, "--data", data]));
        });
        told.unwrap()
    }

    fn person(&self, name: &str) -> String {
        self.operate(&["admin", "user", "create", name]);
        let made = self.operate(&["admin", "token", "create", name, "--format", "json"]);
        made.json()["token"].as_str().unwrap().to_owned()
    }

    fn fill(&self) {
        for (name, kind) in [(BENCHMARK, "dataset"), (MODEL, "model")] {
            let made = self.run(
                &["hub", "repo", "create", name, "--type", kind],
                &self.alice,
            );
            assert_eq!(made.code, Some(0), "{made}");
        }
        self.commit("datasets", BENCHMARK, "eval.yaml", DEFINITION);
        self.commit("models", MODEL, "config.json", "{}");
    }

    /// Puts a file on the main branch, as its owner would.
    pub(crate) fn commit(&self, kind: &str, repo: &str, path: &str, text: &str) {
        use base64::Engine as _;
        let content = base64::engine::general_purpose::STANDARD.encode(text);
        let header =
            serde_json::json!({ "key": "header", "value": { "summary": "x", "description": "" } });
        let file = serde_json::json!({ "path": path, "content": content, "encoding": "base64" });
        let file = serde_json::json!({ "key": "file", "value": file });
        let answer = ureq::post(format!("{}/api/{kind}/{repo}/commit/main", self.url))
            .header("authorization", format!("Bearer {}", self.alice))
            .header("content-type", "application/x-ndjson")
            .send(format!("{header}\n{file}\n"));
        answer.unwrap();
    }

    /// Asks for a JSON document, as anybody may.
    pub(crate) fn get(&self, path: &str) -> Value {
        let mut answer = ureq::get(format!("{}{path}", self.url)).call().unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// Asks for a file, as anybody may.
    pub(crate) fn text(&self, path: &str) -> String {
        let mut answer = ureq::get(format!("{}{path}", self.url)).call().unwrap();
        answer.body_mut().read_to_string().unwrap()
    }

    /// The newest commit of a repository.
    pub(crate) fn commit_of(&self, kind: &str, repo: &str) -> String {
        let info = self.get(&format!("/api/{kind}/{repo}"));
        info["sha"].as_str().unwrap().to_owned()
    }

    /// A directory of the test.
    pub(crate) fn place(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file for the program to read.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.place().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Runs the program as someone, with this hub in its environment.
    pub(crate) fn run(&self, args: &[&str], token: &str) -> Run {
        self.run_with(args, &[("ASSAY_TOKEN", token)])
    }

    /// Runs the program with this hub and some variables in its environment, and nothing else.
    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = program(self.place(), args);
        command
            .env("ASSAY_HUB", &self.url)
            .env("HOME", self.place());
        for (name, value) in variables {
            command.env(name, value);
        }
        finished(&mut command)
    }

    /// Runs the program on the data directory, as the operator would.
    pub(crate) fn operate(&self, args: &[&str]) -> Run {
        let mut command = program(self.place(), args);
        let run = finished(command.arg("--data").arg(self.place().join("data")));
        assert_eq!(run.code, Some(0), "{run}");
        run
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a hub, with the configuration file that lies there, if one does.
fn serve(place: &Path, settings: &[&str]) -> (Child, String) {
    let command: &[&str] = if place.join(CONFIG).exists() {
        &["serve", "--config", CONFIG]
    } else {
        &["serve"]
    };
    spawn(place, command, "data", settings)
}

/// Starts a server with settings and its own data directory, and waits until it says where it is.
pub(crate) fn spawn(
    place: &Path,
    command: &[&str],
    data: &str,
    settings: &[&str],
) -> (Child, String) {
    let log_file = place.join(format!("{data}.log"));
    let mut server = program(place, command);
    server.args(["--listen", "127.0.0.1:0", "--data"]);
    server.arg(place.join(data));
    for setting in settings {
        server.args(["--set", setting]);
    }
    let mut child = server
        .stdout(Stdio::piped())
        .stderr(File::create(&log_file).unwrap())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_else(|| {
        let log = std::fs::read_to_string(&log_file);
        panic!("the server did not start:\n{}", log.unwrap_or_default());
    });
    let (_, url) = first.split_once(" is at ").unwrap();
    let url = url.to_owned();
    std::thread::spawn(move || lines.for_each(drop));
    (child, url)
}

/// Runs the program where there is no hub.
pub(crate) fn alone(place: &Path, args: &[&str]) -> Run {
    finished(&mut program(place, args))
}

/// The same with some variables in its environment.
pub(crate) fn alone_with(place: &Path, args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = program(place, args);
    for (name, value) in variables {
        command.env(name, value);
    }
    finished(&mut command)
}

fn finished(command: &mut Command) -> Run {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program under test is no git command, and its environment is cleared here"
)]
fn program(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(args).current_dir(place).env_clear();
    // The hub runs `git`.
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}
