use assay_app::{Caller, CommitRequest, Error, Missing, Scope, Settings, Status, Visibility};
use assay_model::RepoKind;

use crate::support::{TestHub, id_of, put_request};

const RESULTS: &str = "\
- dataset:
    id: Idavidrein/gpqa
    task_id: gpqa_diamond
  value: 0.5
";

fn pull_request(files: &[(&str, &str)]) -> CommitRequest {
    CommitRequest {
        create_pull: true,
        summary: "Add results".to_owned(),
        description: "measured twice".to_owned(),
        ..put_request(files)
    }
}

fn to(revision: &str, files: &[(&str, &str)]) -> CommitRequest {
    CommitRequest {
        revision: revision.to_owned(),
        ..put_request(files)
    }
}

async fn with_model() -> (TestHub, Caller, Caller) {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let bob = test.user("bob").await;
    test.model(&ada, "ada/model").await;
    (test, ada, bob)
}

async fn commit(
    test: &TestHub,
    caller: &Caller,
    request: CommitRequest,
) -> Result<assay_app::Committed, Error> {
    test.hub
        .repositories()
        .commit(caller, RepoKind::Model, &id_of("ada/model"), request)
        .await
}

#[tokio::test]
async fn anyone_signed_in_opens_a_pull_request_and_main_stays() {
    let (test, ada, bob) = with_model().await;
    let before = test.head(&ada, "ada/model").await;
    let file = (".eval_results/gpqa.yaml", RESULTS);

    let committed = commit(&test, &bob, pull_request(&[file])).await.unwrap();

    assert_eq!(committed.pull, Some(1));
    assert_eq!(test.head(&ada, "ada/model").await, before);
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
    assert_eq!(at, committed.commit);
    let pull = test
        .hub
        .discussions()
        .discussion(&repo, 1, false, assay_app::EventPage::all())
        .await
        .unwrap();
    assert_eq!(pull.discussion.title, "Add results");
    assert_eq!(pull.discussion.status, Status::Open);
    assert_eq!(pull.discussion.author.as_deref(), Some("bob"));
    let read = test.read(&ada, "ada/model", "refs/pr/1", file.0).await;
    assert_eq!(read, RESULTS);
}

#[tokio::test]
async fn a_pull_request_with_errors_is_refused_and_takes_no_number() {
    let (test, _, bob) = with_model().await;
    let broken = pull_request(&[(".eval_results/gpqa.yaml", "value: [")]);

    let refused = commit(&test, &bob, broken).await;
    let next = commit(&test, &bob, pull_request(&[("a.txt", "a")])).await;

    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    assert_eq!(next.unwrap().pull, Some(1));
}

#[tokio::test]
async fn a_pull_request_may_begin_behind_the_branch() {
    let (test, ada, bob) = with_model().await;
    let old = test.head(&ada, "ada/model").await;
    test.put(&ada, "ada/model", &[("new.txt", "new")])
        .await
        .unwrap();
    let request = CommitRequest {
        parent: Some(old.parse().unwrap()),
        ..pull_request(&[("a.txt", "a")])
    };

    let committed = commit(&test, &bob, request).await.unwrap();

    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    let history = test
        .hub
        .repositories()
        .commits(&repo, "refs/pr/1", 0, 10)
        .await
        .unwrap();
    assert_eq!(history.commits[0].id, committed.commit);
    assert_eq!(history.commits[1].id.to_string(), old);
}

#[tokio::test]
async fn its_author_and_writers_add_to_a_pull_request_and_others_do_not() {
    let (test, ada, bob) = with_model().await;
    let eve = test.user("eve").await;
    commit(&test, &bob, pull_request(&[("a.txt", "a")]))
        .await
        .unwrap();

    let by_author = commit(&test, &bob, to("refs/pr/1", &[("b.txt", "b")])).await;
    let by_writer = commit(&test, &ada, to("refs/pr/1", &[("c.txt", "c")])).await;
    let by_stranger = commit(&test, &eve, to("refs/pr/1", &[("d.txt", "d")])).await;
    let to_none = commit(&test, &bob, to("refs/pr/2", &[("e.txt", "e")])).await;

    assert_eq!(by_author.unwrap().pull, None);
    assert!(by_writer.is_ok());
    assert!(matches!(by_stranger, Err(Error::Denied(_))));
    assert!(matches!(
        to_none,
        Err(Error::NotFound(Missing::Revision(_)))
    ));
}

#[tokio::test]
async fn nothing_is_added_to_a_pull_request_that_is_over() {
    let (test, ada, bob) = with_model().await;
    commit(&test, &bob, pull_request(&[("a.txt", "a")]))
        .await
        .unwrap();
    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    test.hub
        .discussions()
        .change_status(&ada, &repo, 1, Status::Closed, None)
        .await
        .unwrap();

    let late = commit(&test, &bob, to("refs/pr/1", &[("b.txt", "b")])).await;

    assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
}

#[tokio::test]
async fn a_pull_request_needs_an_account_a_token_that_writes_and_a_repository_in_sight() {
    let (test, ada, bob) = with_model().await;
    let reader = test.token("bob", Scope::Read).await;
    let request = || pull_request(&[("a.txt", "a")]);

    let by_nobody = commit(&test, &Caller::anonymous(), request()).await;
    let by_reader = commit(&test, &reader, request()).await;
    let settings = Settings {
        visibility: Some(Visibility::Private),
        description: None,
    };
    test.hub
        .repositories()
        .change_settings(&ada, RepoKind::Model, &id_of("ada/model"), settings)
        .await
        .unwrap();
    let unseen = commit(&test, &bob, request()).await;

    assert!(matches!(by_nobody, Err(Error::NotSignedIn)));
    assert!(matches!(by_reader, Err(Error::Denied(_))));
    assert!(matches!(unseen, Err(Error::NotFound(Missing::Repo))));
}
