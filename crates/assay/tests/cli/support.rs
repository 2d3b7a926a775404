use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The path of a record in the datastore.
pub(crate) const RECORD: &str = "data/sums/acme/model-x/5eed0000-0000-4000-8000-000000000100.json";

/// A record that cannot be read past its third line, and so breaks one rule only: AY006.
pub(crate) const BROKEN: &str = "{\n  \"evaluation_id\": \"e\",\n  \"model_info\": oops\n}\n";

/// A directory to run the program in.
pub(crate) struct Workspace {
    directory: TempDir,
}

/// The outcome of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file and the directories it needs.
    pub(crate) fn with(self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, Stdio::null())
    }

    /// Runs the program with a text that comes through a pipe on standard input.
    pub(crate) fn run_on(&self, args: &[&str], input: impl AsRef<[u8]> + Sync) -> Run {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::thread::scope(|scope| {
            let input = &input;
            // A program that refuses to read closes the pipe, which is for the test to validate.
            scope.spawn(move || writer.write_all(input.as_ref()));
            self.run_with(args, reader.into())
        })
    }

    fn run_with(&self, args: &[&str], stdin: Stdio) -> Run {
        let output = self.command(args).stdin(stdin).output().unwrap();
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The program, in this directory, with nothing in its environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is no git command, and its environment is cleared here"
    )]
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(args).current_dir(self.path()).env_clear();
        command
    }
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The last line of standard output.
    pub(crate) fn summary(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
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

/// A record that breaks no rule where `RECORD` says.
pub(crate) fn record() -> Value {
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": "sums/acme_model-x/1760000000",
        "retrieved_timestamp": "1760000000",
        "source_metadata": {
            "source_type": "documentation",
            "source_organization_name": "Acme",
            "evaluator_relationship": "first_party",
        },
        "eval_library": { "name": "unknown", "version": "unknown" },
        "model_info": {
            "name": "Model X",
            "id": "acme/model-x",
            "inference_platform": "acme",
            "additional_details": {
                "deployment_type": "externally_managed",
                "model_availability": "closed_weights",
            },
        },
        "evaluation_results": [{
            "evaluation_result_id": "sums/accuracy",
            "evaluation_name": "sums",
            "source_data": {
                "dataset_name": "sums",
                "source_type": "url",
                "url": ["https://acme.example/sums"],
            },
            "metric_config": {
                "metric_id": "accuracy",
                "metric_name": "accuracy",
                "lower_is_better": false,
                "score_type": "continuous",
                "min_score": 0.0,
                "max_score": 1.0,
            },
            "score_details": { "score": 0.5 },
        }],
    })
}

pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap();
    text.push('\n');
    text
}

/// The record with a key that is nearly one of the schema: AY106, a warning that can be mended.
pub(crate) fn misspelt_record() -> String {
    pretty(&record()).replace(
        "\"source_type\": \"documentation\",",
        "\"source_nam\": \"a table\",\n    \"source_type\": \"documentation\",",
    )
}
