//! Exports of a hub when its lake does not accept all of them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use assay_formats::lake_api::{AskIngest, Ingested, Refusal, RefusalKind};
use assay_server::{Person, TestHub};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use tempfile::TempDir;

const RESULT: &str = "- dataset:\n    id: alice/sums\n    task_id: easy\n  value: 0.5\n";

/// A lake that cannot take in one file.
#[derive(Clone)]
struct Picky {
    sources: PathBuf,
    taken: Arc<Mutex<Vec<PathBuf>>>,
}

impl Picky {
    fn holds_poison(&self, directory: &PathBuf) -> bool {
        let mut pending = vec![self.sources.join(directory)];
        while let Some(path) = pending.pop() {
            if path.ends_with("poison.yaml") {
                return true;
            }
            let children = std::fs::read_dir(path).into_iter().flatten().flatten();
            pending.extend(children.map(|child| child.path()));
        }
        false
    }
}

async fn take_in(State(lake): State<Picky>, Json(ask): Json<AskIngest>) -> Response {
    if ask.directories.iter().any(|path| lake.holds_poison(path)) {
        let refusal = Refusal {
            kind: RefusalKind::Ours,
            error: "it is poison".to_owned(),
        };
        return (StatusCode::INTERNAL_SERVER_ERROR, Json(refusal)).into_response();
    }
    let added = ask.directories.len() as u64;
    lake.taken.lock().unwrap().extend(ask.directories);
    Json(Ingested {
        added,
        ..Ingested::default()
    })
    .into_response()
}

#[tokio::test]
async fn what_the_lake_cannot_take_in_keeps_no_other_repository_out() {
    let directory = TempDir::new().unwrap();
    let socket = directory.path().join("lake.sock");
    let listener = tokio::net::UnixListener::bind(&socket).unwrap();
    let hub = TestHub::with(|config| config.lake.socket = Some(socket)).await;
    let lake = Picky {
        sources: hub.directory().join("data/lake-sources"),
        taken: Arc::default(),
    };
    let router = Router::new()
        .route("/ingest", post(take_in))
        .with_state(lake.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    for (name, file) in [("one", "a"), ("two", "poison"), ("three", "b")] {
        let repo = format!("models/alice/{name}");
        hub.create(Person::Alice, &repo).await.expect(200);
        let path = format!(".eval_results/{file}.yaml");
        hub.commit(Person::Alice, &repo, &[(path.as_str(), RESULT)])
            .await
            .expect(200);
    }

    let first = hub.fill_lake().await;
    hub.create(Person::Alice, "models/alice/four")
        .await
        .expect(200);
    let second = hub.fill_lake().await;

    assert_eq!(first.map(|ingested| ingested.added), Some(2));
    assert_eq!(second.map(|ingested| ingested.added), Some(1));
    let taken = lake.taken.lock().unwrap();
    assert_eq!(taken.len(), 3, "nothing is handed over twice: {taken:?}");
}
