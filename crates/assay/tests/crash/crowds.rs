//! Many clients that never finish: what they take, and that others are served.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpSocket;

use crate::client::Client;
use crate::git::{Clone, said};
use crate::server::{Place, Server};

/// The descriptors that a process has by default on most systems.
const DESCRIPTORS: usize = 1024;
/// More connections than that.
const CROWD: usize = 1100;
/// The time after which a test gives up on an answer.
const PATIENCE: Duration = Duration::from_mins(1);

fn address(server: &Server) -> SocketAddr {
    let place = server.url.strip_prefix("http://").unwrap();
    place.parse().unwrap()
}

/// Connections that each begin a request and never end it.
fn crowd(server: &Server) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    let address = address(server);
    let connect = |_| {
        let mut stream = TcpStream::connect(address).unwrap();
        // One that was refused hears nothing any more.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
        stream
    };
    (0..CROWD).map(connect).collect()
}

/// Asks from another address of this machine.
fn ask_from(own: Ipv4Addr, server: &Server) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let address = address(server);
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((own, 0).into()).unwrap();
        let stream = socket.connect(address).await.unwrap();
        stream.into_std().unwrap()
    });
    let mut stream = stream;
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(get);
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// Asks until the server has noticed that a crowd has gone.
fn is_answered_in_the_end(server: &Server) -> bool {
    (0..1200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        ask_from(Ipv4Addr::LOCALHOST, server).starts_with("HTTP/1.1 200 ")
    })
}

#[test]
fn unfinished_requests_of_one_address_shut_nobody_else_out() {
    let place = Place::new();
    let server = place.serve_within(DESCRIPTORS, &["limits.header_seconds=600"]);

    let crowd = crowd(&server);
    let other = ask_from(Ipv4Addr::new(127, 0, 0, 2), &server);
    drop(crowd);

    assert!(other.starts_with("HTTP/1.1 200 "), "{other}");
    assert!(is_answered_in_the_end(&server));
    let log = place.log();
    assert!(!log.contains("Too many open files"), "{log}");
}

#[test]
fn a_server_refuses_connections_before_its_descriptors_are_used_up_and_lives_on() {
    let place = Place::new();
    let settings = [
        "limits.header_seconds=600",
        "limits.connections_per_address=0",
    ];
    let server = place.serve_within(DESCRIPTORS, &settings);

    let crowd = crowd(&server);
    let other = ask_from(Ipv4Addr::new(127, 0, 0, 2), &server);
    drop(crowd);

    // Of so many, not all are told why.
    let is_refused = other.is_empty() || other.starts_with("HTTP/1.1 503 ");
    assert!(is_refused, "{other}");
    assert!(is_answered_in_the_end(&server));
    let log = place.log();
    assert!(!log.contains("Too many open files"), "{log}");
}

/// The most memory that a process has had since this was last asked for, in bytes.
fn peak_memory(server: &Server) -> u64 {
    let process = format!("/proc/{}", server.id());
    let status = std::fs::read_to_string(format!("{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    std::fs::write(format!("{process}/clear_refs"), "5").unwrap();
    kilobytes.parse::<u64>().unwrap() << 10
}

#[test]
fn the_memory_for_a_file_does_not_grow_with_its_size_nor_with_those_who_do_not_read_it() {
    let place = Place::new();
    let server = place.serve();
    let client = Client::new(server.token.as_ref().unwrap());
    client.create(&server.url, "model", "large");
    let with_token = format!("http://operator:{}@", client.token());
    let url = server.url.replace("http://", &with_token) + "/operator/large";
    let clone = Clone::of(&url, place.path().join("clone"));
    clone.commit("README.md", &"0".repeat(100 << 20));
    let pushed = clone.push(&url, "main");
    assert!(pushed.status.success(), "{}", said(&pushed));
    peak_memory(&server);
    let ask = |range: &str| {
        let mut stream = TcpStream::connect(address(&server)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let path = "/operator/large/resolve/main/README.md";
        let get = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{range}\r\n");
        stream.write_all(get.as_bytes()).unwrap();
        stream
    };

    let mut one_byte: Vec<TcpStream> = (0..24).map(|_| ask("Range: bytes=0-0\r\n")).collect();
    let mut whole: Vec<TcpStream> = (0..24).map(|_| ask("")).collect();

    for (streams, status) in [(&mut one_byte, "206"), (&mut whole, "200")] {
        for stream in streams {
            let mut beginning = [0; 12];
            stream.read_exact(&mut beginning).unwrap();
            let beginning = String::from_utf8_lossy(&beginning);
            assert_eq!(beginning, format!("HTTP/1.1 {status}"));
        }
    }
    let peak = peak_memory(&server) >> 20;
    assert!(peak < 300, "{peak} MiB");
}
