use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;

use assay_model::{RepoId, RepoKind};

use super::*;
use crate::{CreateRepo, Visibility};

/// Answers one connection after the other and returns the heads of the requests it saw, in lower
/// case.
fn serve(answers: Vec<String>) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let heads = std::thread::spawn(move || {
        let mut heads = Vec::new();
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
            heads.push(head);
            // A client that has had enough may be gone already.
            let _ = connection.write_all(answer.as_bytes());
        }
        heads
    });
    (address, heads)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn client(address: SocketAddr) -> Client {
    Client::new(&format!("http://{address}/"), Some("secret")).unwrap()
}

fn id() -> RepoId {
    "cais/hle".parse().unwrap()
}

#[test]
fn a_redirect_on_the_same_server_is_followed_with_the_token() {
    let moved = "location: /datasets/cais/hle2/resolve/main/eval.yaml\r\n";
    let (address, heads) = serve(vec![
        answer("307 Temporary Redirect", moved, ""),
        answer("200 OK", "", "name: x\n"),
    ]);

    let file = client(address).file(RepoKind::Dataset, &id(), "main", "eval.yaml");

    let heads = heads.join().unwrap();
    assert_eq!(file.unwrap().as_deref(), Some(b"name: x\n".as_slice()));
    assert!(heads[0].starts_with("get /datasets/cais/hle/resolve/main/eval.yaml http/1.1\n"));
    assert!(heads[1].starts_with("get /datasets/cais/hle2/resolve/main/eval.yaml http/1.1\n"));
    assert!(heads[1].contains("\nauthorization: bearer secret\n"));
}

#[test]
fn another_port_of_the_same_host_never_sees_a_request() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    stranger.set_nonblocking(true).unwrap();
    let target = format!("http://{}/x", stranger.local_addr().unwrap());
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary",
        "308 Permanent",
    ] {
        let location = format!("location: {target}\r\n");
        let (address, heads) = serve(vec![answer(status, &location, "")]);

        let error = client(address).bytes("/x").unwrap_err();

        heads.join().unwrap();
        assert!(
            matches!(&error, ClientError::Elsewhere { target: named, .. } if *named == target),
            "{status}: {error:?}"
        );
    }
    assert!(stranger.accept().is_err(), "nobody connected");
}

#[test]
fn a_body_goes_to_no_other_server_and_is_repeated_only_when_the_status_says_so() {
    let create = CreateRepo {
        name: "m".to_owned(),
        organization: Some("alice".to_owned()),
        repo_type: None,
        visibility: Some(Visibility::Private),
        private: None,
    };
    let away = answer(
        "307 Temporary Redirect",
        "location: https://elsewhere.example/\r\n",
        "",
    );
    let found = answer("302 Found", "location: /api/repos/create\r\n", "");
    let (address, heads) = serve(vec![away, found]);
    let client = client(address);

    let refused = client.create_repo(&create).unwrap_err();
    let not_repeated = client.create_repo(&create).unwrap_err();

    assert_eq!(heads.join().unwrap().len(), 2);
    assert!(
        matches!(refused, ClientError::Elsewhere { .. }),
        "{refused:?}"
    );
    assert!(
        matches!(not_repeated, ClientError::Refused { status: 302, .. }),
        "{not_repeated:?}"
    );
}

#[test]
fn redirects_in_a_circle_end() {
    let round = answer("307 Temporary Redirect", "location: /round\r\n", "");
    let (address, heads) = serve(vec![round; MAX_REDIRECTS + 1]);

    let error = client(address).bytes("/round").unwrap_err();

    heads.join().unwrap();
    assert!(matches!(error, ClientError::Redirects { .. }), "{error:?}");
}

#[test]
fn a_list_goes_on_at_the_next_page_of_the_same_server_only() {
    let next = "link: </api/models?cursor=2>; rel=\"next\"\r\n";
    let away = "link: <https://elsewhere.example/api/models>; rel=\"next\"\r\n";
    let (address, heads) = serve(vec![
        answer("200 OK", next, "[1, 2]"),
        answer("200 OK", "", "[3]"),
        answer("200 OK", away, "[1]"),
        answer("200 OK", away, "[1, 2]"),
    ]);
    let client = client(address);

    let all: Vec<u8> = client.list("/api/models", 10).unwrap();
    let error = client.list::<u8>("/api/models", 10).unwrap_err();
    let enough: Vec<u8> = client.list("/api/models", 1).unwrap();

    let heads = heads.join().unwrap();
    assert_eq!((all, enough), (vec![1, 2, 3], vec![1]));
    assert!(heads[1].starts_with("get /api/models?cursor=2 http/1.1\n"));
    assert!(matches!(error, ClientError::Elsewhere { .. }), "{error:?}");
}

#[test]
fn a_token_is_not_sent_over_plain_http_to_another_machine() {
    let token = |address| Client::new(address, Some("secret")).unwrap().token;

    assert_eq!(token("http://hub.example"), None);
    assert_eq!(token("https://hub.example"), Some("secret".to_owned()));
    assert_eq!(token("http://localhost:7000"), Some("secret".to_owned()));
}

#[test]
fn addresses_that_are_none_are_refused() {
    for address in [
        "",
        "hub.example",
        "file:///etc",
        "https://",
        "https://h/?x=1",
        "https://name:word@h",
    ] {
        let refused = Client::new(address, None);

        assert!(matches!(refused, Err(ClientError::Address(_))), "{address}");
    }
}

#[test]
fn a_body_that_breaks_off_fails() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nname";
    let (address, heads) = serve(vec![head.to_owned()]);

    let error = client(address).bytes("/x").unwrap_err();

    heads.join().unwrap();
    assert!(matches!(error, ClientError::Body { .. }), "{error:?}");
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client =
        client(listener.local_addr().unwrap()).with_limits(Duration::from_millis(50), MAX_ANSWER);

    let error = client.bytes("/x").unwrap_err();

    assert!(matches!(error, ClientError::Transport { .. }), "{error:?}");
}

#[test]
fn an_answer_over_the_limit_is_refused() {
    let (address, heads) = serve(vec![answer("200 OK", "", "12345")]);

    let error = client(address)
        .with_limits(TIMEOUT, 4)
        .bytes("/x")
        .unwrap_err();

    heads.join().unwrap();
    assert!(
        matches!(error, ClientError::TooLarge { limit: 4, .. }),
        "{error:?}"
    );
}

#[test]
fn a_refusal_has_its_code_its_reason_and_the_faults_that_can_be_read() {
    let fault = r#"{"code":"AY324","severity":"error","message":"no such task","place":{"file":"a.yaml","line":3,"column":14,"span":{"start":0,"end":1}},"path":"task_id"}"#;
    let body = format!(r#"{{"error":"1 error","diagnostics":[{fault},{{"code":"new"}}]}}"#);
    let (address, heads) = serve(vec![answer(
        "422 Unprocessable",
        "x-error-code: Invalid\r\n",
        &body,
    )]);

    let error = client(address).bytes("/x").unwrap_err();

    heads.join().unwrap();
    let ClientError::Refused {
        status,
        code,
        message,
        diagnostics,
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!((status, message.as_str()), (422, "1 error"));
    assert_eq!(code.as_deref(), Some("Invalid"));
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].code.to_string(), "AY324");
}

#[test]
fn an_answer_of_another_shape_names_the_address() {
    let (address, heads) = serve(vec![answer("200 OK", "", "<!doctype html>")]);

    let error = client(address).whoami().unwrap_err();

    heads.join().unwrap();
    assert!(matches!(error, ClientError::Shape { .. }), "{error:?}");
    assert!(error.to_string().contains("/api/whoami-v2"), "{error}");
}
