//! The time by which a token must first arrive.

use std::io::{self, Cursor, Write as _};
use std::path::Path;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use assay_git::command::Git;
use assay_model::RepoKind;
use assay_testkit::clock::TestClock;
use tokio::io::{AsyncRead, ReadBuf};

use super::support::{World, commit, repo_id, write};
use super::{FILE, Scene, with_token};

/// A body whose end comes a day after its last byte.
struct HeldBack {
    body: Cursor<Vec<u8>>,
    clock: Arc<TestClock>,
}

impl AsyncRead for HeldBack {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.body).poll_read(context, buffer))?;
        if buffer.filled().len() == before {
            self.clock.advance(86_400_000);
        }
        Poll::Ready(Ok(()))
    }
}

fn git(directory: &Path, subcommand: &'static str, arguments: &[&str], input: &str) -> Vec<u8> {
    let mut child = Git::new(subcommand)
        .within(directory)
        .args(arguments)
        .into_command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {subcommand}");
    output.stdout
}

/// Returns the body of a `git push` that puts a file on `main` of `ada/small`.
async fn push_body(world: &World, text: &str) -> Vec<u8> {
    let repo = world.model("ada/small").await;
    let origin = world.git().path(repo.key);
    let old = git(&origin, "rev-parse", &["main"], "");
    let old = String::from_utf8(old).unwrap().trim().to_owned();
    let clone = tempfile::tempdir().unwrap();
    git(clone.path(), "init", &["--bare", "--quiet"], "");
    let objects = format!("{}\n", origin.join("objects").display());
    fs_err::write(clone.path().join("objects/info/alternates"), objects).unwrap();
    let script = format!(
        "commit refs/heads/work\ncommitter Ada <ada@example.org> 1771065000 +0000\ndata 1\nx\nfrom {old}\n\
         M 100644 inline {FILE}\ndata {}\n{text}\n",
        text.len()
    );
    git(clone.path(), "fast-import", &["--quiet"], &script);
    let new = git(clone.path(), "rev-parse", &["work"], "");
    let new = String::from_utf8(new).unwrap().trim().to_owned();
    let line = format!("{old} {new} refs/heads/main\0report-status");
    let mut body = format!("{:04x}{line}0000", line.len() + 4).into_bytes();
    let wanted = format!("{new}\n^{old}\n");
    let arguments = ["--revs", "--stdout", "--quiet"];
    body.extend(git(clone.path(), "pack-objects", &arguments, &wanted));
    body
}

#[tokio::test]
async fn a_push_whose_end_is_held_back_comes_when_it_is_complete() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let request = HeldBack {
        body: Cursor::new(push_body(world, &text).await),
        clock: Arc::clone(&world.clock),
    };
    let repo = world.model("ada/small").await;

    let reply = world
        .hub
        .repositories()
        .push(&world.ada, &repo, "http://hub.example", Box::new(request))
        .await
        .unwrap();

    let reply = String::from_utf8_lossy(&reply.0).into_owned();
    assert!(reply.contains("ok refs/heads/main"), "{reply}");
    assert_eq!(scene.words("ada/small").await, ["expired_at_first_seen"]);
}

#[tokio::test]
async fn late_push_expired_at_first_seen() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let late = scene.signed(&scene.draft("0.75")).await;
    let edge = scene.signed(&scene.draft("0.5")).await;
    // `results` takes one second more; the window ends 60 seconds after the token does.
    world.clock.advance((900 + 60 - 1) * 1000);
    world.results(&world.ada, "ada/small", &edge).await;

    world
        .results(&world.ada, "ada/small", &format!("{edge}{late}"))
        .await;
    let first = scene.words("ada/small").await;
    world.results(&world.ada, "ada/small", &late).await;

    assert_eq!(first, ["verified", "expired_at_first_seen"]);
    assert_eq!(
        scene.words("ada/small").await,
        ["expired_at_first_seen"],
        "for ever"
    );
    world.check_index().await;
}

#[tokio::test]
async fn a_slow_hub_makes_nobody_late() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let mut request = commit("main", false, vec![write(FILE, &text)]);
    request.received_at = Some(world.hub.now());

    world.clock.advance(86_400_000);
    let id = repo_id("ada/small");
    world
        .hub
        .repositories()
        .commit(&world.ada, RepoKind::Model, &id, request)
        .await
        .unwrap();

    assert_eq!(scene.words("ada/small").await, ["verified"]);
}

#[tokio::test]
async fn future_iat_refused() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let mut claims = scene.claims(&draft);
    for moment in [&mut claims.iat, &mut claims.nbf, &mut claims.exp] {
        *moment += 3_600;
    }
    let token = scene.issue(&claims).await;

    world
        .results(&world.ada, "ada/small", &with_token(&draft.text, &token))
        .await;

    assert_eq!(scene.words("ada/small").await, ["not_yet_valid"]);
    world.check_index().await;
}
