use assay_app::{BoardQuery, BoardView, Caller, FullRow};
use assay_hub_api as hub_api;
use assay_model::{RepoId, RepoKind};
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use bytes::Bytes;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::base_url::BaseUrl;
use crate::describe::{Subject, says};
use crate::error::{Failure, one_line};
use crate::extract::{Base, CallerExt, LenientBool, Query, RepoName};
use crate::rendered::{About, Address, Answer, Place};
use crate::routes::{Methods, Routes, get};
use crate::state::AppState;
use crate::wire;

mod export;

use export::Form;

const TASK: HeaderName = HeaderName::from_static("x-assay-task");
const METRIC: HeaderName = HeaderName::from_static("x-assay-metric");
const POLICY: HeaderName = HeaderName::from_static("x-assay-policy");
const REVISION: HeaderName = HeaderName::from_static("x-assay-benchmark-revision");
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// Leaderboards, at their full addresses: only datasets have one.
pub(crate) fn routes() -> Routes {
    let address = "/api/datasets/{namespace}/{name}/leaderboard";
    let mut routes = Routes::about(Subject::Leaderboards).route(address, of_form(Form::Client));
    for form in Form::FILES {
        let address = format!("{address}.{}", form.suffix().unwrap_or_default());
        routes = routes.route(&address, of_form(form));
    }
    routes.map_router(|router| router.layer(Extension(RepoKind::Dataset)))
}

fn of_form(form: Form) -> Methods {
    let told = match form {
        Form::Client => says("Ranks the results of one task."),
        Form::Json | Form::Lines | Form::Csv | Form::Parquet | Form::Markdown | Form::Latex => {
            says("Ranks the results of one task, as a file.")
                .in_form(form.suffix().unwrap_or_default())
        }
    };
    let told = told
        .more(
            "Only finite numbers are ranked; equal values share a rank. Where it is known how uncertain \
             the values are, a row says between which ranks it lies, and by which method. The headers of the answer say which task, metric, \
             policy and definition made it.",
        )
        .query::<Parameters>();
    let told = match form {
        Form::Client | Form::Json => told.lists::<hub_api::BoardRow>("The rows."),
        Form::Lines | Form::Csv | Form::Parquet | Form::Markdown | Form::Latex => {
            told.answers_bytes(form.content_type(), "The rows.")
        }
    };
    let told = told
        .header(TASK.as_str(), "The task.")
        .header(METRIC.as_str(), "The metric it is ranked by.")
        .header(
            POLICY.as_str(),
            "The policy that chose among several results of a model.",
        )
        .header(
            REVISION.as_str(),
            "The commit of the benchmark's definition.",
        )
        .header(TOTAL.as_str(), "How many rows there are in all.");
    get(leaderboard, told).map_router(|router| router.layer(Extension(form)))
}

/// The parameters of a board. The client knows `base_model` alone; its own argument is called
/// `base_model_only`.
#[derive(Debug, Deserialize, IntoParams)]
struct Parameters {
    /// The task; none for the first one of the benchmark.
    task_id: Option<String>,
    /// The metric; none for the primary one of the task.
    metric_id: Option<String>,
    /// The policy that chooses among several results of a model: `most-trusted` (the default, also
    /// called `authoritative`), `best`, `latest` or `all`.
    policy: Option<String>,
    /// True if verified results alone are ranked.
    #[serde(default)]
    #[param(value_type = bool)]
    verified: LenientBool,
    /// True if models that are made from others are left out. The default is `true` for the array
    /// that clients read, as their contract has it, and `false` for files, as on the page.
    #[param(value_type = Option<bool>)]
    base_model: Option<LenientBool>,
    /// The same, by its other name.
    #[param(value_type = Option<bool>)]
    base_model_only: Option<LenientBool>,
    /// The board as it was at this date or moment, or at this commit of the benchmark.
    as_of: Option<String>,
    /// The most rows.
    limit: Option<usize>,
    /// The number of rows to skip.
    #[serde(default)]
    offset: usize,
}

impl Parameters {
    /// The board that is asked for. The client's contract has base models alone when nobody says;
    /// every other form has the board of the page.
    fn query(self, form: Form) -> BoardQuery {
        let base_only = self.base_model.or(self.base_model_only);
        let unasked = LenientBool(form == Form::Client);
        BoardQuery {
            task: filled(self.task_id),
            metric: filled(self.metric_id),
            policy: filled(self.policy),
            verified: self.verified.0,
            base_models_only: base_only.unwrap_or(unasked).0,
            as_of: filled(self.as_of),
            limit: self.limit,
            offset: self.offset,
            words: false,
        }
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Returns the ranked results of one task, in the form that the end of the address names.
async fn leaderboard(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    Extension(form): Extension<Form>,
    address: Option<Extension<Address>>,
    Query(parameters): Query<Parameters>,
) -> Result<Answer, Failure> {
    let query = parameters.query(form);
    let Some(Extension(address)) = address else {
        return render(&state, &caller, base, &name.id, &query, form).await;
    };
    let about = About::Board(name.id.clone());
    let place = Place::new(&state.hub, about, address);
    let answer = render(&state, &caller, base, &name.id, &query, form).await?;
    state.web.rendered.put(place, answer.clone());
    Ok(answer)
}

async fn render(
    state: &AppState,
    caller: &Caller,
    base: BaseUrl,
    benchmark: &RepoId,
    query: &BoardQuery,
    form: Form,
) -> Result<Answer, Failure> {
    let view = state
        .hub
        .boards()
        .leaderboard(caller, benchmark, query)
        .await?;
    let headers = headers(&view, form, benchmark.name());
    let rows = state.hub.boards().full_rows(&view, view.rows()).await?;
    // A board of thousands of rows takes some milliseconds, for which others would wait.
    let body = tokio::task::spawn_blocking(move || write(&view, &rows, &base, form))
        .await
        .map_err(Failure::internal)??;
    Ok(Answer { headers, body })
}

fn write(view: &BoardView, rows: &[FullRow], base: &BaseUrl, form: Form) -> Result<Bytes, Failure> {
    let rows: Vec<hub_api::BoardRow> = rows
        .iter()
        .map(|row| wire::board_row(view, row, base))
        .collect();
    export::write(view, &rows, form).map_err(Failure::internal)
}

/// Returns the headers that name the definition, policy and metric of this answer, and the total
/// number of rows.
fn headers(view: &BoardView, form: Form, name: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(form.content_type()),
    );
    headers.insert(TASK, one_line(view.task.as_str()));
    headers.insert(METRIC, one_line(view.metric.as_str()));
    headers.insert(POLICY, one_line(view.policy));
    headers.insert(REVISION, one_line(&view.revision.to_string()));
    headers.insert(TOTAL, view.total.into());
    if let Some(suffix) = form.suffix() {
        let file = format!("attachment; filename=\"{name}-leaderboard.{suffix}\"");
        headers.insert(header::CONTENT_DISPOSITION, one_line(&file));
    }
    headers
}
