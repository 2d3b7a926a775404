//! New repositories: a model, or a benchmark with its definition.

use askama::Template;
use assay_app::{CommitRequest, FileSource, NewRepository, Visibility};
use assay_hub_api::CommitOperation;
use assay_model::{RepoId, RepoKind, RepoPath};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::finding::Finding;
use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::refusal::Refusal;
use super::yaml::Yaml;
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

/// The file that makes a dataset a benchmark.
const DEFINITION: &str = "eval.yaml";
/// Number of metrics that the form has rows for.
const METRIC_ROWS: usize = 4;

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/new/model",
            "A form for a new model repository.",
            get(new_model).post(create_model),
        )
        .page(
            "/new/benchmark",
            "A form for a new benchmark, with a preview of its definition.",
            get(new_benchmark).post(send_benchmark),
        )
}

#[derive(Template)]
#[template(path = "new/model.html")]
struct NewModel {
    frame: Frame,
    homes: Vec<String>,
    owner: String,
    name: String,
    about: String,
    private: bool,
    refused: Option<String>,
}

#[derive(Template)]
#[template(path = "new/benchmark.html")]
struct NewBenchmark {
    frame: Frame,
    homes: Vec<String>,
    rows: Vec<usize>,
}

#[derive(Template)]
#[template(path = "new/check.html")]
struct CheckBenchmark {
    frame: Frame,
    homes: Vec<String>,
    owner: String,
    name: String,
    private: bool,
    text: String,
    findings: Vec<Finding>,
    errors: usize,
    refused: Option<String>,
}

#[derive(Template)]
#[template(path = "new/findings.html")]
struct Fragment {
    findings: Vec<Finding>,
}

async fn new_model(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let caller = &visitor.signed_in()?.caller;
    visitor.render(&NewModel {
        frame: visitor.frame("New model").unlisted(),
        homes: state.hub.accounts().homes(caller).await?,
        owner: String::new(),
        name: visitor.state.get("name").unwrap_or_default().to_owned(),
        about: String::new(),
        private: false,
        refused: None,
    })
}

async fn create_model(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let failure = match create(&state, &visitor, &form, RepoKind::Model).await {
        Ok(created) => return Ok(Go::to(&links::model(&created)).into_response()),
        Err(failure) => failure,
    };
    let refusal = Refusal::from_failure(failure)?;
    let caller = &visitor.signed_in()?.caller;
    let page = visitor.render(&NewModel {
        frame: visitor.frame("New model").unlisted(),
        homes: state.hub.accounts().homes(caller).await?,
        owner: form.get("owner").to_owned(),
        name: form.get("name").to_owned(),
        about: form.get("about").to_owned(),
        private: form.has("private"),
        refused: Some(refusal.message.clone()),
    })?;
    Ok(refusal.answer(page))
}

async fn new_benchmark(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let caller = &visitor.signed_in()?.caller;
    visitor.render(&NewBenchmark {
        frame: visitor.frame("New benchmark").unlisted(),
        homes: state.hub.accounts().homes(caller).await?,
        rows: (1..=METRIC_ROWS).collect(),
    })
}

/// Shows the findings in a definition, or registers the benchmark.
async fn send_benchmark(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let text = match form.text("text") {
        text if text.trim().is_empty() => definition(&form),
        text => text,
    };
    let files = vec![(DEFINITION.to_owned(), text.clone().into_bytes())];
    let diagnostics = state
        .hub
        .repositories()
        .preview(caller, RepoKind::Dataset, None, files)
        .await?;
    let findings = Finding::list(&diagnostics);
    if form.get("do") == "look" {
        return Ok(visitor.render(&Fragment { findings })?.into_response());
    }
    let errors = findings.iter();
    let errors = errors.filter(|finding| finding.class == "bad").count();
    let mut refusal = None;
    if form.get("do") == "create" && errors == 0 {
        match register(&state, &visitor, &form, text.clone()).await {
            Ok(id) => {
                let place = links::benchmark(&id);
                return Ok(Go::to(&format!("{place}?done=registered")).into_response());
            }
            Err(failure) => refusal = Some(Refusal::from_failure(failure)?),
        }
    }
    let page = visitor.render(&CheckBenchmark {
        frame: visitor.frame("Check the benchmark").unlisted(),
        homes: state.hub.accounts().homes(caller).await?,
        owner: form.get("owner").to_owned(),
        name: form.get("name").to_owned(),
        private: form.has("private"),
        text,
        findings,
        errors,
        refused: refusal.as_ref().map(|refusal| refusal.message.clone()),
    })?;
    Ok(match refusal {
        Some(refusal) => refusal.answer(page),
        None => page.into_response(),
    })
}

/// Makes the dataset with its definition and a first page of text.
async fn register(
    state: &AppState,
    visitor: &Visitor,
    form: &Form,
    text: String,
) -> Result<RepoId, Failure> {
    let id = create(state, visitor, form, RepoKind::Dataset).await?;
    let readme = format!("# {}\n", id.name());
    let put = |path: &str, text: String| -> Result<CommitOperation<FileSource>, Failure> {
        let path: RepoPath = path.parse().map_err(Failure::internal)?;
        Ok(CommitOperation::put(path, text.into_bytes()))
    };
    let request = CommitRequest {
        revision: "main".to_owned(),
        summary: "Define the benchmark".to_owned(),
        description: String::new(),
        parent: None,
        received_at: Some(state.web.clock.now()),
        create_pull: false,
        operations: vec![put(DEFINITION, text)?, put("README.md", readme)?],
    };
    state
        .hub
        .repositories()
        .commit(&visitor.caller, RepoKind::Dataset, &id, request)
        .await?;
    Ok(id)
}

async fn create(
    state: &AppState,
    visitor: &Visitor,
    form: &Form,
    kind: RepoKind,
) -> Result<RepoId, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let description = Some(form.get("about").to_owned()).filter(|text| !text.is_empty());
    let new = NewRepository {
        kind,
        namespace: Some(form.get("owner").to_owned()).filter(|owner| !owner.is_empty()),
        name: form.get("name").to_owned(),
        visibility: if form.has("private") {
            Visibility::Private
        } else {
            Visibility::Public
        },
        description,
    };
    Ok(state
        .hub
        .repositories()
        .create_repository(caller, new)
        .await?
        .id)
}

/// A definition, as it was filled in.
fn definition(form: &Form) -> String {
    let mut file = Yaml::default();
    file.text(0, "name", form.get("title"));
    file.text(0, "description", form.get("about"));
    file.open(0, "metrics");
    let primary = form.get("primary");
    for row in 1..=METRIC_ROWS {
        let id = form.get(&format!("metric-{row}")).to_owned();
        if id.is_empty() {
            continue;
        }
        file.text(2, "- id", &id);
        let name = match form.get(&format!("metric-name-{row}")) {
            "" => id.as_str(),
            name => name,
        };
        file.text(4, "display_name", name);
        let is_lower = form.get(&format!("metric-way-{row}")) == "lower";
        let higher = if is_lower { "false" } else { "true" };
        file.plain(4, "higher_is_better", higher);
        file.text(4, "unit", form.get(&format!("metric-unit-{row}")));
        if primary == row.to_string() {
            file.plain(4, "primary", "true");
        }
    }
    file.open(0, "tasks");
    for task in form.text("tasks").lines().map(str::trim) {
        if !task.is_empty() {
            file.text(2, "- id", task);
        }
    }
    file.finish()
}
