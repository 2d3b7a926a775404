use std::collections::BTreeMap;
use std::time::Duration;

use assay_cli::{Exit, Printer};
use assay_lake::{Error, Lake, Snapshot, Table, check, compact};
use assay_render::visible;
use serde::Serialize;
use serde_json::json;

use crate::args::{
    LakeArgs, LakeCommand, LakeCompact, LakeFiles, LakeTask, PathFormat, ReportFormat,
    SECONDS_OF_AN_HOUR,
};
use crate::config::Config;

/// Looks after a lake.
pub(super) fn run(
    command: &LakeArgs,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let read = |task: &LakeTask| super::read(&task.place, config);
    match &command.command {
        LakeCommand::Stats(task) => Ok(stats(&read(task)?, task.format, printer)),
        LakeCommand::Compact(LakeCompact { task, keep_hours }) => {
            let lake = super::lake(&task.place, config)?;
            let retention = Duration::from_secs(keep_hours.saturating_mul(SECONDS_OF_AN_HOUR));
            run_compact(&lake, retention, task.format, printer)
        }
        LakeCommand::Check(task) => run_check(&read(task)?, task.format, printer),
        LakeCommand::Versions(task) => Ok(versions(&read(task)?, task.format, printer)),
        LakeCommand::Files(files) => list(files, config, printer),
        LakeCommand::Serve(serve) => super::serve::run(serve, config, printer),
        LakeCommand::Work(work) => super::serve::run_work(work, config),
        LakeCommand::Scheduler(command) => super::cluster::scheduler(command, config, printer),
        LakeCommand::Executor(command) => super::cluster::executor(command, config, printer),
    }
}

/// One table in numbers.
#[derive(Debug, Default, Serialize)]
struct Size {
    files: u64,
    rows: u64,
    bytes: u64,
}

fn stats(snapshot: &Snapshot, format: ReportFormat, printer: &mut Printer) -> Exit {
    let manifest = &snapshot.manifest;
    let mut tables: BTreeMap<&str, Size> = BTreeMap::new();
    for table in Table::ALL {
        let size = tables.entry(table.as_str()).or_default();
        for file in manifest.files_of(table) {
            size.files += 1;
            size.rows += file.rows;
            size.bytes += file.bytes;
        }
    }
    let raw: u64 = manifest.sources.values().map(|source| source.bytes).sum();
    match format {
        ReportFormat::Json => printer.json(&json!({
            "version": 1,
            "snapshot": manifest.snapshot,
            "sources": manifest.sources.len(),
            "source_bytes": raw,
            "tables": tables,
        })),
        ReportFormat::Text => {
            printer.line(&format!(
                "snapshot {}: {} records and result files with {raw} bytes",
                manifest.snapshot,
                manifest.sources.len(),
            ));
            for (table, Size { files, rows, bytes }) in &tables {
                printer.line(&format!(
                    "{table:<10} {rows:>12} rows {files:>8} files {bytes:>16} bytes"
                ));
            }
        }
    }
    Exit::Clean
}

/// Prints the versions that belong together. Each table by itself may be further.
fn versions(snapshot: &Snapshot, format: ReportFormat, printer: &mut Printer) -> Exit {
    let tables: Vec<(String, u64)> = snapshot
        .manifest
        .versions
        .iter()
        .map(|(table, version)| (snapshot.address_of(*table), *version))
        .collect();
    match format {
        ReportFormat::Json => {
            let tables = tables
                .iter()
                .map(|(address, version)| json!({"address": address, "version": version}));
            printer.json(&json!({"version": 1, "tables": tables.collect::<Vec<_>>()}));
        }
        ReportFormat::Text => {
            for (address, version) in &tables {
                printer.line(&format!("{version:>8}  {address}"));
            }
        }
    }
    Exit::Clean
}

fn run_compact(
    lake: &Lake,
    retention: Duration,
    format: ReportFormat,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let compacted = compact(lake, retention)?;
    match format {
        ReportFormat::Json => printer.json(&json!({"version": 1, "compacted": compacted})),
        ReportFormat::Text => printer.line(&format!(
            "{} files with {} bytes are now {} with {}; {} old files were removed",
            compacted.files_before,
            compacted.bytes_before,
            compacted.files_after,
            compacted.bytes_after,
            compacted.removed,
        )),
    }
    Ok(Exit::Clean)
}

fn run_check(
    snapshot: &Snapshot,
    format: ReportFormat,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let faults = check(snapshot)?;
    match format {
        ReportFormat::Json => printer.json(&json!({"version": 1, "faults": faults})),
        ReportFormat::Text if faults.is_empty() => printer.line(&sound(snapshot)),
        ReportFormat::Text => {
            for fault in &faults {
                let place = if fault.path.is_empty() {
                    "the lake".to_owned()
                } else {
                    format!("`{}`", visible(&fault.path))
                };
                printer.line(&format!("{place}: {}", visible(&fault.message)));
            }
        }
    }
    Ok(if faults.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    })
}

fn sound(snapshot: &Snapshot) -> String {
    format!(
        "snapshot {}: {} files are what the logs say",
        snapshot.manifest.snapshot,
        snapshot.manifest.files.len()
    )
}

fn list(command: &LakeFiles, config: &Config, printer: &mut Printer) -> Result<Exit, Error> {
    let snapshot = super::read(&command.place, config)?;
    let table = Table::named(&command.table).into_iter();
    let paths: Vec<String> = table
        .flat_map(|table| snapshot.manifest.files_of(table))
        .map(|file| snapshot.path_of(&file.path).display().to_string())
        .collect();
    match command.format {
        PathFormat::Lines => paths.iter().for_each(|path| printer.line(path)),
        PathFormat::Sql => {
            let quoted = paths
                .iter()
                .map(|path| format!("'{}'", path.replace('\'', "''")));
            printer.line(&quoted.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(Exit::Clean)
}
