//! Backups in object storage: a small S3-compatible server, which keeps everything in memory.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use crate::checks::check_index;
use crate::load::World;
use crate::restored::told;
use crate::server::Place;

/// The objects of all buckets, by `/bucket/key`.
type Objects = Arc<Mutex<BTreeMap<String, Bytes>>>;

/// The address of the backups.
const ADDRESS: &str = "s3://backups/hubs/first";
/// Their prefix, as the server sees it.
const PREFIX: &str = "/backups/hubs/first/";

/// Object storage on loopback that ends with the process.
struct Storage {
    address: SocketAddr,
    objects: Objects,
}

impl Storage {
    fn serve() -> Self {
        let objects = Objects::default();
        let router = Router::new()
            .fallback(answer)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&objects));
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                sender.send(listener.local_addr().unwrap()).unwrap();
                axum::serve(listener, router).await.unwrap();
            });
        });
        Self {
            address: receiver.recv().unwrap(),
            objects,
        }
    }

    fn keys(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    /// Runs the program on a hub, with what it has to know of the storage.
    fn operate(&self, hub: &Place, args: &[&str]) -> std::process::Output {
        let mut command = hub.assay(args);
        command
            .args(["--no-progress", "--format", "json", "--data"])
            .arg(hub.data())
            .env("AWS_ENDPOINT", format!("http://{}", self.address))
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "assay-test-key")
            .env("AWS_SECRET_ACCESS_KEY", "assay-test-secret");
        command.output().unwrap()
    }
}

/// Answers as S3 does: one object, a list of them, or the deletion of many.
async fn answer(
    State(objects): State<Objects>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let signed = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    if !signed.is_some_and(|text| text.starts_with("AWS4-HMAC-SHA256 Credential=assay-test-key/")) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let (path, query) = (uri.path().to_owned(), uri.query().unwrap_or_default());
    let mut objects = objects.lock().unwrap();
    match method {
        Method::PUT => {
            objects.insert(path, body);
            [("etag", "\"one\"")].into_response()
        }
        Method::GET if query.contains("list-type=2") => {
            list(&objects, &path, query).into_response()
        }
        Method::GET => match objects.get(&path) {
            Some(bytes) => {
                let head = [
                    ("etag", "\"one\""),
                    ("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT"),
                ];
                (head, bytes.clone()).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
        Method::POST => {
            let text = String::from_utf8(body.to_vec()).unwrap();
            let bucket = path.trim_end_matches('/');
            let mut deleted = "<DeleteResult>".to_owned();
            for key in text.split("<Key>").skip(1) {
                let key = key.split("</Key>").next().unwrap();
                objects.remove(&format!("{bucket}/{key}"));
                write!(deleted, "<Deleted><Key>{key}</Key></Deleted>").unwrap();
            }
            (deleted + "</DeleteResult>").into_response()
        }
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn list(objects: &BTreeMap<String, Bytes>, bucket: &str, query: &str) -> String {
    let prefix = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("prefix="));
    let prefix = prefix.unwrap_or_default().replace("%2F", "/");
    let bucket = format!("{}/", bucket.trim_end_matches('/'));
    let mut text = "<ListBucketResult><IsTruncated>false</IsTruncated>".to_owned();
    for (path, bytes) in objects {
        let Some(key) = path
            .strip_prefix(&bucket)
            .filter(|key| key.starts_with(&prefix))
        else {
            continue;
        };
        write!(
            text,
            "<Contents><Key>{key}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified><ETag>\"one\"</ETag><Size>{}</Size></Contents>",
            bytes.len()
        )
        .unwrap();
    }
    text + "</ListBucketResult>"
}

#[test]
fn a_hub_is_backed_up_to_object_storage_checked_and_restored() {
    let storage = Storage::serve();
    let hub = Place::new();
    let server = hub.serve();
    let world = World::new(&server);
    let backup =
        |more: &[&str]| storage.operate(&hub, &[&["admin", "backup", ADDRESS], more].concat());

    let first = told(&backup(&[]));
    let place = "models/operator/committed/commit/main";
    let committed = world.client.commit(&server.url, place, "a.txt", "a");
    let commit = committed.unwrap().good().json()["commitOid"].clone();
    let second = told(&backup(&["--keep", "1"]));
    let checked = told(&backup(&["--verify"]));
    let elsewhere = Place::new();
    told(&storage.operate(&elsewhere, &["admin", "restore", ADDRESS]));

    assert!(second["copied_pieces"].as_u64() < first["copied_pieces"].as_u64());
    assert_eq!(
        second["removed"],
        Value::Array(vec![first["generation"].clone()])
    );
    assert_eq!(checked["generation"], second["generation"]);
    assert!(storage.keys().iter().all(|key| key.starts_with(PREFIX)));
    check_index(&elsewhere);
    let main = elsewhere.serve();
    let answer = world
        .client
        .get(&format!("{}/api/models/operator/committed", main.url));
    assert_eq!(answer.unwrap().good().json()["sha"], commit);

    // One piece is gone: the check tells which.
    let piece = storage
        .keys()
        .into_iter()
        .find(|key| key.contains("/content/"))
        .unwrap();
    storage.objects.lock().unwrap().remove(&piece);
    let found = backup(&["--verify"]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert_eq!(found.status.code(), Some(1), "{text}");
    assert!(text.contains(piece.rsplit('/').next().unwrap()), "{text}");
}
