use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use assay_server::{Config, ServeError, serve};
use tokio::sync::oneshot;

fn config(directory: &tempfile::TempDir) -> Config {
    Config {
        listen: ([127, 0, 0, 1], 0).into(),
        data: directory.path().join("data"),
        ..Config::default()
    }
}

/// Asks over a real connection.
fn ask(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
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
    assert!(TcpStream::connect(address).is_err(), "it still listens");
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
