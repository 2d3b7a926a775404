use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it came over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Method and path, such as `GET /x`.
    pub(crate) line: String,
    /// The headers, in lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let own = |line: &'_ String| line.starts_with(&format!("{name}: "));
        let line = self.headers.iter().find(|line| own(line))?;
        line.split_once(": ").map(|(_, value)| value)
    }
}

/// A server that answers as it is told, and remembers what it was asked.
pub(crate) struct Fake {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Fake {
    /// A server whose answers are a status and a JSON body; it is told how many requests came
    /// before.
    pub(crate) fn start(answer: impl Fn(&Asked, usize) -> (u16, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let Some(request) = read(&stream) else {
                    continue;
                };
                let before = seen.lock().unwrap().len();
                seen.lock().unwrap().push(request.clone());
                let (status, body) = answer(&request, before);
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { url, asked }
    }

    /// Returns the requests, in order.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let line = line.rsplit_once(' ')?.0.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.trim().split_once(':')?;
        headers.push(format!("{}: {}", name.to_lowercase(), value.trim()));
    }
    let mut asked = Asked {
        line,
        headers,
        body: String::new(),
    };
    let length: usize = asked
        .header("content-length")
        .map_or(0, |text| text.parse().unwrap_or(0));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.body = String::from_utf8(body).ok()?;
    Some(asked)
}
