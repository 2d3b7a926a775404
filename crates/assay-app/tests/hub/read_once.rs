//! A changed result file is parsed once and validated once, whichever way it comes; one that did
//! not change is not read again.

use assay_app::{Caller, CommitRequest, Repo};
use assay_formats::watch::Watch;
use assay_model::RepoKind;

use crate::support::{TestHub, id_of, put_request};

const MODEL: &str = "ada/model";

/// A result file that can be told from all others.
fn results(mark: &str, value: f64) -> String {
    format!(
        "# {mark}\n- dataset:\n    id: acme/sums\n    task_id: words\n  value: {value}\n  verifyToken: a.b.c\n"
    )
}

async fn with_model() -> (TestHub, Caller) {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.model(&ada, MODEL).await;
    (test, ada)
}

async fn repo(test: &TestHub, caller: &Caller) -> Repo {
    let id = id_of(MODEL);
    let repo = test.hub.repo(caller, RepoKind::Model, &id);
    repo.await.unwrap()
}

async fn open_pull(test: &TestHub, caller: &Caller, text: &str) {
    let request = CommitRequest {
        create_pull: true,
        ..put_request(&[(".eval_results/sums.yaml", text)])
    };
    let id = id_of(MODEL);
    let commit = test
        .hub
        .repositories()
        .commit(caller, RepoKind::Model, &id, request);
    commit.await.unwrap();
}

/// Returns the number of results that the index has of the model.
async fn count(test: &TestHub, caller: &Caller) -> usize {
    let repo = repo(test, caller).await;
    let results = test.hub.boards().model_results(&repo).await.unwrap();
    results.len()
}

#[tokio::test]
async fn a_committed_result_file_is_parsed_once_and_validated_once() {
    let (test, ada) = with_model().await;
    let watch = Watch::new("read once: commit");
    let text = results("read once: commit", 0.5);

    test.put(&ada, MODEL, &[(".eval_results/sums.yaml", &text)])
        .await
        .unwrap();

    assert_eq!(watch.take(), (1, 1));
    assert_eq!(count(&test, &ada).await, 1);
}

#[tokio::test]
async fn a_result_file_that_stays_is_not_read_again_when_another_one_changes() {
    let (test, ada) = with_model().await;
    let watch = Watch::new("read once: stays");
    let stays = results("read once: stays", 0.5);
    test.put(&ada, MODEL, &[(".eval_results/sums.yaml", &stays)])
        .await
        .unwrap();
    watch.take();
    let other = results("another file", 0.25);

    test.put(&ada, MODEL, &[(".eval_results/other.yaml", &other)])
        .await
        .unwrap();

    assert_eq!(watch.take(), (0, 0));
    assert_eq!(count(&test, &ada).await, 2);
}

#[tokio::test]
async fn a_result_file_in_a_pull_request_is_parsed_once_and_validated_once() {
    let (test, ada) = with_model().await;
    let watch = Watch::new("read once: pull");

    open_pull(&test, &ada, &results("read once: pull", 0.5)).await;

    assert_eq!(watch.take(), (1, 1));
    assert_eq!(count(&test, &ada).await, 1);
}

#[tokio::test]
async fn a_merged_result_file_is_parsed_once_and_validated_once() {
    let (test, ada) = with_model().await;
    let watch = Watch::new("read once: merge");
    open_pull(&test, &ada, &results("read once: merge", 0.5)).await;
    // What this process has read, another has not.
    let test = test.reopened().await;
    watch.take();
    let repo = repo(&test, &ada).await;

    test.hub
        .discussions()
        .merge(&ada, &repo, 1, None)
        .await
        .unwrap();

    assert_eq!(watch.take(), (1, 1));
    assert_eq!(count(&test, &ada).await, 1);
}

#[tokio::test]
async fn a_file_that_was_validated_in_a_pull_request_is_not_read_again_when_it_is_merged() {
    let (test, ada) = with_model().await;
    let watch = Watch::new("read once: known");
    open_pull(&test, &ada, &results("read once: known", 0.5)).await;
    watch.take();
    let repo = repo(&test, &ada).await;

    test.hub
        .discussions()
        .merge(&ada, &repo, 1, None)
        .await
        .unwrap();

    assert_eq!(watch.take(), (0, 0));
    assert_eq!(count(&test, &ada).await, 1);
}
