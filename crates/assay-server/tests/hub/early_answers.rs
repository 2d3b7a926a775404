//! Requests that are answered before their body is read, and the requests that come behind them.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use assay_server::serve;

use crate::serving::config;

/// The pause between the head of a request and its body.
const PAUSE: Duration = Duration::from_millis(3);
const GET: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn head(extra: &str, length: usize) -> String {
    format!(
        "POST /api/models/alice/small/commit/main HTTP/1.1\r\nHost: localhost\r\n{extra}Content-Length: {length}\r\n\r\n"
    )
}

/// Reads one answer: its head and as much body as it says.
fn read_answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            break;
        }
        answer.push(byte[0]);
    }
    let head = String::from_utf8(answer).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    let _ = stream.read_exact(&mut body);
    head
}

/// A request whose body comes after its answer could, and another one on the same connection.
/// Returns both answers.
fn ask_twice(address: SocketAddr, extra: &str, body: &[u8]) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    stream
        .write_all(head(extra, body.len()).as_bytes())
        .unwrap();
    std::thread::sleep(PAUSE);
    // What is not read is lost, and that is told by the answer.
    let _ = stream.write_all(body);
    let first = read_answer(&mut stream);
    if first.contains("connection: close") || stream.write_all(GET).is_err() {
        return (first, String::new());
    }
    (first, read_answer(&mut stream))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_nobody_reads_costs_no_other_request() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(config(&directory)).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run_until(std::future::pending()));

    let lost = tokio::task::spawn_blocking(move || {
        let bodies = (0..200).map(|round| vec![b' '; 1 + 997 * round]);
        let answers = bodies.map(|body| ask_twice(address, "", &body));
        let lost = answers.filter(|(first, next)| {
            !first.starts_with("HTTP/1.1 401 ") || !next.starts_with("HTTP/1.1 200 ")
        });
        lost.count()
    })
    .await
    .unwrap();

    assert_eq!(lost, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_waits_to_send_is_answered_and_told_that_the_connection_ends() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(config(&directory)).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run_until(std::future::pending()));

    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_mins(1)))
            .unwrap();
        let head = head("Expect: 100-continue\r\n", 1000);
        stream.write_all(head.as_bytes()).unwrap();
        read_answer(&mut stream)
    })
    .await
    .unwrap();

    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
}
