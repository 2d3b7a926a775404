//! The samples of a benchmark one by one: which are hard, who gets them right, and what was said.

mod filter;
mod head_to_head;
mod transcript;

use askama::Template;
use assay_formats::lake_api::CallerClass;
use axum::extract::State;
use axum::routing::get;
use serde::Deserialize;

use self::filter::{Outcome, SampleFilter, quoted};
use super::frame::{Frame, Section};
use super::paging::Paging;
use super::{Pages, Visitor, show};
use crate::error::Failure;
use crate::extract::RateLimitKey;
use crate::lake::{self, Lake, Turn};
use crate::rendered::Answer;
use crate::state::AppState;

/// Number of samples that a page shows.
const SHOWN: usize = 50;
/// Number of characters of a question that are shown in the list.
const SHOWN_OF_QUESTION: usize = 240;
/// Number of tasks that can be chosen from.
const TASKS: usize = 500;
/// Number of models of a task that can be chosen from.
const MODELS: usize = 1_000;

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/samples",
            "The samples of a task: which are hard and who gets them right.",
            get(samples),
        )
        .page(
            "/samples/transcript",
            "What was asked and answered in one sample.",
            get(transcript::transcript),
        )
        .page(
            "/head-to-head",
            "Two models on the samples that both have answered.",
            get(head_to_head::head_to_head),
        )
}

/// A task that samples are known of.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct TaskRow {
    benchmark: String,
    task: Option<String>,
    metric: Option<String>,
    models: usize,
    samples: usize,
}

/// A model that has answered.
#[derive(Debug, Deserialize)]
struct ModelRow {
    model: String,
    samples: usize,
    mean: Option<f64>,
}

/// A sample and how the models did on it.
#[derive(Debug, Deserialize)]
struct SampleRow {
    hash: String,
    models: usize,
    right: usize,
    total: usize,
}

/// The beginning of a question.
#[derive(Debug, Deserialize)]
struct QuestionRow {
    hash: String,
    question: Option<String>,
}

#[derive(Template)]
#[template(path = "samples/tasks.html")]
struct TasksPage {
    frame: Frame,
    asked: String,
    tasks: Vec<Choice>,
}

/// A task to choose.
#[derive(Debug)]
struct Choice {
    to: String,
    row: TaskRow,
}

#[derive(Template)]
#[template(path = "samples/list.html")]
struct SamplesPage {
    frame: Frame,
    asked: SampleFilter,
    models: Vec<Model>,
    outcomes: Vec<(&'static str, &'static str, bool)>,
    rows: Vec<Sample>,
    paging: Paging,
}

/// A model of the task.
#[derive(Debug)]
struct Model {
    name: String,
    current: bool,
    samples: usize,
    mean: String,
    /// The same list for this model.
    to: String,
    /// The comparison with the model that is chosen.
    against: Option<String>,
}

/// A sample in the list.
#[derive(Debug)]
struct Sample {
    hash: String,
    to: String,
    question: String,
    right: usize,
    models: usize,
    /// The share of models that are right, in percent.
    share: usize,
}

async fn samples(
    State(state): State<AppState>,
    whence: RateLimitKey,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let lake = lake::wanted(state.web.lake.as_ref())?;
    let turn = lake.turn(whence, CallerClass::Page)?;
    let tasks = tasks(&state, (lake, &turn), visitor.state.get("benchmark")).await?;
    let mut fitting = tasks
        .iter()
        .filter(|row| filter::is_meant(&visitor.state, row));
    let Some(task) = fitting.next().filter(|_| fitting.next().is_none()) else {
        return choose(&visitor, tasks);
    };
    let asked = SampleFilter::of(&visitor.state, task);
    let models: Vec<ModelRow> = lake.rows(&turn, &state.hub, asked.models(MODELS)).await?;
    let (rows, paging) = list(&state, (lake, &turn), &visitor, &asked).await?;
    let questions: Vec<QuestionRow> = if rows.is_empty() {
        Vec::new()
    } else {
        let hashes: Vec<&str> = rows.iter().map(|row| row.hash.as_str()).collect();
        let sql = asked.questions(&hashes, SHOWN_OF_QUESTION);
        lake.rows(&turn, &state.hub, sql).await?
    };
    let page = SamplesPage {
        frame: visitor
            .frame(format!("Samples of {}", asked.name()))
            .within(Section::Samples)
            .about("Samples of a benchmark, from hard to easy, with who gets them right."),
        models: models
            .into_iter()
            .map(|row| model(&visitor, &asked, row))
            .collect(),
        rows: rows
            .into_iter()
            .map(|row| sample(&asked, row, &questions))
            .collect(),
        outcomes: Outcome::ALL
            .map(|(outcome, word, label)| (word, label, outcome == asked.outcome))
            .to_vec(),
        asked,
        paging,
    };
    visitor.render(&page)
}

/// The tasks that samples are known of: of one benchmark, by its name in the lake or by the dataset
/// that its results name.
async fn tasks(
    state: &AppState,
    (lake, turn): (&Lake, &Turn),
    benchmark: Option<&str>,
) -> Result<Vec<TaskRow>, Failure> {
    let condition = benchmark.map_or_else(String::new, |name| {
        let name = quoted(&name.to_lowercase());
        format!(
            "AND (lower(benchmark) = {name} OR benchmark IN \
             (SELECT benchmark FROM results WHERE lower(dataset) = {name}))"
        )
    });
    let sql = format!(
        "SELECT benchmark, task, metric, count(DISTINCT model) AS models, count(DISTINCT sample_hash) AS samples \
         FROM instances WHERE sample_hash IS NOT NULL AND score IS NOT NULL {condition} \
         GROUP BY benchmark, task, metric ORDER BY benchmark, task, metric LIMIT {TASKS}"
    );
    lake.rows(turn, &state.hub, sql).await
}

fn choose(visitor: &Visitor, tasks: Vec<TaskRow>) -> Result<Answer, Failure> {
    let page = TasksPage {
        frame: visitor
            .frame("Samples")
            .within(Section::Samples)
            .about("Every benchmark whose samples this hub knows."),
        asked: visitor
            .state
            .get("benchmark")
            .unwrap_or_default()
            .to_owned(),
        tasks: tasks
            .into_iter()
            .map(|row| Choice {
                to: filter::list_of(&row),
                row,
            })
            .collect(),
    };
    visitor.render(&page)
}

/// One page of the list. A page behind the last is the last.
async fn list(
    state: &AppState,
    (lake, turn): (&Lake, &Turn),
    visitor: &Visitor,
    asked: &SampleFilter,
) -> Result<(Vec<SampleRow>, Paging), Failure> {
    let page = visitor.state.get("page").and_then(|text| text.parse().ok());
    let offset = usize::saturating_sub(page.unwrap_or(1), 1).saturating_mul(SHOWN);
    let mut rows: Vec<SampleRow> = lake
        .rows(turn, &state.hub, asked.list(SHOWN, offset))
        .await?;
    if rows.is_empty() && offset > 0 {
        let first: Vec<SampleRow> = lake.rows(turn, &state.hub, asked.list(1, 0)).await?;
        let total = first.first().map_or(0, |row| row.total);
        let paging = Paging::new("/samples", &visitor.state, total, SHOWN);
        rows = lake
            .rows(turn, &state.hub, asked.list(SHOWN, paging.offset()))
            .await?;
    }
    let total = rows.first().map_or(0, |row| row.total);
    let paging = Paging::new("/samples", &visitor.state, total, SHOWN);
    Ok((rows, paging))
}

fn model(visitor: &Visitor, asked: &SampleFilter, row: ModelRow) -> Model {
    let against = asked
        .model
        .as_deref()
        .filter(|chosen| *chosen != row.model)
        .map(|chosen| head_to_head::between(chosen, &row.model, asked));
    Model {
        to: visitor
            .state
            .without("page")
            .with("model", row.model.as_str())
            .on("/samples"),
        against,
        current: asked.model.as_deref() == Some(&*row.model),
        samples: row.samples,
        mean: row.mean.map_or_else(String::new, show::number),
        name: row.model,
    }
}

fn sample(asked: &SampleFilter, row: SampleRow, questions: &[QuestionRow]) -> Sample {
    let question = questions.iter().find(|question| question.hash == row.hash);
    let question = question.and_then(|question| question.question.as_deref());
    Sample {
        to: transcript::address(asked, &row.hash, asked.model.as_deref()),
        question: question.map_or_else(String::new, |text| {
            show::shortened(text, SHOWN_OF_QUESTION - 1)
        }),
        share: (row.right * 100)
            .checked_div(row.models)
            .unwrap_or_default(),
        right: row.right,
        models: row.models,
        hash: row.hash,
    }
}
