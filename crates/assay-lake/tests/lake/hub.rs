//! A hub with a lake behind it: questions over HTTP, and what they must not see.

use assay_server::{Answer, Person, TestHub};
use serde_json::{Value, json};

use crate::serve::Process;
use crate::support::World;

/// A hub whose lake is that of a world.
pub(crate) struct Scene {
    pub(crate) hub: TestHub,
    process: Process,
    _world: World,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::of(World::ingested()).await
    }

    /// A hub whose lake is that of this world.
    pub(crate) async fn of(world: World) -> Self {
        let process = Process::start(&world, &[]);
        let socket = process.socket.clone();
        let hub = TestHub::with(|config| config.lake.socket = Some(socket)).await;
        Self {
            hub,
            process,
            _world: world,
        }
    }

    async fn ask(&self, person: Person, query: &str, format: &str) -> Answer {
        let body = json!({ "query": query, "format": format });
        self.hub.post(person, "/api/sql", body).await
    }

    /// Makes the repository of a model that the lake has rows of.
    pub(crate) async fn make(&self, model: &str) {
        let namespace = model.split('/').next().unwrap();
        let body = json!({ "name": namespace });
        let hub = &self.hub;
        hub.post(Person::Operator, "/api/assay/organizations", body)
            .await
            .expect(200);
        hub.create(Person::Operator, &format!("models/{model}"))
            .await
            .expect(200);
    }

    pub(crate) async fn set_private(&self, model: &str, private: bool) {
        let path = format!("/api/models/{model}/settings");
        let body = json!({ "private": private });
        self.hub
            .put(Person::Operator, &path, body)
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn anybody_may_ask_and_is_answered_in_the_form_they_like() {
    let scene = Scene::new().await;
    let query =
        "SELECT model, score FROM standings WHERE task = 'sums' AND rank <= 2 ORDER BY rank";

    let json = scene.ask(Person::Nobody, query, "json").await;
    let csv = scene.ask(Person::Alice, query, "csv").await;
    let lines = scene.ask(Person::Nobody, query, "ndjson").await;

    let json = json.expect(200);
    assert_eq!(json.header("assay-rows"), Some("2"));
    assert_eq!(json.header("assay-truncated"), Some("false"));
    assert_eq!(
        json.json(),
        json!({
            "columns": [{"name": "model", "type": "text"}, {"name": "score", "type": "number"}],
            "rows": [{"model": "acme/large", "score": 0.75}, {"model": "acme/small", "score": 0.5}],
            "truncated": false,
        })
    );
    assert_eq!(
        csv.expect(200).text(),
        "model,score\nacme/large,0.75\nacme/small,0.5\n"
    );
    assert_eq!(lines.expect(200).text().lines().count(), 2);
}

#[tokio::test]
async fn nobody_hides_rows_of_others_by_a_private_repository_of_that_name() {
    let scene = Scene::new().await;
    scene.make("acme/large").await;
    let query = "SELECT DISTINCT model FROM instances ORDER BY model";
    let all = "model\nacme/large\nacme/small\nzeta/base\n";

    scene.set_private("acme/large", true).await;
    let answer = scene.ask(Person::Nobody, query, "csv").await;
    let table = scene
        .hub
        .get(Person::Nobody, "/api/lake/models.parquet")
        .await;

    assert_eq!(answer.expect(200).text(), all);
    assert_eq!(models_in(table), ["acme/large", "acme/small", "zeta/base"]);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn whoever_ends_processes_waits_and_others_do_not() {
    let scene = Scene::new().await;
    let greedy = "SELECT array_length(array_resize([1], 2000000000, 7))";

    let first = scene.ask(Person::Nobody, greedy, "json").await;
    let second = scene.ask(Person::Nobody, "SELECT 1", "json").await;
    let other = scene.ask(Person::Alice, "SELECT 1", "json").await;

    let first = first.expect(413).json();
    assert!(
        first["error"].as_str().unwrap().contains("more memory"),
        "{first}"
    );
    let second = second.expect(503).json();
    assert!(
        second["error"].as_str().unwrap().contains("ask again in"),
        "{second}"
    );
    other.expect(200);
}

fn models_in(answer: Answer) -> Vec<String> {
    use datafusion::arrow::array::AsArray as _;
    use datafusion::arrow::compute::cast;
    use datafusion::arrow::datatypes::DataType;
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(
        answer.expect(200).body,
        1024,
    );
    let mut models = Vec::new();
    for batch in reader.unwrap() {
        let batch = batch.unwrap();
        // Text of tables is read as views, and that of boards is made anew.
        let column = batch.column_by_name("model").unwrap();
        let column = cast(column, &DataType::Utf8).unwrap();
        models.extend(
            column
                .as_string::<i32>()
                .iter()
                .flatten()
                .map(str::to_owned),
        );
    }
    models.sort();
    models
}

#[tokio::test]
async fn a_wrong_question_is_a_400_that_says_what_is_wrong() {
    let scene = Scene::new().await;

    for (query, expected) in [
        ("SELECT nope FROM results", "no field named nope"),
        ("DROP TABLE results", "only questions can be asked here"),
        ("EXPLAIN SELECT 1", "plans are not told here"),
    ] {
        let answer = scene.ask(Person::Nobody, query, "json").await;

        let message = answer.expect(400).json()["error"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains(expected), "{query}: {message}");
    }
}

#[tokio::test]
async fn those_who_are_known_may_have_more_rows() {
    let scene = Scene::new().await;
    let query = "SELECT value FROM generate_series(1, 20000)";

    let nobody = scene.ask(Person::Nobody, query, "csv").await;
    let alice = scene.ask(Person::Alice, query, "csv").await;

    let nobody = nobody.expect(200);
    assert_eq!(nobody.header("assay-rows"), Some("10000"));
    assert_eq!(nobody.header("assay-truncated"), Some("true"));
    let alice = alice.expect(200);
    assert_eq!(alice.header("assay-rows"), Some("20000"));
    assert_eq!(alice.header("assay-truncated"), Some("false"));
}

#[tokio::test]
async fn a_permalink_answers_the_same_question_again() {
    let scene = Scene::new().await;
    let query = "SELECT count(*) AS n FROM results";
    let body = json!({ "query": query });

    let link = scene
        .hub
        .post(Person::Nobody, "/api/sql/permalinks", body)
        .await;
    let link = link.expect(200).json();
    let id = link["id"].as_str().unwrap();
    let path = format!("/api/sql/{id}");
    let again = scene
        .hub
        .get(Person::Nobody, &format!("{path}?format=csv"))
        .await;
    let first = scene.ask(Person::Nobody, query, "csv").await;

    let url = link["url"].as_str().unwrap();
    assert!(url.starts_with("http://") && url.ends_with(&path), "{url}");
    assert_eq!(again.expect(200).text(), "n\n8\n");
    assert_eq!(first.expect(200).header("content-location"), Some(&*path));
    let broken = scene.hub.get(Person::Nobody, "/api/sql/%3Cscript%3E").await;
    broken.expect(400);
}

#[tokio::test]
async fn a_table_is_taken_away_as_a_whole_and_no_other_file_is() {
    let scene = Scene::new().await;

    let table = scene
        .hub
        .get(Person::Nobody, "/api/lake/standings.parquet")
        .await;
    let other = scene
        .hub
        .get(Person::Nobody, "/api/lake/passwd.parquet")
        .await;

    assert!(models_in(table).contains(&"acme/large".to_owned()));
    other.expect(404);
}

#[tokio::test]
async fn a_hub_goes_on_when_its_lake_is_gone() {
    let mut scene = Scene::new().await;
    scene.process.stop();

    let gone = scene.ask(Person::Nobody, "SELECT 1", "json").await;
    let board = scene.hub.get(Person::Nobody, "/api/models").await;

    let gone = gone.expect(503);
    assert!(gone.header("retry-after").is_some());
    let gone: Value = gone.json();
    assert!(gone["error"].as_str().unwrap().contains("does not answer"));
    board.expect(200);
}

#[tokio::test]
async fn a_hub_without_a_lake_says_how_to_get_one() {
    let hub = TestHub::new().await;

    let asked = hub
        .post(Person::Nobody, "/api/sql", json!({ "query": "SELECT 1" }))
        .await;
    let taken = hub.get(Person::Nobody, "/api/lake/results.parquet").await;

    for answer in [asked, taken] {
        let message = answer.expect(501).json()["error"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            message.contains("cargo install --path crates/assay-lake"),
            "{message}"
        );
    }
}
