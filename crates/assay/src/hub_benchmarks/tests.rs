use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;

use super::*;

/// Answers one connection after the other and returns the heads of the requests it saw.
fn serve(answers: Vec<String>) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let seen = std::thread::spawn(move || {
        let mut seen = Vec::new();
        for answer in answers {
            let (mut connection, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(connection.try_clone().unwrap()).lines();
            let mut head = String::new();
            while let Some(Ok(line)) = lines.next() {
                if line.is_empty() {
                    break;
                }
                head.push_str(&line.to_lowercase());
                head.push('\n');
            }
            seen.push(head);
            // A client that has had enough may be gone already.
            let _ = connection.write_all(answer.as_bytes());
        }
        seen
    });
    (address, seen)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn hub(address: SocketAddr) -> HubBenchmarks {
    HubBenchmarks::with_token(&format!("http://{address}/"), Some("secret")).unwrap()
}

fn id() -> RepoId {
    "cais/hle".parse().unwrap()
}

#[test]
fn a_definition_is_fetched_with_the_token() {
    let (address, seen) = serve(vec![answer("200 OK", "", "name: x\n")]);

    let text = hub(address).fetch(&id()).unwrap();

    let seen = seen.join().unwrap();
    assert_eq!(text.as_deref(), Some(b"name: x\n".as_slice()));
    assert!(seen[0].starts_with("get /datasets/cais/hle/resolve/main/eval.yaml http/1.1\n"));
    assert!(seen[0].contains("\nauthorization: bearer secret\n"));
}

#[test]
fn a_missing_repository_or_file_is_an_unknown_benchmark() {
    for (status, code) in [
        ("404 Not Found", "EntryNotFound"),
        ("401 Unauthorized", "RepoNotFound"),
    ] {
        let header = format!("X-Error-Code: {code}\r\n");
        let (address, seen) = serve(vec![answer(status, &header, "")]);
        let hub = hub(address);

        let found = hub.find(&id());

        seen.join().unwrap();
        assert!(matches!(found, Lookup::Unknown { .. }), "{code}");
        assert_eq!(hub.failures(), Vec::<String>::new());
    }
}

#[test]
fn a_404_that_names_no_code_is_not_a_hub() {
    let (address, seen) = serve(vec![answer("404 Not Found", "", "nothing here")]);
    let hub = hub(address);

    let found = hub.find(&id());

    seen.join().unwrap();
    assert!(matches!(found, Lookup::NoList));
    assert_eq!(
        hub.failures(),
        [format!(
            "the hub answered 404 at `http://{address}/datasets/cais/hle/resolve/main/eval.yaml`"
        )]
    );
}

#[test]
fn an_answer_is_asked_for_once() {
    let header = "X-Error-Code: RepoNotFound\r\n";
    let (address, seen) = serve(vec![answer("404 Not Found", header, "")]);
    let hub = hub(address);

    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(matches!(hub.find(&id()), Lookup::Unknown { .. })));
        }
    });

    assert_eq!(seen.join().unwrap().len(), 1);
}

#[test]
fn a_definition_that_is_not_valid_is_broken() {
    let (address, seen) = serve(vec![answer("200 OK", "", "<!doctype html>\n<p>hello")]);

    let found = hub(address).find(&id());

    seen.join().unwrap();
    assert!(matches!(found, Lookup::Broken));
}

#[test]
fn what_is_not_http_fails_and_names_the_address() {
    let (address, seen) = serve(vec!["SSH-2.0-OpenSSH\r\n\r\n".to_owned()]);
    let hub = hub(address);

    let found = hub.find(&id());

    seen.join().unwrap();
    assert!(matches!(found, Lookup::NoList));
    assert!(hub.failures()[0].contains(&address.to_string()));
}

#[test]
fn a_connection_that_closes_early_fails_and_the_hub_is_not_asked_again() {
    let (address, seen) = serve(vec![String::new()]);
    let hub = hub(address);

    let first = hub.find(&id());
    let second = hub.find(&"a/b".parse().unwrap());

    assert_eq!(seen.join().unwrap().len(), 1);
    assert!(matches!((first, second), (Lookup::NoList, Lookup::NoList)));
    assert_eq!(hub.failures().len(), 1);
}

#[test]
fn a_body_over_the_limit_is_refused() {
    let body = "#".repeat(usize::try_from(MAX_BODY).unwrap() + 1);
    let (address, seen) = serve(vec![answer("200 OK", "", &body)]);

    let error = hub(address).fetch(&id()).unwrap_err();

    seen.join().unwrap();
    assert!(matches!(error, ClientError::TooLarge { .. }), "{error:?}");
}

#[test]
fn a_redirect_is_followed_on_the_same_host_only() {
    let moved = "location: /datasets/cais/hle2/resolve/main/eval.yaml\r\n";
    let away = "location: http://elsewhere.example/eval.yaml\r\n";
    let (address, seen) = serve(vec![
        answer("307 Temporary Redirect", moved, ""),
        answer("302 Found", away, ""),
    ]);

    let error = hub(address).fetch(&id()).unwrap_err();

    let seen = seen.join().unwrap();
    assert!(seen[1].starts_with("get /datasets/cais/hle2/"));
    assert!(
        matches!(&error, ClientError::Elsewhere { target, .. } if target.contains("elsewhere")),
        "{error:?}"
    );
}
