//! Pushes in the bytes that `git push` sends. The packs are made by `git` itself.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use assay_app::{Caller, Error, RepoInfo, Scope};
use assay_formats::watch::Watch;
use assay_git::command::Git;
use assay_model::RepoKind;

use crate::support::{TestHub, id_of};

const RESULTS: &str = "\
- dataset:
    id: Idavidrein/gpqa
    task_id: gpqa_diamond
  value: 0.5
";
const BROKEN_RESULTS: &str = "\
- dataset:
    id: Idavidrein/gpqa
    task_id: gpqa_diamond
  value: high
";
const PAGE: &str = "http://hub.example/ada/model";
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// Someone's clone of a repository.
struct Clone {
    directory: tempfile::TempDir,
}

impl Clone {
    /// A clone that shares the objects of the hub.
    fn of(test: &TestHub, info: &RepoInfo) -> Self {
        let key = i64::from_str_radix(&info.stable_id, 16).unwrap();
        let origin = test
            .directory
            .path()
            .join(format!("data/repos/{:02x}/{key}.git", key % 256));
        let directory = tempfile::tempdir().unwrap();
        let clone = Self { directory };
        let made = Git::new("init")
            .args(["--bare", "--quiet"])
            .arg(clone.git_dir())
            .run(1 << 10)
            .unwrap();
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let objects = origin.join("objects");
        let alternates = clone.git_dir().join("objects/info/alternates");
        std::fs::write(alternates, format!("{}\n", objects.display())).unwrap();
        clone
    }

    fn git_dir(&self) -> PathBuf {
        self.directory.path().join("clone.git")
    }

    /// Makes a commit and returns its hash.
    fn commit(&self, parent: &str, title: &str, files: &[(&str, &str)]) -> String {
        let mut script = format!(
            "commit refs/heads/work\ncommitter Bob <bob@example.org> 1771065000 +0000\ndata {}\n{title}\n",
            title.len()
        );
        if parent != NOTHING {
            writeln!(script, "from {parent}").unwrap();
        }
        for (path, text) in files {
            let length = text.len();
            writeln!(script, "M 100644 inline {path}\ndata {length}\n{text}").unwrap();
        }
        self.git("fast-import", &["--quiet", "--force"], &script);
        let hash = self.git("rev-parse", &["refs/heads/work"], "");
        String::from_utf8(hash).unwrap().trim().to_owned()
    }

    /// The body of a push that moves refs.
    fn push(&self, commands: &[(&str, &str, &str)]) -> Vec<u8> {
        let mut body = Vec::new();
        let mut capabilities = "\0report-status side-band-64k";
        for (old, new, name) in commands {
            let line = format!("{old} {new} {name}{capabilities}");
            body.extend_from_slice(format!("{:04x}{line}", line.len() + 4).as_bytes());
            capabilities = "";
        }
        body.extend_from_slice(b"0000");
        let mut wanted = String::new();
        for (old, new, _) in commands {
            if *new != NOTHING {
                writeln!(wanted, "{new}").unwrap();
            }
            if *old != NOTHING {
                writeln!(wanted, "^{old}").unwrap();
            }
        }
        if commands.iter().any(|(_, new, _)| *new != NOTHING) {
            let arguments = ["--revs", "--stdout", "--quiet"];
            body.extend(self.git("pack-objects", &arguments, &wanted));
        }
        body
    }

    fn git(&self, subcommand: &'static str, arguments: &[&str], input: &str) -> Vec<u8> {
        let mut child = Git::new(subcommand)
            .within(&self.git_dir())
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
}

/// Pushes and returns the answer, without the framing.
async fn push(test: &TestHub, caller: &Caller, body: Vec<u8>) -> Result<String, Error> {
    let repo = test
        .hub
        .repo(caller, RepoKind::Model, &id_of("ada/model"))
        .await?;
    let body = Box::new(std::io::Cursor::new(body));
    let reply = test
        .hub
        .repositories()
        .push(caller, &repo, PAGE, body)
        .await?;
    Ok(String::from_utf8_lossy(&reply.0).into_owned())
}

async fn with_clone() -> (TestHub, Caller, Caller, Clone, String) {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let bob = test.user("bob").await;
    let info = test.model(&ada, "ada/model").await;
    let clone = Clone::of(&test, &info);
    (test, ada, bob, clone, info.sha.to_string())
}

#[tokio::test]
async fn a_push_moves_main_and_tells_of_warnings() {
    let (test, ada, _, clone, head) = with_clone().await;
    let new = clone.commit(&head, "results", &[(".eval_results/gpqa.yaml", RESULTS)]);

    let reply = push(&test, &ada, clone.push(&[(&head, &new, "refs/heads/main")])).await;

    let reply = reply.unwrap();
    assert!(reply.contains("ok refs/heads/main"), "{reply}");
    assert_eq!(test.head(&ada, "ada/model").await, new);
}

#[tokio::test]
async fn a_pushed_result_file_is_parsed_once_and_validated_once() {
    let (test, ada, _, clone, head) = with_clone().await;
    let watch = Watch::new("# read once: push");
    let text = format!("# read once: push\n{RESULTS}");
    let new = clone.commit(&head, "results", &[(".eval_results/gpqa.yaml", &text)]);

    let reply = push(&test, &ada, clone.push(&[(&head, &new, "refs/heads/main")])).await;

    assert!(reply.unwrap().contains("ok refs/heads/main"));
    assert_eq!(watch.take(), (1, 1));
}

#[tokio::test]
async fn a_push_with_errors_is_refused_with_the_line_a_caret_and_the_code() {
    let (test, ada, _, clone, head) = with_clone().await;
    let file = (".eval_results/gpqa.yaml", BROKEN_RESULTS);
    let new = clone.commit(&head, "results", &[file]);

    let reply = push(&test, &ada, clone.push(&[(&head, &new, "refs/heads/main")])).await;

    let reply = reply.unwrap();
    assert!(reply.contains("ng refs/heads/main"), "{reply}");
    for line in [
        "--> .eval_results/gpqa.yaml:4:10",
        "4 |   value: high",
        "|          ^^^^",
        "error[AY",
        "`assay explain AY",
    ] {
        assert!(reply.contains(line), "{line}\n{reply}");
    }
    assert_eq!(test.head(&ada, "ada/model").await, head);
}

#[tokio::test]
async fn main_is_neither_deleted_nor_rewritten_and_other_branches_may_be() {
    let (test, ada, _, clone, head) = with_clone().await;
    let one = clone.commit(&head, "one", &[("a.txt", "one")]);
    let two = clone.commit(NOTHING, "two", &[("a.txt", "two")]);
    let run = async |old: &str, new: &str, name: &str| {
        let body = clone.push(&[(old, new, name)]);
        push(&test, &ada, body).await.unwrap()
    };

    let rewritten = run(&head, &two, "refs/heads/main").await;
    let deleted = run(&head, NOTHING, "refs/heads/main").await;
    let made = run(NOTHING, &one, "refs/heads/dev").await;
    let forced = run(&one, &two, "refs/heads/dev").await;
    let gone = run(&two, NOTHING, "refs/heads/dev").await;

    assert!(rewritten.contains("ng refs/heads/main the history of `main`"));
    assert!(deleted.contains("ng refs/heads/main the branch `main` cannot be deleted"));
    for reply in [made, forced, gone] {
        assert!(reply.contains("ok refs/heads/dev"), "{reply}");
    }
    assert_eq!(test.head(&ada, "ada/model").await, head);
}

#[tokio::test]
async fn a_push_on_an_old_head_loses_and_changes_nothing() {
    let (test, ada, _, clone, head) = with_clone().await;
    let new = clone.commit(&head, "mine", &[("a.txt", "mine")]);
    let body = clone.push(&[(&head, &new, "refs/heads/main")]);
    test.put(&ada, "ada/model", &[("b.txt", "theirs")])
        .await
        .unwrap();
    let theirs = test.head(&ada, "ada/model").await;

    let reply = push(&test, &ada, body).await.unwrap();

    assert!(
        reply.contains("ng refs/heads/main somebody else moved it first"),
        "{reply}"
    );
    assert_eq!(test.head(&ada, "ada/model").await, theirs);
}

#[tokio::test]
async fn strangers_push_pull_requests_and_nothing_else() {
    let (test, ada, bob, clone, head) = with_clone().await;
    let new = clone.commit(&head, "Add a file", &[("a.txt", "a")]);
    let run = async |caller: &Caller, old: &str, new: &str, name: &str| {
        let body = clone.push(&[(old, new, name)]);
        push(&test, caller, body).await.unwrap()
    };

    let to_main = run(&bob, &head, &new, "refs/heads/main").await;
    let to_none = run(&bob, NOTHING, &new, "refs/pr/1").await;
    let to_other = run(&ada, NOTHING, &new, "refs/convert/parquet").await;
    let opened = run(&bob, NOTHING, &new, "refs/pr/new").await;
    let more = clone.commit(&new, "More", &[("b.txt", "b")]);
    let added = run(&bob, &new, &more, "refs/pr/1").await;
    let deleted = run(&bob, &more, NOTHING, "refs/pr/1").await;
    let nothing_new = run(&bob, NOTHING, &head, "refs/for/main").await;

    assert!(to_main.contains("ng refs/heads/main you may not write"));
    assert!(to_none.contains("ng refs/pr/1 there is no pull request 1"));
    assert!(to_other.contains("ng refs/convert/parquet only branches"));
    assert!(opened.contains("ok refs/pr/new"), "{opened}");
    let told = format!("opened pull request 1: {PAGE}/discussions/1");
    assert!(opened.contains(&told), "{opened}");
    assert!(added.contains("ok refs/pr/1"), "{added}");
    assert!(deleted.contains("ng refs/pr/1 the ref of a pull request stays"));
    assert!(nothing_new.contains("has these commits already"));
    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    let at = test
        .hub
        .repositories()
        .resolve(&repo, "refs/pr/1")
        .await
        .unwrap();
    assert_eq!(at.to_string(), more);
    let pull = test
        .hub
        .discussions()
        .discussion(&repo, 1, false, assay_app::EventPage::all())
        .await
        .unwrap();
    assert_eq!(pull.discussion.title, "Add a file");
}

#[tokio::test]
async fn a_pull_request_is_pushed_by_itself() {
    let (test, ada, _, clone, head) = with_clone().await;
    let new = clone.commit(&head, "Add", &[("a.txt", "a")]);
    let body = clone.push(&[
        (&head, &new, "refs/heads/main"),
        (NOTHING, &new, "refs/pr/new"),
    ]);

    let reply = push(&test, &ada, body).await.unwrap();

    assert!(reply.contains("ok refs/heads/main"), "{reply}");
    assert!(reply.contains("ng refs/pr/new push a pull request by itself"));
}

#[tokio::test]
async fn whoever_may_only_read_is_turned_away_before_the_pack() {
    let (test, _, _, clone, head) = with_clone().await;
    let reader = test.token("ada", Scope::Read).await;
    let new = clone.commit(&head, "Add", &[("a.txt", "a")]);
    let body = || clone.push(&[(&head, &new, "refs/heads/main")]);

    let by_reader = push(&test, &reader, body()).await;
    let by_nobody = push(&test, &Caller::anonymous(), body()).await;

    assert!(matches!(by_reader, Err(Error::Denied(_))));
    assert!(matches!(by_nobody, Err(Error::NotSignedIn)));
}

#[tokio::test]
async fn a_ref_names_a_commit_and_nothing_else() {
    let (test, ada, _, clone, head) = with_clone().await;
    let new = clone.commit(&head, "Add", &[("a.txt", "a")]);
    let tree = clone.git("rev-parse", &[&format!("{new}^{{tree}}")], "");
    let tree = String::from_utf8(tree).unwrap().trim().to_owned();

    for name in ["refs/tags/tree", "refs/pr/new"] {
        let body = clone.push(&[(NOTHING, &tree, name)]);
        let reply = push(&test, &ada, body).await.unwrap();

        let refused = format!("ng {name} a ref here names a commit");
        assert!(reply.contains(&refused), "{reply}");
    }
}

/// The event that ends the rights of an account whose push is on its way.
#[derive(Debug, Clone, Copy)]
enum Ended {
    Token,
    Account,
    Membership,
    Visibility,
}

/// A pull request by a member of an organisation, whose rights end after they were let in and
/// before the pack has come.
async fn push_after(ended: Ended, name: &str) -> (String, TestHub, Caller) {
    let test = TestHub::new().await;
    let (ada, bob) = (test.user("ada").await, test.user("bob").await);
    let hub = &test.hub;
    let shell = hub.shell();
    hub.accounts()
        .create_organisation(&ada, "acme", "")
        .await
        .unwrap();
    let member = Some(assay_model::Role::Write);
    hub.accounts()
        .set_member(&ada, "acme", "bob", member)
        .await
        .unwrap();
    let info = test.model(&ada, "acme/model").await;
    let clone = Clone::of(&test, &info);
    let head = info.sha.to_string();
    let commit = clone.commit(
        &head,
        "Add results",
        &[(".eval_results/gpqa.yaml", RESULTS)],
    );
    let old = if name == "refs/heads/main" {
        &head
    } else {
        NOTHING
    };
    let body = clone.push(&[(old, &commit, name)]);
    let id = id_of("acme/model");
    let repo = hub.repo(&bob, RepoKind::Model, &id).await;
    let repo = repo.unwrap();
    let (mut client, server) = tokio::io::duplex(64);

    let sending = async {
        use tokio::io::AsyncWriteExt as _;
        client.write_all(&body[..20]).await.unwrap();
        match ended {
            Ended::Token => {
                let token = bob.token().unwrap();
                hub.accounts()
                    .revoke_token(&shell, "bob", token)
                    .await
                    .unwrap();
            }
            Ended::Account => hub.accounts().disable_account(&shell, "bob").await.unwrap(),
            Ended::Membership | Ended::Visibility => {
                hub.accounts()
                    .set_member(&ada, "acme", "bob", None)
                    .await
                    .unwrap();
            }
        }
        if matches!(ended, Ended::Visibility) {
            let private = assay_app::Settings {
                visibility: Some(assay_app::Visibility::Private),
                description: None,
            };
            let changed = hub
                .repositories()
                .change_settings(&ada, RepoKind::Model, &id, private);
            changed.await.unwrap();
        }
        client.write_all(&body[20..]).await.unwrap();
        drop(client);
    };
    let (reply, ()) = tokio::join!(
        hub.repositories().push(&bob, &repo, PAGE, Box::new(server)),
        sending
    );
    let told = match reply {
        Ok(reply) => String::from_utf8_lossy(&reply.0).into_owned(),
        Err(error) => error.to_string(),
    };
    (told, test, ada)
}

#[tokio::test]
async fn a_push_whose_token_account_or_membership_ended_on_its_way_moves_nothing() {
    for ended in [Ended::Token, Ended::Account, Ended::Membership] {
        let (told, test, ada) = push_after(ended, "refs/heads/main").await;

        assert!(!told.contains("ok refs"), "{ended:?}: {told}");
        let repo = test
            .hub
            .repo(&ada, RepoKind::Model, &id_of("acme/model"))
            .await
            .unwrap();
        let path = ".eval_results/gpqa.yaml";
        let read = test
            .hub
            .repositories()
            .blob(&repo, "main", path, true, false);
        assert!(read.await.is_err(), "{ended:?}");
    }
}

#[tokio::test]
async fn a_pull_request_of_somebody_who_may_no_longer_see_the_repository_is_not_opened() {
    for ended in [Ended::Token, Ended::Account, Ended::Visibility] {
        let (told, test, ada) = push_after(ended, "refs/pr/new").await;

        assert!(!told.contains("opened pull request"), "{ended:?}: {told}");
        let id = id_of("acme/model");
        let repo = test.hub.repo(&ada, RepoKind::Model, &id).await;
        let refs = test.hub.repositories().refs(&repo.unwrap()).await.unwrap();
        assert!(refs.pulls.is_empty(), "{ended:?}");
    }
    // Who only left the organisation still sees a public repository, and may open one.
    let (told, _, _) = push_after(Ended::Membership, "refs/pr/new").await;
    assert!(told.contains("opened pull request 1"), "{told}");
}
