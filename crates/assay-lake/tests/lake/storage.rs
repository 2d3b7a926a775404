//! A small S3-compatible server over a directory: `GET` and `HEAD` with ranges, lists of keys, and `PUT` of a whole object, also one
//! that has to be new; for those who sign their requests with the right key (AWS Signature Version 4).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// The keys that the server knows.
pub(crate) const KEY_ID: &str = "assay-test-key";
pub(crate) const SECRET: &str = "assay-test-secret";
/// The bucket that it has.
pub(crate) const BUCKET: &str = "results";
const REGION: &str = "us-east-1";

/// A server on loopback that ends with the process.
pub(crate) struct Storage {
    endpoint: String,
    handed_out: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Storage {
    /// Serves a directory as what lies below a prefix of the bucket.
    pub(crate) fn serve(prefix: &'static str, directory: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let handed_out = Arc::new(Mutex::new(BTreeMap::new()));
        let shelf = Shelf {
            prefix: format!("/{BUCKET}/{prefix}/"),
            directory: directory.to_owned(),
            handed_out: Arc::clone(&handed_out),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let shelf = shelf.clone();
                std::thread::spawn(move || shelf.answer(&stream));
            }
        });
        Self {
            endpoint,
            handed_out,
        }
    }

    /// What a program has to know to read from it.
    pub(crate) fn variables(&self, secret: &str) -> Vec<(String, String)> {
        let variables = [
            ("AWS_ENDPOINT", self.endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", KEY_ID),
            ("AWS_SECRET_ACCESS_KEY", secret),
        ];
        let owned = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        owned.into()
    }

    /// How many bytes of each file were handed out.
    pub(crate) fn handed_out(&self) -> BTreeMap<String, u64> {
        self.handed_out.lock().unwrap().clone()
    }
}

#[derive(Clone)]
struct Shelf {
    prefix: String,
    directory: PathBuf,
    handed_out: Arc<Mutex<BTreeMap<String, u64>>>,
}

struct Request {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Shelf {
    /// Answers the requests of one connection until it is closed.
    fn answer(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        let mut writer = stream;
        while let Some(request) = Request::read(&mut reader) {
            let (status, headers, body) = self.respond(&request);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n");
            let body = if request.method == "HEAD" {
                &[]
            } else {
                &body[..]
            };
            if writer
                .write_all(head.as_bytes())
                .and_then(|()| writer.write_all(body))
                .is_err()
            {
                return;
            }
        }
    }

    fn respond(&self, request: &Request) -> (&'static str, String, Vec<u8>) {
        if !request.is_signed() {
            let body = b"<Error><Code>SignatureDoesNotMatch</Code></Error>";
            return ("403 Forbidden", String::new(), body.to_vec());
        }
        if let Some(query) = request.path.strip_prefix(&format!("/{BUCKET}?")) {
            return ("200 OK", String::new(), self.list(query).into_bytes());
        }
        let file = request.path.strip_prefix(&self.prefix);
        if let (Some(file), "PUT") = (file, request.method.as_str()) {
            let status = self.put(file, request);
            return (status, "etag: \"one\"\r\n".to_owned(), Vec::new());
        }
        let content = file.and_then(|file| std::fs::read(self.directory.join(file)).ok());
        let (Some(file), Some(content)) = (file, content) else {
            let body = b"<Error><Code>NoSuchKey</Code></Error>";
            return ("404 Not Found", String::new(), body.to_vec());
        };
        let about = "last-modified: Mon, 01 Jan 2024 00:00:00 GMT\r\netag: \"one\"\r\n";
        let (status, extra, body) = match request.range(content.len()) {
            None => ("200 OK", String::new(), content),
            Some((from, to)) => {
                let range = format!(
                    "content-range: bytes {from}-{}/{}\r\n",
                    to - 1,
                    content.len()
                );
                ("206 Partial Content", range, content[from..to].to_vec())
            }
        };
        if request.method == "GET" {
            let mut handed_out = self.handed_out.lock().unwrap();
            *handed_out.entry(file.to_owned()).or_default() += body.len() as u64;
        }
        (status, format!("{about}{extra}"), body)
    }

    /// Writes an object; one that has to be new is not written over another.
    fn put(&self, file: &str, request: &Request) -> &'static str {
        let path = self.directory.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if request.header("if-none-match") != "*" {
            std::fs::write(path, &request.body).unwrap();
            return "200 OK";
        }
        let unfinished = tempfile::NamedTempFile::new_in(&self.directory).unwrap();
        std::fs::write(unfinished.path(), &request.body).unwrap();
        match std::fs::hard_link(unfinished.path(), path) {
            Ok(()) => "200 OK",
            Err(error) if error.kind() == ErrorKind::AlreadyExists => "412 Precondition Failed",
            Err(error) => panic!("{error}"),
        }
    }

    /// The keys below a prefix that come after one, in order.
    fn list(&self, query: &str) -> String {
        let query: BTreeMap<String, String> = url::form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let asked = |name: &str| query.get(name).map_or("", String::as_str);
        let own = self.prefix.strip_prefix(&format!("/{BUCKET}/")).unwrap();
        let mut found = BTreeMap::new();
        for entry in walkdir::WalkDir::new(&self.directory) {
            let Ok(entry) = entry else { continue };
            let path = entry.path().strip_prefix(&self.directory).unwrap();
            let key = format!("{own}{}", path.display());
            let is_asked_for =
                key.starts_with(asked("prefix")) && key.as_str() > asked("start-after");
            if entry.file_type().is_file() && is_asked_for {
                found.insert(
                    key,
                    File::open(entry.path()).unwrap().metadata().unwrap().len(),
                );
            }
        }
        let mut xml = "<ListBucketResult>".to_owned();
        for (key, size) in found {
            write!(
                xml,
                "<Contents><Key>{key}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified>\
                 <ETag>&quot;one&quot;</ETag><Size>{size}</Size></Contents>"
            )
            .unwrap();
        }
        xml + "<IsTruncated>false</IsTruncated></ListBucketResult>"
    }
}

impl Request {
    fn read(reader: &mut impl std::io::BufRead) -> Option<Self> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let mut words = line.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length");
        let length = length.and_then(|text| text.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        Some(Self {
            method,
            path,
            headers,
            body,
        })
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The bytes that are asked for, when they are not all.
    fn range(&self, length: usize) -> Option<(usize, usize)> {
        let range = self.header("range").strip_prefix("bytes=")?;
        match range.split_once('-')? {
            ("", last) => Some((length.saturating_sub(last.parse().ok()?), length)),
            (from, "") => Some((from.parse().ok()?, length)),
            (from, to) => {
                let end: usize = to.parse().ok()?;
                Some((from.parse().ok()?, (end + 1).min(length)))
            }
        }
    }

    /// Whether the request was signed by somebody who knows the secret.
    fn is_signed(&self) -> bool {
        let authorization = self.header("authorization");
        let field = |name: &str| {
            let rest = authorization.split(name).nth(1)?;
            rest.split([',', ' ']).next()
        };
        let parts = (
            field("Credential="),
            field("SignedHeaders="),
            field("Signature="),
        );
        let (Some(credential), Some(signed), Some(signature)) = parts else {
            return false;
        };
        let day = self.header("x-amz-date").split('T').next().unwrap_or("");
        let scope = format!("{day}/{REGION}/s3/aws4_request");
        credential == format!("{KEY_ID}/{scope}") && signature == self.signature(signed, &scope)
    }

    fn signature(&self, signed: &str, scope: &str) -> String {
        let mut headers = String::new();
        for name in signed.split(';') {
            headers.extend([name, ":", self.header(name), "\n"]);
        }
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let mut query: Vec<&str> = query.split('&').collect();
        query.sort_unstable();
        let query = query.join("&");
        let payload = self.header("x-amz-content-sha256");
        let canonical = format!(
            "{}\n{path}\n{query}\n{headers}\n{signed}\n{payload}",
            self.method
        );
        let digest = hex(&Sha256::digest(canonical.as_bytes()));
        let moment = self.header("x-amz-date");
        let to_sign = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}");
        let key = scope
            .split('/')
            .fold(format!("AWS4{SECRET}").into_bytes(), |key, part| {
                keyed(&key, part.as_bytes())
            });
        hex(&keyed(&key, to_sign.as_bytes()))
    }
}

fn keyed(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}
