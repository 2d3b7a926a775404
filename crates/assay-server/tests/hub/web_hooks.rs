//! Deliveries to a real address, and attacks by it.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use assay_app::{HookEvent, HookPlace};
use assay_server::{Person, TestHub};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::web_support::{propose, world};

/// The requests that came in: the headers and the body of each.
type Inbox = Arc<Mutex<Vec<(HeaderMap, String)>>>;

/// An address that keeps what it is told and answers as it is told to.
async fn listener(answers: Vec<(u16, Option<&'static str>)>) -> (SocketAddr, Inbox) {
    let inbox = Inbox::default();
    let answers = Arc::new(Mutex::new(answers.into_iter()));
    let kept = Arc::clone(&inbox);
    let handler = move |headers: HeaderMap, body: Bytes| async move {
        let body = String::from_utf8_lossy(&body).into_owned();
        kept.lock().unwrap().push((headers, body));
        let (status, place) = answers.lock().unwrap().next().unwrap_or((204, None));
        let status = StatusCode::from_u16(status).unwrap();
        let answer: Response = match place {
            Some(place) => (status, [("location", place)]).into_response(),
            None => status.into_response(),
        };
        answer
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new()
        .route("/hook", post(handler.clone()))
        .route("/elsewhere", post(handler));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, inbox)
}

async fn hooked(hub: &TestHub, url: &str) -> String {
    let alice = hub
        .hub()
        .accounts()
        .authenticate(hub.secret(Person::Alice))
        .await;
    let place = HookPlace::Repository("model".parse().unwrap(), "alice/small".parse().unwrap());
    let (_, secret) = hub
        .hub()
        .webhooks()
        .create_webhook(&alice.unwrap(), &place, url, &[HookEvent::PullRequest])
        .await
        .unwrap();
    secret.reveal().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_signed_and_sent_again_until_it_is_taken() {
    let hub = world().await;
    let (address, inbox) = listener(vec![(500, None), (204, None)]).await;
    let secret = hooked(&hub, &format!("http://{address}/hook")).await;
    propose(&hub, "0.65").await;

    assert_eq!(hub.send_webhooks(true).await, 1);
    assert_eq!(hub.send_webhooks(true).await, 0, "it waits");
    hub.pass(60);
    assert_eq!(hub.send_webhooks(true).await, 1);
    hub.pass(100_000);
    assert_eq!(hub.send_webhooks(true).await, 0, "it was taken");

    let inbox = inbox.lock().unwrap();
    assert_eq!(inbox.len(), 2);
    for (headers, body) in inbox.iter() {
        assert_eq!(headers["content-type"], "application/json");
        assert_eq!(headers["x-assay-event"], "pull_request");
        let signature = headers["x-assay-signature"].to_str().unwrap();
        let (time, digest) = signature.split_once(",v1=").unwrap();
        let time = time.strip_prefix("t=").unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("{time}.{body}").as_bytes());
        let bytes = mac.finalize().into_bytes();
        let wanted = bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        assert_eq!(digest, wanted);
    }
    let times: Vec<&str> = inbox
        .iter()
        .map(|(headers, _)| headers["x-assay-signature"].to_str().unwrap())
        .collect();
    assert_ne!(times[0], times[1], "each attempt has its own time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_leads_nowhere() {
    let hub = world().await;
    let (address, inbox) = listener(vec![(302, Some("/elsewhere"))]).await;
    hooked(&hub, &format!("http://{address}/hook")).await;
    propose(&hub, "0.65").await;

    hub.send_webhooks(true).await;

    assert_eq!(inbox.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_behind_the_wall_is_never_asked() {
    let hub = world().await;
    let (address, inbox) = listener(Vec::new()).await;
    let port = address.port();
    for host in ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433"] {
        hooked(&hub, &format!("http://{host}:{port}/hook")).await;
    }
    propose(&hub, "0.65").await;

    let sent = hub.send_webhooks(false).await;

    assert_eq!(sent, 5);
    assert_eq!(inbox.lock().unwrap().len(), 0);
}

/// An address that takes connections and never answers, and the number of those that came.
async fn silent() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((connection, _)) = listener.accept().await {
            held.push(connection);
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_webhooks_at_a_silent_address_do_not_delay_anybody_else() {
    let hub = world().await;
    let silent = silent().await;
    let (address, inbox) = listener(Vec::new()).await;
    for _ in 0..20 {
        hooked(&hub, &format!("http://{silent}/hook")).await;
    }
    propose(&hub, "0.65").await;
    hub.pass(1);
    let bob = hub
        .hub()
        .accounts()
        .authenticate(hub.secret(Person::Bob))
        .await
        .unwrap();
    let place = HookPlace::Account("bob".to_owned());
    let url = format!("http://{address}/hook");
    let events = [HookEvent::PullRequest];
    let (hook, _) = hub
        .hub()
        .webhooks()
        .create_webhook(&bob, &place, &url, &events)
        .await
        .unwrap();
    hub.hub()
        .webhooks()
        .ping_webhook(&bob, &place, hook.id)
        .await
        .unwrap();

    let sending = hub.start_webhooks(true);
    let arrived = async {
        while inbox.lock().unwrap().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    // The first silent delivery ends after ten seconds, all twenty of them after minutes.
    let arrived = tokio::time::timeout(std::time::Duration::from_secs(9), arrived).await;
    sending.abort();

    assert!(
        arrived.is_ok(),
        "a delivery waits for those of somebody else"
    );
}
