//! The arguments of the command line. Their meaning is for the commands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr as _;

use assay_check::FileKind;
use assay_formats::eee::Version;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

#[cfg(feature = "hub")]
use crate::commands::lake::ExternalArgs;
#[cfg(feature = "hub")]
use crate::commands::operate::args as operate;

/// The registry for AI evaluation results: validate them on a laptop or in CI, by the rules of the
/// hub
#[derive(Debug, Parser)]
#[command(
    name = "assay",
    version,
    after_help = "\
Examples:
  assay validate                     validate everything below this directory
  assay validate .eval_results       validate the results of a model
  assay explain AY101                what a code means and what to do

Exit codes:
  0  nothing is wrong
  1  there are errors
  2  there are warnings and no errors
  3  wrong usage, or something could not be read or written",
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Use of colours: `always`, `never`, or `auto`, on a terminal unless `NO_COLOR` is set
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = Color::Auto,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    pub(crate) color: Color,
}

/// The commands. What each does is said at its arguments, where the long description can stand
/// beside it.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Validate(Validate),
    #[cfg(feature = "convert")]
    Convert(Box<crate::commands::convert::ConvertArgs>),
    Upgrade(Upgrade),
    Explain(Explain),
    Who(Who),
    Schema(Schema),
    #[cfg(feature = "client")]
    Submit(Box<crate::commands::submit::SubmitArgs>),
    #[cfg(feature = "client")]
    Run(Box<crate::commands::run::RunCommandArgs>),
    #[cfg(feature = "client")]
    Outbox(crate::commands::outbox::OutboxArgs),
    #[cfg(feature = "client")]
    Token(crate::commands::token::TokenArgs),
    Verify(Box<crate::commands::verify::VerifyArgs>),
    #[cfg(feature = "client")]
    Hub(crate::commands::hub::HubArgs),
    #[cfg(feature = "client")]
    Import(crate::commands::import::ImportArgs),
    #[cfg(feature = "hub")]
    Issuer(crate::commands::issuer::args::IssuerArgs),
    #[cfg(feature = "client")]
    Log(crate::commands::log::LogArgs),
    /// Take records, samples and result files into a lake (by `assay-lake`)
    #[command(
        disable_help_flag = true,
        after_help = "\
Examples:
  assay ingest data/
  assay ingest data/ models/ --lake /srv/lake"
    )]
    #[cfg(feature = "hub")]
    Ingest(ExternalArgs),
    /// Ask a lake of results and samples in SQL (by `assay-lake`)
    #[command(
        disable_help_flag = true,
        after_help = "\
Examples:
  assay query \"SELECT model, rank, score FROM standings\"
  assay query -f weekly.sql --format csv"
    )]
    #[cfg(feature = "hub")]
    Query(ExternalArgs),
    /// Compare two models sample by sample (by `assay-lake`)
    #[command(
        disable_help_flag = true,
        after_help = "\
Examples:
  assay compare acme/small acme/large --task gsm8k"
    )]
    #[cfg(feature = "hub")]
    Compare(ExternalArgs),
    /// Look after a lake: stats, compact, check, files (by `assay-lake`)
    #[command(
        disable_help_flag = true,
        after_help = "\
Examples:
  assay lake stats
  assay lake check --lake /srv/lake"
    )]
    #[cfg(feature = "hub")]
    Lake(ExternalArgs),
    #[cfg(feature = "hub")]
    Serve(operate::Serve),
    #[cfg(feature = "hub")]
    Admin(operate::Admin),
    #[cfg(feature = "hub")]
    Keys(crate::commands::operate::trust::args::KeysArgs),
    #[cfg(feature = "hub")]
    Trust(crate::commands::operate::trust::args::TrustArgs),
    #[cfg(feature = "hub")]
    Reindex(operate::Reindex),
    #[cfg(feature = "hub")]
    Migrate(operate::Migrate),
    #[cfg(feature = "hub")]
    Config(operate::ConfigArgs),
    Completions(Completions),
    Man(Man),
}

/// Returns true when the command line asks for JSON, also one that cannot be followed: its fault is
/// told in JSON too.
pub(crate) fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut arguments = arguments.take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        let is_next = argument == "--format" && arguments.next().is_some_and(|word| word == "json");
        if is_next || argument == "--format=json" {
            return true;
        }
    }
    false
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
}

/// Validate benchmarks, result files and Every Eval Ever files
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Validate benchmarks (eval.yaml), result files (.eval_results/*.yaml) and Every Eval Ever records and samples.

Directories are searched for files of these kinds; other files in them are passed over. A file that is named and not \
recognised is an error (AY002). Every fault is reported with its code, its place and the next step; `assay explain \
CODE` tells more about a code.",
    after_help = "\
Examples:
  assay validate                                    everything below this directory
  assay validate data/ results.json                 a directory and a file
  assay validate 'data/**/*.json'                   a pattern, quoted from the shell
  assay validate - --as eee-samples < rows.jsonl    standard input
  assay validate --benchmarks ../benchmarks         tasks and metrics must exist in these checkouts
  assay validate --fix                              mend what can be mended safely
  assay validate --format sarif > assay.sarif       for code scanning

Exit codes:
  0  nothing is wrong
  1  there are errors
  2  there are warnings and no errors
  3  wrong usage, or something could not be read or written"
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that can be typed"
)]
pub(crate) struct Validate {
    /// Files, directories, quoted patterns, or `-` for standard input
    ///
    /// A path that exists is taken as it is, even when it contains `*`, `?` or `[`.
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// Kind of the files, when neither name nor content gives it away
    #[arg(long = "as", value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Option<FileKind>,

    /// A directory with checkouts of benchmarks that results may name
    ///
    /// Every eval.yaml up to four directories deep counts. The id is that of the git remote, if its
    /// address ends in `datasets/NAMESPACE/NAME`; else the last two directories. May be given
    /// several times.
    #[arg(long, value_name = "DIR")]
    pub(crate) benchmarks: Vec<PathBuf>,

    /// A hub to ask for the benchmarks that results name
    ///
    /// The token in `ASSAY_TOKEN` or `HF_TOKEN` is sent along, over https or to this machine only.
    #[arg(long, value_name = "URL")]
    pub(crate) hub: Option<String>,

    /// True if records must lie in the layout of the datastore
    #[arg(long, value_enum, default_value_t = Layout::Auto, value_name = "POLICY")]
    pub(crate) layout: Layout,

    /// Format of the findings
    #[arg(long, value_enum, default_value_t = Format::Rich)]
    pub(crate) format: Format,

    /// Number of findings of one code that are kept of one file; 0 keeps all
    ///
    /// All findings are counted, kept or not.
    #[arg(long, value_name = "N", default_value_t = assay_check::Context::DEFAULT_LIMIT)]
    pub(crate) max_errors: u64,

    /// Print the summary line only (`text` and `github`)
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Let warnings fail the run like errors: exit code 1
    #[arg(long)]
    pub(crate) deny_warnings: bool,

    /// Print warnings and let them pass: exit code 0 when there are no errors
    #[arg(long, conflicts_with = "deny_warnings")]
    pub(crate) allow_warnings: bool,

    /// Mend what can be mended without changing what was meant, then validate again
    #[arg(long)]
    pub(crate) fix: bool,

    /// Number of threads to that use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Rewrite Every Eval Ever files of 0.1 and 0.2 as 0.3.0
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Rewrite Every Eval Ever records of 0.1 and 0.2, and their samples, as 0.3.0.

What is certain is filled in, what is not known is recorded as unknown, and for every record it is told what was \
filled in, moved or lost. What cannot be upgraded without guessing is refused with the reason. The files that are read \
are never touched, and an existing file with other content is never overwritten.",
    after_help = "\
Examples:
  assay upgrade data/ --out ../current              a whole datastore
  assay upgrade data/ --out ../current --dry-run    only tell what would be done
  assay upgrade 'data/gsm8k/**/*.json' --out new --report upgrade.json

Exit codes:
  0  every record is current now
  1  some records were refused
  3  wrong usage, or something could not be read or written"
)]
pub(crate) struct Upgrade {
    /// Records, directories to look for records in, or quoted patterns
    ///
    /// A samples file stands for its record. The path of a record must end in the layout of the
    /// datastore: `data/{benchmark}/{developer}/{model}/{uuid}.json`.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// The directory to write `data/{benchmark}/{developer}/{model}/{uuid}.json` into
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Tell what would be done and write nothing below `--out`
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print the summary alone, and what failed
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Format of the account
    #[arg(long, value_enum, default_value_t = AccountFormat::Rich)]
    pub(crate) format: AccountFormat,

    /// Also write the account of every record to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Number of threads to that use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Explain what a code means, why it matters and what to do
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay explain AY101             one code
  assay explain missing-key       the same, by name
  assay explain --list            all codes
  assay explain --list --format json")]
pub(crate) struct Explain {
    /// Codes such as `AY101`, or names such as `missing-key`
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub(crate) codes: Vec<String>,

    /// List all codes
    #[arg(long)]
    pub(crate) list: bool,

    /// Format of the pages
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub(crate) format: PageFormat,
}

/// Tell which model a name means, and why
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay who \"Llama-3.1-70B-Instruct-Turbo\"         one name
  assay who --format json < names.txt               a name on each line
  assay who --models ids.txt claude-4-5-haiku       among these models
  assay who --registry ours.yaml our-model-fp8      with a registry of your own
  assay who --join < names.txt                      names that mean one model

Exit codes: 0 every name is certain, 2 some are not, 3 something could not be read")]
pub(crate) struct Who {
    /// Names of models; without any, one on each line of standard input
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Also read this registry: a YAML file, or a directory of them. May be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) registry: Vec<PathBuf>,

    /// Resolve among the models in this file, one id on each line, instead of those that ship with
    /// the program
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,

    /// Show which of the names mean one model, declared or not
    #[arg(long)]
    pub(crate) join: bool,

    /// Format of the answers
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub(crate) format: PageFormat,
}

/// Print the JSON Schema of a format
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay schema eval-results                     a result file
  assay schema eee                              the current record
  assay schema eee-samples --schema-version 0.2.0")]
pub(crate) struct Schema {
    /// The format
    #[arg(value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: FileKind,

    /// Version of the Every Eval Ever schema [default: the current one]
    #[arg(long, value_name = "VERSION", value_parser = versions())]
    pub(crate) schema_version: Option<Version>,
}

/// Print a completion script for a shell
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay completions bash > ~/.local/share/bash-completion/completions/assay
  assay completions zsh > ~/.zfunc/_assay
  assay completions fish > ~/.config/fish/completions/assay.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print the manual page, or write the pages of all commands
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  assay man | man -l -
  assay man --out /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// Write one page for each command into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// The use of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A choice whether records must have the layout of the datastore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    /// Below a directory `data` they must; elsewhere it is a warning
    Auto,
    /// They must
    Strict,
    /// Paths are not validated
    Off,
}

/// The format of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: source lines with carets, like findings grouped
    #[value(name = "text", alias = "rich")]
    Rich,
    /// One JSON document
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// The format of the account of an upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AccountFormat {
    /// For people: equal changes of many records are told once
    #[value(name = "text", alias = "rich")]
    Rich,
    /// One JSON document with every change of every record
    Json,
}

/// The format of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// Markdown, lightly set on a terminal
    Text,
    /// One JSON document
    Json,
}

fn kinds() -> impl clap::builder::TypedValueParser<Value = FileKind> {
    let values = FileKind::ALL.iter().map(|kind| {
        PossibleValue::new(kind.as_str()).help(match kind {
            FileKind::EvalYaml => "A benchmark: eval.yaml",
            FileKind::EvalResults => "Results of a model: .eval_results/*.yaml",
            FileKind::Record => "An Every Eval Ever record: {uuid}.json",
            FileKind::Samples => "The samples of such a record: {uuid}_samples.jsonl",
        })
    });
    PossibleValuesParser::new(values).try_map(|name| FileKind::from_str(&name))
}

fn versions() -> impl clap::builder::TypedValueParser<Value = Version> {
    PossibleValuesParser::new(Version::ALL.map(Version::as_str))
        .try_map(|name| Version::from_str(&name))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn json_is_asked_for_by_a_flag_and_not_by_what_stands_behind_two_dashes() {
        let asks = |line: &str| asks_for_json(line.split(' ').map(OsString::from));

        assert!(asks("assay hub whoami --format json"));
        assert!(asks("assay hub --format=json whoami --nonsense"));
        assert!(!asks("assay hub whoami --format text"));
        assert!(!asks("assay run -- eval --format json"));
        assert!(!asks("assay explain json"));
    }

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_and_every_flag_is_documented_and_has_examples() {
        let mut commands = vec![Args::command()];
        while let Some(command) = commands.pop() {
            let name = command.get_name().to_owned();
            assert!(command.get_about().is_some(), "{name}");
            let long = command.get_long_about().map(ToString::to_string);
            assert!(
                !["validate", "upgrade"].contains(&&*name) || long.is_some(),
                "{name}"
            );
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
