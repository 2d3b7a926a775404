//! A whole hub in a temporary directory, asked through its real router: for the tests of this crate
//! and of others.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot be set up has to stop"
)]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use assay_app::issuer::Issuer;
use assay_app::testing::{PrivateServer, TestDatabase};
use assay_app::{Database, Hub, NewToken, Scope};
use assay_formats::lake_api::Ingested;
use assay_model::{Clock, Durability, Timestamp};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{Method, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::config::{Config, Rates};
use crate::hooks::{Sender, send_for_ever};
use crate::lake::{Filler, Lake};
use crate::metrics::Metrics;
use crate::outbound::Reach;
use crate::router::{router_of, routes};
use crate::state::AppState;
use crate::web::{pages, parts};

mod reply;

pub use reply::Answer;

/// The moment at which every test begins.
const BEGINNING: i64 = 1_771_065_000;
/// The host name of the hub in tests.
const HOST_NAME: &str = "127.0.0.1:8460";

/// A hub with an operator and two users.
pub struct TestHub {
    router: Router,
    hub: Arc<Hub>,
    issuer: Arc<Issuer>,
    metrics: Arc<Metrics>,
    clock: Arc<TestClock>,
    secrets: [String; 3],
    lake: Option<Lake>,
    filler: tokio::sync::Mutex<Filler>,
    directory: TempDir,
    /// The database on a server, which goes with the hub.
    database: Option<TestDatabase>,
}

/// A person who sends requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// Nobody in particular.
    Nobody,
    /// A user.
    Alice,
    /// Another user.
    Bob,
    /// Whoever runs the hub.
    Operator,
}

/// A clock that stands still until it is told to go on.
#[derive(Debug)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A new database on a private server, when `ASSAY_TEST_DATABASE` asks for `postgres` and there is
/// one to be had.
async fn server_database() -> Option<TestDatabase> {
    let asked = std::env::var_os("ASSAY_TEST_DATABASE")?;
    assert_eq!(
        asked, "postgres",
        "`ASSAY_TEST_DATABASE` is `postgres` or nothing"
    );
    let server = PrivateServer::get()?;
    Some(server.new_database().await)
}

impl TestHub {
    /// A new hub.
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A new hub whose configuration is changed first.
    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut config = Config {
            data: directory.path().join("data"),
            // Nobody pulls the plug on a test.
            durability: Durability::Fast,
            // How long a page takes on a busy machine decides nothing in a test.
            slow_page: Duration::MAX,
            rates: Rates {
                per_token: 0,
                per_address: 0,
                window_seconds: 300,
            },
            ..Config::default()
        };
        // The clock of a test stands still, so a minute would never end.
        config.limits.writes_per_minute = 0;
        let kept = server_database().await;
        config.database = kept.as_ref().map(TestDatabase::address);
        change(&mut config);
        let clock = Arc::new(TestClock(AtomicI64::new(BEGINNING * 1000)));
        let hub = Hub::open(config.hub(), Arc::clone(&clock) as Arc<dyn Clock>)
            .await
            .expect("a hub opens in an empty directory");
        let secrets = accounts(&hub).await;
        let state = AppState::new(
            Arc::clone(&hub),
            &config,
            Arc::clone(&clock) as Arc<dyn Clock>,
        );
        Self {
            router: router_of(&state),
            metrics: Arc::clone(&state.web.metrics),
            issuer: state.issuer,
            lake: Lake::of(&config),
            filler: tokio::sync::Mutex::new(Filler::new(&config)),
            hub,
            clock,
            secrets,
            directory,
            database: kept,
        }
    }

    /// The hub behind the router.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// The issuer behind the router.
    pub fn issuer(&self) -> &Arc<Issuer> {
        &self.issuer
    }

    /// The moment it is.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The whole service, to put a real listener in front of it.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Answers on a port of this machine, for clients that need one, until the runtime ends.
    pub async fn listen(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("this machine has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let service = self
            .router()
            .into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        address
    }

    /// The routes alone, without what happens round every handler: for who looks at them.
    pub fn routes(&self) -> Router {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let state = AppState::new(Arc::clone(&self.hub), &Config::default(), clock);
        routes().into_router().with_state(state)
    }

    /// Sends what webhooks are to be told by now, to private addresses too when that is allowed.
    pub async fn send_webhooks(&self, private: bool) -> usize {
        let reach = reach(private);
        self.hub
            .webhooks()
            .announce_ranks()
            .await
            .expect("ranks can be told");
        let mut sender = Sender::new(Arc::clone(&self.hub), Arc::clone(&self.metrics), reach);
        sender.send_due().await.expect("the queue can be read")
    }

    /// Sends what webhooks are to be told for as long as the test goes on, as a server does.
    pub fn start_webhooks(&self, private: bool) -> tokio::task::JoinHandle<()> {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(&self.metrics));
        tokio::spawn(send_for_ever(hub, metrics, reach(private)))
    }

    /// Hands what is public to the lake, as a server does whenever something has changed. None when
    /// nothing has.
    pub async fn fill_lake(&self) -> Option<Ingested> {
        let lake = self.lake.as_ref().expect("the test has a lake");
        let mut filler = self.filler.lock().await;
        let ingested = filler.step(&self.hub, lake).await;
        ingested.expect("the lake of a test answers")
    }

    /// The pages, each with what it shows.
    pub fn pages(&self) -> Vec<(String, &'static str)> {
        pages().merge(parts()).told().to_vec()
    }

    /// A directory that goes away with the hub.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns its database, unless that is a file in the data directory.
    pub fn database(&self) -> Option<Database> {
        self.database.as_ref().map(TestDatabase::address)
    }

    /// Lets time pass.
    pub fn pass(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// The token of a person.
    pub fn secret(&self, person: Person) -> Option<&str> {
        match person {
            Person::Nobody => None,
            Person::Alice => Some(&self.secrets[0]),
            Person::Bob => Some(&self.secrets[1]),
            Person::Operator => Some(&self.secrets[2]),
        }
    }

    /// Asks for something.
    pub async fn get(&self, person: Person, path: &str) -> Answer {
        self.ask(person, Method::GET, path, Body::empty()).await
    }

    /// Asks for the facts about something.
    pub async fn head(&self, person: Person, path: &str) -> Answer {
        self.ask(person, Method::HEAD, path, Body::empty()).await
    }

    /// Sends JSON.
    pub async fn post(&self, person: Person, path: &str, json: Value) -> Answer {
        self.ask(person, Method::POST, path, Body::from(json.to_string()))
            .await
    }

    /// Sends JSON.
    pub async fn put(&self, person: Person, path: &str, json: Value) -> Answer {
        self.ask(person, Method::PUT, path, Body::from(json.to_string()))
            .await
    }

    /// Sends JSON, to delete something.
    pub async fn delete(&self, person: Person, path: &str, json: Value) -> Answer {
        self.ask(person, Method::DELETE, path, Body::from(json.to_string()))
            .await
    }

    /// Sends a body as JSON.
    pub async fn ask(&self, person: Person, method: Method, path: &str, body: Body) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .expect("the test asks for a path that can be one");
        self.send(person, request).await
    }

    /// Sends a request as it is, with the token of a person when it has none.
    pub async fn send(&self, person: Person, mut request: Request<Body>) -> Answer {
        let headers = request.headers_mut();
        headers.entry(HOST).or_insert(HOST_NAME.parse().unwrap());
        if let Some(secret) = self.secret(person) {
            let bearer = format!("Bearer {secret}").parse().unwrap();
            headers.entry(AUTHORIZATION).or_insert(bearer);
        }
        let address = SocketAddr::from(([127, 0, 0, 1], 4711));
        request.extensions_mut().insert(ConnectInfo(address));
        let response = self.router.clone().oneshot(request).await.unwrap();
        Answer::of(response).await
    }

    /// Makes a repository, such as `models/alice/small`.
    pub async fn create(&self, person: Person, repo: &str) -> Answer {
        let (kind, id) = repo.split_once('/').expect("kind and name");
        let (namespace, name) = id.split_once('/').expect("namespace and name");
        let json = json!({
            "name": name,
            "organization": namespace,
            "type": kind.trim_end_matches('s'),
        });
        self.post(person, "/api/repos/create", json).await
    }

    /// Commits files to `main` of a repository, such as `datasets/alice/bench`.
    pub async fn commit(&self, person: Person, repo: &str, files: &[(&str, &str)]) -> Answer {
        self.commit_to(person, &format!("{repo}/commit/main"), files)
            .await
    }

    /// Opens a pull request with files.
    pub async fn pull(&self, person: Person, repo: &str, files: &[(&str, &str)]) -> Answer {
        self.commit_to(person, &format!("{repo}/commit/main?create_pr=1"), files)
            .await
    }

    /// Commits files to an address below `/api/`.
    pub async fn commit_to(&self, person: Person, place: &str, files: &[(&str, &str)]) -> Answer {
        let header =
            json!({ "key": "header", "value": { "summary": "Add files", "description": "" } });
        let mut lines = vec![header.to_string()];
        lines.extend(files.iter().map(|(path, content)| {
            let content = STANDARD.encode(content);
            let value = json!({ "content": content, "path": path, "encoding": "base64" });
            json!({ "key": "file", "value": value }).to_string()
        }));
        let body = Body::from(lines.join("\n"));
        self.ask(person, Method::POST, &format!("/api/{place}"), body)
            .await
    }
}

fn reach(private: bool) -> Reach {
    if private {
        Reach::Anywhere
    } else {
        Reach::Public
    }
}

/// Makes the people, and a token for each.
async fn accounts(hub: &Hub) -> [String; 3] {
    let shell = hub.shell();
    let mut secrets = Vec::new();
    for (name, full_name, operator) in [
        ("alice", "Alice", false),
        ("bob", "Bob", false),
        ("root", "The operator", true),
    ] {
        hub.accounts()
            .create_user(&shell, name, full_name, None, operator)
            .await
            .expect("the shell may make users");
        let token = NewToken {
            label: format!("test-{name}"),
            scope: if operator { Scope::Admin } else { Scope::Write },
            expires: None,
        };
        let (_, secret) = hub
            .accounts()
            .create_token(&shell, name, token)
            .await
            .expect("the shell may make tokens");
        secrets.push(secret.reveal().to_owned());
    }
    secrets.try_into().expect("there are three people")
}
