//! `assay verify`: whether a result file, a token or a proof holds, and if not, why.

mod args;
mod claims;
mod given;
#[cfg_attr(not(feature = "client"), path = "verify/no_hub.rs")]
mod hub;
mod proof;
mod results;
mod token;
mod trust;

use assay_cli::{Exit, Printer};
#[cfg(feature = "client")]
use assay_hub_api::client::ClientError;
use assay_render::visible;
use assay_trust::Unverified;
use serde_json::{Value as Json, json};

#[cfg(feature = "client")]
pub(crate) use self::args::Age;
pub(crate) use self::args::VerifyArgs;
pub(crate) use self::claims::{claims_document, claims_in_words};
pub(crate) use self::given::{Given, GivenError};
use self::trust::Trusted;
use crate::args::ShowFormat;
#[cfg(feature = "client")]
use crate::commands::hub::HubCommandError;
use crate::config::Config;
use crate::witnesses::QuorumError;

/// The version of the JSON documents. It changes when a reader of the old ones could be misled.
pub(crate) const VERSION: u32 = 1;

/// The reason why nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VerifyError {
    /// The input cannot be read.
    #[error(transparent)]
    Given(#[from] GivenError),
    /// The trust note cannot be read, or contradicts itself.
    #[error("{0}")]
    Trust(String),
    /// The witnesses cannot be relied upon in this way.
    #[error(transparent)]
    Quorum(#[from] QuorumError),
    /// The hub cannot be asked.
    #[cfg(feature = "client")]
    #[error(transparent)]
    Hub(#[from] HubCommandError),
    /// This build cannot ask a hub.
    #[cfg(not(feature = "client"))]
    #[error(transparent)]
    LeftOut(#[from] crate::left_out::LeftOut),
}

#[cfg(feature = "client")]
impl From<ClientError> for VerifyError {
    fn from(error: ClientError) -> Self {
        Self::Hub(error.into())
    }
}

/// The outcome, for people and for machines.
struct Report {
    text: String,
    json: Json,
    exit: Exit,
    /// Reasons why it is not certain.
    doubts: Vec<String>,
}

/// Verifies what the arguments name.
pub(crate) fn run(args: &VerifyArgs, config: &Config, printer: &mut Printer) -> Exit {
    match verify(args, config) {
        Ok(mut report) => {
            for doubt in &report.doubts {
                printer.aside(&format!("warning: {}", visible(doubt)));
            }
            match args.format {
                ShowFormat::Text => printer.data(&report.text),
                ShowFormat::Json => {
                    report.json["warnings"] = json!(report.doubts);
                    report.json["exit_code"] = json!(report.exit.number());
                    printer.json(&report.json);
                }
            }
            report.exit
        }
        Err(error) => {
            printer.error(&visible(&error.to_string()));
            Exit::Failed
        }
    }
}

fn verify(args: &VerifyArgs, config: &Config) -> Result<Report, VerifyError> {
    let given = Given::read(&args.what)?;
    if args.canonical {
        return results::canonical(args, &given);
    }
    let trusted = Trusted::gather(args, config)?;
    match &given {
        Given::Results { .. } => results::verify(args, &given, &trusted),
        Given::Token(token) => Ok(token::verify(token, &trusted)),
        Given::Proof(text) => proof::verify(args, text, &trusted),
    }
}

/// A reason in two lines: what is wrong, and what to do.
pub(crate) fn reason_in_words(unverified: &Unverified) -> String {
    format!(
        "{}: {}\n    {}",
        unverified.reason,
        visible(&unverified.detail),
        unverified.hint()
    )
}

/// A reason for machines.
pub(crate) fn reason_document(unverified: &Unverified) -> Json {
    json!({
        "reason": unverified.reason.to_string(),
        "detail": unverified.detail,
        "hint": unverified.hint(),
    })
}
