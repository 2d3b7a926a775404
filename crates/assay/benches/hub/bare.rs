//! The peers of reading: a handler of the same framework that has its answer in memory and does
//! nothing else, and one that reads a file.

use std::path::Path;
use std::process::Command;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path as Name;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use crate::process::Server;

/// Starts this program once more, as the bare handler.
#[expect(
    clippy::disallowed_methods,
    reason = "the peer is a process of its own, so that its CPU seconds can be told apart"
)]
pub(crate) fn start(folder: &Path) -> Server {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(format!("bare={}", folder.display()));
    Server::start(&mut command, 1, &mut Vec::new())
}

/// Answers with the files of a folder, by their names, until it is ended: from memory, and below
/// `/files` from the disk.
pub(crate) fn serve(folder: &Path) {
    let mut router = Router::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let bytes = Bytes::from(std::fs::read(entry.path()).unwrap());
        let path = format!("/{}", entry.file_name().to_str().unwrap());
        let handler = move || std::future::ready(([(CONTENT_TYPE, "application/json")], bytes));
        router = router.route(&path, get(handler));
    }
    let folder = folder.to_owned();
    let from_disk = move |Name(name): Name<String>| {
        let file = folder.join(name);
        async move {
            (
                [(CONTENT_TYPE, "text/html")],
                tokio::fs::read(file).await.unwrap(),
            )
        }
    };
    router = router.route("/files/{name}", get(from_disk));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        axum::serve(listener, router).await.unwrap();
    });
}
