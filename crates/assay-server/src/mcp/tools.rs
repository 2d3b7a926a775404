//! The tools: what each takes, and which request to the API it is.

use axum::http::HeaderMap;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use assay_model::{RepoId, RepoKind};

/// The number of rows of a board when the call names none, and the most of one answer.
const ROWS: usize = 20;
const MAX_ROWS: usize = 100;
/// The keys of a board's row that a reader of text does without.
const LEFT_OUT: [&str; 7] = [
    "author",
    "submitter",
    "badges",
    "commit",
    "run",
    "runtimeContext",
    "artifacts",
];

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolName {
    Search,
    Board,
    Compare,
    Evidence,
    Changes,
    Sql,
}

/// Makes the text of a tool's answer from the headers and the body of the API's.
type Shape = Box<dyn Fn(&HeaderMap, &str) -> Result<String, String> + Send + Sync>;

/// A request to the API, and what becomes of its answer.
pub(super) struct ApiRequest {
    /// The path and query.
    pub(super) address: String,
    /// The body of a `POST`; none for a `GET`.
    pub(super) body: Option<Value>,
    /// What becomes of the answer; it stays as it is without one.
    pub(super) shape: Option<Shape>,
}

impl ApiRequest {
    fn shaped(
        self,
        shape: impl Fn(&HeaderMap, &str) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            shape: Some(Box::new(shape)),
            ..self
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchCall {
    /// Words in the name, description, tasks or metrics of a benchmark, or in the name of a model.
    query: String,
    /// The most benchmarks and the most models; 20 when absent, up to 100.
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BoardCall {
    /// The benchmark, as owner/name.
    benchmark: String,
    /// The task; the first one of the benchmark when absent.
    task: Option<String>,
    /// The metric that ranks; the primary one when absent.
    metric: Option<String>,
    /// Which of several results of a model counts: most-trusted (the default), best, latest or all.
    policy: Option<String>,
    /// Only results whose signed evidence was checked and holds.
    #[serde(default)]
    verified: bool,
    /// The board as it stood at this date, time, or commit of the benchmark.
    as_of: Option<String>,
    /// The most rows; 20 when absent, up to 100.
    limit: Option<usize>,
    /// The number of rows to pass over.
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareCall {
    /// The models, as owner/name, two to 20 of them. Differences are from the first.
    models: Vec<String>,
    /// Only boards of this benchmark.
    benchmark: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvidenceCall {
    /// The model, as owner/name.
    model: String,
    /// Only results for this benchmark, as owner/name.
    benchmark: Option<String>,
    /// Only results for this task.
    task: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangesCall {
    /// The earlier moment: a date such as 2026-03-01, which means the end of that day, or a time.
    from: String,
    /// The later moment; now when absent.
    to: Option<String>,
    /// Only the leaderboard of this benchmark, as owner/name; all leaderboards when absent.
    benchmark: Option<String>,
    /// The task of that benchmark; its first one when absent.
    task: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SqlCall {
    /// The question. Among the tables are results, records, instances (samples), models and
    /// benchmarks;
    /// `SHOW COLUMNS FROM results` lists columns.
    query: String,
}

impl ToolName {
    /// All tools.
    pub(super) const ALL: [Self; 6] = [
        Self::Search,
        Self::Board,
        Self::Compare,
        Self::Evidence,
        Self::Changes,
        Self::Sql,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Board => "board",
            Self::Compare => "compare",
            Self::Evidence => "evidence",
            Self::Changes => "changes",
            Self::Sql => "sql",
        }
    }

    /// Returns the tool of this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    /// Returns what a client is told of the tool.
    pub(super) fn described(self) -> Tool {
        let name = self.as_str();
        let tool = |about: &'static str| Tool::new(name, about, JsonObject::new());
        let tool = match self {
            Self::Search => tool("Finds benchmarks (with their tasks) and models by words.")
                .with_input_schema::<SearchCall>(),
            Self::Board => tool(
                "Returns the leaderboard of a task: ranks, values with 95 % intervals, setups, sample counts, who ran it, \
                 whether it is verified, findings.",
            )
            .with_input_schema::<BoardCall>(),
            Self::Compare => tool(
                "Compares models on every leaderboard they are on: values, ranks, and the difference from the first model \
                 with its 95 % interval and a verdict.",
            )
            .with_input_schema::<CompareCall>(),
            Self::Evidence => tool(
                "Returns the results of a model with what is behind each: file, source, framework, setup, and what the \
                 signed evidence says (`standing`) or why there is none.",
            )
            .with_input_schema::<EvidenceCall>(),
            Self::Changes => tool(
                "Returns how a leaderboard, or all of them, differ between two moments: rows that came, went, moved or have \
                 another value.",
            )
            .with_input_schema::<ChangesCall>(),
            Self::Sql => tool(
                "Answers a question in SQL (DataFusion) over results, records and samples. Nothing can be changed. A question \
                 has a budget of time, memory and rows.",
            )
            .with_input_schema::<SqlCall>(),
        };
        let hints = ToolAnnotations::default()
            .read_only(true)
            .idempotent(true)
            .open_world(false);
        tool.with_annotations(hints)
    }

    /// Returns the request that a call of the tool is.
    pub(super) fn request(self, arguments: JsonObject) -> Result<ApiRequest, String> {
        match self {
            Self::Search => {
                let call: SearchCall = read(arguments)?;
                let mut query = vec![("q", call.query)];
                query.extend(call.limit.map(|limit| ("limit", limit.to_string())));
                Ok(get("/api/assay/search", &query))
            }
            Self::Board => board(read(arguments)?),
            Self::Compare => compare(read(arguments)?),
            Self::Evidence => evidence(read(arguments)?),
            Self::Changes => changes(read(arguments)?),
            Self::Sql => {
                let call: SqlCall = read(arguments)?;
                Ok(ApiRequest {
                    address: "/api/sql".to_owned(),
                    body: Some(json!({ "query": call.query, "format": "json" })),
                    shape: None,
                })
            }
        }
    }
}

fn board(call: BoardCall) -> Result<ApiRequest, String> {
    let benchmark = repo(&call.benchmark, "benchmark")?;
    let limit = call.limit.unwrap_or(ROWS).clamp(1, MAX_ROWS);
    let mut query = vec![("base_model", "false".to_owned())];
    query.push(("limit", limit.to_string()));
    query.extend(call.offset.map(|offset| ("offset", offset.to_string())));
    query.extend(call.task.map(|task| ("task_id", task)));
    query.extend(call.metric.map(|metric| ("metric_id", metric)));
    query.extend(call.policy.map(|policy| ("policy", policy)));
    query.extend(call.as_of.map(|as_of| ("as_of", as_of)));
    if call.verified {
        query.push(("verified", "true".to_owned()));
    }
    let path = format!("/api/datasets/{benchmark}/leaderboard");
    Ok(get(&path, &query).shaped(move |headers, text| {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let mut rows = list(text)?;
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            row.retain(|key, value| !LEFT_OUT.contains(&key.as_str()) && !value.is_null());
        }
        let total = header("x-total-count").and_then(|count| count.parse::<usize>().ok());
        let answer = json!({
            "benchmark": benchmark,
            "task": header("x-assay-task"),
            "metric": header("x-assay-metric"),
            "policy": header("x-assay-policy"),
            "benchmarkRevision": header("x-assay-benchmark-revision"),
            "totalRows": total,
            "rows": rows,
        });
        Ok(answer.to_string())
    }))
}

fn compare(call: CompareCall) -> Result<ApiRequest, String> {
    let models = call.models.iter();
    let query: Vec<(&str, String)> = models.map(|model| ("models", model.clone())).collect();
    if query.len() < 2 {
        return Err("`models` names two models or more".to_owned());
    }
    let only = call.benchmark;
    Ok(get("/api/assay/compare", &query).shaped(move |_, text| {
        let mut answer = parsed(text)?;
        if let (Some(only), Some(Value::Array(boards))) = (&only, answer.get_mut("boards")) {
            boards.retain(|board| is_named(board, "datasetId", only));
        }
        Ok(answer.to_string())
    }))
}

fn evidence(call: EvidenceCall) -> Result<ApiRequest, String> {
    let model = repo(&call.model, "model")?;
    let path = format!("/api/{}/{model}/eval-results", RepoKind::Model.plural());
    Ok(get(&path, &[]).shaped(move |_, text| {
        let mut results = list(text)?;
        results.retain(|result| {
            let dataset = result.get("data").and_then(|data| data.get("dataset"));
            let is = |key: &str, wanted: &Option<String>| {
                let wanted = wanted.as_deref();
                wanted.is_none_or(|wanted| dataset.is_some_and(|own| is_named(own, key, wanted)))
            };
            is("id", &call.benchmark) && is("task_id", &call.task)
        });
        Ok(json!({ "model": model, "results": results }).to_string())
    }))
}

fn changes(call: ChangesCall) -> Result<ApiRequest, String> {
    let mut query = vec![("from", call.from)];
    query.extend(call.to.map(|to| ("to", to)));
    let Some(benchmark) = call.benchmark else {
        return Ok(get("/api/assay/changes", &query));
    };
    query.extend(call.task.map(|task| ("task_id", task)));
    let benchmark = repo(&benchmark, "benchmark")?;
    let path = format!("/api/datasets/{benchmark}/leaderboard/changes");
    Ok(get(&path, &query))
}

fn get(path: &str, query: &[(&str, String)]) -> ApiRequest {
    let query = serde_html_form::to_string(query).unwrap_or_default();
    ApiRequest {
        address: format!("{path}?{query}"),
        body: None,
        shape: None,
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

fn repo(text: &str, of: &str) -> Result<RepoId, String> {
    let id: Option<RepoId> = text.parse().ok();
    id.filter(|id| id.namespace().is_some())
        .ok_or_else(|| format!("`{text}` is no name of a {of}: write it as owner/name"))
}

fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the answer cannot be read: {error}"))
}

fn list(text: &str) -> Result<Vec<Value>, String> {
    match parsed(text)? {
        Value::Array(items) => Ok(items),
        other => Err(format!("the answer is no list: {other}")),
    }
}

fn is_named(object: &Value, key: &str, name: &str) -> bool {
    let own = object.get(key).and_then(Value::as_str);
    own.is_some_and(|own| own.eq_ignore_ascii_case(name))
}
