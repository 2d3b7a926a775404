use assay_formats::card;
use assay_formats::card::YamlReport;
use assay_hub_api::ValidateYaml;
use axum::Json;
use axum::http::StatusCode;

use crate::describe::{Subject, says};
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
                .or_answers_json::<YamlReport>(400, "What must be mended."),
        ),
    )
}

/// What is wrong with the front matter of a card. Clients ask before they commit a `README.md`.
async fn validate(JsonBody(request): JsonBody<ValidateYaml>) -> (StatusCode, Json<YamlReport>) {
    // The card is read as the index will read it.
    let (_, report) = card::read(&request.content);
    let status = if report.is_valid() {
        StatusCode::OK
    } else {
        StatusCode::BAD_REQUEST
    };
    (status, Json(report))
}
