use serde_json::json;

use super::args::Reindex;
use super::{Opening, with_hub};
use crate::commands::hub::ShowFormat;
use crate::config::Config;
use crate::exit::Exit;
use crate::plural::count;
use crate::printer::Printer;
use crate::progress::Progress;
use assay_render::visible;

/// How many differences are printed for people; JSON has them all.
const SHOWN: usize = 20;

/// Rebuilds the index, or compares it with a rebuilt one.
pub(crate) fn run(command: &Reindex, config: &Config, printer: &mut Printer) -> Exit {
    let shown = config.shows_progress(command.no_progress);
    let outcome = if command.check {
        check(command, shown, printer)
    } else {
        rebuild(command, shown, printer)
    };
    outcome.unwrap_or_else(|exit| exit)
}

fn rebuild(command: &Reindex, shown: bool, printer: &mut Printer) -> Result<Exit, Exit> {
    let bar = Progress::counting(shown, 0, "repositories");
    let opening = Opening::Recovered;
    let done = with_hub(&command.hub, opening, printer, async |hub| {
        hub.reindex(&|done, total| bar.at(done, total)).await
    })?;
    drop(bar);
    match command.format {
        ShowFormat::Json => printer.json(&json!({
            "version": 1,
            "repositories": done.repositories,
            "benchmarks": done.benchmarks,
            "entries": done.entries,
        })),
        ShowFormat::Text => printer.line(&format!(
            "the index is rebuilt: {}, {}, {}",
            count(done.repositories, "repository", "repositories"),
            count(done.benchmarks, "benchmark", "benchmarks"),
            count(done.entries, "result", "results"),
        )),
    }
    Ok(Exit::Clean)
}

fn check(command: &Reindex, shown: bool, printer: &mut Printer) -> Result<Exit, Exit> {
    let bar = Progress::counting(shown, 0, "repositories");
    let opening = Opening::AsItIs;
    let differences = with_hub(&command.hub, opening, printer, async |hub| {
        hub.check_index(&|done, total| bar.at(done, total)).await
    })?;
    drop(bar);
    match command.format {
        ShowFormat::Json => {
            let rows: Vec<_> = differences
                .iter()
                .map(|row| json!({ "live": row.live, "rebuilt": row.rebuilt }))
                .collect();
            printer.json(&json!({ "version": 1, "equal": rows.is_empty(), "differences": rows }));
        }
        ShowFormat::Text if differences.is_empty() => {
            printer.line("the index equals a rebuilt one");
        }
        ShowFormat::Text => {
            let total = differences.len() as u64;
            printer.line(&format!(
                "the index differs from a rebuilt one in {}; `assay reindex` mends it",
                count(total, "row", "rows")
            ));
            for row in differences.iter().take(SHOWN) {
                for (sign, text) in [("-", &row.live), ("+", &row.rebuilt)] {
                    if let Some(text) = text {
                        printer.line(&format!("{sign} {}", visible(text)));
                    }
                }
            }
        }
    }
    Ok(if differences.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    })
}
