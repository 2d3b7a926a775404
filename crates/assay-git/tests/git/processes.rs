//! Number of `git` that run, for how long, and how much passes through our memory.

use std::io::{Cursor, Read as _, Seek as _};
use std::time::Duration;

use assay_git::{Error, Processes, ReceiveLimits, Received, RefName};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{Hub, git, path, put};

/// A fetch of protocol version 2 that asks for the refs.
const LIST_REFS: &[u8] = b"0014command=ls-refs\n0000";
const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_starts_no_process_before_its_question_has_arrived() {
    let hub = Hub::with(&[("a", "1")]);
    let processes = Processes::new(1, MINUTE);
    let (mut sender, body) = tokio::io::duplex(16);
    let fetch = {
        let (repository, processes) = (hub.repository.clone(), processes.clone());
        tokio::spawn(async move {
            let output = repository.upload_pack(body, Some("version=2"), &processes);
            let mut output = output.await.unwrap();
            let mut answer = String::new();
            output.read_to_string(&mut answer).await.unwrap();
            answer
        })
    };
    let (beginning, end) = LIST_REFS.split_at(18);

    // More than the pipe holds: this returns when the fetch has begun to read.
    sender.write_all(beginning).await.unwrap();
    let before = processes.running();
    sender.write_all(end).await.unwrap();
    drop(sender);

    assert_eq!(before, 0);
    let answer = fetch.await.unwrap();
    assert!(answer.contains("refs/heads/main"), "{answer}");
    assert_eq!(processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_beyond_the_limit_waits_until_one_of_the_others_is_dropped() {
    let hub = Hub::with(&[("a", "1")]);
    let processes = Processes::new(1, MINUTE);
    let fetch = || {
        hub.repository
            .upload_pack(LIST_REFS, Some("version=2"), &processes)
    };

    let first = fetch().await.unwrap();
    let second = tokio::time::timeout(Duration::from_millis(50), fetch()).await;
    drop(first);
    let third = tokio::time::timeout(MINUTE, fetch()).await;

    assert!(second.is_err(), "two run at once");
    assert!(third.is_ok_and(|third| third.is_ok()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_that_takes_too_long_ends_with_an_error() {
    let hub = Hub::with(&[("a", "1")]);
    let processes = Processes::new(1, Duration::ZERO);
    let output = hub
        .repository
        .upload_pack(LIST_REFS, Some("version=2"), &processes);

    let read = output.await.unwrap().read_to_end(&mut Vec::new()).await;

    let error = read.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    assert!(error.to_string().contains("upload-pack"), "{error}");
    assert_eq!(processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_long_is_answered_like_a_short_one() {
    let hub = Hub::with(&[("a", "1")]);
    let processes = Processes::new(1, MINUTE);
    let mut question = b"0014command=ls-refs\n0001".to_vec();
    // More than is held in memory.
    for _ in 0..8_000 {
        question.extend_from_slice(b"0018ref-prefix refs/x/y\n");
    }
    question.extend_from_slice(b"001cref-prefix refs/heads/m\n0000");

    let output = hub
        .repository
        .upload_pack(Cursor::new(question), Some("version=2"), &processes);
    let mut answer = String::new();
    let read = output.await.unwrap().read_to_string(&mut answer).await;

    read.unwrap();
    assert!(answer.contains("refs/heads/main"), "{answer}");
    assert_eq!(hub.unfinished(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_takes_git_too_long_is_refused_and_leaves_nothing() {
    let hub = Hub::with(&[("a", "1")]);
    let limits = ReceiveLimits {
        time: Duration::ZERO,
        ..ReceiveLimits::default()
    };
    let old = hub.main();
    let new = "1".repeat(40);
    let line = format!("{old} {new} refs/heads/main\0report-status\n");
    let mut body = format!("{:04x}{line}0000", line.len() + 4).into_bytes();
    // A pack that announces objects; git has no time to notice that there are none.
    body.extend_from_slice(b"PACK\0\0\0\x02\0\0\0\x01");

    let received = hub.repository.receive(Cursor::new(body), &limits).await;

    let Ok(Received::Refused(answer)) = received else {
        panic!("{received:?}");
    };
    let text = String::from_utf8_lossy(&answer);
    assert!(text.contains("took more than 0 seconds"), "{text}");
    assert_eq!(hub.unfinished(), 0);
}

#[test]
fn a_large_blob_is_copied_to_a_file_however_it_is_stored() {
    let hub = Hub::with(&[("a", "1")]);
    let text = (0..400_000).fold(String::new(), |text, line| text + &format!("{line}\n"));
    let changed = format!("{text}one more\n");
    let first = hub.commit_to(&RefName::main(), vec![put("big", &text)], 1);
    let second = hub.commit_to(&RefName::main(), vec![put("big", &changed)], 2);
    let copy = |commit, max| {
        let entry = hub.repository.objects().entry(commit, &path("big"));
        let mut file = tempfile::tempfile().unwrap();
        let to = file.try_clone().unwrap();
        let size = hub
            .repository
            .copy_blob(entry.unwrap().unwrap().oid, to, max)?;
        let mut copied = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut copied).unwrap();
        assert_eq!(size, copied.len() as u64);
        Ok::<_, Error>(copied)
    };

    let loose = copy(first, 0).unwrap();
    git(hub.repository.path(), &["repack", "-adfq"]);
    let packed = [first, second].map(|commit| copy(commit, changed.len() as u64).unwrap());

    assert!(loose == text, "a blob that is a file of its own");
    assert!(packed == [text, changed], "a blob of a pack");
}
