use assay_cli::{Exit, Printer};
use assay_lake::Error;
use assay_lake::ingest::{Options, Refused, Report, ingest};
use assay_render::{FindingRenderer, visible};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::args::{Ingest, ReportFormat};
use crate::config::Config;

/// What the bar shows.
const TEMPLATE: &str = "{bar:32} {decimal_bytes} of {decimal_total_bytes}, {eta} left";
/// Number of findings of one file that are shown.
const SHOWN: usize = 5;

/// Takes files in and tells what came of it.
pub(super) fn run(command: &Ingest, config: &Config, printer: &mut Printer) -> Result<Exit, Error> {
    let lake = super::lake(&command.place, config)?;
    let shown = config.stderr_is_terminal && !command.no_progress;
    let bar = ProgressStyle::with_template(TEMPLATE)
        .ok()
        .filter(|_| shown)
        .map(|style| ProgressBar::new(0).with_style(style));
    let progress = |done, total| {
        if let Some(bar) = &bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    };
    let options = Options {
        jobs: command.jobs.map_or(config.cores, usize::from),
        progress: &progress,
    };
    let outcome = ingest(&lake, &command.paths, &options);
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let report = outcome?;
    match command.format {
        ReportFormat::Json => printer.json(&json!({"version": 1, "report": report})),
        ReportFormat::Text => tell(&report, config, printer),
    }
    Ok(if report.refused.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    })
}

fn tell(report: &Report, config: &Config, printer: &mut Printer) {
    for refused in &report.refused {
        tell_refused(refused, config, printer);
    }
    printer.line(&format!(
        "{} added, {} replaced, {} unchanged, {} refused; {} results and {} samples came in",
        report.added,
        report.replaced,
        report.unchanged,
        report.refused.len(),
        report.results,
        report.instances,
    ));
}

fn tell_refused(refused: &Refused, config: &Config, printer: &mut Printer) {
    printer.error(&format!(
        "`{}` was left out: {}",
        visible(&refused.path),
        visible(&refused.reason)
    ));
    let renderer = FindingRenderer::plain(config.width);
    for finding in refused.findings.iter().take(SHOWN) {
        printer.aside(&renderer.render(finding));
    }
    if refused.findings.len() > SHOWN {
        let rest = refused.findings.len() - SHOWN;
        printer.aside(&format!(
            "… and {rest} more; `assay validate` shows them all"
        ));
    }
}
