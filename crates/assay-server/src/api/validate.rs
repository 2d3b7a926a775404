use assay_formats::card;
use assay_formats::card::YamlReport;
use assay_hub_api::ValidateYaml;
use axum::Json;
use axum::http::StatusCode;

use crate::describe::{Refusal, Subject, says};
use crate::error::{Cause, Failure};
use crate::extract::JsonBody;
use crate::routes::{Routes, post};

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Commits).route(
        "/api/validate-yaml",
        post(
            validate,
            says("Tells what is wrong with the front matter of a card.")
                .takes::<ValidateYaml>()
                .answers::<YamlReport>("Nothing that must be mended.")
                .or_answers_json::<YamlReport>(400, "What must be mended.")
                .refuses(&[Refusal::Unprocessable]),
        ),
    )
}

/// What is wrong with the front matter of a card. Clients ask before they commit a `README.md`.
/// A body that cannot be read is 422 here: 400 has a report.
async fn validate(
    body: Result<JsonBody<ValidateYaml>, Failure>,
) -> Result<(StatusCode, Json<YamlReport>), Failure> {
    let JsonBody(request) = body.map_err(|failure| match &*failure.0 {
        Cause::Server { status, message } if *status == StatusCode::BAD_REQUEST => {
            Failure::new(StatusCode::UNPROCESSABLE_ENTITY, message.clone())
        }
        Cause::Server { .. } | Cause::Hub(_) => failure,
    })?;
    // The card is read as the index will read it.
    let (_, report) = card::read(&request.content);
    let status = if report.is_valid() {
        StatusCode::OK
    } else {
        StatusCode::BAD_REQUEST
    };
    Ok((status, Json(report)))
}
