//! `assay log audit` against hubs that are honest and hubs that are not, over HTTP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use assay_tlog::{Log, LogOptions, LogPath, LogSource as _, NoteKey};
use assay_trust::proof::TrustNote;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Run, Workspace};

/// A hub as far as its logs go: files in a directory behind an address, and the operator's key to
/// lie with.
struct Hub {
    files: TempDir,
    logs: TempDir,
    url: String,
}

impl Hub {
    /// A hub with a results log of 700 entries and a control log of 3.
    fn new() -> Self {
        let files = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let root = files.path().to_owned();
        std::thread::spawn(move || serve(&listener, &root));
        let hub = Self {
            files,
            logs: tempfile::tempdir().unwrap(),
            url,
        };
        hub.announce(2);
        hub.publish("results", 700, |number| format!("result {number}"));
        hub.publish("control", 3, |number| format!("control {number}"));
        hub
    }

    /// Says which keys the logs have.
    fn announce(&self, seed: u8) {
        let note = TrustNote {
            hub: "https://hub.example".to_owned(),
            issuer: "https://hub.example".to_owned(),
            results: key("results", seed).verifier(),
            control: key("control", seed).verifier(),
            formerly: Vec::new(),
        };
        self.write(".well-known/eval-trust", note.to_string().as_bytes());
    }

    /// Shows a log with these entries. One that goes on from what was shown is the same log.
    fn publish(&self, name: &str, size: u64, entry: impl Fn(u64) -> String) {
        let log = Log::open(
            &self.logs.path().join(name),
            key(name, 2),
            &LogOptions::default(),
        );
        self.show(name, &log.unwrap(), size, entry);
    }

    /// Shows a log that was begun anew.
    fn publish_another(&self, name: &str, seed: u8, size: u64, entry: impl Fn(u64) -> String) {
        let directory = tempfile::tempdir().unwrap();
        let log = Log::open(directory.path(), key(name, seed), &LogOptions::default());
        std::fs::remove_dir_all(self.path(&format!("v1/log/{name}"))).unwrap();
        self.show(name, &log.unwrap(), size, entry);
    }

    fn show(&self, name: &str, log: &Log, size: u64, entry: impl Fn(u64) -> String) {
        let pending: Vec<_> = (log.size()..size)
            .map(|number| log.append(entry(number).into_bytes()))
            .collect();
        for own in pending {
            own.wait().unwrap();
        }
        let mut source = log.clone();
        for path in LogPath::between(0, size) {
            let bytes = source.fetch(&path).unwrap().unwrap();
            self.write(&format!("v1/log/{name}/{path}"), &bytes);
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.files.path().join(path)
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn audit(&self, workspace: &Workspace, args: &[&str]) -> Run {
        let args = [&["log", "audit", &self.url][..], args].concat();
        workspace.run(&args)
    }
}

/// Each log has a key of its own.
fn key(log: &str, seed: u8) -> NoteKey {
    let mut secret = [seed; 32];
    secret[0] = log.as_bytes()[0];
    NoteKey::from_seed(&format!("hub.example/log/{log}"), &secret).unwrap()
}

/// Answers with files, one request a connection.
fn serve(listener: &TcpListener, root: &Path) {
    for stream in listener.incoming().map_while(Result::ok) {
        // A client that hangs up early is for the test to validate.
        let _ = answer(stream, root);
    }
}

fn answer(mut stream: TcpStream, root: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match std::fs::read(root.join(path.trim_start_matches('/'))) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}

#[test]
fn an_honest_hub_passes_and_goes_on_from_where_it_was() {
    let (hub, workspace) = (Hub::new(), Workspace::new());

    let first = hub.audit(&workspace, &["--since", "a.json", "--save", "a.json"]);
    hub.publish("results", 900, |number| format!("result {number}"));
    let second = hub.audit(&workspace, &["--since", "a.json", "--save", "a.json"]);
    let quick = hub.audit(&workspace, &["--since", "a.json", "--quick"]);

    assert_eq!(first.code, Some(0), "{first}");
    assert!(
        first
            .stdout
            .starts_with("results: 700 entries, nothing is wrong\n"),
        "{first}"
    );
    assert!(first.stdout.contains("as the hub announces it"), "{first}");
    assert_eq!(second.code, Some(0), "{second}");
    let told = "results: 900 entries, nothing is wrong; 200 are new since the earlier audit, which it goes on from\n";
    assert!(second.stdout.starts_with(told), "{second}");
    assert!(
        second
            .stdout
            .contains("control: 3 entries, nothing is wrong; none is new"),
        "{second}"
    );
    assert_eq!(quick.code, Some(0), "{quick}");
    assert!(quick.stdout.contains("read: 0 entries"), "{quick}");
}

#[test]
fn a_rewritten_entry_is_named() {
    let (hub, workspace) = (Hub::new(), Workspace::new());
    let bundle = hub.path("v1/log/results/tile/entries/001");
    let text = String::from_utf8(std::fs::read(&bundle).unwrap()).unwrap();
    std::fs::write(&bundle, text.replace("result 300", "result 999")).unwrap();

    let text = hub.audit(&workspace, &["--log", "results"]);
    let json = hub.audit(&workspace, &["--format", "json"]);

    assert_eq!((text.code, json.code), (Some(1), Some(1)));
    let told = "results: error[rewritten_entry]: entry 300 was rewritten: it is not what the log signed for\n";
    assert!(text.stdout.starts_with(told), "{text}");
    let logs = &json.json()["logs"];
    assert_eq!(
        (&logs[0]["status"], &logs[0]["index"]),
        (&json!("fault"), &json!(300))
    );
    assert_eq!(
        (&logs[1]["status"], &logs[1]["size"]),
        (&json!("ok"), &json!(3))
    );
}

#[test]
fn dropped_entries_are_counted() {
    let (hub, workspace) = (Hub::new(), Workspace::new());
    let first = hub.audit(&workspace, &["--save", "a.json"]);
    hub.publish_another("results", 2, 650, |number| format!("result {number}"));

    let run = hub.audit(&workspace, &["--since", "a.json", "--save", "a.json"]);
    let again = hub.audit(&workspace, &["--since", "a.json"]);

    assert_eq!((first.code, run.code), (Some(0), Some(1)), "{run}");
    let told = "results: error[dropped_entry]: entries were dropped: the log had 700 and has 650\n";
    assert!(run.stdout.starts_with(told), "{run}");
    // What failed is not kept, or the next audit would pass.
    assert_eq!(again.code, Some(1), "{again}");
}

#[test]
fn a_forked_history_is_shown_with_both_signatures() {
    let (hub, workspace) = (Hub::new(), Workspace::new());
    hub.audit(&workspace, &["--save", "a.json"]);
    for size in [700, 800] {
        hub.publish_another("results", 2, size, |number| match number {
            17 => "another".to_owned(),
            number => format!("result {number}"),
        });

        for depth in [
            &["--since", "a.json"][..],
            &["--since", "a.json", "--quick"],
        ] {
            let run = hub.audit(&workspace, depth);

            assert_eq!(run.code, Some(1), "{run}");
            let told = "results: error[forked_history]: the history was forked: the log signed for other entries at size 700";
            assert!(run.stdout.starts_with(told), "{run}");
            let signatures = run.stdout.matches("— hub.example/log/results ");
            assert_eq!(signatures.count(), 2, "{run}");
        }
    }
}

#[test]
fn a_key_that_was_kept_is_not_replaced_by_what_the_hub_announces() {
    let (hub, workspace) = (Hub::new(), Workspace::new());
    hub.audit(&workspace, &["--save", "a.json"]);
    hub.announce(66);
    hub.publish_another("results", 66, 700, |number| format!("result {number}"));

    let run = hub.audit(&workspace, &["--since", "a.json", "--log", "results"]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stdout.starts_with("results: error[bad_signature]: "),
        "{run}"
    );
    assert!(
        run.stdout
            .contains("because the note is not signed by the expected key"),
        "{run}"
    );
}

#[test]
fn a_mirror_on_disk_is_audited_with_a_key() {
    let (hub, workspace) = (Hub::new(), Workspace::new());
    let mirror = hub.path("v1/log/control");
    let verifier = key("control", 2).verifier().to_string();

    let run = workspace.run(&["log", "audit", mirror.to_str().unwrap(), "--key", &verifier]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(
        run.stdout
            .starts_with("hub.example/log/control: 3 entries, nothing is wrong\n"),
        "{run}"
    );
}

#[test]
fn what_could_not_be_asked_is_no_accusation() {
    let (hub, workspace) = (Hub::new(), Workspace::new());
    let no_file = hub.audit(&workspace, &["--since", "missing.json"]);
    std::fs::remove_file(hub.path(".well-known/eval-trust")).unwrap();
    let no_key = hub.audit(&workspace, &[]);
    let wrong_key = hub.audit(&workspace, &["--key", "hub.example+00000000+AAAA"]);

    for run in [&no_file, &no_key, &wrong_key] {
        assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run}");
    }
    assert!(
        no_file.stderr.contains("`missing.json` cannot be read"),
        "{no_file}"
    );
    assert!(
        wrong_key.stderr.contains("the key is not for this purpose"),
        "{wrong_key}"
    );
}

#[test]
fn a_mirror_that_is_not_there_is_named_as_what_it_is_not() {
    let workspace = Workspace::new();
    let verifier = NoteKey::from_seed("hub.example/log/control", &[2; 32]).unwrap();
    let verifier = verifier.verifier().to_string();

    let run = workspace.run(&["log", "audit", "mirror/control", "--key", &verifier]);

    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run}");
    assert!(
        run.stderr
            .contains("`mirror/control` is neither a directory nor an address"),
        "{run}"
    );
}
