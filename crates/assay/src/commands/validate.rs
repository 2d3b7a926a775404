use assay_check::{Context, FileReport, Files as _, Item, LayoutPolicy, Options, validate};
use assay_cli::{Exit, Printer};
use assay_model::Severity;
use assay_render::visible;

use crate::args::{Color, Format, Layout, Validate};
use crate::benchmarks::Lists;
use crate::config::Config;
use crate::discover::{DiscoveredFiles, Wanted, discover};
use crate::disk::Disk;
use crate::fix::{self, Fixed};
use crate::hub_benchmarks::HubBenchmarks;
use crate::progress::Progress;
use crate::render::{self, Outcome, Summary};

/// The number of rounds of fixing and validating; a fix may make room for another that overlapped
/// with it.
const MAX_FIX_ROUNDS: usize = 8;
/// Number of findings of one code that are kept of one file while mending, at least.
const FIX_LIMIT: u64 = 10_000;

/// Validates files and prints what was found.
pub(crate) fn run(
    command: &Validate,
    color: Color,
    config: &Config,
    printer: &mut Printer,
) -> Exit {
    match validate_files(command, config, printer) {
        Ok(validation) => present(command, color, config, &validation, printer),
        Err(message) => {
            printer.error(&message);
            Exit::Failed
        }
    }
}

/// The outcome of a validation.
struct Validation {
    reports: Vec<FileReport>,
    fixed: Vec<Fixed>,
    passed_over: u64,
    /// True if something could not be read, requested or written.
    failed: bool,
}

/// One run, with everything that validation needs at hand.
struct Run<'a> {
    command: &'a Validate,
    lists: Lists,
    disk: Disk,
    jobs: usize,
    layout: LayoutPolicy,
    shows_progress: bool,
}

fn validate_files(
    command: &Validate,
    config: &Config,
    printer: &mut Printer,
) -> Result<Validation, String> {
    let jobs = config.jobs(command.jobs);
    let hub = command
        .hub
        .as_deref()
        .map(|address| HubBenchmarks::new(address, config))
        .transpose()
        .map_err(|error| error.to_string())?;
    let lists = Lists::open(&command.benchmarks, hub, jobs).map_err(|error| error.to_string())?;
    if lists.has_empty_checkouts() {
        let named: Vec<String> = command
            .benchmarks
            .iter()
            .map(|directory| format!("`{}`", visible(&directory.display().to_string())))
            .collect();
        printer.aside(&format!(
            "warning: there is no `eval.yaml` below {}, so no benchmark is known; check out the datasets there, or name a hub \
             with `--hub`",
            named.join(" or ")
        ));
    }
    let mut disk = Disk::default();
    let wanted = command.kind.map_or(Wanted::All, Wanted::As);
    let DiscoveredFiles {
        mut items,
        passed_over,
        listing,
    } = discover(&mut disk, &command.paths, wanted);
    let stream = items.iter().find(|item| disk.is_stream(&item.path));
    if let (true, Some(stream)) = (command.fix, stream) {
        let name = visible(&stream.path);
        return Err(format!("`--fix` cannot mend `{name}`; name a file"));
    }
    // Mending gives files other names, so what was seen before does not count.
    if !command.fix {
        disk.set_listing(listing);
    }
    let run = Run {
        command,
        lists,
        disk,
        jobs,
        layout: policy(command.layout),
        shows_progress: config.shows_progress(command.no_progress),
    };
    let (fixed, mut failures) = run.mend(&mut items);
    let reports = run.validate_files(&items, limit(command));
    failures.extend(run.lists.failures());
    for failure in &failures {
        printer.error(&visible(failure));
    }
    Ok(Validation {
        failed: !failures.is_empty() || reports.iter().any(|report| report.unreadable),
        reports,
        fixed,
        passed_over,
    })
}

impl Run<'_> {
    fn validate_files(&self, items: &[Item], limit: u64) -> Vec<FileReport> {
        // Sizes are asked for only when a bar will show them: a call for each file adds up.
        let sizes = items
            .iter()
            .filter(|item| self.shows_progress && !self.disk.is_stream(&item.path))
            .filter_map(|item| self.disk.size(&item.path));
        let progress = Progress::new(self.shows_progress, sizes.sum());
        let context = Context {
            benchmarks: &self.lists,
            layout: self.layout,
            limit,
            ..Context::default()
        };
        let options = Options {
            jobs: self.jobs,
            progress: &|bytes| progress.advance(bytes),
        };
        validate(&self.disk, items, &context, &options)
    }

    /// Mends what can be mended, in rounds, and returns what was done and what went wrong.
    fn mend(&self, items: &mut [Item]) -> (Vec<Fixed>, Vec<String>) {
        let (mut fixed, mut failures) = (Vec::new(), Vec::new());
        if !self.command.fix {
            return (fixed, failures);
        }
        for _ in 0..MAX_FIX_ROUNDS {
            let reports = self.validate_files(items, limit(self.command).max(FIX_LIMIT));
            let (done, failed) = fix::apply(&self.disk, &reports, items);
            let is_over = done.is_empty() || !failed.is_empty();
            fixed.extend(done);
            failures.extend(failed.iter().map(ToString::to_string));
            if is_over {
                break;
            }
        }
        (fixed, failures)
    }
}

fn present(
    command: &Validate,
    color: Color,
    config: &Config,
    validation: &Validation,
    printer: &mut Printer,
) -> Exit {
    let exit = exit_of(validation, command);
    let outcome = Outcome {
        reports: &validation.reports,
        fixed: &validation.fixed,
        summary: Summary::of(&validation.reports, validation.passed_over, exit),
    };
    match command.format {
        Format::Rich => {
            let look = render::rich::Look {
                styled: config.colors(color),
                width: config.width,
                quiet: command.quiet,
            };
            render::rich::print(&outcome, look, printer);
        }
        Format::Json => render::json::print(&outcome, printer),
        Format::Github => render::github::print(&outcome, command.quiet, printer),
        Format::Sarif => render::sarif::print(&outcome, printer),
    }
    exit
}

fn exit_of(validation: &Validation, command: &Validate) -> Exit {
    let has = |severity| {
        validation
            .reports
            .iter()
            .any(|report| report.findings.count(severity) > 0)
    };
    if validation.failed {
        Exit::Failed
    } else if has(Severity::Error) || (command.deny_warnings && has(Severity::Warning)) {
        Exit::Errors
    } else if has(Severity::Warning) && !command.allow_warnings {
        Exit::Warnings
    } else {
        Exit::Clean
    }
}

fn limit(command: &Validate) -> u64 {
    match command.max_errors {
        0 => u64::MAX,
        limit => limit,
    }
}

fn policy(layout: Layout) -> LayoutPolicy {
    match layout {
        Layout::Auto => LayoutPolicy::Auto,
        Layout::Strict => LayoutPolicy::Strict,
        Layout::Off => LayoutPolicy::Off,
    }
}
