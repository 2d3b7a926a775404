//! `assay log witness serve`: a witness that anyone can run.

use std::path::Path;

use assay_cli::{Exit, Printer};
use assay_model::chain;
use assay_render::visible;
use assay_server::{Config, ServeError, WitnessServer};
use assay_tlog::{VerifierKey, Witness, WitnessError};
use assay_trust::proof::TrustNote;

use super::args::WitnessServeArgs;
use crate::commands::serve::runtime;

/// The reason why a witness does not start.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("`{file}` cannot be used as a trust note: {why}")]
    Note { file: String, why: String },
    #[error(
        "name a log to watch: `--trust` with the trust note of its hub, or `--log` with its key"
    )]
    NoLog,
    #[error("the log `{0}` is named twice, with different keys")]
    TwoKeys(String),
    #[error(
        "`{0}` is reached by other machines and there is no TLS; set `--allow-plain-http` when a proxy has it"
    )]
    Plain(std::net::SocketAddr),
    #[error(transparent)]
    Witness(#[from] WitnessError),
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Runs a witness until it is told to stop.
pub(super) fn serve(args: &WitnessServeArgs, printer: &mut Printer) -> Exit {
    assay_server::start_log(&Config::default());
    let Some(runtime) = runtime(printer) else {
        return Exit::Failed;
    };
    match runtime.block_on(run(args, printer)) {
        Ok(()) => Exit::Clean,
        Err(error) => {
            printer.error(&visible(&chain(&error)));
            Exit::Failed
        }
    }
}

async fn run(args: &WitnessServeArgs, printer: &mut Printer) -> Result<(), StartError> {
    if !args.listen.ip().is_loopback() && !args.allow_plain_http {
        return Err(StartError::Plain(args.listen));
    }
    let witness = Witness::open(&args.data, &args.name, logs(args)?)?;
    let key = witness.key().to_string();
    let server = WitnessServer::new(witness, args.listen)?;
    printer.line(&format!("the witness is at http://{}", server.address()));
    printer.line(&format!("it signs with {key}"));
    printer.flush();
    Ok(server.run().await?)
}

/// The logs that are named, each once.
fn logs(args: &WitnessServeArgs) -> Result<Vec<VerifierKey>, StartError> {
    let mut named = args.log.clone();
    for file in &args.trust {
        let note = note(file)?;
        named.extend([note.results, note.control]);
    }
    let mut logs: Vec<VerifierKey> = Vec::new();
    for key in named {
        match logs.iter().find(|own| own.name() == key.name()) {
            Some(own) if *own == key => {}
            Some(_) => return Err(StartError::TwoKeys(key.name().to_owned())),
            None => logs.push(key),
        }
    }
    if logs.is_empty() {
        return Err(StartError::NoLog);
    }
    Ok(logs)
}

fn note(file: &Path) -> Result<TrustNote, StartError> {
    let refuse = |why: String| StartError::Note {
        file: file.display().to_string(),
        why,
    };
    let text = fs_err::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    text.parse()
        .map_err(|error: assay_trust::proof::TrustNoteError| refuse(error.to_string()))
}
