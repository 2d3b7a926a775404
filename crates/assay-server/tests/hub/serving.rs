use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use assay_app::{NewRepository, Visibility};
use assay_model::RepoKind;
use assay_server::{Config, ServeError, serve};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tokio::sync::oneshot;

use crate::git::{run, succeeded, told};

pub(crate) fn config(directory: &tempfile::TempDir) -> Config {
    Config {
        listen: ([127, 0, 0, 1], 0).into(),
        data: directory.path().join("data"),
        ..Config::default()
    }
}

/// Asks over a real connection.
fn ask(address: SocketAddr) -> String {
    ask_over(TcpStream::connect(address).unwrap())
}

fn ask_over(mut stream: impl Read + Write) -> String {
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A client that trusts our certificate alone.
fn tls_client(certificate: &Path) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(certificate).unwrap())
        .unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_answers_on_its_address_until_it_is_told_to_stop() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(config(&directory)).await.unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run_until(async {
        let _ = stopped.await;
    }));

    let answer = tokio::task::spawn_blocking(move || ask(address))
        .await
        .unwrap();
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();

    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(!answer.contains("strict-transport-security"), "{answer}");
    // A `git` that another test is just starting holds what it inherited until it is another
    // program.
    let is_closed = |_| {
        let closed = TcpStream::connect(address).is_err();
        if !closed {
            std::thread::sleep(Duration::from_millis(25));
        }
        closed
    };
    assert!((0..200).any(is_closed), "it still listens");
}

#[tokio::test]
async fn the_first_start_makes_an_operator_and_the_second_does_not() {
    let directory = tempfile::tempdir().unwrap();

    let first = serve(config(&directory)).await.unwrap();
    let token = first
        .first_operator()
        .map(|(_, secret)| secret.reveal().to_owned());
    drop(first);
    let second = serve(config(&directory)).await.unwrap();

    assert!(token.unwrap().starts_with("hf_"));
    assert!(second.first_operator().is_none());
}

#[tokio::test]
async fn a_second_server_in_the_same_directory_is_told_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let _first = serve(config(&directory)).await.unwrap();

    let second = serve(config(&directory)).await;

    let error = second.err().expect("there is a server already");
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert!(told.starts_with("another server works in"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_waits_a_moment_for_an_address_that_is_about_to_be_free() {
    let directory = tempfile::tempdir().unwrap();
    let holder = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let config = Config {
        listen: holder.local_addr().unwrap(),
        ..config(&directory)
    };
    let address = config.listen;
    let letting_go = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(holder);
    });

    let server = serve(config).await.unwrap();

    letting_go.join().unwrap();
    assert_eq!(server.address(), address);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_on_the_machine_can_read_what_a_new_hub_keeps() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let config = config(&directory);
    let data = config.data.clone();

    let _server = serve(config).await.unwrap();

    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for name in ["hub.db", "hub.db-wal", "hub.db-shm"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_configuration_with_faults_does_not_start() {
    let directory = tempfile::tempdir().unwrap();
    let open = Config {
        listen: ([0, 0, 0, 0], 0).into(),
        ..config(&directory)
    };

    let refused = serve(open).await.err().unwrap();

    assert!(
        matches!(&refused, ServeError::Config(faults) if faults[0].key == "listen"),
        "{refused}"
    );
    assert!(!directory.path().join("data").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_in_flight_is_finished_when_the_server_is_told_to_stop() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(config(&directory)).await.unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run_until(async {
        let _ = stopped.await;
    }));
    let body = r#"{"content":"---\nlicense: mit\n---\n"}"#;
    let head = format!(
        "POST /api/validate-yaml HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );

    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // The server asks for the body once the handler waits for it.
        let mut go_on = [0; 25];
        stream.read_exact(&mut go_on).unwrap();
        assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        stop.send(()).unwrap();
        while TcpStream::connect(address).is_ok() {
            std::thread::yield_now();
        }
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    })
    .await
    .unwrap();
    running.await.unwrap().unwrap();

    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_certificate_the_server_speaks_tls() {
    let directory = tempfile::tempdir().unwrap();
    let pem = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hub/tls");
    let certificate = pem.join("certificate.pem");
    let server = serve(Config {
        tls_certificate: Some(certificate.clone()),
        tls_key: Some(pem.join("key.pem")),
        ..config(&directory)
    })
    .await
    .unwrap();
    let address = server.address();
    tokio::spawn(server.run_until(std::future::pending()));

    let answer = tokio::task::spawn_blocking(move || {
        let name = "localhost".try_into().unwrap();
        let connection = ClientConnection::new(tls_client(&certificate), name).unwrap();
        let stream = TcpStream::connect(address).unwrap();
        ask_over(StreamOwned::new(connection, stream))
    })
    .await
    .unwrap();

    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let always = "\r\nstrict-transport-security: max-age=31536000\r\n";
    assert!(answer.contains(always), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_clones_over_tls_and_believes_no_other_certificate() {
    let directory = tempfile::tempdir().unwrap();
    let pem = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hub/tls");
    let certificate = pem.join("certificate.pem");
    let server = serve(Config {
        tls_certificate: Some(certificate.clone()),
        tls_key: Some(pem.join("key.pem")),
        ..config(&directory)
    })
    .await
    .unwrap();
    let (account, secret) = server.first_operator().unwrap();
    let caller = server
        .hub()
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await;
    let new = NewRepository {
        kind: RepoKind::Model,
        namespace: Some(account.name.clone()),
        name: "small".to_owned(),
        visibility: Visibility::Public,
        description: None,
    };
    let hub = server.hub();
    hub.repositories()
        .create_repository(&caller.unwrap(), new)
        .await
        .unwrap();
    let url = format!(
        "https://localhost:{}/operator/small",
        server.address().port()
    );
    tokio::spawn(server.run_until(std::future::pending()));

    let trusted = format!("http.sslCAInfo={}", certificate.display());
    let known = run(directory.path(), &["-c", &trusted, "clone", &url, "known"]).await;
    let unknown = run(directory.path(), &["clone", &url, "unknown"]).await;

    succeeded(&known);
    assert!(directory.path().join("known/.git").is_dir());
    assert!(!unknown.status.success());
    assert!(told(&unknown).contains("certificate"), "{}", told(&unknown));
}

#[tokio::test]
async fn a_key_of_another_certificate_is_a_fault_of_the_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let pem = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hub/tls/certificate.pem");
    let config = Config {
        tls_certificate: Some(pem.clone()),
        tls_key: Some(pem),
        ..config(&directory)
    };

    let faults = config.check();

    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].reason.contains("has no key in PEM"),
        "{}",
        faults[0]
    );
}
