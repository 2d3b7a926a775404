//! Results and samples in SQL, from the lake.

use assay_app::Caller;
use assay_formats::lake_api::{CallerClass, Delivery, Format, ROWS_HEADER, TRUNCATED_HEADER};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LOCATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::describe::{Refusal, RouteDoc, Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, JsonBody, PathParams, Query, RateLimitKey};
use crate::lake::{self, ANONYMOUS, DOWNLOAD, SIGNED_IN, Turn};
use crate::routes::{Routes, get, post};
use crate::state::AppState;

/// The longest question, in bytes.
const MAX_QUERY: usize = 64 << 10;
/// The longest question that a permalink can carry, in bytes: addresses have to fit into a line of
/// every client.
const MAX_LINKED: usize = 4 << 10;
/// The tables that can be taken away as a whole.
const TABLES: [&str; 10] = [
    "results",
    "reported",
    "records",
    "instances",
    "messages",
    "metrics",
    "models",
    "benchmarks",
    "history",
    "standings",
];
/// The header of answers of the lake, which changes with every push.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Samples)
        .route(
            "/api/sql",
            post(
                ask,
                answered(says("Answers a question in SQL over results and samples."))
                    .more(
                        "Nothing can be changed, and nothing that is not public can be seen. A question has a budget of time, \
                         memory, rows and bytes, which is larger for those who give a token. What goes beyond the rows is cut \
                         off: `Assay-Truncated` is then `true`.",
                    )
                    .takes::<SqlQuestion>(),
            ),
        )
        .route(
            "/api/sql/permalinks",
            post(
                link,
                says("Gives the permalink of a question.")
                    .more("It carries the question itself, so it holds for as long as the hub does. Nothing is stored.")
                    .takes::<SqlQuestion>()
                    .answers::<SqlPermalink>("The permalink."),
            ),
        )
        .route(
            "/api/sql/{question}",
            get(
                again,
                answered(says("Answers the question of a permalink, with what is known now."))
                    .query::<SqlForm>(),
            ),
        )
        .route(
            "/api/lake/{download}",
            get(
                table,
                says("Gives a whole table as a Parquet file.")
                    .more("It is sent as it is read. One that breaks off is not complete.")
                    .answers_bytes(Format::Parquet.media_type(), "The table.")
                    .refuses(&[Refusal::Missing, Refusal::NotOffered, Refusal::Unavailable]),
            ),
        )
}

/// A question.
#[derive(Debug, Deserialize, ToSchema)]
struct SqlQuestion {
    /// The question, in the SQL of `DataFusion`.
    query: String,
    /// The format of the answer.
    #[serde(default)]
    format: Format,
}

/// The format of the answer to a permalink.
#[derive(Debug, Deserialize, IntoParams)]
struct SqlForm {
    /// `json`, `ndjson`, `csv` or `parquet`; `json` when absent.
    #[serde(default)]
    #[param(inline)]
    format: Format,
}

/// An answer.
#[derive(Debug, Serialize, ToSchema)]
struct SqlAnswer {
    /// The columns, in order.
    columns: Vec<SqlColumn>,
    /// The rows: objects by the names of the columns.
    rows: Vec<serde_json::Map<String, serde_json::Value>>,
    /// True if there are more rows than the budget allows.
    truncated: bool,
}

/// A column.
#[derive(Debug, Serialize, ToSchema)]
struct SqlColumn {
    /// Its name.
    name: String,
    /// The type of its values: `text`, `number`, `integer`, `boolean`, `moment` or `other`.
    r#type: String,
}

/// The permalink of a question.
#[derive(Debug, Serialize, ToSchema)]
struct SqlPermalink {
    /// The id of the query.
    id: String,
    /// The address of its answer.
    url: String,
}

#[derive(Deserialize)]
struct QueryParams {
    question: String,
}

#[derive(Deserialize)]
struct File {
    download: String,
}

/// Adds the parts that every answer to a query has.
fn answered(told: RouteDoc) -> RouteDoc {
    told.answers::<SqlAnswer>("The answer.")
        .or_bytes(Format::Ndjson.media_type())
        .or_bytes("text/csv")
        .or_bytes(Format::Parquet.media_type())
        .header("Assay-Rows", "How many rows there are.")
        .header(
            "Assay-Truncated",
            "`true` when there are more rows than the budget allows.",
        )
        .header(
            "Content-Location",
            "The permalink, unless the question is too long for one.",
        )
        .refuses(&[
            Refusal::Invalid,
            Refusal::TimedOut,
            Refusal::TooLarge,
            Refusal::NotOffered,
            Refusal::Unavailable,
        ])
}

async fn ask(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    whence: RateLimitKey,
    JsonBody(question): JsonBody<SqlQuestion>,
) -> Result<Response, Failure> {
    answer(&state, &caller, whence, question).await
}

async fn again(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    whence: RateLimitKey,
    PathParams(QueryParams { question }): PathParams<QueryParams>,
    Query(SqlForm { format }): Query<SqlForm>,
) -> Result<Response, Failure> {
    let query = linked(&question).ok_or_else(|| Failure::invalid("this is no permalink"))?;
    answer(&state, &caller, whence, SqlQuestion { query, format }).await
}

async fn link(
    Base(base): Base,
    JsonBody(question): JsonBody<SqlQuestion>,
) -> Result<Json<SqlPermalink>, Failure> {
    let id = permalink(&question.query).ok_or_else(|| {
        Failure::too_large(format!(
            "a permalink carries a question of at most {MAX_LINKED} bytes"
        ))
    })?;
    let url = format!("{base}/api/sql/{id}");
    Ok(Json(SqlPermalink { id, url }))
}

async fn table(
    State(state): State<AppState>,
    whence: RateLimitKey,
    PathParams(File { download }): PathParams<File>,
) -> Result<Response, Failure> {
    let name = download.strip_suffix(".parquet");
    let table = TABLES.iter().find(|table| Some(**table) == name);
    let table = table.ok_or_else(Failure::no_route)?;
    let lake = lake::wanted(state.web.lake.as_ref())?;
    let turn = lake.turn(whence, CallerClass::Download)?;
    let answer = lake
        .ask(
            &turn,
            &state.hub,
            format!("SELECT * FROM {table}"),
            Format::Parquet,
            DOWNLOAD,
            Delivery::Stream,
        )
        .await?;
    let mut response = passed_on(answer, turn);
    let name = format!("attachment; filename=\"{table}.parquet\"");
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

async fn answer(
    state: &AppState,
    caller: &Caller,
    whence: RateLimitKey,
    question: SqlQuestion,
) -> Result<Response, Failure> {
    let lake = lake::wanted(state.web.lake.as_ref())?;
    if question.query.len() > MAX_QUERY {
        return Err(Failure::too_large(format!(
            "a question has at most {MAX_QUERY} bytes"
        )));
    }
    let (class, budget) = if caller.is_anonymous() {
        (CallerClass::Anonymous, ANONYMOUS)
    } else {
        (CallerClass::Account, SIGNED_IN)
    };
    let turn = lake.turn(whence, class)?;
    let place = permalink(&question.query).map(|id| format!("/api/sql/{id}"));
    let answer = lake
        .ask(
            &turn,
            &state.hub,
            question.query,
            question.format,
            budget,
            Delivery::Whole,
        )
        .await?;
    let mut response = passed_on(answer, turn);
    if let Some(place) = place.and_then(|place| HeaderValue::from_str(&place).ok()) {
        response.headers_mut().insert(CONTENT_LOCATION, place);
    }
    Ok(response)
}

/// The answer of the lake as ours: its body as it comes, and of its headers those that we know.
fn passed_on(answer: Response<Incoming>, turn: Turn) -> Response {
    let (parts, body) = answer.into_parts();
    let mut headers = HeaderMap::new();
    for name in [CONTENT_TYPE.as_str(), ROWS_HEADER, TRUNCATED_HEADER] {
        if let Some(value) = parts.headers.get(name)
            && let Ok(name) = axum::http::HeaderName::try_from(name)
        {
            headers.insert(name, value.clone());
        }
    }
    headers.insert(CACHE_CONTROL, ASK_AGAIN);
    let body = body.map_frame(move |frame| {
        // The turn ends with the body.
        let _ = &turn;
        frame
    });
    (headers, Body::new(body)).into_response()
}

/// Returns the permalink of a query: the query itself.
fn permalink(query: &str) -> Option<String> {
    (query.len() <= MAX_LINKED).then(|| URL_SAFE_NO_PAD.encode(query))
}

fn linked(id: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(id).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permalink_carries_the_question() {
        let query = "SELECT 'ü' AS \"a/b\" -- ?";

        let id = permalink(query).unwrap();

        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        );
        assert_eq!(linked(&id).as_deref(), Some(query));
        assert_eq!(linked("no permalink"), None);
        assert_eq!(permalink(&"x".repeat(MAX_LINKED + 1)), None);
    }
}
