use assay_app::{Damage, DamagedRepository, IndexCheck, IndexDifference};
use assay_cli::{Exit, Printer};
use serde_json::{Value as Json, json};

use super::args::Reindex;
use super::with_hub;
use crate::args::ShowFormat;
use crate::config::Config;
use crate::plural::count;
use crate::progress::Progress;
use assay_render::visible;

/// Number of differences that are printed for people; JSON has them all.
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
    let done = with_hub(&command.hub, printer, async |hub| {
        hub.operations()
            .reindex(&|done, total| bar.at(done, total))
            .await
    })?;
    drop(bar);
    match command.format {
        ShowFormat::Json => printer.json(&json!({
            "version": 1,
            "repositories": done.repositories,
            "benchmarks": done.benchmarks,
            "entries": done.entries,
            "damaged": damaged_json(&done.damaged),
        })),
        ShowFormat::Text => printer.line(&format!(
            "the index is rebuilt: {}, {}, {}",
            count(done.repositories, "repository", "repositories"),
            count(done.benchmarks, "benchmark", "benchmarks"),
            count(done.entries, "result", "results"),
        )),
    }
    if command.format == ShowFormat::Text {
        show_damaged(&done.damaged, printer);
    }
    Ok(exit_of(done.damaged.is_empty()))
}

fn check(command: &Reindex, shown: bool, printer: &mut Printer) -> Result<Exit, Exit> {
    let bar = Progress::counting(shown, 0, "repositories");
    let checked = with_hub(&command.hub, printer, async |hub| {
        hub.operations()
            .check_index(&|done, total| bar.at(done, total))
            .await
    })?;
    drop(bar);
    let IndexCheck {
        differences,
        damaged,
    } = checked;
    match command.format {
        ShowFormat::Json => {
            let rows: Vec<_> = differences
                .iter()
                .map(|row| json!({ "live": row.live, "rebuilt": row.rebuilt }))
                .collect();
            printer.json(&json!({
                "version": 1,
                "equal": rows.is_empty(),
                "differences": rows,
                "damaged": damaged_json(&damaged),
            }));
        }
        ShowFormat::Text => {
            show_differences(&differences, damaged.is_empty(), printer);
            show_damaged(&damaged, printer);
        }
    }
    Ok(exit_of(differences.is_empty() && damaged.is_empty()))
}

fn show_differences(differences: &[IndexDifference], is_sound: bool, printer: &mut Printer) {
    if differences.is_empty() {
        printer.line(if is_sound {
            "the index equals a rebuilt one"
        } else {
            "the index equals a rebuilt one, as far as repositories can be read"
        });
        return;
    }
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

/// Names the repositories that cannot be read, every fault of each.
fn show_damaged(damaged: &[DamagedRepository], printer: &mut Printer) {
    for repository in damaged {
        for fault in &repository.faults {
            printer.error(&visible(&format!(
                "the {} `{}` (repository {}) is damaged: {fault}; restore it from a backup, its results stay as they were",
                repository.kind, repository.id, repository.key
            )));
        }
    }
}

fn damaged_json(damaged: &[DamagedRepository]) -> Json {
    let one = |repository: &DamagedRepository| {
        let faults = repository.faults.iter().map(|fault| match fault {
            Damage::NoDirectory => json!({ "fault": "no-directory" }),
            Damage::BrokenRef { name, missing } => {
                json!({ "fault": "broken-ref", "ref": name.as_str(), "missing": missing })
            }
            Damage::Unreadable(why) => json!({ "fault": "unreadable", "reason": why }),
        });
        json!({
            "repository": repository.key.to_string(),
            "kind": repository.kind,
            "id": repository.id,
            "faults": faults.collect::<Vec<_>>(),
        })
    };
    damaged.iter().map(one).collect()
}

fn exit_of(is_fine: bool) -> Exit {
    if is_fine { Exit::Clean } else { Exit::Errors }
}
