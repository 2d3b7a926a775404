//! `assay admin backup` and `assay admin restore`.

pub(crate) mod args;

use std::sync::Arc;

use assay_app::{
    BackupOptions, BackupPlace, BackupReport, CheckReport, Generation, Restored, check_backup,
    list_generations, restore_backup,
};
use assay_cli::{Exit, Printer};
use assay_render::visible;
use assay_server::SystemClock;
use serde_json::{Value as Json, json};

use self::args::{BackupArgs, RestoreArgs};
use super::args::Admin;
use super::{hub_config, with_config, with_hub_and};
use crate::args::ShowFormat;
use crate::config::Config;
use crate::plural::{bytes, count};
use crate::progress::Progress;
use crate::table::table;

/// Backs a hub up, or looks at backups that are there.
pub(crate) fn back_up(
    command: &Admin,
    arguments: &BackupArgs,
    config: &Config,
    printer: &mut Printer,
) -> Exit {
    let shown = config.shows_progress(arguments.no_progress);
    let done = if arguments.list {
        list(command, arguments, printer)
    } else if arguments.verify {
        verify(command, arguments, shown, printer)
    } else {
        make(command, arguments, shown, printer)
    };
    done.unwrap_or_else(|exit| exit)
}

/// Makes a hub of a backup.
pub(crate) fn restore(
    command: &Admin,
    arguments: &RestoreArgs,
    config: &Config,
    printer: &mut Printer,
) -> Exit {
    let bar = Progress::counting(
        config.shows_progress(arguments.no_progress),
        0,
        "repositories",
    );
    let done = with_config(&command.hub, printer, async |server| {
        let place = BackupPlace::open(&arguments.place, &server.storage)?;
        let (at, clock) = (arguments.at.as_deref(), Arc::new(SystemClock));
        let progress = |done, total| bar.at(done, total);
        let restored = restore_backup(&place, at, hub_config(&server), clock, &progress).await?;
        Ok((restored, server.data))
    });
    drop(bar);
    match done {
        Ok((restored, data)) => {
            tell_restored(
                &restored,
                &data.display().to_string(),
                command.format,
                printer,
            );
            Exit::Clean
        }
        Err(exit) => exit,
    }
}

fn make(
    command: &Admin,
    arguments: &BackupArgs,
    shown: bool,
    printer: &mut Printer,
) -> Result<Exit, Exit> {
    let bar = Progress::counting(shown, 0, "repositories");
    let (config, flags) = (command.hub.config.as_deref(), command.hub.flags());
    let done = with_hub_and(config, &flags, printer, async |hub, server| {
        let place = BackupPlace::create(&arguments.place, &server.storage)?;
        let options = BackupOptions {
            keep: arguments.keep.map(std::num::NonZero::get),
            left_out: server.lake.directory.clone().into_iter().collect(),
        };
        let progress = |done, total| bar.at(done, total);
        let report = hub
            .operations()
            .back_up(&hub.shell(), &place, &options, &progress)
            .await?;
        let has_passphrase =
            server.trust.passphrase.is_none() && server.trust.passphrase_file.is_none();
        Ok((report, has_passphrase))
    });
    drop(bar);
    let (report, has_passphrase) = done?;
    tell_made(&report, has_passphrase, command.format, printer);
    Ok(exit_of(&report.faults))
}

fn verify(
    command: &Admin,
    arguments: &BackupArgs,
    shown: bool,
    printer: &mut Printer,
) -> Result<Exit, Exit> {
    let bar = Progress::counting(shown, 0, "repositories");
    let checked = with_config(&command.hub, printer, async |server| {
        let place = BackupPlace::open(&arguments.place, &server.storage)?;
        let (at, trust) = (arguments.at.as_deref(), server.hub().trust);
        check_backup(&place, at, &trust, &|done, total| bar.at(done, total)).await
    });
    drop(bar);
    let checked = checked?;
    tell_checked(&checked, command.format, printer);
    Ok(exit_of(&checked.faults))
}

fn list(command: &Admin, arguments: &BackupArgs, printer: &mut Printer) -> Result<Exit, Exit> {
    let generations = with_config(&command.hub, printer, async |server| {
        let place = BackupPlace::open(&arguments.place, &server.storage)?;
        list_generations(&place).await
    })?;
    match command.format {
        ShowFormat::Json => {
            let list: Vec<Json> = generations.iter().map(generation_json).collect();
            printer.json(&json!({ "version": 1, "generations": list }));
        }
        ShowFormat::Text => {
            let rows: Vec<Vec<String>> = generations.iter().map(generation_row).collect();
            let heads = [
                "GENERATION",
                "BEGUN",
                "REPOSITORIES",
                "FILES",
                "SIZE",
                "STATE",
            ];
            printer.data(&table(&heads, &rows));
        }
    }
    Ok(Exit::Clean)
}

fn exit_of(faults: &[String]) -> Exit {
    if faults.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    }
}

fn tell_made(
    report: &BackupReport,
    has_passphrase: bool,
    format: ShowFormat,
    printer: &mut Printer,
) {
    match format {
        ShowFormat::Json => printer.json(&json!({
            "version": 1,
            "generation": report.generation,
            "whole": report.faults.is_empty(),
            "repositories": report.repositories,
            "deleted_meanwhile": report.deleted,
            "files": report.files,
            "bytes": report.bytes,
            "copied_pieces": report.copied_pieces,
            "copied_bytes": report.copied_bytes,
            "removed": report.removed,
            "has_passphrase": has_passphrase,
            "faults": report.faults,
        })),
        ShowFormat::Text => {
            printer.line(&format!(
                "generation {} has {} and {} ({})",
                report.generation,
                count(report.repositories, "repository", "repositories"),
                count(report.files, "file", "files"),
                bytes(report.bytes),
            ));
            printer.line(&format!(
                "{} copied, the rest was there",
                bytes(report.copied_bytes)
            ));
            if !report.removed.is_empty() {
                let removed = report.removed.len() as u64;
                printer.line(&format!(
                    "{} removed",
                    count(removed, "older generation", "older generations")
                ));
            }
            if !has_passphrase {
                printer.line(
                    "the passphrase of the signing keys lies outside of the data directory and is not in the backup",
                );
            }
            tell_faults(&report.faults, printer);
        }
    }
}

fn tell_checked(checked: &CheckReport, format: ShowFormat, printer: &mut Printer) {
    match format {
        ShowFormat::Json => printer.json(&json!({
            "version": 1,
            "generation": checked.generation,
            "whole": checked.faults.is_empty(),
            "repositories": checked.repositories,
            "files": checked.files,
            "bytes": checked.bytes,
            "leaves": checked.leaves,
            "faults": checked.faults,
        })),
        ShowFormat::Text => {
            printer.line(&format!(
                "generation {}: read {} and {} ({}), {} of the logs",
                checked.generation,
                count(checked.repositories, "repository", "repositories"),
                count(checked.files, "file", "files"),
                bytes(checked.bytes),
                count(checked.leaves, "leaf", "leaves"),
            ));
            tell_faults(&checked.faults, printer);
        }
    }
}

fn tell_faults(faults: &[String], printer: &mut Printer) {
    if faults.is_empty() {
        printer.line("it is whole: every ref leads to objects that are in it, the database and the logs hold");
    }
    for fault in faults {
        printer.error(&visible(fault));
    }
}

fn tell_restored(restored: &Restored, data: &str, format: ShowFormat, printer: &mut Printer) {
    match format {
        ShowFormat::Json => printer.json(&json!({
            "version": 1,
            "generation": restored.generation,
            "data": data,
            "repositories": restored.repositories,
            "files": restored.files,
            "bytes": restored.bytes,
            "faults": restored.faults,
        })),
        ShowFormat::Text => {
            printer.line(&visible(&format!(
                "restored generation {} to `{data}`: {} and {} ({})",
                restored.generation,
                count(restored.repositories, "repository", "repositories"),
                count(restored.files, "file", "files"),
                bytes(restored.bytes),
            )));
            for fault in &restored.faults {
                printer.line(&visible(&format!("missing since the backup: {fault}")));
            }
        }
    }
}

fn generation_json(generation: &Generation) -> Json {
    json!({
        "name": generation.name,
        "begun": generation.begun,
        "repositories": generation.repositories,
        "files": generation.files,
        "bytes": generation.bytes,
        "faults": generation.faults,
    })
}

fn generation_row(generation: &Generation) -> Vec<String> {
    let faults = generation.faults.len() as u64;
    vec![
        generation.name.clone(),
        generation.begun.to_string(),
        generation.repositories.to_string(),
        generation.files.to_string(),
        bytes(generation.bytes),
        if faults == 0 {
            "whole".to_owned()
        } else {
            count(faults, "fault", "faults")
        },
    ]
}
