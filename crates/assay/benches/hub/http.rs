//! The least of an HTTP client: one connection that is kept, and answers whose length is told.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

/// The number of bytes that are read at once.
const PIECE: usize = 256 << 10;

/// A connection that is kept open.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            buffer: vec![0; PIECE],
        }
    }

    /// Asks for something and returns its bytes.
    pub(crate) fn get(&mut self, path: &str) -> Vec<u8> {
        self.fetch(&get(path))
    }

    /// Sends a request and returns the bytes of the answer.
    pub(crate) fn fetch(&mut self, request: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        self.exchange(request, |piece| body.extend_from_slice(piece));
        body
    }

    /// Asks for something and forgets it.
    pub(crate) fn drain(&mut self, request: &[u8]) {
        self.exchange(request, |_| {});
    }

    /// Sends a document as the holder of a token.
    pub(crate) fn post(&mut self, path: &str, token: &str, kind: &str, body: &str) -> Vec<u8> {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {token}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut answer = Vec::new();
        self.exchange(request.as_bytes(), |piece| answer.extend_from_slice(piece));
        answer
    }

    /// Commits a file to `main` of a model.
    pub(crate) fn commit(&mut self, model: &str, token: &str, path: &str, text: &str) {
        let header =
            json!({ "key": "header", "value": { "summary": "Add results", "description": "" } });
        let value = json!({ "path": path, "content": STANDARD.encode(text), "encoding": "base64" });
        let file = json!({ "key": "file", "value": value });
        let body = format!("{header}\n{file}\n");
        let path = format!("/api/models/{model}/commit/main");
        self.post(&path, token, "application/x-ndjson", &body);
    }

    fn exchange(&mut self, request: &[u8], mut keep: impl FnMut(&[u8])) {
        self.stream.write_all(request).unwrap();
        let mut held = 0;
        let (head, length) = loop {
            held += self.fill(held);
            if let Some(end) = find(&self.buffer[..held], b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.buffer[..end]).unwrap();
                break (end + 4, length_of(head));
            }
        };
        keep(&self.buffer[head..held]);
        let mut left = length - (held - head);
        while left > 0 {
            let read = self.fill(0);
            keep(&self.buffer[..read]);
            left -= read;
        }
    }

    fn fill(&mut self, from: usize) -> usize {
        let read = self.stream.read(&mut self.buffer[from..]).unwrap();
        assert!(read > 0, "the server closed the connection");
        read
    }
}

/// A request for something, as anybody.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: hub\r\n\r\n").into_bytes()
}

/// A request for a page, as a browser makes it.
pub(crate) fn page(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: hub\r\nAccept: text/html,*/*;q=0.8\r\nAccept-Encoding: gzip\r\n\r\n").into_bytes()
}

/// Returns the position of some bytes, if they are there.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}

fn length_of(head: &str) -> usize {
    let status = head.split(' ').nth(1).unwrap();
    assert!(status.starts_with('2'), "the server answered:\n{head}");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().unwrap())
    });
    length.expect("an answer from memory tells its length")
}
