use assay_server::{Person, TestHub};
use bytes::Bytes;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::RowAccessor as _;
use serde_json::{Value, json};

const BOARD: &str = "/api/datasets/alice/bench/leaderboard";
const EVAL: &str = "name: Bench\ndescription: A benchmark\nmetrics:\n  - {id: accuracy, display_name: Accuracy, \
                    higher_is_better: true, primary: true}\n  - {id: wer, display_name: Errors, higher_is_better: \
                    false}\ntasks:\n  - {id: default}\n  - {id: hard}\n";

fn results(accuracy: f64, wer: f64) -> String {
    format!(
        "- dataset: {{id: alice/bench, task_id: default}}\n  metrics:\n    - {{metric_id: accuracy, value: {accuracy}}}\n    \
         - {{metric_id: wer, value: {wer}}}\n  date: \"2026-02-01\"\n  source: {{url: \"https://example.org/log\", name: Logs}}\n  \
         notes: \"a, \\\"b\\\" | c\"\n"
    )
}

async fn hub_with_board() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/bench")
        .await
        .expect(200);
    hub.commit(
        Person::Alice,
        "datasets/alice/bench",
        &[("eval.yaml", EVAL)],
    )
    .await
    .expect(200);
    for (person, name, accuracy, wer) in [
        (Person::Alice, "alice/small", 50.5, 9.0),
        (Person::Bob, "bob/large", 75.25, 4.0),
    ] {
        let repo = format!("models/{name}");
        hub.create(person, &repo).await.expect(200);
        let text = results(accuracy, wer);
        hub.commit(person, &repo, &[(".eval_results/bench.yaml", &text)])
            .await
            .expect(200);
    }
    hub
}

fn models(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["modelId"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_board_is_a_bare_list_that_says_in_headers_what_made_it() {
    let hub = hub_with_board().await;
    let bench = hub
        .get(Person::Nobody, "/api/datasets/alice/bench")
        .await
        .json();

    let board = hub.get(Person::Nobody, BOARD).await.expect(200);

    let rows = board.json();
    assert_eq!(models(&rows), ["bob/large", "alice/small"]);
    let row = &rows[0];
    assert_eq!(row["rank"], 1);
    assert_eq!(row["value"], 75.25);
    assert_eq!(row["verified"], false);
    assert_eq!(row["filename"], ".eval_results/bench.yaml");
    assert_eq!(row["author"]["type"], "user");
    assert_eq!(
        row["source"],
        json!({ "url": "https://example.org/log", "name": "Logs", "isExternal": true })
    );
    assert_eq!(row["metrics"].as_array().unwrap().len(), 2);
    assert_eq!(row["submitter"]["name"], "bob");
    assert_eq!(row["standing"]["reason"], "no_token");
    assert_eq!(row.get("pullRequest"), None);
    assert_eq!(board.header("x-assay-policy"), Some("authoritative"));
    assert_eq!(board.header("x-assay-task"), Some("default"));
    assert_eq!(board.header("x-assay-metric"), Some("accuracy"));
    assert_eq!(
        board.header("x-assay-benchmark-revision"),
        bench["sha"].as_str()
    );
    assert_eq!(board.header("x-total-count"), Some("2"));
}

#[tokio::test]
async fn another_metric_or_task_gives_another_board_and_an_unknown_one_none() {
    let hub = hub_with_board().await;

    let by_errors = hub
        .get(Person::Nobody, &format!("{BOARD}?metric_id=wer&limit=1"))
        .await
        .expect(200);
    let hard = hub
        .get(Person::Nobody, &format!("{BOARD}?task_id=hard"))
        .await
        .expect(200);
    let task = hub
        .get(Person::Nobody, &format!("{BOARD}?task_id=nope"))
        .await;
    let policy = hub
        .get(Person::Nobody, &format!("{BOARD}?policy=nope"))
        .await;

    assert_eq!(by_errors.json()[0]["value"], 4.0);
    assert_eq!(by_errors.header("x-total-count"), Some("2"));
    assert_eq!(hard.json(), json!([]));
    assert_eq!((task.status, task.header("x-error-code")), (404, None));
    assert_eq!(policy.status, 400);
}

#[tokio::test]
async fn results_of_an_open_pull_request_come_and_go_with_it() {
    let hub = hub_with_board().await;
    let text = results(90.0, 1.0);
    let files = [(".eval_results/other.yaml", text.as_str())];
    hub.pull(Person::Bob, "models/alice/small", &files)
        .await
        .expect(200);
    let best = async || {
        hub.get(Person::Nobody, &format!("{BOARD}?policy=best"))
            .await
            .expect(200)
            .json()
    };
    let status = "/api/models/alice/small/discussions/1/status";

    let open = best().await;
    hub.post(Person::Alice, status, json!({ "status": "closed" }))
        .await
        .expect(200);
    let closed = best().await;
    hub.post(Person::Alice, status, json!({ "status": "open" }))
        .await
        .expect(200);
    let reopened = best().await;
    hub.post(
        Person::Alice,
        "/api/models/alice/small/discussions/1/merge",
        json!({}),
    )
    .await
    .expect(200);
    let merged = best().await;

    assert_eq!(
        (&open[0]["modelId"], &open[0]["pullRequest"]),
        (&json!("alice/small"), &json!(1))
    );
    assert_eq!(
        open[0]["badges"],
        json!(["community", "leaderboard", "source"])
    );
    assert_eq!(models(&closed), ["bob/large", "alice/small"]);
    assert_eq!(reopened[0]["pullRequest"], 1);
    assert_eq!(merged[0]["value"], 90.0);
    assert_eq!(merged[0].get("pullRequest"), None);
}

#[tokio::test]
async fn a_board_that_nobody_reads_again_is_not_computed_again_until_something_changes() {
    let hub = hub_with_board().await;
    let hits = async || {
        let text = hub.get(Person::Nobody, "/metrics").await.text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("assay_cache_hits_total "));
        line.unwrap().parse::<u64>().unwrap()
    };

    let first = hub.get(Person::Nobody, BOARD).await.expect(200);
    let before = hits().await;
    let second = hub.get(Person::Nobody, BOARD).await.expect(200);
    let after = hits().await;
    let private = json!({ "private": true });
    hub.put(Person::Bob, "/api/models/bob/large/settings", private)
        .await
        .expect(200);
    let hidden = hub.get(Person::Nobody, BOARD).await.expect(200);
    let to_owner = hub.get(Person::Bob, BOARD).await.expect(200);

    assert_eq!(after, before + 1);
    assert_eq!(first.body, second.body);
    assert_eq!(
        first.header("x-assay-policy"),
        second.header("x-assay-policy")
    );
    assert_eq!(models(&hidden.json()), ["alice/small"]);
    assert_eq!(models(&to_owner.json()), ["bob/large", "alice/small"]);
}

#[tokio::test]
async fn a_dataset_without_a_definition_has_no_board_and_a_missing_one_is_missing() {
    let hub = hub_with_board().await;
    hub.create(Person::Alice, "datasets/alice/plain")
        .await
        .expect(200);

    let plain = hub
        .get(Person::Nobody, "/api/datasets/alice/plain/leaderboard")
        .await;
    let missing = hub
        .get(Person::Nobody, "/api/datasets/alice/nope/leaderboard")
        .await;

    assert_eq!((plain.status, plain.header("x-error-code")), (404, None));
    assert_eq!(
        (missing.status, missing.header("x-error-code")),
        (401, Some("RepoNotFound"))
    );
}

#[tokio::test]
async fn models_made_from_others_are_shown_when_asked_under_either_name() {
    let hub = hub_with_board().await;
    let card = "---\nbase_model: bob/large\n---\n";
    hub.commit(Person::Alice, "models/alice/small", &[("README.md", card)])
        .await
        .expect(200);
    let shown = async |query: &str| {
        let rows = hub
            .get(Person::Nobody, &format!("{BOARD}{query}"))
            .await
            .expect(200)
            .json();
        rows.as_array().unwrap().len()
    };

    assert_eq!(shown("").await, 1);
    assert_eq!(shown("?base_model=true").await, 1);
    assert_eq!(shown("?base_model=false").await, 2);
    assert_eq!(shown("?base_model_only=False").await, 2);
}

#[tokio::test]
async fn a_board_is_written_in_every_format() {
    let hub = hub_with_board().await;
    let file = async |ending: &str| {
        hub.get(Person::Nobody, &format!("{BOARD}.{ending}"))
            .await
            .expect(200)
    };

    let csv = file("csv").await;
    let json = file("json").await.json();
    let ndjson = file("ndjson").await.text();
    let markdown = file("md").await;

    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    let mut reader = csv::Reader::from_reader(&csv.body[..]);
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(reader.headers().unwrap().get(1), Some("model_id"));
    assert_eq!(
        (records.len(), records[0].get(1), records[0].get(2)),
        (2, Some("bob/large"), Some("75.25"))
    );
    assert_eq!(records[0].get(11), Some("a, \"b\" | c"));
    assert_eq!(
        csv.header("content-disposition"),
        Some("attachment; filename=\"bench-leaderboard.csv\"")
    );
    assert_eq!(models(&json), ["bob/large", "alice/small"]);
    assert_eq!(ndjson.lines().count(), 2);
    assert!(
        markdown
            .text()
            .contains("| 1 | bob/large | 75.25 | 4 | unverified | 2026-02-01 | Logs |"),
        "{}",
        markdown.text()
    );
}

#[tokio::test]
async fn files_have_every_metric_and_setting_as_a_column() {
    let hub = crate::browser::with_board().await;
    let setup = "  setup: {agent: \"=cmd()\", shots: \"5\"}\n";
    let text = crate::browser::result("easy", "60", "1.5", "2026-01-03") + setup;
    crate::browser::add_model(&hub, Person::Bob, "bob/agent", "# A\n", &text).await;

    let csv = hub.get(Person::Nobody, &format!("{SUMS}.csv")).await;
    let parquet = hub.get(Person::Nobody, &format!("{SUMS}.parquet")).await;

    let csv = csv.expect(200);
    let mut reader = csv::Reader::from_reader(&csv.body[..]);
    let header = reader.headers().unwrap().clone();
    let by_data: Vec<&str> = header.iter().skip(43).collect();
    assert_eq!(
        by_data,
        [
            "metrics.accuracy",
            "metrics.cost_usd",
            "setup.agent",
            "setup.shots",
            "setup.framework"
        ]
    );
    let own = reader
        .records()
        .map(Result::unwrap)
        .find(|record| record.get(1) == Some("bob/agent"))
        .unwrap();
    let values: Vec<&str> = own.iter().skip(43).collect();
    assert_eq!(values, ["60", "1.5", "'=cmd()", "5", "adder"]);
    let file = SerializedFileReader::new(Bytes::from(parquet.expect(200).body.to_vec())).unwrap();
    let schema = file.metadata().file_metadata().schema();
    let names: Vec<&str> = schema
        .get_fields()
        .iter()
        .map(|field| field.name())
        .collect();
    assert_eq!(names, header.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_board_is_a_table_for_papers() {
    let hub = crate::browser::with_board().await;
    let setup = "  setup: {agent: \"\\\\input{/etc/passwd} & 50% of $x_1$\"}\n";
    let text = crate::browser::result("easy", "60", "0.2", "2026-01-03") + setup;
    crate::browser::add_model(&hub, Person::Bob, "bob/agent_1", "# A\n", &text).await;

    let answer = hub.get(Person::Nobody, &format!("{SUMS}.tex")).await;

    let answer = answer.expect(200);
    let text = answer.text();
    assert_eq!(
        answer.header("content-type"),
        Some("application/x-tex; charset=utf-8")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"sums-leaderboard.tex\"")
    );
    let lines: Vec<&str> = text.lines().collect();
    assert!(text.contains("\\begin{tabular}{rlrrl"), "{text}");
    assert!(
        text.contains("Accuracy (\\%) & Cost (\\$) & Agent &"),
        "{text}"
    );
    assert!(
        lines.iter().any(|line| line
            .starts_with("$1$ & alice/tuned & $\\mathbf{80.00}_{-6.1}^{+5.0}$ & $6.0$ &")),
        "{text}"
    );
    let hostile = "bob/agent\\_1 & $60.00_{-6.9}^{+6.5}$ & $\\mathbf{0.2}$ & \\textbackslash{}input\\{/etc/passwd\\} \\& \
                   50\\% of \\$x\\_1\\$ &";
    assert!(text.contains(hostile), "{text}");
    // Every row has as many cells as the heading.
    let cells = |line: &&&str| line.replace("\\&", "").matches('&').count();
    let counts: Vec<usize> = lines
        .iter()
        .filter(|line| line.ends_with("\\\\"))
        .map(|line| cells(&line))
        .collect();
    assert_eq!(counts.len(), 6, "{text}");
    assert!(counts.iter().all(|count| *count == counts[0]), "{text}");
    assert_compiles(&text);
}

/// Typesets a table with the LaTeX of the machine, in a directory that it may not leave. Skips with
/// a message where there is none.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a document is typeset, git is not run; a test that skips says so"
)]
fn assert_compiles(table: &str) {
    let directory = tempfile::tempdir().unwrap();
    let document = format!(
        "\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{table}\\end{{document}}\n"
    );
    std::fs::write(directory.path().join("board.tex"), document).unwrap();
    let typeset = std::process::Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "board.tex"])
        .env("openin_any", "p")
        .current_dir(directory.path())
        .output();
    match typeset {
        Ok(output) => assert!(
            output.status.success(),
            "{}\n{table}",
            String::from_utf8_lossy(&output.stdout)
        ),
        Err(_) => println!("skipped: there is no `pdflatex` to compile the table with"),
    }
}

/// The board of a benchmark whose results say how many samples they are of.
const SUMS: &str = "/api/datasets/alice/sums/leaderboard";

#[tokio::test]
async fn a_row_says_between_which_ranks_it_lies() {
    let hub = crate::browser::with_board().await;

    let rows = hub
        .get(Person::Nobody, &format!("{SUMS}?base_model=false"))
        .await
        .expect(200)
        .json();

    // Of 200 samples, 75 and 80 % may be the same, 50 % may not.
    assert_eq!(
        models(&rows),
        ["alice/tuned", "bob/large", "bob/twin", "alice/small"]
    );
    let first =
        json!({ "best": 1, "worst": 3, "confidence": 0.95, "method": "tukey-kramer", "tier": 1 });
    let last =
        json!({ "best": 4, "worst": 4, "confidence": 0.95, "method": "tukey-kramer", "tier": 2 });
    assert_eq!(rows[0]["rankInterval"], first);
    assert_eq!(rows[2]["rankInterval"], first);
    assert_eq!(rows[3]["rankInterval"], last);
}

#[tokio::test]
async fn the_interval_of_a_rank_does_not_depend_on_how_many_rows_are_asked_for() {
    let hub = crate::browser::with_board().await;
    let asked = async |more: &str| {
        let path = format!("{SUMS}?base_model=false{more}");
        hub.get(Person::Nobody, &path).await.expect(200).json()
    };

    let (all, one) = (asked("").await, asked("&limit=1&offset=3").await);

    assert_eq!(one[0], all[3]);
}

#[tokio::test]
async fn every_format_has_the_interval_of_the_rank() {
    let hub = crate::browser::with_board().await;
    let file = async |ending: &str| {
        hub.get(Person::Nobody, &format!("{SUMS}.{ending}?base_model=false"))
            .await
            .expect(200)
    };

    let csv = file("csv").await;
    let parquet = file("parquet").await;
    let ndjson = file("ndjson").await.text();
    let markdown = file("md").await.text();

    let mut reader = csv::Reader::from_reader(&csv.body[..]);
    let header = reader.headers().unwrap().clone();
    let last = reader.records().last().unwrap().unwrap();
    assert_eq!(
        header.iter().skip(15).take(3).collect::<Vec<_>>(),
        ["best_rank", "worst_rank", "rank_method"]
    );
    assert_eq!(
        last.iter().skip(15).take(3).collect::<Vec<_>>(),
        ["4", "4", "tukey-kramer"]
    );
    let reader = SerializedFileReader::new(Bytes::from(parquet.body.to_vec())).unwrap();
    let first = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
    assert_eq!(
        (first.get_long(15).unwrap(), first.get_long(16).unwrap()),
        (1, 3)
    );
    assert_eq!(first.get_string(17).unwrap(), "tukey-kramer");
    assert!(
        ndjson.contains("\"rankInterval\":{\"best\":1,\"worst\":3,"),
        "{ndjson}"
    );
    assert!(
        markdown.contains("| 1 | 1-3 | alice/tuned | 80.00 | 73.9 to 85.0 | 6.0 |"),
        "{markdown}"
    );
}

/// A result of the board with a setup of its own; the rest is more of the entry.
fn with_setup(value: f64, rest: &str) -> String {
    format!(
        "- dataset: {{id: alice/bench, task_id: default}}\n  metrics:\n    - {{metric_id: accuracy, value: {value}, \
         sample_size: 50, uncertainty: {{standard_error: 2.5}}}}\n  {rest}\n"
    )
}

#[tokio::test]
async fn a_result_keeps_its_setup_evaluator_dates_and_cost_from_the_file_to_the_board() {
    let hub = hub_with_board().await;
    let text = [
        with_setup(60.0, "setup: {agent: plain, effort: low}"),
        with_setup(
            80.0,
            "setup: {agent: \"Claude Code\", effort: high, turns: 30}\n  evaluator: {name: Princeton, relationship: \
             third_party}\n  retrieved: \"2026-01-03\"\n  cost: {usd: 12.5, tokens: 900}\n  run: {seed: 7}\n  \
             runtime_context: {gpu: H100}\n  artifacts: [\"https://example.org/traces\"]\n  normalization: lower case",
        ),
        with_setup(99.0, "benchmark_subset: first 20"),
    ];
    hub.commit(
        Person::Bob,
        "models/bob/large",
        &[(".eval_results/bench.yaml", &text.concat())],
    )
    .await
    .expect(200);

    let rows = hub.get(Person::Nobody, BOARD).await.expect(200).json();
    let page = hub
        .get(Person::Nobody, "/datasets/alice/bench")
        .await
        .expect(200)
        .text();

    assert_eq!(models(&rows), ["bob/large", "alice/small", "bob/large"]);
    let first = &rows[0];
    assert_eq!(
        first["setup"],
        json!({
            "agent": "Claude Code",
            "effort": "high",
            "normalization": "lower case",
            "turns": "30"
        })
    );
    assert_eq!(
        first["setups"],
        json!({"count": 2, "low": 60.0, "high": 80.0})
    );
    let evaluator = json!({"name": "Princeton", "relationship": "third_party"});
    assert_eq!(first["evaluator"], evaluator);
    assert_eq!(first["retrieved"], "2026-01-03");
    assert_eq!(first["cost"], json!({"usd": 12.5, "tokens": 900}));
    assert_eq!(first["valueInterval"]["method"], "normal");
    assert_eq!(first["rank"], 1);
    assert_eq!(rows[2]["group"], "subset: first 20");
    assert_eq!(rows[2]["rank"], 1, "a part has ranks of its own");
    for words in [
        "2 setups, 60 to 80",
        "Third party: Princeton",
        "retrieved <time",
        "Ranked by themselves: subset: first 20",
        "Rows differ in agent, effort, subset, normalisation and turns.",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let (_, link) = page
        .split_once("class=\"evidence\" href=\"")
        .expect("a value leads to its evidence");
    let (link, _) = link.split_once('"').unwrap();
    let evidence = hub.get(Person::Nobody, link).await.expect(200).text();
    for words in [
        "<dt>normalization</dt><dd>lower case</dd>",
        "<dt>setup: agent</dt><dd>Claude Code</dd>",
        "<dt>run: seed</dt><dd>7</dd>",
        "<dt>runtime_context: gpu</dt><dd>H100</dd>",
        "<dt>artifacts</dt>",
        "<dt>accuracy: sample_size</dt><dd>50</dd>",
        "<dt>accuracy: uncertainty: standard_error</dt><dd>2.5</dd>",
    ] {
        assert!(evidence.contains(words), "{words}");
    }
}

#[tokio::test]
async fn every_field_of_a_result_file_is_in_the_api_and_in_files() {
    let hub = hub_with_board().await;
    let text = "- dataset: {id: alice/bench, task_id: default}\n  metrics:\n    - {metric_id: accuracy, value: 80, \
                sample_size: 50, metric_context: {range: [0.5, 0.95]}, normalization: strip}\n  run: {seed: 7}\n  \
                runtime_context: {gpu: H100, environment: {os: Linux}}\n  artifacts: [\"https://example.org/traces\"]\n  \
                normalization: lower case\n";
    hub.commit(
        Person::Bob,
        "models/bob/large",
        &[(".eval_results/bench.yaml", text)],
    )
    .await
    .expect(200);

    let rows = hub.get(Person::Nobody, BOARD).await.expect(200).json();
    let csv = format!("{BOARD}.csv");
    let csv = hub.get(Person::Nobody, &csv).await.expect(200).text();
    let model = "/api/models/bob/large?expand=evalResults";
    let model = hub.get(Person::Nobody, model).await.expect(200).json();

    let row = &rows[0];
    assert_eq!(row["run"], json!({"seed": 7}));
    let runtime = json!({"gpu": "H100", "environment": {"os": "Linux"}});
    assert_eq!(row["runtimeContext"], runtime);
    assert_eq!(row["artifacts"], json!(["https://example.org/traces"]));
    assert_eq!(row["sampleSize"], 50);
    assert_eq!(row["setup"]["normalization"], "lower case");
    let metric = json!({"metric_id": "accuracy", "value": 80.0, "sample_size": 50,
        "metric_context": {"range": [0.5, 0.95]}, "normalization": "strip"});
    assert_eq!(row["metrics"], json!([metric]));
    let data = &model["evalResults"][0]["data"];
    for (key, expected) in [
        ("run", row["run"].clone()),
        ("runtime_context", runtime),
        ("artifacts", row["artifacts"].clone()),
        ("normalization", json!("lower case")),
    ] {
        assert_eq!(data[key], expected, "{key}");
    }
    assert_eq!(
        data["metrics"][0]["metric_context"],
        metric["metric_context"]
    );
    let (header, rest) = csv.split_once('\n').unwrap();
    let first = rest.lines().next().unwrap();
    assert!(
        header.contains("tier,run,runtime_context,artifacts,metric_context"),
        "{header}"
    );
    for cell in [
        r#""{""seed"":7}""#,
        r#"""gpu"":""H100"""#,
        r#""[""https://example.org/traces""]""#,
        r#""{""range"":[0.5,0.95]}""#,
        "lower case",
    ] {
        assert!(first.contains(cell), "{cell} in {first}");
    }
}

#[tokio::test]
async fn files_have_the_board_of_the_page_and_clients_that_of_their_contract() {
    let hub = crate::browser::with_board().await;
    let board = async |path: String| {
        let rows = hub.get(Person::Nobody, &path).await.expect(200).json();
        models(&rows).contains(&"alice/tuned")
    };

    assert!(!board(SUMS.to_owned()).await);
    assert!(board(format!("{SUMS}.json")).await);
    assert!(!board(format!("{SUMS}.json?base_model=true")).await);
}

#[tokio::test]
async fn where_nothing_is_known_of_the_uncertainty_no_interval_is_made_up() {
    let hub = hub_with_board().await;

    let rows = hub.get(Person::Nobody, BOARD).await.expect(200).json();

    assert_eq!(rows[0].get("rankInterval"), None);
    assert_eq!(rows[1].get("rankInterval"), None);
}

#[tokio::test]
async fn a_board_as_columns_is_read_by_others() {
    let hub = hub_with_board().await;

    let file = hub
        .get(Person::Nobody, &format!("{BOARD}.parquet"))
        .await
        .expect(200);

    let reader = SerializedFileReader::new(Bytes::from(file.body.to_vec())).unwrap();
    let rows: Vec<_> = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].get_long(0).unwrap(), 1);
    assert_eq!(rows[0].get_string(1).unwrap(), "bob/large");
    assert!((rows[0].get_double(2).unwrap() - 75.25).abs() < f64::EPSILON);
    assert!(!rows[0].get_bool(5).unwrap());
    assert_eq!(rows[0].get_string(11).unwrap(), "a, \"b\" | c");
}

#[tokio::test]
async fn results_of_a_model_have_what_every_client_reads() {
    let hub = hub_with_board().await;

    let answer = hub
        .get(Person::Nobody, "/api/models/bob/large?expand=evalResults")
        .await;

    let json = answer.expect(200).json();
    let keys: Vec<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["_id", "id", "evalResults"]);
    let result = &json["evalResults"][0];
    assert_eq!(result["filename"], ".eval_results/bench.yaml");
    assert_eq!(result["verified"], false);
    assert_eq!(
        result["data"]["dataset"],
        json!({ "id": "alice/bench", "task_id": "default" })
    );
    assert_eq!(result["data"]["value"], 75.25);
    assert_eq!(
        result["data"]["metrics"][1],
        json!({ "metric_id": "wer", "value": 4.0 })
    );
    assert_eq!(result["data"]["date"], "2026-02-01");
    assert_eq!(result["data"]["source"]["url"], "https://example.org/log");
    assert_eq!(result["badges"], json!(["leaderboard", "source"]));
}
