use std::future::Future;
use std::sync::Arc;

use assay_app::issuer::Issuer;
use assay_app::{Error, Hub};
use assay_cli::{Exit, Printer};
use assay_render::visible;
use serde_json::Value as Json;

use super::args::Place;
use crate::args::ShowFormat;
use crate::commands::operate::with_hub_and;

/// The outcome of a command, for people and for machines.
pub(super) struct Done {
    text: String,
    json: Json,
}

impl Done {
    pub(super) fn new(text: String, json: Json) -> Self {
        Self { text, json }
    }

    /// Adds a line to the text for people, such as why a list is empty.
    pub(super) fn with_hint(mut self, wanted: bool, hint: &str) -> Self {
        if wanted {
            self.text.push_str(hint);
            self.text.push('\n');
        }
        self
    }
}

/// Opens the data directory and does something with its issuer.
pub(super) fn with_issuer<F>(
    place: &Place,
    printer: &mut Printer,
    work: impl FnOnce(Arc<Hub>, Arc<Issuer>) -> F,
) -> Exit
where
    F: Future<Output = Result<Done, Error>>,
{
    let mut flags = place.hub.flags();
    if let Some(policy) = &place.policy {
        flags.push(("issuer.policy", policy.display().to_string()));
    }
    let done = with_hub_and(
        place.hub.config.as_deref(),
        &flags,
        printer,
        async |hub, config| {
            let issuer = assay_server::open_issuer(&hub, &config);
            if let Some(fault) = issuer.policy_fault() {
                return Err(Error::Invalid(fault));
            }
            work(hub, issuer).await
        },
    );
    match done {
        Ok(done) => {
            show(&done, place.format, printer);
            Exit::Clean
        }
        Err(exit) => exit,
    }
}

/// Prints what was done.
pub(super) fn show(done: &Done, format: ShowFormat, printer: &mut Printer) {
    match format {
        ShowFormat::Text => {
            for line in done.text.lines() {
                printer.line(&visible(line));
            }
        }
        ShowFormat::Json => printer.json(&done.json),
    }
}
