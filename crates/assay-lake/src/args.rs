//! What can be typed. What it means is for the commands.

mod cluster;

use std::path::PathBuf;

use assay_lake::RETENTION;
use assay_lake::cluster::Cluster;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub(crate) use self::cluster::{ExecutorArgs, SchedulerArgs};

/// The seconds of an hour.
pub(crate) const SECONDS_OF_AN_HOUR: u64 = 60 * 60;

/// How much memory a query may use unless told otherwise, in megabytes.
const DEFAULT_MEMORY: usize = 2_048;
/// How much memory the questions that are answered over a socket may take together, in megabytes.
const DEFAULT_SERVED_MEMORY: u32 = 4_096;

/// Every result and every sample as columns: take files in, ask in SQL, compare models
#[derive(Debug, Parser)]
#[command(
    name = "assay-lake",
    bin_name = "assay",
    version,
    after_help = "\
Examples:
  assay ingest data/                                        take a datastore in
  assay query \"SELECT model, score FROM standings\"          ask
  assay compare acme/small acme/large --task gsm8k          which samples differ

Exit codes:
  0  everything was done
  1  some files were refused, or the lake is not sound
  3  wrong usage, or something could not be read or written",
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ingest(Ingest),
    Query(Query),
    Compare(Compare),
    Lake(LakeArgs),
}

/// Take records, samples and result files into a lake
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Take Every Eval Ever records with their samples, and result files of models (.eval_results/*.yaml), into a lake.

Every file is validated by the rules of `assay validate`; one that breaks them is reported and left out, and the others come in. \
What the lake has already, by content, is passed over, so the command can be run again at any time; a record whose content has \
changed takes the place of the old one. A reader sees the lake as it was before or as it is after a step, never in between.",
    after_help = "\
Examples:
  assay ingest data/                          a datastore checkout, into ./assay-lake
  assay ingest data/ --lake /srv/lake         into another place
  assay ingest models/ --format json          result files of models; the report as JSON

Exit codes:
  0  everything is in the lake
  1  some files were refused
  3  wrong usage, or something could not be read or written"
)]
pub(crate) struct Ingest {
    /// Files and directories; samples stand for their record
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) place: Place,

    /// How the report is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,

    /// How many threads to use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Ask a lake in SQL
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Ask a lake in SQL. The tables are results, reported, records, instances, messages, metrics, models, benchmarks, history and \
standings; `SHOW TABLES` and `DESCRIBE results` tell more, and docs/questions.md has twenty questions to begin with.

Nothing can be changed: only SELECT, WITH, VALUES, EXPLAIN, SHOW and DESCRIBE are answered. Without a query there is a prompt; \
when standard input is no terminal, the query is read from it.",
    after_help = "\
Examples:
  assay query \"SELECT model, rank, score FROM standings WHERE task = 'gsm8k'\"
  assay query -f weekly.sql --format csv > weekly.csv
  assay query \"SELECT * FROM instances\" --format parquet --out rows.parquet
  assay query -f weekly.sql --cluster http://10.0.0.1:50050          on many machines
  assay query                                                        a prompt

Exit codes:
  0  here is the answer
  3  there is none: the query is wrong, took too long or too much memory"
)]
pub(crate) struct Query {
    /// The query [default: a prompt]
    #[arg(conflicts_with = "file")]
    pub(crate) sql: Option<String>,

    /// Read the query from a file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) place: Place,

    /// How the answer is printed
    #[arg(long, value_enum, default_value_t = AnswerFormat::Table)]
    pub(crate) format: AnswerFormat,

    /// Write the answer to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Let the machines of a cluster answer, by its scheduler; they have to find the lake at the same place
    #[arg(long, value_name = "URL")]
    pub(crate) cluster: Option<Cluster>,

    #[command(flatten)]
    pub(crate) budget: Budget,
}

/// Compare two models sample by sample, or rank all of them
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Compare two models on the samples that both have answered, joined by the hash of question and reference, so that it does not \
matter which harness ran them.

Reported are how many samples both got right, only one, or neither, the difference of the mean scores with a 95 % interval, \
whether that interval tells the models apart, and the samples on which the two differ. When every score is right or wrong, the \
JSON report also has the p-value of the exact McNemar test.

With `--all`, every model is ranked on the questions that all of them answered. Ranks have intervals that hold at 95 % for all models \
together, and models are put in tiers: those of the first cannot be told from the leader.",
    after_help = "\
Examples:
  assay compare acme/small acme/large
  assay compare acme/small acme/large --task gsm8k --metric exact_match
  assay compare acme/small acme/large --flips 100 --format json
  assay compare --all --task gsm8k

Exit codes:
  0  here is the comparison
  3  there is none: a model is unknown, or no sample is shared"
)]
pub(crate) struct Compare {
    /// The one model
    #[arg(required_unless_present = "all")]
    pub(crate) model_a: Option<String>,

    /// The other model
    #[arg(required_unless_present = "all")]
    pub(crate) model_b: Option<String>,

    /// Rank all models on the questions that they share
    #[arg(long, conflicts_with_all = ["model_a", "model_b", "flips"])]
    pub(crate) all: bool,

    /// Only samples of this task
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<String>,

    /// Only samples of this benchmark
    #[arg(long, value_name = "BENCHMARK")]
    pub(crate) benchmark: Option<String>,

    /// Only scores of this metric
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,

    /// How many samples that differ are shown with question and answers
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) flips: usize,

    #[command(flatten)]
    pub(crate) place: Place,

    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) budget: Budget,
}

/// Look after a lake
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay lake stats                 what is in it, table by table
  assay lake compact               join small files
  assay lake check                 read everything and compare it with the logs
  assay lake versions              the tables as Delta tables, for other engines
  assay lake files instances       the Parquet files of a table, for other engines
  assay lake serve --socket s      answer a hub over a socket")]
pub(crate) struct LakeArgs {
    #[command(subcommand)]
    pub(crate) command: LakeCommand,
}

/// What can be done with a lake.
#[derive(Debug, Subcommand)]
pub(crate) enum LakeCommand {
    /// Tell what is in a lake, table by table
    #[command(after_help = "Examples:\n  assay lake stats\n  assay lake stats --format json")]
    Stats(LakeTask),
    Compact(LakeCompact),
    /// Read every file and compare it with the logs
    #[command(after_help = "Examples:\n  assay lake check\n  assay lake check --format json")]
    Check(LakeTask),
    Files(LakeFiles),
    /// Print the address and version of each table, as other engines read Delta tables
    #[command(after_help = "Examples:\n  assay lake versions\n  assay lake versions --format json")]
    Versions(LakeTask),
    Serve(LakeServe),
    #[command(hide = true)]
    Work(LakeWork),
    Scheduler(SchedulerArgs),
    Executor(ExecutorArgs),
}

/// The arguments of what is done with a whole lake.
#[derive(Debug, ClapArgs)]
pub(crate) struct LakeTask {
    #[command(flatten)]
    pub(crate) place: Place,

    /// How the outcome is printed
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

/// Join small files and remove old ones
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay lake compact
  assay lake compact --lake s3://results/lake --keep-hours 1")]
pub(crate) struct LakeCompact {
    #[command(flatten)]
    pub(crate) task: LakeTask,

    /// How long files are kept that no version of the lake has any more, in hours. Whoever began to read or write longer ago fails
    #[arg(long, default_value_t = RETENTION.as_secs() / SECONDS_OF_AN_HOUR, value_name = "HOURS")]
    pub(crate) keep_hours: u64,
}

/// Print the paths of the Parquet files of a table
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay lake files instances
  duckdb -c \"SELECT count(*) FROM read_parquet([$(assay lake files results --format sql)])\"")]
pub(crate) struct LakeFiles {
    /// The table: results, records, instances or messages
    #[arg(value_parser = ["results", "records", "instances", "messages", "metrics"])]
    pub(crate) table: String,

    #[command(flatten)]
    pub(crate) place: Place,

    /// How the paths are printed
    #[arg(long, value_enum, default_value_t = PathFormat::Lines)]
    pub(crate) format: PathFormat,
}

/// Answer questions over a socket of this machine, for a hub
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Answer questions over a Unix socket, until told to stop. A hub starts this by itself when it is given a lake; by hand it is \
started for several hubs that share one.

The socket is open to the owner of this process alone. Whoever asks says what a question may cost and what it must not see; \
both hold for every question.",
    after_help = "\
Examples:
  assay lake serve --lake /srv/lake --socket /run/assay/lake.sock
  assay serve --set lake.socket=/run/assay/lake.sock             the hub that asks there
  assay lake serve --lake /srv/lake --socket /run/assay/lake.sock --cluster http://10.0.0.1:50050"
)]
pub(crate) struct LakeServe {
    #[command(flatten)]
    pub(crate) place: Place,

    /// The socket to answer on
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: PathBuf,

    /// Let the machines of a cluster answer, by its scheduler; they have to find the lake at the same place
    #[arg(long, value_name = "URL")]
    pub(crate) cluster: Option<Cluster>,

    /// How much memory all questions together may take, in megabytes
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_SERVED_MEMORY, value_parser = clap::value_parser!(u32).range(512..))]
    pub(crate) memory: u32,

    /// How many questions are answered at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) at_once: u16,

    /// How many threads to use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// End when standard input ends, as it does when whoever started this is gone
    #[arg(long)]
    pub(crate) until_stdin_ends: bool,
}

/// Work on questions that come over the standard input, for `lake serve`
#[derive(Debug, ClapArgs)]
pub(crate) struct LakeWork {
    #[command(flatten)]
    pub(crate) place: Place,

    /// Let the machines of a cluster answer, by its scheduler
    #[arg(long, value_name = "URL")]
    pub(crate) cluster: Option<Cluster>,

    /// How many threads to use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// How much memory a question may take, in bytes
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: u64,
}

/// Where the lake lies.
#[derive(Debug, ClapArgs)]
pub(crate) struct Place {
    /// The directory of the lake, or `s3://BUCKET/PREFIX` [default: `ASSAY_LAKE`, else ./assay-lake]
    #[arg(long, value_name = "PLACE")]
    pub(crate) lake: Option<PathBuf>,
}

/// What a query may cost.
#[derive(Debug, ClapArgs)]
pub(crate) struct Budget {
    /// How much memory the engine may use before it writes to the disk or gives up, in megabytes
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY)]
    pub(crate) memory: usize,

    /// How many seconds an answer may take [default: as long as it takes, on a cluster an hour]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: Option<u64>,

    /// How many threads to use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people
    Table,
    /// One JSON array of objects
    Json,
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values with a header
    Csv,
    /// A Parquet file
    Parquet,
}

/// How paths are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PathFormat {
    /// One a line
    Lines,
    /// Quoted and with commas, for a list in SQL
    Sql,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_and_every_flag_is_documented_and_has_examples() {
        let mut commands = vec![Args::command()];
        while let Some(command) = commands.pop() {
            if command.is_hide_set() {
                continue;
            }
            let name = command.get_name().to_owned();
            assert!(command.get_about().is_some(), "{name}");
            let after = command.get_after_help().map(ToString::to_string);
            assert!(
                after.is_some_and(|text| text.starts_with("Examples:\n")),
                "{name}"
            );
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{name} {}",
                    argument.get_id()
                );
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
