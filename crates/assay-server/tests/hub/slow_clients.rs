//! Clients that are slow, silent or many, over real connections.

use std::io::{self, Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use assay_app::{CommitRequest, NewRepository, Visibility};
use assay_hub_api::CommitOperation;
use assay_model::RepoKind;
use assay_server::{Config, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use crate::serving::config;

/// The time that a slow client has in these tests.
const SHORT: Duration = Duration::from_millis(300);
/// The time after which a test gives up waiting for the server.
const PATIENCE: Duration = Duration::from_mins(1);
const GET: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A server with a changed configuration, until the runtime ends.
async fn server(directory: &tempfile::TempDir, change: impl FnOnce(&mut Config)) -> SocketAddr {
    let mut config = config(directory);
    change(&mut config);
    let server = serve(config).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run_until(std::future::pending()));
    address
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Everything that the server says until it closes the connection.
fn read_all(stream: &mut impl Read) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => panic!("still open"),
        Ok(_) | Err(_) => String::from_utf8_lossy(&answer).into_owned(),
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_trickles_its_headers_is_cut_off() {
    let directory = tempfile::tempdir().unwrap();
    let address = server(&directory, |config| config.connections.header_time = SHORT).await;

    let answer = blocking(move || {
        let mut stream = connect(address);
        let mut writer = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            // It never stops by itself.
            while writer.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        read_all(&mut stream)
    })
    .await;

    assert_eq!(answer, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_without_a_request_is_closed_with_tls_and_without() {
    let directory = tempfile::tempdir().unwrap();
    let encrypted = tempfile::tempdir().unwrap();
    let pem = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hub/tls");
    let plain = server(&directory, |config| config.connections.header_time = SHORT).await;
    let tls = server(&encrypted, |config| {
        config.tls_certificate = Some(pem.join("certificate.pem"));
        config.tls_key = Some(pem.join("key.pem"));
        config.connections.header_time = SHORT;
    })
    .await;

    let answers = blocking(move || [plain, tls].map(|address| read_all(&mut connect(address))));

    assert_eq!(answers.await, ["", ""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_comes_too_slowly_is_answered_with_408() {
    let directory = tempfile::tempdir().unwrap();
    let address = server(&directory, |config| config.connections.stall_time = SHORT).await;

    let answer = blocking(move || {
        let mut stream = connect(address);
        let head =
            b"POST /api/validate-yaml HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{";
        stream.write_all(head).unwrap();
        read_all(&mut stream)
    })
    .await;

    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("came too slowly"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_is_kept_between_requests_for_a_while() {
    let directory = tempfile::tempdir().unwrap();
    let address = server(&directory, |config| config.connections.idle_time = SHORT).await;

    let answer = blocking(move || {
        let mut stream = connect(address);
        // The second comes while the first is being answered, or right after it.
        stream.write_all(&[GET, GET].concat()).unwrap();
        read_all(&mut stream)
    })
    .await;

    assert_eq!(answer.matches("HTTP/1.1 200 OK\r\n").count(), 2, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_dropped_with_all_that_is_held_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config(&directory);
    config.connections.stall_time = SHORT;
    let server = serve(config).await.unwrap();
    let address = server.address();
    // More than the buffers of the system hold.
    let size = 64 << 20;
    let (account, secret) = server.first_operator().unwrap();
    let hub = server.hub();
    let caller = hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await
        .unwrap();
    let new = NewRepository {
        kind: RepoKind::Model,
        namespace: Some(account.name.clone()),
        name: "small".to_owned(),
        visibility: Visibility::Public,
        description: None,
    };
    hub.repositories()
        .create_repository(&caller, new)
        .await
        .unwrap();
    let commit = CommitRequest {
        revision: "main".to_owned(),
        summary: "a large file".to_owned(),
        description: String::new(),
        parent: None,
        create_pull: false,
        operations: vec![CommitOperation::put(
            "zeros.bin".parse().unwrap(),
            vec![0; size],
        )],
        received_at: None,
    };
    let id = "operator/small".parse().unwrap();
    hub.repositories()
        .commit(&caller, RepoKind::Model, &id, commit)
        .await
        .unwrap();
    tokio::spawn(server.run_until(std::future::pending()));

    let (read, metrics) = blocking(move || {
        let mut stream = connect(address);
        let get = "GET /operator/small/resolve/main/zeros.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(get.as_bytes()).unwrap();
        // The answer has begun, and nobody takes the rest of it.
        stream.read_exact(&mut [0; 16]).unwrap();
        let gone = (0..1200).find_map(|_| {
            std::thread::sleep(Duration::from_millis(50));
            let metrics = metrics(address);
            metrics
                .contains("\nassay_connections 1\n")
                .then_some(metrics)
        });
        (read_all(&mut stream).len(), gone)
    })
    .await;

    let metrics = metrics.expect("the connection is closed");
    assert!(metrics.contains("\nassay_answer_bytes 0\n"), "{metrics}");
    assert!(read < size, "{read} bytes");
}

fn metrics(address: SocketAddr) -> String {
    let mut stream = connect(address);
    let get = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(get).unwrap();
    read_all(&mut stream)
}

/// Asks from an address of this machine.
async fn ask_from(own: Ipv4Addr, address: SocketAddr) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((own, 0).into()).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    // A server that refuses may do so before it is asked.
    let _ = stream.write_all(get).await;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn one_address_has_its_share_of_connections_and_others_are_answered() {
    let directory = tempfile::tempdir().unwrap();
    let address = server(&directory, |config| config.connections.per_address = 4).await;
    let own = Ipv4Addr::LOCALHOST;
    let other = Ipv4Addr::new(127, 0, 0, 2);

    let held: Vec<TcpStream> = blocking(move || (0..4).map(|_| connect(address)).collect()).await;
    let refused = ask_from(own, address).await;
    let answered = ask_from(other, address).await;
    drop(held);

    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("\r\nRetry-After: 5\r\n"), "{refused}");
    assert!(answered.starts_with("HTTP/1.1 200 OK\r\n"), "{answered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_may_have_all_connections_and_no_more() {
    let directory = tempfile::tempdir().unwrap();
    let address = server(&directory, |config| {
        config.connections.per_address = 1;
        config.connections.total = 3;
        config.trust_proxy = true;
        config.public_url = Some("https://hub.example".parse().unwrap());
    })
    .await;

    let (held, third) = blocking(move || {
        let mut held: Vec<TcpStream> = (0..3).map(|_| connect(address)).collect();
        let mut beginning = [0; 15];
        held[2].write_all(GET).unwrap();
        held[2].read_exact(&mut beginning).unwrap();
        (held, beginning)
    })
    .await;
    let fourth = ask_from(Ipv4Addr::LOCALHOST, address).await;
    drop(held);

    assert_eq!(&third, b"HTTP/1.1 200 OK");
    assert!(fourth.starts_with("HTTP/1.1 503 "), "{fourth}");
}
