//! What an operator does at the shell: accounts, tokens, benchmarks, the index, the configuration.

pub(crate) mod admin;
pub(crate) mod args;
pub(crate) mod check;
pub(crate) mod reindex;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use assay_server::SystemClock;
use assay_server::app::{Error, Hub};

use crate::commands::serve::{chain, load, refuse, runtime};
use crate::exit::Exit;
use crate::printer::Printer;
use assay_render::visible;

/// Opens the hub in a data directory and does something with it. Whoever can write there may do everything.
pub(super) fn with_hub<T, F>(
    config: Option<&Path>,
    data: Option<&Path>,
    printer: &mut Printer,
    work: impl FnOnce(Arc<Hub>) -> F,
) -> Result<T, Exit>
where
    F: Future<Output = Result<T, Error>>,
{
    let flags: Vec<(&str, String)> = data
        .map(|data| ("data", data.display().to_string()))
        .into_iter()
        .collect();
    let config = load(config, &flags, &[]).map_err(|faults| refuse(&faults, printer))?;
    if !config.data.is_dir() {
        printer.error(&visible(&format!(
            "there is no hub in `{}`; `assay serve` makes one, `--data DIR` names another",
            config.data.display()
        )));
        return Err(Exit::Failed);
    }
    let runtime = runtime(printer).ok_or(Exit::Failed)?;
    let done = runtime.block_on(async {
        let hub = Hub::open(config.hub(), Arc::new(SystemClock)).await?;
        work(hub).await
    });
    done.map_err(|error| {
        printer.error(&visible(&chain(&error)));
        match error {
            Error::Internal(_) => Exit::Failed,
            _ => Exit::Errors,
        }
    })
}
