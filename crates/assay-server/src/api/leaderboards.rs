use std::sync::Arc;

use assay_app::{BoardQuery, BoardView, Caller};
use assay_model::{RepoId, RepoKind};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, extract::State};
use serde::Deserialize;

use crate::base_url::BaseUrl;
use crate::endpoints::{Endpoints, Param, ParamKind, param, told};
use crate::error::{Failure, one_line};
use crate::extract::{Asker, Base, Flag, Query, RepoName};
use crate::rendered::Answer;
use crate::state::AppState;

mod format;
mod parquet_file;
mod row;

use format::Format;

const POLICY: HeaderName = HeaderName::from_static("x-assay-policy");
const REVISION: HeaderName = HeaderName::from_static("x-assay-revision");
const TASK: HeaderName = HeaderName::from_static("x-assay-task");
const METRIC: HeaderName = HeaderName::from_static("x-assay-metric");
const AS_OF: HeaderName = HeaderName::from_static("x-assay-as-of");
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

const QUERY: &[Param] = &[
    param(
        "task_id",
        ParamKind::Text,
        "the task; the first one of the benchmark when absent",
    ),
    param(
        "metric_id",
        ParamKind::Text,
        "the metric that ranks; the primary one when absent",
    ),
    param(
        "policy",
        ParamKind::Text,
        "which result of a model counts: `authoritative`, `best`, `latest` or `all`",
    ),
    param("verified", ParamKind::Flag, "only verified results"),
    param(
        "as_of",
        ParamKind::Text,
        "the board as it stood at a date, a moment or a commit of the benchmark",
    ),
    param("limit", ParamKind::Number, "how many rows"),
    param("offset", ParamKind::Number, "how many rows to leave out"),
    param(
        "base_model",
        ParamKind::Flag,
        "leave out models made from others, as is done unless this is `false`",
    ),
    param(
        "base_model_only",
        ParamKind::Flag,
        "the same as `base_model`",
    ),
];

/// Leaderboards, at their full addresses: only datasets have one.
pub(crate) fn routes() -> Endpoints {
    let address = "/api/datasets/{namespace}/{name}/leaderboard";
    let board = told(Method::GET, "leaderboard", "Ranks the results of a task.");
    let mut endpoints = Endpoints::new().route(
        address,
        get(show).layer(Extension(Format::Client)),
        [board.query(QUERY)],
    );
    for format in Format::FILES {
        let ending = format.ending();
        let id = format!("leaderboard_{ending}");
        let file = told(Method::GET, &id, "Ranks the results of a task, as a file.");
        endpoints = endpoints.route(
            &format!("{address}.{ending}"),
            get(show).layer(Extension(format)),
            [file
                .query(QUERY)
                .answers_as(format.content_type(), "the ranked results")],
        );
    }
    endpoints
        .map(|router| router.layer(Extension(RepoKind::Dataset)))
        .under("Leaderboards")
}

#[derive(Debug, Deserialize)]
struct Question {
    task_id: Option<String>,
    metric_id: Option<String>,
    policy: Option<String>,
    #[serde(default)]
    verified: Flag,
    as_of: Option<String>,
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
    base_model: Option<Flag>,
    base_model_only: Option<Flag>,
}

impl Question {
    fn query(self) -> BoardQuery {
        // Clients call it `base_model_only` and send it as `base_model`; models that are not made from others are the
        // default.
        let base_only = self.base_model.or(self.base_model_only);
        BoardQuery {
            task: self.task_id,
            metric: self.metric_id,
            policy: self.policy,
            verified: self.verified.0,
            derived_models: !base_only.unwrap_or(Flag(true)).0,
            as_of: self.as_of,
            limit: self.limit,
            offset: self.offset,
        }
    }
}

/// The ranked results of one task.
async fn show(
    State(state): State<AppState>,
    Asker(caller): Asker,
    Base(base): Base,
    name: RepoName,
    Extension(format): Extension<Format>,
    uri: Uri,
    Query(question): Query<Question>,
) -> Result<Response, Failure> {
    if caller.name().is_some() {
        let answer = render(&state, &caller, &base, &name.id, question, format).await?;
        return Ok(answer.into_response());
    }
    // What nobody in particular sees is the same for all who ask, until something changes.
    let generation = state.hub.generation();
    let key = format!("{}{uri}", base.host());
    if let Some(kept) = state.web.rendered.get(generation, &key) {
        state.web.metrics.cache_hits.add();
        return Ok(kept.into_response());
    }
    let answer = render(&state, &caller, &base, &name.id, question, format).await?;
    state.web.rendered.put(generation, key, answer.clone());
    Ok(answer.into_response())
}

async fn render(
    state: &AppState,
    caller: &Caller,
    base: &BaseUrl,
    benchmark: &RepoId,
    question: Question,
    format: Format,
) -> Result<Answer, Failure> {
    let view = state
        .hub
        .leaderboard(caller, benchmark, &question.query())
        .await?;
    let headers = headers(&view, format);
    let host = base.host().to_owned();
    // A board of thousands of rows takes some milliseconds, which others would wait for.
    let body = tokio::task::spawn_blocking(move || format.write(&view, &host))
        .await
        .map_err(Failure::internal)?
        .map_err(Failure::internal)?;
    Ok(Answer {
        headers,
        body: body.into(),
    })
}

/// How the answer was made: clients insist on a bare list, so it stands in headers.
fn headers(view: &Arc<BoardView>, format: Format) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(format.content_type()),
    );
    headers.insert(POLICY, HeaderValue::from_static(view.policy));
    headers.insert(REVISION, one_line(&view.revision.to_string()));
    headers.insert(TASK, one_line(view.task.as_str()));
    headers.insert(METRIC, one_line(view.metric.as_str()));
    headers.insert(TOTAL, HeaderValue::from(view.total));
    if let Some(moment) = view.as_of {
        headers.insert(AS_OF, one_line(&moment.to_string()));
    }
    headers
}
