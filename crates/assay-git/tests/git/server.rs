//! As much of smart HTTP as real `git` needs.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::sync::Arc;
use std::time::Duration;

use assay_git::{
    Error, Expected, Processes, Push, ReceiveLimits, Received, RefChange, RefName, Repository,
    Service,
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Decides on a push before refs move; what it says on refusal is shown to the person.
pub(crate) type Judge = dyn Fn(&Repository, &Push) -> Result<(), String> + Send + Sync;

/// A server for one repository, on loopback.
pub(crate) struct Server {
    pub(crate) url: String,
}

struct Request {
    target: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Server {
    /// One that takes everything.
    pub(crate) async fn start(repository: &Repository) -> Self {
        Self::judged(repository, ReceiveLimits::default(), |_, _| Ok(())).await
    }

    pub(crate) async fn judged(
        repository: &Repository,
        limits: ReceiveLimits,
        judge: impl Fn(&Repository, &Push) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/repo", listener.local_addr().unwrap());
        let repository = repository.clone();
        let judge: Arc<Judge> = Arc::new(judge);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (repository, judge) = (repository.clone(), Arc::clone(&judge));
                tokio::spawn(async move { serve(stream, &repository, &limits, &*judge).await });
            }
        });
        Self { url }
    }
}

async fn serve(stream: TcpStream, repository: &Repository, limits: &ReceiveLimits, judge: &Judge) {
    let mut stream = BufReader::new(stream);
    let request = read(&mut stream).await;
    let protocol = request.headers.get("git-protocol").map(String::as_str);
    let body = Cursor::new(request.body);
    let (kind, answer) = match request.target.rsplit('/').next().unwrap() {
        "refs?service=git-upload-pack" => {
            let answer = repository.advertise(Service::UploadPack, protocol).await;
            ("upload-pack-advertisement", answer.unwrap())
        }
        "refs?service=git-receive-pack" => {
            let answer = repository.advertise(Service::ReceivePack, protocol).await;
            ("receive-pack-advertisement", answer.unwrap())
        }
        "git-upload-pack" => {
            let processes = Processes::new(1, Duration::from_mins(1));
            let output = repository.upload_pack(body, protocol, &processes);
            let mut output = output.await.unwrap();
            let mut answer = Vec::new();
            output.read_to_end(&mut answer).await.unwrap();
            ("upload-pack-result", answer)
        }
        "git-receive-pack" => {
            let received = repository.receive(body, limits).await.unwrap();
            ("receive-pack-result", publish(repository, received, judge))
        }
        other => panic!("{other}"),
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-{kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&answer).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// Publishes a push as a hub does, less the hub.
pub(crate) fn publish(repository: &Repository, received: Received, judge: &Judge) -> Vec<u8> {
    let push = match received {
        Received::Push(push) => push,
        Received::Refused(answer) => return answer,
        Received::Probe => return Vec::new(),
    };
    let verdict = judge(repository, &push);
    let Push {
        commands,
        quarantine,
        reply,
        ..
    } = push;
    let names: Vec<RefName> = commands
        .iter()
        .map(|command| command.name.clone())
        .collect();
    let all = |result: Result<(), String>| -> Vec<_> {
        names
            .iter()
            .cloned()
            .map(|name| (name, result.clone()))
            .collect()
    };
    if let Err(message) = verdict {
        return reply.report(&all(Err("refused by the judge".to_owned())), &message);
    }
    quarantine.admit().unwrap();
    let changes: Vec<_> = commands
        .into_iter()
        .map(|command| RefChange {
            name: command.name,
            expected: command.old.map_or(Expected::Absent, Expected::At),
            new: command.new,
        })
        .collect();
    match repository.update_refs(&changes) {
        Ok(()) => reply.report(&all(Ok(())), "thank you"),
        Err(error @ Error::RefMoved { .. }) => reply.report(&all(Err(error.to_string())), ""),
        Err(error) => panic!("{error:?}"),
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Request {
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    let target = line.split(' ').nth(1).unwrap().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let body = read_body(stream, &headers).await;
    Request {
        target,
        headers,
        body,
    }
}

async fn read_body(
    stream: &mut BufReader<TcpStream>,
    headers: &BTreeMap<String, String>,
) -> Vec<u8> {
    let mut body = Vec::new();
    if let Some(length) = headers.get("content-length") {
        body.resize(length.parse().unwrap(), 0);
        stream.read_exact(&mut body).await.unwrap();
    } else if headers.contains_key("transfer-encoding") {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
            let mut chunk = vec![0; length + 2];
            stream.read_exact(&mut chunk).await.unwrap();
            if length == 0 {
                break;
            }
            body.extend_from_slice(&chunk[..length]);
        }
    }
    if headers
        .get("content-encoding")
        .is_some_and(|encoding| encoding == "gzip")
    {
        let mut inflated = Vec::new();
        flate2::read::GzDecoder::new(&body[..])
            .read_to_end(&mut inflated)
            .unwrap();
        return inflated;
    }
    body
}
