use std::io::Write as _;

use assay_app::{Caller, CommitRequest, Error, FileSource, Limits, Missing, Preupload, Visibility};
use assay_hub_api::{CommitOperation, FileContent};
use assay_model::{RepoKind, Severity};
use futures_util::TryStreamExt as _;
use sha2::{Digest as _, Sha256};

use crate::support::{TestHub, delete, hex, id_of, put_request};

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

async fn with_model() -> (TestHub, Caller) {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/model").await;
    (test, ada)
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
async fn a_commit_writes_deletes_and_is_in_the_history() {
    let (test, ada) = with_model().await;
    let files = [("a.txt", "a"), ("dir/b.txt", "b"), ("dir/c.txt", "c")];
    test.put(&ada, "ada/model", &files).await.unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"from disk").unwrap();
    let request = CommitRequest {
        summary: "second".to_owned(),
        description: "why".to_owned(),
        operations: vec![
            delete("a.txt"),
            CommitOperation::DeleteFolder {
                path: "dir".parse().unwrap(),
            },
            CommitOperation::File {
                path: "d.txt".parse().unwrap(),
                old_path: None,
                content: FileContent {
                    size: 9,
                    written: FileSource::Disk(file.into_temp_path()),
                },
            },
        ],
        ..put_request(&[])
    };

    let committed = commit(&test, &ada, request).await.unwrap();

    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    let tree = test
        .hub
        .repositories()
        .tree(&repo, "main", None, true, true)
        .await
        .unwrap();
    let paths: Vec<&str> = tree.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["d.txt"]);
    assert_eq!(tree[0].last_commit.as_ref().unwrap().id, committed.commit);
    let log = test
        .hub
        .repositories()
        .commits(&repo, "main", 0, 2)
        .await
        .unwrap();
    assert_eq!((log.total, log.more), (3, true));
    assert_eq!(
        (&*log.commits[0].title, &*log.commits[0].body),
        ("second", "why")
    );
    assert_eq!(log.commits[0].author, "ada");
    let text = test.read(&ada, "ada/model", "main", "d.txt").await;
    assert_eq!(text, "from disk");
}

#[tokio::test]
async fn a_commit_on_an_old_head_is_stale() {
    let (test, ada) = with_model().await;
    let old = test.head(&ada, "ada/model").await;
    test.put(&ada, "ada/model", &[("a.txt", "a")])
        .await
        .unwrap();
    let head = test.head(&ada, "ada/model").await;
    let on = |parent: &str| CommitRequest {
        parent: Some(parent.parse().unwrap()),
        ..put_request(&[("b.txt", "b")])
    };

    let stale = commit(&test, &ada, on(&old)).await;
    let fresh = commit(&test, &ada, on(&head[..7])).await;

    assert!(matches!(stale, Err(Error::Stale)));
    assert!(fresh.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_at_the_same_time_to_different_files_all_land() {
    let (test, ada) = with_model().await;
    let mut tasks = Vec::new();
    for number in 0..8 {
        let (hub, ada) = (test.hub.clone(), ada.clone());
        tasks.push(tokio::spawn(async move {
            let path = format!("{number}.txt");
            let request = put_request(&[(path.as_str(), "x")]);
            hub.repositories()
                .commit(&ada, RepoKind::Model, &id_of("ada/model"), request)
                .await
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }

    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    let tree = test
        .hub
        .repositories()
        .tree(&repo, "main", None, true, false)
        .await;
    let log = test
        .hub
        .repositories()
        .commits(&repo, "main", 0, 100)
        .await
        .unwrap();
    assert_eq!(tree.unwrap().len(), 8);
    assert_eq!(log.total, 9);
}

#[tokio::test]
async fn a_result_file_with_errors_is_refused_and_nothing_changes() {
    let (test, ada) = with_model().await;
    let before = test.head(&ada, "ada/model").await;
    let files = [
        ("README.md", "hello"),
        (".eval_results/gpqa.yaml", BROKEN_RESULTS),
    ];

    let result = test.put(&ada, "ada/model", &files).await;

    let Err(Error::Refused(diagnostics)) = result else {
        panic!("{result:?}");
    };
    let place = &diagnostics[0].place;
    assert_eq!(&*place.file, ".eval_results/gpqa.yaml");
    assert_eq!((place.line, place.column), (4, 10));
    assert_eq!(diagnostics[0].severity, Severity::Error);
    assert_eq!(test.head(&ada, "ada/model").await, before);
}

#[tokio::test]
async fn an_unknown_benchmark_is_a_warning_and_passes() {
    let (test, ada) = with_model().await;

    let committed = test
        .put(&ada, "ada/model", &[(".eval_results/gpqa.yaml", RESULTS)])
        .await
        .unwrap();

    for warning in &committed.warnings {
        assert_eq!(warning.severity, Severity::Warning);
    }
    let text = test
        .read(&ada, "ada/model", "main", ".eval_results/gpqa.yaml")
        .await;
    assert_eq!(text, RESULTS);
}

#[tokio::test]
async fn files_elsewhere_are_not_judged() {
    let (test, ada) = with_model().await;
    let files = [
        ("eval.yaml", "trainer: {"),
        ("old/.eval_results/x.yaml", "{"),
    ];

    test.put(&ada, "ada/model", &files).await.unwrap();
}

#[tokio::test]
async fn a_broken_benchmark_is_refused() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.create(&ada, RepoKind::Dataset, "ada/bench", Visibility::Public)
        .await
        .unwrap();

    let result = test
        .hub
        .repositories()
        .commit(
            &ada,
            RepoKind::Dataset,
            &id_of("ada/bench"),
            put_request(&[("eval.yaml", "name: x\ntasks: 3\n")]),
        )
        .await;

    assert!(matches!(result, Err(Error::Refused(_))), "{result:?}");
}

#[tokio::test]
async fn whoever_deletes_the_samples_of_a_record_answers_for_the_record() {
    const RECORD: &str = include_str!(
        "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11.json"
    );
    const SAMPLES: &str = include_str!(
        "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11_samples.jsonl"
    );
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let id = id_of("ada/store");
    test.create(&ada, RepoKind::Dataset, "ada/store", Visibility::Public)
        .await
        .unwrap();
    let stem = "data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11";
    let (record, samples) = (format!("{stem}.json"), format!("{stem}_samples.jsonl"));
    let both = put_request(&[(&record, RECORD), (&samples, SAMPLES)]);
    let commit = |request| {
        test.hub
            .repositories()
            .commit(&ada, RepoKind::Dataset, &id, request)
    };
    commit(both).await.unwrap();

    let half = commit(CommitRequest {
        operations: vec![delete(&samples)],
        ..put_request(&[])
    });
    let half = half.await;
    let whole = commit(CommitRequest {
        operations: vec![delete(&samples), delete(&record)],
        ..put_request(&[])
    });

    let Err(Error::Refused(diagnostics)) = half else {
        panic!("{half:?}");
    };
    assert!(diagnostics.iter().all(|found| *found.place.file == *record));
    whole.await.unwrap();
}

#[tokio::test]
async fn strangers_do_not_commit_and_readers_are_told_why() {
    let (test, _) = with_model().await;
    let bob = test.user("bob").await;
    let files = [("a.txt", "a")];

    let by_bob = test.put(&bob, "ada/model", &files).await;
    let by_nobody = test.put(&Caller::anonymous(), "ada/model", &files).await;
    let to_nowhere = test.put(&bob, "ada/absent", &files).await;

    assert!(matches!(by_bob, Err(Error::Denied(_))));
    assert!(matches!(by_nobody, Err(Error::NotSignedIn)));
    assert!(matches!(to_nowhere, Err(Error::NotFound(Missing::Repo))));
}

#[tokio::test]
async fn a_commit_to_what_is_no_branch_is_refused() {
    let (test, ada) = with_model().await;
    for revision in ["nope", "refs/pr/7", "refs/heads/x..y", "refs/tags/v1"] {
        let request = CommitRequest {
            revision: revision.to_owned(),
            ..put_request(&[("a.txt", "a")])
        };

        let result = commit(&test, &ada, request).await;

        let is_missing = matches!(result, Err(Error::NotFound(Missing::Revision(_))));
        assert!(is_missing, "{revision}: {result:?}");
    }
}

#[tokio::test]
async fn deleting_what_is_not_there_names_no_other_fault() {
    let (test, ada) = with_model().await;
    let request = CommitRequest {
        operations: vec![delete("a.txt")],
        ..put_request(&[])
    };

    let result = commit(&test, &ada, request).await;

    assert!(matches!(
        result,
        Err(Error::NotFound(Missing::Entry { .. }))
    ));
}

#[tokio::test]
async fn commits_beyond_the_limits_are_refused() {
    let limits = Limits {
        file_bytes: 10,
        commit_bytes: 15,
        commit_files: 2,
        ..Limits::default()
    };
    let test = TestHub::with_limits(limits).await;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/model").await;

    for files in [
        &[("a", "12345678901")][..],
        &[("a", "12345678"), ("b", "12345678")],
        &[("a", "1"), ("b", "1"), ("c", "1")],
    ] {
        let result = test.put(&ada, "ada/model", files).await;
        assert!(matches!(result, Err(Error::TooLarge(_))), "{result:?}");
    }
    test.put(&ada, "ada/model", &[("a", "1234567890")])
        .await
        .unwrap();
}

#[tokio::test]
async fn a_commit_with_more_results_than_are_indexed_is_refused() {
    let (test, ada) = with_model().await;
    let many = |count: usize| RESULTS.repeat(count);
    let thousand = many(1_000);
    let paths: Vec<String> = (0..9).map(|n| format!(".eval_results/{n}.yaml")).collect();
    let files: Vec<(&str, &str)> = paths
        .iter()
        .map(|path| (path.as_str(), thousand.as_str()))
        .collect();

    let most = test.put(&ada, "ada/model", &files).await;
    let too_many = test
        .put(&ada, "ada/model", &[(".eval_results/b.yaml", &many(1_001))])
        .await;

    most.unwrap();
    let Err(Error::TooLarge(limit)) = too_many else {
        panic!("{too_many:?}");
    };
    let why = limit.to_string();
    assert!(why.contains("more than 10000 entries"), "{why}");
}

#[tokio::test]
async fn a_preupload_says_what_is_large_ignored_and_known() {
    let limits = Limits {
        file_bytes: 10,
        ..Limits::default()
    };
    let test = TestHub::with_limits(limits).await;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/model").await;
    test.put(&ada, "ada/model", &[("a.txt", "a")])
        .await
        .unwrap();
    test.put(&ada, "ada/model", &[(".gitignore", "*.log\n")])
        .await
        .unwrap();
    let ask = |git_ignore: Option<&str>| Preupload {
        revision: "main".to_owned(),
        create_pull: false,
        files: [("a.txt", 1), ("b.log", 1), ("c.bin", 11)]
            .map(|(path, size)| (path.to_owned(), size))
            .to_vec(),
        git_ignore: git_ignore.map(ToOwned::to_owned),
    };
    let id = id_of("ada/model");

    let plan = test
        .hub
        .repositories()
        .preupload(&ada, RepoKind::Model, &id, ask(None));
    let plan = plan.await.unwrap();
    let other = test
        .hub
        .repositories()
        .preupload(&ada, RepoKind::Model, &id, ask(Some("a.*\n")));
    let other = other.await.unwrap();

    let facts = |plan: &assay_app::PreuploadPlan| -> Vec<(bool, bool, bool)> {
        let files = plan.files.iter();
        files
            .map(|file| (file.large, file.ignore, file.oid.is_some()))
            .collect()
    };
    assert_eq!(
        facts(&plan),
        [
            (false, false, true),
            (false, true, false),
            (true, false, false)
        ]
    );
    assert!(facts(&other)[0].1 && !facts(&other)[1].1);
    // The blob that git makes of the one byte `a`.
    let oid = plan.files[0].oid.as_deref();
    assert_eq!(oid, Some("2e65efe2a145dda7ee51d1741299f848e5bf752e"));
    assert_eq!(plan.head.to_string(), test.head(&ada, "ada/model").await);
}

#[tokio::test]
async fn a_large_file_is_committed_only_where_it_was_uploaded() {
    let (test, ada) = with_model().await;
    test.model(&ada, "ada/other").await;
    let content = b"large content".to_vec();
    let sha256 = hex(&Sha256::digest(&content));
    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    let reader = |bytes: Vec<u8>| Box::new(std::io::Cursor::new(bytes));
    let uploader = test.hub.repositories().uploader(&ada, &repo).await.unwrap();
    let wrong = test
        .hub
        .repositories()
        .store_large(
            &repo,
            uploader,
            &sha256,
            13,
            reader(b"other content".to_vec()),
        )
        .await;
    assert!(matches!(wrong, Err(Error::Invalid(_))), "{wrong:?}");
    test.hub
        .repositories()
        .store_large(&repo, uploader, &sha256, 13, reader(content))
        .await
        .unwrap();
    let request = || CommitRequest {
        operations: vec![CommitOperation::LargeFile {
            path: "big.bin".parse().unwrap(),
            old_path: None,
            oid: sha256.clone(),
            size: None,
        }],
        ..put_request(&[])
    };

    commit(&test, &ada, request()).await.unwrap();
    let elsewhere = test
        .hub
        .repositories()
        .commit(&ada, RepoKind::Model, &id_of("ada/other"), request())
        .await;

    assert!(matches!(elsewhere, Err(Error::Invalid(_))), "{elsewhere:?}");
    let blob = test
        .hub
        .repositories()
        .blob(&repo, "main", "big.bin", true, false)
        .await;
    let blob = blob.unwrap();
    assert_eq!(blob.entry.size, 13);
    assert_eq!(blob.entry.large.unwrap().sha256, sha256);
    let assay_app::BlobContent::Large(large) = blob.content else {
        panic!("a large file is beside git");
    };
    let pieces = large.read(0, blob.entry.size).await.unwrap();
    let pieces: Vec<bytes::Bytes> = pieces.try_collect().await.unwrap();
    assert_eq!(pieces.concat(), b"large content");
    let attributes = test.read(&ada, "ada/model", "main", ".gitattributes").await;
    assert_eq!(attributes, "/big.bin filter=lfs diff=lfs merge=lfs -text\n");
}

#[tokio::test]
async fn a_preview_judges_and_keeps_nothing() {
    let (test, ada) = with_model().await;
    let before = test.head(&ada, "ada/model").await;
    let file = |text: &str| {
        vec![(
            ".eval_results/gpqa.yaml".to_owned(),
            text.as_bytes().to_vec(),
        )]
    };
    let preview = |text: &str| {
        let files = file(text);
        let nobody = Caller::anonymous();
        let hub = &test.hub;
        async move {
            hub.repositories()
                .preview(&nobody, RepoKind::Model, None, files)
                .await
        }
    };

    let broken = preview(BROKEN_RESULTS).await.unwrap();
    let sound = preview(RESULTS).await.unwrap();

    assert!(broken.iter().any(|found| found.severity == Severity::Error));
    assert!(sound.iter().all(|found| found.severity != Severity::Error));
    assert_eq!(test.head(&ada, "ada/model").await, before);
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_a_commit_whole_or_none() {
    use std::future::{Future as _, poll_fn};
    use std::pin::pin;
    use std::task::Poll;

    let (test, ada) = with_model().await;
    let id = id_of("ada/model");
    let (mut abandoned, mut landed) = (0, 0);
    // However far a request gets before it is dropped, the index is that of the refs once the lock
    // is free again.
    for polls in 0..60 {
        let path = format!("{polls}.txt");
        let request = put_request(&[(path.as_str(), "x")]);
        {
            let mut commit = pin!(test.hub.repositories().commit(
                &ada,
                RepoKind::Model,
                &id,
                request
            ));
            let mut left = polls;
            poll_fn(|context| {
                if left == 0 {
                    abandoned += 1;
                    return Poll::Ready(());
                }
                left -= 1;
                commit.as_mut().poll(context).map(|result| {
                    result.unwrap();
                    landed += 1;
                })
            })
            .await;
        }
        let waits_for_the_lock = CommitRequest {
            parent: Some("00000".parse().unwrap()),
            ..put_request(&[("a.txt", "a")])
        };
        let stale = commit(&test, &ada, waits_for_the_lock).await;
        assert!(matches!(stale, Err(Error::Stale)));

        let differences = test
            .hub
            .operations()
            .check_index(&|_, _| {})
            .await
            .unwrap()
            .differences;
        assert_eq!(differences, [], "after {polls} polls");
    }
    assert!(abandoned > 2 && landed > 5, "{abandoned} {landed}");
}
