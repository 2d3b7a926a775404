use std::path::PathBuf;

use assay_convert::entry::MetricPair;
use assay_model::{RepoId, TaskId};
use clap::Args;

use crate::args::ShowFormat;
use crate::commands::convert::{AUTO, Source, harnesses};

/// Bring the results of a run to a hub, as a pull request with signed entries
#[derive(Debug, Args)]
#[command(
    long_about = "\
Bring the results of a run to a hub: from a harness log, an Every Eval Ever record or a result file to an open pull request.

Scores are mapped to the metrics of the benchmark as its eval.yaml defines them at the commit that is recorded. Commits of \
the benchmark and of the model that neither log nor file tells are those of their main branches now. Every entry is signed \
by the issuer when there is a credential for it; without one it is sent unsigned, and stays unverified. What is on the hub \
already, merged or in an open pull request, is not sent again.",
    after_help = "\
Examples:
  assay submit logs/run.eval --benchmark acme/sums --task words --model acme/model-x
  assay submit results.json --benchmark acme/sums --task words --model acme/model-x --metric acc_norm=accuracy
  assay submit .eval_results/sums.yaml --model acme/model-x
  assay submit logs/run.eval --benchmark acme/sums --task words --model acme/model-x --dry-run

Exit codes:
  0  there is a pull request, or nothing to do
  1  refused: by the rules, by the issuer or by the hub
  2  sent with a token, and the hub does not call it verified
  3  wrong usage, or something could not be read or reached"
)]
pub(crate) struct SubmitArgs {
    /// Result files, Every Eval Ever records, or harness logs
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) signing: SigningArgs,

    /// Send entries unsigned, whatever credential there is
    #[arg(long, conflicts_with_all = ["issuer", "credential"])]
    pub(crate) no_token: bool,

    /// The title of the pull request
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Print what would be sent, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Format of the account
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// Facts that logs and records do not have.
#[derive(Debug, Args)]
#[command(next_help_heading = "Logs and records")]
pub(crate) struct LogArgs {
    /// The harness that wrote the logs; `auto` tells it from each log
    #[arg(long, value_name = "HARNESS", default_value = AUTO, value_parser = harnesses())]
    pub(crate) from: Source,

    /// A metric or result of the log, and the metric of the benchmark that it is
    #[arg(long, value_name = "FROM=TO")]
    pub(crate) metric: Vec<MetricPair>,

    /// Name of the evaluation in the log, when a log has several
    #[arg(long, value_name = "NAME")]
    pub(crate) evaluation: Option<String>,

    /// The name of the framework [default: that of the harness]
    #[arg(long, value_name = "NAME")]
    pub(crate) framework: Option<String>,

    /// The version of the framework, whatever the log says
    #[arg(long, value_name = "VERSION")]
    pub(crate) framework_version: Option<String>,

    /// Submit a run that was cancelled, failed or lost samples; the entry says so
    #[arg(long)]
    pub(crate) allow_incomplete: bool,

    /// The command line that ran the evaluation
    #[arg(long, value_name = "TEXT")]
    pub(crate) command: Option<String>,

    /// Address at which the scores or logs are published
    #[arg(long, value_name = "URL")]
    pub(crate) source_url: Option<String>,

    /// Name of that source
    #[arg(long, value_name = "NAME", requires = "source_url")]
    pub(crate) source_name: Option<String>,

    /// The setup in words, such as `chain-of-thought`
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
}

/// The run, where neither path nor file names it.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The model whose results these are
    #[arg(long, value_name = "ID")]
    pub(crate) model: RepoId,

    /// The dataset id of the benchmark; of a result file, only its entries are taken
    #[arg(long, value_name = "ID")]
    pub(crate) benchmark: Option<RepoId>,

    /// The task, as the benchmark's eval.yaml names it [default: its only one]
    #[arg(long, value_name = "ID", requires = "benchmark")]
    pub(crate) task: Option<TaskId>,

    /// The commit, branch or tag of the model that was evaluated [default: what the log says, else
    /// `main` now]
    #[arg(long, value_name = "REVISION")]
    pub(crate) model_revision: Option<String>,

    /// The commit, branch or tag of the benchmark that was run [default: what the file says, else
    /// `main` now]
    #[arg(long, value_name = "REVISION")]
    pub(crate) benchmark_revision: Option<String>,

    /// The address of the hub
    #[arg(long, value_name = "URL")]
    pub(crate) hub: Option<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,
}

/// The signer.
#[derive(Debug, Args)]
#[command(next_help_heading = "Signing")]
pub(crate) struct SigningArgs {
    /// The address of the issuer [default: the hub]
    #[arg(long, visible_alias = "to", value_name = "URL")]
    pub(crate) issuer: Option<String>,

    /// Credential of this machine at the issuer: `evp_…`, `CLIENT:SECRET`, the ID token of a run,
    /// or `-` for standard input
    ///
    /// Better in `ASSAY_CREDENTIAL`, which other users of the machine cannot read. Without either,
    /// `ASSAY_CLIENT_ID` with `ASSAY_CLIENT_KEY` or `ASSAY_CLIENT_SECRET`, then `ASSAY_ID_TOKEN`
    /// (GitLab), then the identity of a GitHub Actions run, then what `assay hub login` keeps.
    #[arg(long, value_name = "CREDENTIAL")]
    pub(crate) credential: Option<String>,

    /// A file of the run, such as its log, whose digest is signed along; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: Vec<PathBuf>,
}

impl RunArgs {
    /// Returns the arguments as they would be typed.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let Self {
            model,
            benchmark,
            task,
            model_revision,
            benchmark_revision,
            hub,
            logs,
        } = self;
        let LogArgs {
            from,
            metric,
            evaluation,
            framework,
            framework_version,
            allow_incomplete,
            command,
            source_url,
            source_name,
            notes,
        } = logs;
        let given = [
            ("--model", Some(model.as_str())),
            ("--benchmark", benchmark.as_ref().map(RepoId::as_str)),
            ("--task", task.as_ref().map(TaskId::as_str)),
            ("--model-revision", model_revision.as_deref()),
            ("--benchmark-revision", benchmark_revision.as_deref()),
            ("--hub", hub.as_deref()),
            ("--from", Some(from.as_str())),
            ("--evaluation", evaluation.as_deref()),
            ("--framework", framework.as_deref()),
            ("--framework-version", framework_version.as_deref()),
            ("--command", command.as_deref()),
            ("--source-url", source_url.as_deref()),
            ("--source-name", source_name.as_deref()),
            ("--notes", notes.as_deref()),
        ];
        let mut arguments: Vec<String> = given
            .into_iter()
            .filter_map(|(name, value)| Some([name.to_owned(), value?.to_owned()]))
            .flatten()
            .collect();
        if *allow_incomplete {
            arguments.push("--allow-incomplete".to_owned());
        }
        for pair in metric {
            arguments.extend(["--metric".to_owned(), pair.to_string()]);
        }
        arguments
    }
}
