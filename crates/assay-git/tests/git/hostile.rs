//! Clients that no `git` is.

use std::io::Cursor;

use assay_git::{ReceiveLimits, Received, WireError};
use assay_model::ObjectId;

use crate::server::publish;
use crate::support::Hub;

const CAPABILITIES: &str = "report-status side-band-64k object-format=sha1";

/// The body of a push that nobody's git would send.
pub(crate) fn body(old: Option<ObjectId>, new: ObjectId, name: &str, pack: &[u8]) -> Vec<u8> {
    let old = old.unwrap_or(ObjectId::from_bytes([0; 20]));
    let line = format!("{old} {new} {name}\0{CAPABILITIES}");
    let mut body = format!("{:04x}{line}0000", line.len() + 4).into_bytes();
    body.extend_from_slice(pack);
    body
}

async fn receive(hub: &Hub, body: Vec<u8>) -> Result<String, assay_git::Error> {
    let received = hub
        .repository
        .receive(Cursor::new(body), &ReceiveLimits::default())
        .await?;
    let answer = publish(&hub.repository, received, &|_, _| Ok(()));
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn packs_that_are_broken_or_not_whole_are_refused() {
    let hub = Hub::with(&[("a", "1")]);
    let other = Hub::with(&[("a", "2"), ("dir/b", "3")]);
    let tip = other.main();
    let list = other.clone_path("list");
    std::fs::write(&list, format!("{tip}\n")).unwrap();
    // Only the commit, without the tree and the files that it needs.
    let alias = format!(
        "alias.pack=!git pack-objects --stdout -q < '{}' > '{}'",
        list.display(),
        other.clone_path("pack").display()
    );
    other.git(&["-c", &alias, "pack"]);
    let partial = std::fs::read(other.clone_path("pack")).unwrap();
    let mut damaged = partial.clone();
    damaged[20] ^= 0xff;
    for (pack, reason) in [
        (partial.clone(), "unpack "),
        (damaged, "unpack "),
        (partial[..partial.len() - 5].to_vec(), "unpack "),
        (b"PACK".to_vec(), "unpack the pack ends too soon"),
        (
            b"no pack at all, and long enough to be one".to_vec(),
            "unpack this is not a pack",
        ),
        (Vec::new(), "unpack the push lacks objects"),
    ] {
        let answer = receive(&hub, body(None, tip, "refs/heads/new", &pack))
            .await
            .unwrap();

        assert!(answer.contains(reason), "{answer}");
        assert!(
            answer.contains("ng refs/heads/new unpacker error"),
            "{answer}"
        );
        assert!(!answer.contains("unpack ok"), "{answer}");
    }
    assert_eq!(hub.repository.refs().unwrap().len(), 1);
    assert_eq!(hub.unfinished(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_targets_that_may_not_be_are_refused() {
    let hub = Hub::with(&[("a", "1")]);
    let blob: ObjectId = hub.git(&["rev-parse", "HEAD:a"]).parse().unwrap();
    for (name, target, reason) in [
        ("refs/heads/../../../x", hub.main(), "`..`"),
        ("HEAD", hub.main(), "begins with `refs/`"),
        ("refs/heads/HEAD", hub.main(), "may not name a branch"),
        ("refs/heads/-x", hub.main(), "may not name a branch"),
        ("refs/tags/refs/pr/1", hub.main(), "may not name a branch"),
        (
            "refs/heads/4f6e0e1f7a0c1b2d3e4f5a6b7c8d9e0f1a2b3c4d",
            hub.main(),
            "may not name a branch",
        ),
        (
            "refs/heads/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a",
            hub.main(),
            "at most 16 parts",
        ),
        ("refs/heads/blob", blob, "no commit"),
        (
            "refs/heads/nothing",
            ObjectId::from_bytes([7; 20]),
            "lacks objects",
        ),
    ] {
        let answer = receive(&hub, body(None, target, name, b"")).await.unwrap();

        assert!(answer.contains(reason), "{answer}");
        assert!(answer.contains(&format!("ng {name} ")), "{answer}");
    }
    assert_eq!(hub.repository.refs().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_to_what_is_there_needs_no_pack() {
    let hub = Hub::with(&[("a", "1")]);

    let answer = receive(&hub, body(None, hub.main(), "refs/heads/copy", b""))
        .await
        .unwrap();

    assert!(answer.contains("ok refs/heads/copy"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_the_protocol_is_an_error_and_a_probe_is_not() {
    let hub = Hub::with(&[("a", "1")]);
    let limits = ReceiveLimits::default();
    let receive = async |bytes: &[u8]| {
        hub.repository
            .receive(Cursor::new(bytes.to_vec()), &limits)
            .await
    };

    assert!(matches!(receive(b"0000").await, Ok(Received::Probe)));
    for (bytes, error) in [
        (&b"zzzz"[..], WireError::Line),
        (b"0003", WireError::Line),
        (b"0008oops0000", WireError::Command),
    ] {
        let refused = receive(bytes).await;
        assert!(
            matches!(&refused, Err(assay_git::Error::Wire(told)) if *told == error),
            "{refused:?}"
        );
    }
    for bytes in [&b""[..], b"00", b"0008oo"] {
        let refused = receive(bytes).await;
        assert!(
            matches!(&refused, Err(assay_git::Error::Body(_))),
            "{refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_repository_still_says_what_it_can_do() {
    let hub = Hub::with(&[("a", "1")]);
    hub.git(&["update-ref", "-d", "refs/heads/main"]);

    let answer = hub
        .repository
        .advertise(assay_git::Service::ReceivePack, None)
        .await
        .unwrap();

    let text = String::from_utf8(answer).unwrap();
    assert!(
        text.starts_with("001f# service=git-receive-pack\n0000"),
        "{text}"
    );
    assert!(
        text.contains("0000000000000000000000000000000000000000 capabilities^{}\0report-status "),
        "{text}"
    );
    assert!(text.contains(" object-format=sha1 agent=assay/"), "{text}");
}
