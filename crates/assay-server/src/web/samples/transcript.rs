//! The transcript of one sample. It may be long, so it is sent as the lake reads it.

use std::convert::Infallible;

use askama::Template;
use assay_formats::lake_api::{CallerClass, Delivery, Format};
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::stream;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde::Deserialize;

use super::filter::{SampleFilter, quoted};
use crate::error::Failure;
use crate::extract::RateLimitKey;
use crate::lake::{self, PAGE, Turn};
use crate::state::AppState;
use crate::web::frame::{Frame, Section};
use crate::web::query::State as Query;
use crate::web::{Visitor, html, show};

/// The place of the transcript in the page. Text of strangers is escaped, so it cannot stand
/// anywhere else.
const PLACE: &str = "<!--transcript-->";
/// Number of models that are listed.
const MODELS: usize = 1_000;
/// Number of rows that a transcript has at most.
const MAX_ROWS: usize = 100_000;
/// The longest row that is shown, in bytes.
const MAX_ROW: usize = 32 << 20;
/// The notice where a transcript ends too early.
const BROKEN_OFF: &str = "<p class=\"notice bad\">The rest could not be read.</p>";

/// The outcome of a model on the sample.
#[derive(Debug, Deserialize)]
struct DidRow {
    model: String,
    runs: usize,
    right: usize,
    score: Option<f64>,
}

#[derive(Template)]
#[template(path = "samples/transcript.html")]
struct TranscriptPage {
    frame: Frame,
    name: String,
    all: String,
    hash: String,
    chosen: String,
    models: Vec<Did>,
}

/// The outcome of a model, as it is shown.
#[derive(Debug)]
struct Did {
    model: String,
    to: String,
    current: bool,
    runs: usize,
    right: usize,
    score: String,
}

/// A piece of a transcript.
#[derive(Debug, Deserialize)]
struct Piece {
    record_id: String,
    line: u64,
    part: String,
    role: Option<String>,
    content: Option<String>,
    reasoning: Option<String>,
    tool_calls: Option<String>,
}

#[derive(Template)]
#[template(path = "samples/piece.html")]
struct ShownPiece {
    /// The heading of the run that begins with this piece.
    run: Option<String>,
    label: String,
    class: &'static str,
    piece: Piece,
}

/// Shows what one model said in one sample.
pub(super) async fn transcript(
    State(state): State<AppState>,
    whence: RateLimitKey,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let lake = lake::wanted(state.web.lake.as_ref())?;
    let (Some(benchmark), Some(hash)) =
        (visitor.state.get("benchmark"), visitor.state.get("sample"))
    else {
        return Err(Failure::no_route());
    };
    let turn = lake.turn(whence, CallerClass::Page)?;
    let task = visitor.state.get("task");
    let place = condition(benchmark, task, hash);
    let sql = format!(
        "SELECT model, count(DISTINCT record_id || ' ' || CAST(line AS VARCHAR)) AS runs, \
         count(DISTINCT CASE WHEN is_correct THEN record_id || ' ' || CAST(line AS VARCHAR) END) AS right, \
         avg(score) AS score FROM instances WHERE {place} GROUP BY model ORDER BY model LIMIT {MODELS}"
    );
    let rows: Vec<DidRow> = lake.rows(&turn, &state.hub, sql).await?;
    let asked = visitor.state.get("model");
    let Some(chosen) = chosen(&rows, asked) else {
        return Err(Failure::no_route());
    };
    let page = page(&visitor, benchmark, hash, &rows, &chosen);
    let text = page.render().map_err(Failure::internal)?;
    let (head, tail) = text
        .split_once(PLACE)
        .ok_or_else(|| Failure::internal("the page has no place for a transcript"))?;
    let sql = format!(
        "SELECT record_id, line, part, role, content, reasoning, tool_calls FROM messages \
         WHERE {place} AND model = {} ORDER BY record_id, line, position LIMIT {MAX_ROWS}",
        quoted(&chosen)
    );
    let budget = assay_formats::lake_api::Budget {
        rows: MAX_ROWS,
        ..PAGE
    };
    let answer = lake
        .ask(
            &turn,
            &state.hub,
            sql,
            Format::Ndjson,
            budget,
            Delivery::Stream,
        )
        .await?;
    let pieces = Pieces::new(answer.into_body(), head, tail, turn);
    let body = Body::from_stream(stream::unfold(pieces, async |mut pieces| {
        let piece = pieces.next().await?;
        Some((Ok::<Bytes, Infallible>(piece), pieces))
    }));
    Ok((html::headers(), body).into_response())
}

/// The transcript of a sample of a task.
pub(super) fn address(asked: &SampleFilter, hash: &str, model: Option<&str>) -> String {
    let state = asked
        .place()
        .into_iter()
        .filter(|(key, _)| *key != "metric")
        .fold(Query::default(), |state, (key, value)| {
            state.with(key, value)
        })
        .with("sample", hash);
    let state = match model {
        Some(model) => state.with("model", model),
        None => state,
    };
    state.on("/samples/transcript")
}

/// The transcript of a sample, when an address says of which benchmark it is.
pub(super) fn place_of(state: &Query, hash: &str, model: &str) -> Option<String> {
    state.get("benchmark")?;
    let state = state.only(&["benchmark", "task"]);
    let state = state.with("sample", hash).with("model", model);
    Some(state.on("/samples/transcript"))
}

fn condition(benchmark: &str, task: Option<&str>, hash: &str) -> String {
    let task = task.map_or_else(String::new, |task| format!(" AND task = {}", quoted(task)));
    format!(
        "benchmark = {} AND sample_hash = {}{task}",
        quoted(benchmark),
        quoted(hash)
    )
}

/// The model that is asked for, else the first.
fn chosen(rows: &[DidRow], asked: Option<&str>) -> Option<String> {
    let found = rows.iter().find(|row| Some(row.model.as_str()) == asked);
    let row = match asked {
        Some(_) => found?,
        None => rows.first()?,
    };
    Some(row.model.clone())
}

fn page(
    visitor: &Visitor,
    benchmark: &str,
    hash: &str,
    rows: &[DidRow],
    chosen: &str,
) -> TranscriptPage {
    let name = visitor.state.get("task").unwrap_or(benchmark);
    let models = rows.iter().map(|row| Did {
        model: row.model.clone(),
        to: visitor
            .state
            .with("model", row.model.as_str())
            .on("/samples/transcript"),
        current: row.model == chosen,
        runs: row.runs,
        right: row.right,
        score: row.score.map_or_else(String::new, show::number),
    });
    TranscriptPage {
        frame: visitor
            .frame(format!("A sample of {name}"))
            .within(Section::Samples)
            .about("What was asked and answered in one sample.")
            .unlisted(),
        name: name.to_owned(),
        all: visitor.state.only(&["benchmark", "task"]).on("/samples"),
        hash: hash.to_owned(),
        chosen: chosen.to_owned(),
        models: models.collect(),
    }
}

/// A page on its way out: its head, the pieces of the transcript as they come, and its tail.
struct Pieces {
    head: Option<Bytes>,
    tail: Option<Bytes>,
    rows: Incoming,
    waiting: BytesMut,
    /// Number of bytes of what that is waiting are known to have no end of a row.
    searched: usize,
    /// The run that the last piece was of, and how many there were.
    run: Option<(String, u64)>,
    runs: usize,
    _turn: Turn,
}

impl Pieces {
    fn new(rows: Incoming, head: &str, tail: &str, turn: Turn) -> Self {
        Self {
            head: Some(Bytes::copy_from_slice(head.as_bytes())),
            tail: Some(Bytes::copy_from_slice(tail.as_bytes())),
            rows,
            waiting: BytesMut::new(),
            searched: 0,
            run: None,
            runs: 0,
            _turn: turn,
        }
    }

    async fn next(&mut self) -> Option<Bytes> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        self.tail.as_ref()?;
        loop {
            let shown = self.shown();
            if !shown.is_empty() {
                return Some(Bytes::from(shown));
            }
            let is_whole = match self.rows.frame().await {
                None => self.waiting.is_empty(),
                Some(Ok(frame)) => {
                    let data = frame.into_data().unwrap_or_default();
                    self.waiting.extend_from_slice(&data);
                    if self.waiting.len() <= MAX_ROW {
                        continue;
                    }
                    false
                }
                Some(Err(error)) => {
                    tracing::warn!("a transcript broke off: {error}");
                    false
                }
            };
            let tail = self.tail.take()?;
            let mut end = BytesMut::new();
            if !is_whole {
                end.extend_from_slice(BROKEN_OFF.as_bytes());
            }
            end.extend_from_slice(&tail);
            return Some(end.freeze());
        }
    }

    /// The rows that are complete, as HTML.
    fn shown(&mut self) -> String {
        let mut shown = String::new();
        while let Some(end) = self.row_end() {
            let line = self.waiting.split_to(end);
            self.waiting.advance(1);
            match serde_json::from_slice::<Piece>(&line) {
                Ok(piece) => shown.push_str(&self.show(piece)),
                Err(error) => tracing::warn!("a piece of a transcript cannot be read: {error}"),
            }
        }
        shown
    }

    /// Returns the end of the first complete row. Nothing is searched twice, however long a row is.
    fn row_end(&mut self) -> Option<usize> {
        let rest = self.waiting.get(self.searched..)?;
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.waiting.len();
            return None;
        };
        let end = self.searched + end;
        self.searched = 0;
        Some(end)
    }

    fn show(&mut self, piece: Piece) -> String {
        let run = (piece.record_id.clone(), piece.line);
        let is_new = self.run.as_ref() != Some(&run);
        if is_new {
            self.runs += 1;
            self.run = Some(run);
        }
        let (label, class) = label(&piece);
        let shown = ShownPiece {
            run: is_new.then(|| format!("Run {}", self.runs)),
            label,
            class,
            piece,
        };
        // A piece that cannot be written leaves the others alone.
        shown.render().unwrap_or_default()
    }
}

/// Returns the label of a piece, and its style.
fn label(piece: &Piece) -> (String, &'static str) {
    match (piece.part.as_str(), piece.role.as_deref()) {
        ("input", _) => ("Question".to_owned(), "asked"),
        ("reference", _) => ("Right answer".to_owned(), "truth"),
        ("choice", _) => ("Choice".to_owned(), "asked"),
        ("output", _) => ("Answer".to_owned(), "answered"),
        ("answer", _) => ("Extracted answer".to_owned(), "answered"),
        ("error", _) => ("Error".to_owned(), "failed"),
        ("message", Some("assistant")) => ("Assistant".to_owned(), "answered"),
        ("message", Some("user")) => ("User".to_owned(), "asked"),
        ("message", Some(role)) => (role.to_owned(), "other"),
        (part, _) => (part.to_owned(), "other"),
    }
}
