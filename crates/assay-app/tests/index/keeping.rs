//! Repositories that the database does not know are kept, whatever happened to the database.

use assay_app::{Caller, Database, Error, HubFile, RepoFacts, Settings, Visibility};
use assay_git::{CommitPlan, RefName, Signature, Unfinished};
use assay_model::{RepoKey, RepoKind, Timestamp};

use crate::left::{Left, board_in};
use crate::support::{World, key_of, repo_id, score};

/// A hub with a result on the board, a private model and a pull request, that has ended.
async fn left_hub() -> Left {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    world.propose(&world.bob, "ada/small", &score(0.9)).await;
    world
        .create_as(&world.ada, RepoKind::Model, "secret", Visibility::Private)
        .await;
    world.into()
}

/// The sentence with which a start was refused.
fn refusal<T>(opened: Result<T, Error>) -> String {
    match opened {
        Ok(_) => panic!("it was not refused"),
        Err(Error::Operator(why)) => why,
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_start_with_a_lost_emptied_or_other_database_is_refused_and_deletes_nothing() {
    let left = left_hub().await;
    let before = left.repositories().keys().unwrap();
    let aside = tempfile::tempdir().unwrap();
    left.back_up_database(aside.path());
    let other = left.data().join("other.db");

    left.lose_database();
    let lost = refusal(left.start().await);
    std::fs::write(left.data().join("hub.db"), "").unwrap();
    let emptied = refusal(left.start().await);
    left.restore_database(aside.path());
    let mut config = left.config();
    config.database = Some(Database::File(other.clone()));
    let elsewhere = refusal(left.start_with(config).await);

    assert_eq!(before.len(), 4);
    assert_eq!(left.repositories().keys().unwrap(), before);
    for told in [&lost, &emptied, &elsewhere] {
        assert!(told.contains("knows none of the repositories"), "{told}");
        assert!(told.contains("assay admin adopt"), "{told}");
    }
    assert!(elsewhere.contains("`sqlite:hub.db`"), "{elsewhere}");
    assert!(!other.exists());
    let hub = left.start().await.unwrap();
    assert_eq!(board_in(&hub).await.len(), 2);
}

#[tokio::test]
async fn the_database_of_another_hub_is_refused_by_its_id() {
    let left = left_hub().await;
    let stranger = left_hub().await;
    let stolen = tempfile::tempdir().unwrap();
    stranger.back_up_database(stolen.path());
    let id = |left: &Left| HubFile::read(left.data()).unwrap().unwrap().id;

    left.restore_database(stolen.path());
    let told = refusal(left.start().await);

    assert!(told.contains(id(&left).as_str()), "{told}");
    assert!(told.contains(id(&stranger).as_str()), "{told}");
    assert_eq!(left.repositories().keys().unwrap().len(), 4);
}

#[tokio::test]
async fn repositories_that_an_older_database_does_not_know_are_set_aside_and_come_back_with_the_newer()
 {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let left = Left::from(world);
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    left.back_up_database(old.path());
    let hub = left.start().await.unwrap();
    let ada = hub.shell();
    let made = hub
        .repositories()
        .create_repository(
            &ada,
            assay_app::NewRepository {
                kind: RepoKind::Model,
                namespace: Some("ada".to_owned()),
                name: "later".to_owned(),
                visibility: Visibility::Private,
                description: None,
            },
        )
        .await
        .unwrap();
    drop(hub);
    left.back_up_database(new.path());

    left.restore_database(old.path());
    let hub = left.start().await.unwrap();
    let unrecorded = hub.operations().unrecorded().await.unwrap();
    let kept = board_in(&hub).await;
    let gone = hub.repo(&ada, RepoKind::Model, &repo_id("ada/later")).await;
    let collected = hub
        .operations()
        .collect_large_files(&ada, std::time::Duration::ZERO, false)
        .await;
    drop(hub);
    left.restore_database(new.path());
    let hub = left.start().await.unwrap();

    let [aside] = unrecorded.as_slice() else {
        panic!("{unrecorded:?}");
    };
    assert_eq!(aside.key, key_of(&made));
    let (kind, id) = aside.name().unwrap();
    assert_eq!((kind, id.as_str()), (RepoKind::Model, "ada/later"));
    assert_eq!(kept, ["1 ada/small 0.5"]);
    assert!(matches!(gone, Err(Error::NotFound(_))), "{gone:?}");
    // The large files of what is set aside have no other record.
    assert!(
        matches!(collected, Err(Error::Operator(_))),
        "{collected:?}"
    );
    assert_eq!(hub.operations().unrecorded().await.unwrap(), []);
    let model = hub
        .repo(&hub.shell(), RepoKind::Model, &repo_id("ada/later"))
        .await
        .unwrap();
    assert_eq!(
        hub.repositories()
            .resolve(&model, "main")
            .await
            .unwrap()
            .to_string()
            .len(),
        40
    );
}

#[tokio::test]
async fn what_was_set_aside_is_adopted_into_the_older_database() {
    let world = World::with_benchmark().await;
    let left = Left::from(world);
    let old = tempfile::tempdir().unwrap();
    left.back_up_database(old.path());
    let hub = left.start().await.unwrap();
    let ada = hub.shell();
    for name in ["later", "latest"] {
        let new = assay_app::NewRepository {
            kind: RepoKind::Model,
            namespace: Some("ada".to_owned()),
            name: name.to_owned(),
            visibility: Visibility::Public,
            description: None,
        };
        hub.repositories()
            .create_repository(&ada, new)
            .await
            .unwrap();
    }
    drop(hub);
    left.restore_database(old.path());
    let hub = left.start().await.unwrap();
    // Somebody has taken one of the names, and with it the number of a directory, meanwhile.
    let new = assay_app::NewRepository {
        kind: RepoKind::Model,
        namespace: Some("ada".to_owned()),
        name: "later".to_owned(),
        visibility: Visibility::Public,
        description: None,
    };
    hub.repositories()
        .create_repository(&ada, new)
        .await
        .unwrap();

    let rehearsed = hub
        .operations()
        .adopt(&ada, &std::collections::BTreeMap::new(), true)
        .await
        .unwrap();
    let adopted = hub
        .operations()
        .adopt(&ada, &std::collections::BTreeMap::new(), false)
        .await
        .unwrap();

    assert_eq!(rehearsed.repositories, adopted.repositories);
    let names: Vec<&str> = adopted
        .repositories
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    assert_eq!(names, ["ada/latest"]);
    let [refused] = adopted.refused.as_slice() else {
        panic!("{adopted:?}");
    };
    assert!(refused.reason.contains("--as"), "{refused:?}");
    let named = [(refused.key, (RepoKind::Model, repo_id("bob/other")))];
    let again = hub
        .operations()
        .adopt(&ada, &named.into_iter().collect(), false)
        .await
        .unwrap();
    assert_eq!(again.repositories[0].id.as_str(), "bob/other");
    assert_eq!(hub.operations().unrecorded().await.unwrap(), []);
    let checked = hub.operations().check_index(&|_, _| {}).await.unwrap();
    assert_eq!(checked, assay_app::IndexCheck::default());
}

#[tokio::test]
async fn a_lost_database_is_made_again_from_the_repositories() {
    let left = left_hub().await;
    left.lose_database();
    let rehearsal = left.adopter(true).await;
    let nothing = std::collections::BTreeMap::new();
    let planned = rehearsal
        .operations()
        .adopt(&rehearsal.shell(), &nothing, true)
        .await
        .unwrap();
    drop(rehearsal);
    assert!(!left.data().join("hub.db").exists());

    let hub = left.adopter(false).await;
    let adopted = hub
        .operations()
        .adopt(&hub.shell(), &nothing, false)
        .await
        .unwrap();
    drop(hub);
    let hub = left.start().await.unwrap();

    assert_eq!(planned.repositories, adopted.repositories);
    assert_eq!(adopted.refused, []);
    assert_eq!(adopted.accounts, ["ada", "bob"]);
    let pulls: Vec<(&str, usize)> = adopted
        .repositories
        .iter()
        .map(|one| (one.id.as_str(), one.pulls))
        .collect();
    assert_eq!(
        pulls,
        [
            ("ada/sums", 0),
            ("ada/small", 1),
            ("bob/large", 0),
            ("ada/secret", 0)
        ]
    );
    // Whether the pull request was open is not known, so its result is not on the board.
    assert_eq!(
        board_in(&hub).await,
        ["1 bob/large 0.75", "2 ada/small 0.5"]
    );
    let hidden = hub
        .repo(
            &Caller::anonymous(),
            RepoKind::Model,
            &repo_id("ada/secret"),
        )
        .await;
    assert!(matches!(hidden, Err(Error::NotFound(_))), "{hidden:?}");
    assert_eq!(hub.operations().unrecorded().await.unwrap(), []);
    let checked = hub.operations().check_index(&|_, _| {}).await.unwrap();
    assert_eq!(checked, assay_app::IndexCheck::default());
}

#[tokio::test]
async fn only_what_the_hub_itself_left_unfinished_is_removed() {
    let left = left_hub().await;
    let git = left.repositories();
    let when = Timestamp::from_millis(1_767_225_600_000);
    let author = Signature {
        name: "ada".to_owned(),
        email: "ada@example.org".to_owned(),
        when,
    };
    let plan = CommitPlan {
        parents: Vec::new(),
        base: None,
        operations: Vec::new(),
        message: "initial commit".to_owned(),
        committer: author.clone(),
        author,
    };
    let (creating, deleting, unmarked, grown) =
        (RepoKey(100), RepoKey(101), RepoKey(102), RepoKey(103));
    git.begin_creation(creating, &plan, "{}").unwrap();
    git.create(deleting, &plan).unwrap();
    git.begin_deletion(deleting).unwrap();
    git.create(unmarked, &plan).unwrap();
    let repository = git.begin_creation(grown, &plan, "{}").unwrap();
    let second = assay_git::RefChange {
        name: RefName::branch("dev").unwrap(),
        expected: assay_git::Expected::Absent,
        new: repository
            .find_ref(&RefName::main())
            .unwrap()
            .map(|main| main.target),
    };
    repository.update_refs(&[second]).unwrap();
    // A deletion that was never committed.
    git.begin_deletion(RepoKey(1)).unwrap();

    let hub = left.start().await.unwrap();

    let kept: Vec<RepoKey> = hub
        .operations()
        .unrecorded()
        .await
        .unwrap()
        .iter()
        .map(|one| one.key)
        .collect();
    assert_eq!(kept, [unmarked, grown]);
    assert_eq!(git.keys().unwrap().len(), 4);
    assert_eq!(git.unfinished(RepoKey(1)), None);
    assert_eq!(git.unfinished(creating), None::<Unfinished>);
}

#[tokio::test]
async fn a_directory_that_holds_another_repository_than_the_database_means_is_not_served() {
    let left = left_hub().await;
    let git = left.repositories();
    let facts = |key| git.path(key).join("assay.json");
    let swapped = std::fs::read_to_string(facts(RepoKey(4))).unwrap();
    std::fs::write(facts(RepoKey(2)), swapped).unwrap();

    let hub = left.start().await.unwrap();

    let aside = hub.operations().unrecorded().await.unwrap();
    assert_eq!(aside.len(), 1);
    assert_eq!(aside[0].key, RepoKey(2));
    assert_eq!(
        hub.operations().damaged_repositories().await.unwrap().len(),
        1
    );
}

#[tokio::test]
async fn a_directory_of_an_older_version_gets_an_id_and_its_facts() {
    let left = left_hub().await;
    let git = left.repositories();
    std::fs::remove_file(left.data().join(HubFile::NAME)).unwrap();
    for key in git.keys().unwrap() {
        std::fs::remove_file(git.path(key).join("assay.json")).unwrap();
    }

    let hub = left.start().await.unwrap();

    let file = HubFile::read(left.data()).unwrap().unwrap();
    assert_eq!(Some(&file.id), hub.id());
    assert_eq!(file.database, "sqlite:hub.db");
    let text = git.get(RepoKey(4)).unwrap().facts().unwrap().unwrap();
    let facts = RepoFacts::parse(&text).unwrap();
    assert_eq!(
        (facts.kind, facts.id.as_str()),
        (RepoKind::Model, "ada/secret")
    );
    assert_eq!(facts.visibility, Visibility::Private);
    assert_eq!(hub.operations().unrecorded().await.unwrap(), []);
}

#[tokio::test]
async fn a_visitor_finds_the_database_of_the_hub_and_makes_none() {
    let left = left_hub().await;
    let mut elsewhere = left.config();
    elsewhere.database = Some(Database::File(left.data().join("moved.db")));
    for path in left.database_files() {
        let name = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .replace("hub.db", "moved.db");
        std::fs::rename(&path, left.data().join(name)).unwrap();
    }
    drop(left.start_with(elsewhere).await.unwrap());

    let found = left.visit_with(left.config()).await.unwrap();
    let mut wrong = left.config();
    wrong.database = Some(Database::File(left.data().join("hub.db")));
    let refused = refusal(left.visit_with(wrong).await);
    drop(found);
    let mut file = HubFile::read(left.data()).unwrap().unwrap();
    file.database = "postgres://hub@db.example:5432/assay".to_owned();
    file.write(left.data()).unwrap();
    let on_a_server = refusal(left.visit_with(left.config()).await);

    assert!(refused.contains("`sqlite:moved.db`"), "{refused}");
    assert!(
        on_a_server.contains("postgres://hub@db.example:5432/assay"),
        "{on_a_server}"
    );
    assert!(!left.data().join("hub.db").exists());
}

#[tokio::test]
async fn the_facts_in_a_repository_follow_its_record() {
    let world = World::with_benchmark().await;
    let facts = |world: &World| {
        let text = world.git().get(RepoKey(2)).unwrap().facts().unwrap();
        RepoFacts::parse(&text.unwrap()).unwrap()
    };
    let first = facts(&world);
    let (small, tiny) = (repo_id("ada/small"), repo_id("ada/tiny"));

    let private = Settings {
        visibility: Some(Visibility::Private),
        description: Some("smaller".to_owned()),
    };
    world
        .hub
        .repositories()
        .change_settings(&world.ada, RepoKind::Model, &small, private)
        .await
        .unwrap();
    world
        .hub
        .repositories()
        .move_repository(&world.ada, RepoKind::Model, &small, &tiny)
        .await
        .unwrap();

    let last = facts(&world);
    assert_eq!(first.id, small);
    assert_eq!(first.visibility, Visibility::Public);
    assert_eq!(
        (first.owner.as_str(), first.creator.as_deref()),
        ("ada", Some("ada"))
    );
    assert_eq!(last.id, tiny);
    assert_eq!(last.visibility, Visibility::Private);
    assert_eq!(last.description.as_deref(), Some("smaller"));
    assert_eq!(last.uid, first.uid);
}
