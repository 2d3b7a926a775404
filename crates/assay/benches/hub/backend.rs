//! The peer of git: `git http-backend` on the same disk, behind as little HTTP as it needs.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::git;

/// A server of the repositories below a directory.
pub(crate) struct Backend {
    pub(crate) address: SocketAddr,
}

impl Backend {
    /// Begins to serve, until the benchmark ends.
    pub(crate) fn start(root: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let root = root.clone();
                std::thread::spawn(move || answer(&stream.unwrap(), &root));
            }
        });
        Self { address }
    }
}

/// Makes an empty repository that may be pushed to.
pub(crate) fn create(root: &Path, name: &str) {
    git::run(
        root,
        &["init", "--quiet", "--bare", "--initial-branch=main", name],
    );
    git::run(&root.join(name), &["config", "http.receivepack", "true"]);
}

/// The head of a request.
#[derive(Default)]
struct Head {
    method: String,
    path: String,
    query: String,
    kind: String,
    protocol: String,
    encoding: String,
    length: usize,
    is_chunked: bool,
}

/// Answers the requests of a connection, one process each.
fn answer(stream: &TcpStream, root: &Path) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(head) = read_head(&mut reader) {
        let mut child = git::command(root)
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REQUEST_METHOD", &head.method)
            .env("PATH_INFO", &head.path)
            .env("QUERY_STRING", &head.query)
            .env("CONTENT_TYPE", &head.kind)
            .env("HTTP_CONTENT_ENCODING", &head.encoding)
            .env("GIT_PROTOCOL", &head.protocol)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        if head.is_chunked {
            copy_chunks(&mut reader, &mut input);
        } else {
            io::copy(&mut (&mut reader).take(head.length as u64), &mut input).unwrap();
        }
        drop(input);
        reply(stream, child.stdout.take().unwrap());
        child.wait().unwrap();
    }
}

fn read_head(reader: &mut BufReader<TcpStream>) -> Option<Head> {
    let mut head = Head::default();
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return None;
    }
    let mut words = line.split(' ');
    words.next()?.clone_into(&mut head.method);
    let target = words.next()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    (head.path, head.query) = (path.to_owned(), query.to_owned());
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Some(head);
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-type" => value.clone_into(&mut head.kind),
            "content-encoding" => value.clone_into(&mut head.encoding),
            "git-protocol" => value.clone_into(&mut head.protocol),
            "content-length" => head.length = value.parse().ok()?,
            "transfer-encoding" => head.is_chunked = true,
            _ => {}
        }
    }
}

fn copy_chunks(reader: &mut BufReader<TcpStream>, input: &mut impl io::Write) {
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let length = u64::from_str_radix(line.trim(), 16).unwrap();
        io::copy(&mut reader.take(length), input).unwrap();
        line.clear();
        reader.read_line(&mut line).unwrap();
        if length == 0 {
            return;
        }
    }
}

/// Passes on what the process answers, in chunks as it comes.
fn reply(mut stream: &TcpStream, output: impl io::Read) {
    let mut output = BufReader::with_capacity(64 << 10, output);
    let mut status = "200 OK".to_owned();
    let mut headers = String::new();
    loop {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        match line.trim_end().split_once(": ") {
            Some(("Status", said)) => said.clone_into(&mut status),
            Some(_) => headers.push_str(&line),
            None => break,
        }
    }
    let head = format!("HTTP/1.1 {status}\r\n{headers}Transfer-Encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    loop {
        let piece = output.fill_buf().unwrap();
        let length = piece.len();
        let mut chunk = format!("{length:x}\r\n").into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk).unwrap();
        if length == 0 {
            return;
        }
        output.consume(length);
    }
}
