use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::server::Place;

/// Text that would be a line of its own, coloured, if it came through.
const FORGED: [&str; 3] = [
    "/x%0d%0aINFO%20forged%1b[31m",
    "/x%0A%7B%22level%22%3A%22INFO%22%2C%22message%22%3A%22forged%22%7D",
    "/x?y=%0aforged",
];

/// Asks with a header and a path that would like to be lines of a log.
fn ask(url: &str, path: &str) {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: a\tforged\r\nauthorization: Bearer hf_forged\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(
        answer.starts_with(b"HTTP/1.1 4"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
}

/// Row 95 of the threat table: what strangers send is never a line of a log by itself, and obeyed
/// by no terminal.
#[test]
fn log_injection() {
    for format in ["text", "json"] {
        let place = Place::new();
        let format_setting = format!("log.format={format}");
        let server = place.serve_with(&[&format_setting, "log.level=debug"]);

        for path in FORGED {
            ask(&server.url, path);
        }
        server.kill();

        let log = place.log();
        assert!(
            log.lines().count() >= FORGED.len(),
            "every request is logged: {log}"
        );
        assert!(!log.contains("hf_forged"), "no secret is logged: {log}");
        for line in log.lines() {
            assert!(!line.trim_start().starts_with("forged"), "{line}");
            assert!(!line.trim_start().starts_with("INFO forged"), "{line}");
            let is_obeyed = |c: char| c.is_control() && c != '\t' && c != '\u{1b}';
            assert!(!line.contains(is_obeyed), "{line:?}");
            assert!(!line.contains("forged\u{1b}[31m"), "{line:?}");
            if format == "json" {
                let read: Value = serde_json::from_str(line).unwrap();
                assert_ne!(read["message"], "forged", "{line}");
                assert!(!line.contains('\u{1b}'), "{line:?}");
            }
        }
    }
}
