//! Results out of a log that is dropped on a page: read, assigned to boards, previewed like any
//! other result.
//!
//! The hub keeps nothing between the two forms. The page carries the records of the scores, without
//! samples, and a person can claim nothing by changing them that a form for results would not take
//! as well.

use askama::Template;
use assay_app::{
    BroughtEntry, BroughtEvaluation, BroughtFile, BroughtRecord, BroughtResults, Candidate, Error,
    EvaluationChoice, Harness, MetricPair, NoEntry, Question, Repo, entry_text,
};
use assay_model::{RepoId, RepoKind, TaskId};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::super::finding::pieces;
use super::super::form::Form;
use super::super::frame::Frame;
use super::super::{Pages, Visitor, files, show};
use super::{Draft, DraftFile, benchmarks, check, definition, named_benchmark, preview};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

/// The most files of one submission. A form has at most 200 parts.
pub(super) const MAX_FILES: usize = 180;
/// The most scores of an evaluation that the page lists.
const MAX_SCORES: usize = 40;

pub(super) fn pages() -> Pages {
    Pages::new().page(
        "/new/log",
        "Makes results of harness logs: reads the files, asks what they are results of, and previews a pull request.",
        get(begin).post(send),
    )
}

/// A sentence in pieces, each with whether it was quoted.
type Sentence = Vec<(bool, String)>;

#[derive(Template)]
#[template(path = "submit/log.html")]
struct LogPage {
    frame: Frame,
    model: String,
    benchmark: String,
    task: String,
    refused: Option<String>,
    unread: Vec<(String, Sentence)>,
    passed_over: Vec<String>,
    harnesses: String,
    most_files: usize,
    most_bytes: String,
}

#[derive(Template)]
#[template(path = "submit/log_found.html")]
struct FoundPage {
    frame: Frame,
    model: String,
    refused: Option<Sentence>,
    unread: Vec<(String, Sentence)>,
    passed_over: Vec<String>,
    records: Vec<BroughtRecord>,
    result_files: Vec<String>,
    evaluations: Vec<ShownEvaluation>,
    benchmarks: Vec<String>,
    source_url: String,
    notes: String,
}

/// An evaluation with the fields that a person fills in.
struct ShownEvaluation {
    name: String,
    harness: Option<&'static str>,
    path: String,
    model: String,
    scores: Vec<ShownScore>,
    more_scores: usize,
    incomplete: Option<String>,
    used: bool,
    benchmark: String,
    task: String,
    /// The tasks of the benchmark, when there are several.
    tasks: Vec<String>,
    allow_incomplete: bool,
    /// The metrics of the benchmark, when a person has to say which score is which.
    metrics: Vec<ShownMetric>,
    problem: Option<Sentence>,
}

struct ShownScore {
    id: String,
    metric: String,
    value: String,
    sample_size: String,
}

struct ShownMetric {
    id: String,
    name: String,
    /// The score that was chosen for it.
    chosen: String,
}

/// The names of the harnesses whose logs can be read.
pub(super) fn harnesses() -> String {
    let names: Vec<&str> = Harness::ALL
        .into_iter()
        .map(|harness| harness.info().title)
        .collect();
    names.join(", ")
}

async fn begin(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let visitor = visitor.with_form(&state)?;
    let asked = |name| visitor.state.get(name).unwrap_or_default().to_owned();
    let benchmark = named_benchmark(&visitor).to_owned();
    let page = start(&state, &visitor, asked("model"), benchmark, asked("task"));
    visitor.render(&page)
}

fn start(
    state: &AppState,
    visitor: &Visitor,
    model: String,
    benchmark: String,
    task: String,
) -> LogPage {
    LogPage {
        frame: visitor.frame("Drop a log").unlisted(),
        model,
        benchmark,
        task,
        refused: None,
        unread: Vec::new(),
        passed_over: Vec::new(),
        harnesses: harnesses(),
        most_files: MAX_FILES,
        most_bytes: files::bytes(state.web.body_bytes as u64),
    }
}

/// Reads the files, or previews what a person has made of them.
async fn send(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let visitor = visitor.with_form(&state)?;
    let is_answer = form.get("do") == "preview";
    let brought = if is_answer {
        carried(&form)
    } else {
        read(&state, &form).await?
    };
    let evaluations = state
        .hub
        .boards()
        .brought_evaluations(&visitor.caller, &brought.records)
        .await?;
    if evaluations.is_empty() && brought.result_files.is_empty() {
        return nothing(&state, &visitor, &form, brought);
    }
    let mut refused = None;
    let mut problems = Vec::new();
    // Result files say everything themselves: with a model there is nothing to ask.
    if is_answer || (evaluations.is_empty() && !form.get("model").is_empty()) {
        match draft(&state, &visitor, &form, &brought, &evaluations).await? {
            Ok((repo, draft)) => {
                let preview = preview(&state, &visitor, &repo, &draft).await?;
                return check(&state, visitor, &repo, &form, draft, &preview).await;
            }
            Err(problem) => (refused, problems) = (problem.message, problem.of_evaluations),
        }
    }
    let is_refused = is_answer && (refused.is_some() || !problems.is_empty());
    let model = match form.get("model") {
        "" => likely_model(&state, &visitor, &evaluations).await,
        model => model.to_owned(),
    };
    let mut shown = Vec::new();
    let is_only = evaluations.len() == 1;
    for (number, evaluation) in evaluations.iter().enumerate() {
        let problem = problems.iter().find(|(own, _)| *own == number);
        let mut one = show_one(&form, number, evaluation, is_only);
        if let Some(known) = definition(&state, &visitor, &one.benchmark).await {
            if known.tasks.len() > 1 {
                let tasks = known.tasks.iter().map(|task| task.id.to_string());
                one.tasks = tasks.collect();
            }
            if problem.is_some() {
                one.metrics = metrics(&form, number, &known);
            }
        }
        one.problem = problem.map(|(_, text)| pieces(text));
        shown.push(one);
    }
    let page = visitor.render(&FoundPage {
        frame: visitor.frame("Results in your files").unlisted(),
        model,
        refused: refused.as_deref().map(pieces),
        unread: unread(brought.refused),
        passed_over: brought.passed_over,
        records: brought.records,
        result_files: brought.result_files,
        evaluations: shown,
        benchmarks: benchmarks(&state, &visitor).await?,
        source_url: form.get("source_url").to_owned(),
        notes: form.text("notes"),
    })?;
    if is_refused {
        return Ok((StatusCode::BAD_REQUEST, page.into_response()).into_response());
    }
    Ok(page.into_response())
}

/// Reads the files of a form.
async fn read(state: &AppState, form: &Form) -> Result<BroughtResults, Failure> {
    let files: Vec<BroughtFile> = form
        .files("files")
        .map(|file| BroughtFile {
            path: file.name.clone(),
            content: file.content.clone(),
        })
        .collect();
    Ok(state.hub.boards().read_brought(files).await?)
}

/// Returns what the page carried from the first form to the second.
fn carried(form: &Form) -> BroughtResults {
    let harnesses = form.all("harness").map(|word| match word {
        "" => None,
        word => Some(word.to_owned()),
    });
    let records = form.all("log").zip(harnesses).zip(form.all("record"));
    BroughtResults {
        records: records
            .map(|((path, harness), text)| BroughtRecord {
                path: path.to_owned(),
                harness,
                text: text.to_owned(),
            })
            .collect(),
        result_files: form.texts("result_text").collect(),
        ..BroughtResults::default()
    }
}

/// Shows the first form again: nothing was found.
fn nothing(
    state: &AppState,
    visitor: &Visitor,
    form: &Form,
    brought: BroughtResults,
) -> Result<Response, Failure> {
    let refused = if brought.refused.is_empty() && brought.passed_over.is_empty() {
        "Choose a log, a record, a result file or a folder.".to_owned()
    } else {
        format!("The hub reads logs of {}.", harnesses())
    };
    let asked = |name| form.get(name).to_owned();
    let page = LogPage {
        refused: Some(refused),
        unread: unread(brought.refused),
        passed_over: brought.passed_over,
        ..start(
            state,
            visitor,
            asked("model"),
            asked("benchmark"),
            asked("task"),
        )
    };
    let page = visitor.render(&page)?;
    Ok((StatusCode::BAD_REQUEST, page.into_response()).into_response())
}

/// The files that could not be read, with the reasons as pages show them.
fn unread(refused: Vec<(String, String)>) -> Vec<(String, Sentence)> {
    let refused = refused.into_iter();
    refused.map(|(path, why)| (path, pieces(&why))).collect()
}

/// The reasons why the answers of a person give no draft yet.
struct NotReady {
    message: Option<String>,
    /// The evaluations that something is wrong with, by their number.
    of_evaluations: Vec<(usize, String)>,
}

impl NotReady {
    fn because(message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            of_evaluations: Vec::new(),
        }
    }
}

/// Makes the result files that a person wants, or says what is missing.
async fn draft(
    state: &AppState,
    visitor: &Visitor,
    form: &Form,
    brought: &BroughtResults,
    evaluations: &[BroughtEvaluation],
) -> Result<Result<(Repo, Draft), NotReady>, Failure> {
    let model = form.get("model");
    let Some(repo) = open_model(state, visitor, model).await else {
        let message =
            format!("There is no model {model} that you may see; create it, or correct its name.");
        return Ok(Err(NotReady::because(message)));
    };
    let mut texts = brought.result_files.clone();
    let mut remarks = Vec::new();
    let mut problems = Vec::new();
    for number in form
        .all("use")
        .filter_map(|number| number.parse::<usize>().ok())
    {
        let Some(evaluation) = evaluations.get(number) else {
            continue;
        };
        match make(state, visitor, form, &repo, number, evaluation).await? {
            Ok(made) => {
                texts.push(entry_text(&made.entry));
                remarks.extend(made.remarks.iter().map(|remark| pieces(remark)));
            }
            Err(problem) => problems.push((number, problem)),
        }
    }
    if !problems.is_empty() {
        return Ok(Err(NotReady {
            message: Some("Some results need an answer, see below.".to_owned()),
            of_evaluations: problems,
        }));
    }
    if texts.is_empty() {
        return Ok(Err(NotReady::because(
            "Choose at least one result to submit.",
        )));
    }
    let files = match state.hub.boards().add_to_result_files(&repo, &texts).await {
        Ok(files) => files,
        Err(Error::Invalid(message)) => return Ok(Err(NotReady::because(message))),
        Err(error) => return Err(error.into()),
    };
    if files.is_empty() {
        let message = format!("All of these results are in {} already.", repo.id());
        return Ok(Err(NotReady::because(message)));
    }
    let title = match texts.len() {
        1 => "Add a result from a log".to_owned(),
        count => format!("Add {count} results from logs"),
    };
    let files = files.into_iter();
    let files = files.map(|(path, text)| DraftFile { path, text }).collect();
    let draft = Draft {
        files,
        title,
        remarks,
    };
    Ok(Ok((repo, draft)))
}

/// Makes the entry of one evaluation, or returns a sentence for the person.
async fn make(
    state: &AppState,
    visitor: &Visitor,
    form: &Form,
    repo: &Repo,
    number: usize,
    evaluation: &BroughtEvaluation,
) -> Result<Result<BroughtEntry, String>, Failure> {
    let field = |name: &str| form.get(&format!("{name}-{number}")).to_owned();
    let Ok(benchmark) = field("benchmark").parse::<RepoId>() else {
        return Ok(Err("Say which benchmark this is a result of.".to_owned()));
    };
    let task: Option<TaskId> = match field("task").as_str() {
        "" => None,
        task => match task.parse() {
            Ok(task) => Some(task),
            Err(_) => return Ok(Err(format!("{task} cannot be the name of a task."))),
        },
    };
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let said = EvaluationChoice {
        pairs: pairs(form, number),
        allow_incomplete: form.has(&format!("incomplete-{number}")),
        source_url: some(form.get("source_url").to_owned()),
        notes: some(form.text("notes").trim().to_owned()),
    };
    let made = state
        .hub
        .boards()
        .brought_entry(
            &visitor.caller,
            repo,
            &benchmark,
            task.as_ref(),
            evaluation,
            &said,
        )
        .await;
    match made {
        Ok(made) => Ok(made.map_err(in_words)),
        Err(Error::NotFound(missing)) => Ok(Err(format!("{missing}."))),
        Err(error) => Err(error.into()),
    }
}

/// The reason why there is no entry, with the field of the form that answers its question.
fn in_words(error: NoEntry) -> String {
    let NoEntry { reason, question } = error;
    let next = match question {
        None => "",
        Some(Question::Log | Question::Evaluation) => "; submit one of them",
        Some(Question::Score(_) | Question::Scores) => "; choose the scores below",
        Some(Question::Incomplete) => ", or tick that it is submitted all the same",
        Some(Question::SourceUrl) => "; give the URL of the source",
    };
    format!("{reason}{next}")
}

/// Which score is which metric, where a person chose.
fn pairs(form: &Form, number: usize) -> Vec<MetricPair> {
    let (metric, score) = (format!("metric-{number}"), format!("score-{number}"));
    let pairs = form.all(&metric).zip(form.all(&score));
    pairs
        .filter(|(_, from)| !from.is_empty())
        .filter_map(|(to, from)| {
            Some(MetricPair {
                from: from.to_owned(),
                to: to.parse().ok()?,
            })
        })
        .collect()
}

fn metrics(form: &Form, number: usize, definition: &assay_model::Benchmark) -> Vec<ShownMetric> {
    let chosen = pairs(form, number);
    let metrics = definition.metrics.iter();
    metrics
        .map(|metric| ShownMetric {
            id: metric.id.to_string(),
            name: metric.display_name.clone(),
            chosen: chosen
                .iter()
                .find(|pair| pair.to == metric.id)
                .map_or_else(String::new, |pair| pair.from.clone()),
        })
        .collect()
}

fn show_one(
    form: &Form,
    number: usize,
    evaluation: &BroughtEvaluation,
    is_only: bool,
) -> ShownEvaluation {
    let is_answer = form.get("do") == "preview";
    let (benchmark, task) = if is_answer {
        let field = |name: &str| form.get(&format!("{name}-{number}")).to_owned();
        (field("benchmark"), field("task"))
    } else {
        match (&evaluation.likely, form.get("benchmark")) {
            (Some((benchmark, task)), _) => (benchmark.to_string(), task.to_string()),
            // The board that the person came from.
            (None, benchmark) if is_only => (benchmark.to_owned(), form.get("task").to_owned()),
            (None, _) => (String::new(), String::new()),
        }
    };
    let used = if is_answer {
        form.all("use").any(|own| own == number.to_string())
    } else {
        is_only || (!benchmark.is_empty() && evaluation.incomplete().is_none())
    };
    ShownEvaluation {
        name: evaluation.name().to_owned(),
        harness: evaluation.harness(),
        path: evaluation.path().to_owned(),
        model: evaluation.model().to_owned(),
        scores: evaluation
            .scores
            .iter()
            .take(MAX_SCORES)
            .map(score)
            .collect(),
        more_scores: evaluation.scores.len().saturating_sub(MAX_SCORES),
        incomplete: evaluation.incomplete().map(str::to_owned),
        used,
        benchmark,
        task,
        tasks: Vec::new(),
        allow_incomplete: form.has(&format!("incomplete-{number}")),
        metrics: Vec::new(),
        problem: None,
    }
}

fn score(score: &Candidate) -> ShownScore {
    ShownScore {
        id: score.result_id.clone(),
        metric: score.metric_names().last().unwrap_or_default().to_owned(),
        value: show::number(score.score.get()),
        sample_size: score
            .sample_size
            .map_or_else(String::new, |size| size.to_string()),
    }
}

/// Returns the model of this hub that all evaluations name; empty when there is none.
async fn likely_model(
    state: &AppState,
    visitor: &Visitor,
    evaluations: &[BroughtEvaluation],
) -> String {
    let first = evaluations.first().map_or("", BroughtEvaluation::model);
    if evaluations.iter().any(|own| own.model() != first) {
        return String::new();
    }
    match open_model(state, visitor, first).await {
        Some(repo) => repo.id().to_string(),
        None => String::new(),
    }
}

async fn open_model(state: &AppState, visitor: &Visitor, name: &str) -> Option<Repo> {
    let id: RepoId = name.parse().ok()?;
    let repo = state.hub.repo(&visitor.caller, RepoKind::Model, &id).await;
    repo.ok()
}
