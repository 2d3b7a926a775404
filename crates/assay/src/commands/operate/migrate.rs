use assay_app::{Copied, Error, copy_database};
use assay_cli::{Exit, Printer};
use assay_model::Clock as _;
use assay_model::chain;
use assay_server::SystemClock;
use serde_json::{Value as Json, json};

use super::args::Migrate;
use crate::args::ShowFormat;
use crate::commands::serve::runtime;
use crate::config::shell_user;
use crate::plural::count;
use crate::table::table;
use assay_render::visible;

/// Copies a database into another.
pub(crate) fn run(command: &Migrate, printer: &mut Printer) -> Exit {
    let Some(runtime) = runtime(printer) else {
        return Exit::Failed;
    };
    let (user, now) = (shell_user(), SystemClock.now());
    match runtime.block_on(copy_database(&command.from, &command.to, &user, now)) {
        Ok(copied) => {
            tell(command, &copied, printer);
            Exit::Clean
        }
        Err(error) => {
            printer.error(&visible(&chain(&error)));
            match error {
                Error::Internal(_) | Error::NoSpace(_) | Error::ReadOnly(_) => Exit::Failed,
                _ => Exit::Errors,
            }
        }
    }
}

fn tell(command: &Migrate, copied: &[Copied], printer: &mut Printer) {
    let rows: u64 = copied.iter().map(|copied| copied.rows).sum();
    match command.format {
        ShowFormat::Json => {
            let tables: Vec<Json> = copied
                .iter()
                .map(|copied| json!({ "table": copied.table, "rows": copied.rows }))
                .collect();
            printer.json(&json!({ "version": 1, "rows": rows, "tables": tables }));
        }
        ShowFormat::Text => {
            let lines: Vec<Vec<String>> = copied
                .iter()
                .map(|copied| vec![copied.table.to_owned(), copied.rows.to_string()])
                .collect();
            printer.data(&table(&["TABLE", "ROWS"], &lines));
            let (tables, rows) = (copied.len() as u64, count(rows, "row", "rows"));
            printer.line(&visible(&format!(
                "moved {rows} in {} to `{}`",
                count(tables, "table", "tables"),
                command.to
            )));
        }
    }
}
