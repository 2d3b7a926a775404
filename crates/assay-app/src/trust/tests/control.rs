//! Keys, issuers and revocations.

use assay_model::RepoKind;
use assay_trust::{KeyState, Scope, SigningKey};

use super::support::repo_id;
use super::{Scene, with_token};
use crate::trust::{Role, Trust, Which};
use crate::{NewIssuer, NewRevocation, RevokedFrom};

fn all(scope: Scope) -> NewRevocation {
    NewRevocation {
        scope,
        from: RevokedFrom::Start,
        reason: "a test".to_owned(),
    }
}

/// Two results of `ada/small`, the second of which was issued and pushed an hour later.
async fn two_results() -> (Scene, [String; 2]) {
    let scene = Scene::new().await;
    let world = &scene.world;
    let first = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &first).await;
    world.clock.advance(3_600_000);
    let second = scene.signed(&scene.draft("0.5")).await;
    world
        .results(&world.ada, "ada/small", &format!("{first}{second}"))
        .await;
    (scene, [first, second])
}

#[tokio::test]
async fn revoke_from_index() {
    let (scene, _) = two_results().await;
    let world = &scene.world;
    let kid = world.hub.trust.token_key().unwrap().kid();
    let moment = assay_model::Timestamp::from_seconds(super::NOW + 1800);
    let new = NewRevocation {
        from: RevokedFrom::After(moment),
        ..all(Scope::Kid(kid))
    };

    let planned = world
        .hub
        .evidence()
        .revoke(&world.root, new.clone(), true)
        .await
        .unwrap();
    let before = scene.words("ada/small").await;
    let done = world
        .hub
        .evidence()
        .revoke(&world.root, new, false)
        .await
        .unwrap();

    assert_eq!(
        before,
        ["verified", "verified"],
        "a dry run changes nothing"
    );
    assert_eq!((planned.index, planned.from_index), (None, 2));
    assert_eq!(planned.rows, done.rows);
    assert_eq!(planned.rows.len(), 1);
    assert_eq!(planned.rows[0].ordinal, 1);
    assert_eq!(scene.words("ada/small").await, ["verified", "key_revoked"]);
    assert_ne!(
        world.hub.trust.token_key().unwrap().kid(),
        kid,
        "another key signs now"
    );
    world.check_index().await;
}

#[tokio::test]
async fn revoke_integration_cascades() {
    let (scene, _) = two_results().await;
    let world = &scene.world;
    let scope = Scope::Integration("inspect-ai".parse().unwrap());

    let done = world
        .hub
        .evidence()
        .revoke(&world.root, all(scope), false)
        .await
        .unwrap();
    let revoked = scene.words("ada/small").await;
    world.check_index().await;
    let back = world
        .hub
        .evidence()
        .unrevoke(&world.root, done.index.unwrap(), "a mistake", false)
        .await
        .unwrap();

    assert_eq!(done.rows.len(), 2);
    assert_eq!(revoked, ["integration_revoked", "integration_revoked"]);
    assert_eq!(back.rows.len(), 2);
    assert_eq!(scene.words("ada/small").await, ["verified", "verified"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_revocation_is_on_the_board_at_once() {
    let (scene, _) = two_results().await;
    let world = &scene.world;
    let query = crate::BoardQuery {
        verified: true,
        ..super::support::everyone()
    };
    let before = world.view(&world.ada, &query).await.unwrap().rows().len();
    let generation = world.hub.boards().generation_of_board(&repo_id("ada/sums"));

    let jti = Scope::Jti(assay_trust::Jti::from_bytes([1; 16]));
    world
        .hub
        .evidence()
        .revoke(&world.root, all(jti), false)
        .await
        .unwrap();
    let jti = Scope::Jti(assay_trust::Jti::from_bytes([2; 16]));
    world
        .hub
        .evidence()
        .revoke(&world.root, all(jti), false)
        .await
        .unwrap();

    assert_eq!(before, 1);
    assert_eq!(
        world.view(&world.ada, &query).await.unwrap().rows().len(),
        0
    );
    assert!(world.hub.boards().generation_of_board(&repo_id("ada/sums")) > generation);
}

#[tokio::test]
async fn a_key_is_published_used_and_retired_in_this_order_only() {
    let scene = Scene::new().await;
    let (world, hub) = (&scene.world, &scene.world.hub);
    let first = hub.trust.token_key().unwrap().kid();
    let text = scene.signed(&scene.draft("0.75")).await;

    let next = hub.evidence().generate_key(&world.root).await.unwrap();
    let still = hub.trust.token_key().unwrap().kid();
    let active = hub.evidence().rotate_key(&world.root, None).await.unwrap();
    let refused = hub.evidence().retire_key(&world.root, next.kid).await;
    hub.evidence().retire_key(&world.root, first).await.unwrap();
    world.results(&world.ada, "ada/small", &text).await;

    assert_eq!((next.state, still), (KeyState::Pending, first));
    assert_eq!((active.kid, active.state), (next.kid, KeyState::Active));
    assert!(refused.is_err(), "the key that signs cannot be retired");
    assert_eq!(hub.trust.token_key().unwrap().kid(), next.kid);
    assert_eq!(
        scene.words("ada/small").await,
        ["verified"],
        "what a retired key signed stands"
    );
    assert!(
        hub.evidence().generate_key(&world.ada).await.is_err(),
        "for operators only"
    );
    world.check_index().await;
}

#[tokio::test]
async fn another_issuer_is_trusted_for_its_frameworks_until_it_is_not() {
    let scene = Scene::new().await;
    let (world, hub) = (&scene.world, &scene.world.hub);
    let key = SigningKey::from_seed([5; 32]);
    let issuer = NewIssuer {
        issuer: "https://evals.example".to_owned(),
        audience: None,
        frameworks: Some(vec!["inspect-ai".to_owned()]),
        must_be_logged: false,
        keys: vec![key.public()],
    };
    let draft = scene.draft("0.75");
    let mut claims = scene.claims(&draft);
    "https://evals.example".clone_into(&mut claims.iss);
    let token = key.sign_token(&claims);
    world
        .results(&world.ada, "ada/small", &with_token(&draft.text, &token))
        .await;
    let before = scene.words("ada/small").await;

    hub.evidence()
        .trust_issuer(&world.root, issuer)
        .await
        .unwrap();
    let waiting = scene.words("ada/small").await;
    world
        .results(
            &world.ada,
            "ada/small",
            &format!("{}# again\n", with_token(&draft.text, &token)),
        )
        .await;
    let trusted = scene.words("ada/small").await;
    hub.evidence()
        .distrust_issuer(&world.root, "https://evals.example")
        .await
        .unwrap();

    assert_eq!(before, ["unknown_key"]);
    assert_eq!(waiting, ["not_admitted"]);
    assert_eq!(trusted, ["verified"]);
    assert_eq!(scene.words("ada/small").await, ["issuer_untrusted"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_command_beside_a_server_has_the_server_write_the_log() {
    let (scene, _) = two_results().await;
    let world = &scene.world;
    let visitor = world.visit().await;
    let shell = visitor.shell();
    let scope = Scope::Integration("inspect-ai".parse().unwrap());

    let done = visitor
        .evidence()
        .revoke(&shell, all(scope), false)
        .await
        .unwrap();

    assert_eq!(done.rows.len(), 2);
    assert_eq!(
        scene.words("ada/small").await,
        ["integration_revoked", "integration_revoked"]
    );
    let log = world.hub.trust.control();
    assert_eq!(done.index, Some(log.size() - 1));
    world.check_index().await;
}

#[tokio::test]
async fn a_command_without_a_server_writes_the_log_itself() {
    let (scene, texts) = two_results().await;
    let visitor = scene.world.visit().await;
    let Scene { mut world, .. } = scene;
    world.hub = visitor;
    let shell = world.hub.shell();
    let scope = Scope::Integration("inspect-ai".parse().unwrap());

    world
        .hub
        .evidence()
        .revoke(&shell, all(scope), false)
        .await
        .unwrap();
    world.reopen().await;

    let model = world.model("ada/small").await;
    let rows = world
        .hub
        .store
        .entries_of_model(model.key, None)
        .await
        .unwrap();
    let words: Vec<String> = rows
        .iter()
        .map(|row| super::word(&row.version.standing))
        .collect();
    assert_eq!(words, ["integration_revoked", "integration_revoked"]);
    // The server that comes after it has the logs for itself.
    world
        .put(
            &world.ada,
            RepoKind::Model,
            "ada/small",
            super::FILE,
            &texts[0],
        )
        .await;
    world.check_index().await;
}

/// The pause between two looks.
const TICK: std::time::Duration = std::time::Duration::from_millis(5);

/// Returns whether nobody writes a log of a hub.
fn is_free(data: &std::path::Path, log: &str) -> bool {
    let path = data.join("trust").join(log).join("lock");
    let file = fs_err::File::options().write(true).open(path).unwrap();
    file.file().try_lock().is_ok()
}

/// Keeps a hub from writing its control log until the answer is dropped.
fn occupy_control(hub: &crate::Hub) -> std::fs::File {
    let path = hub.config.data.join("trust/control/lock");
    loop {
        hub.trust.let_go().unwrap();
        let file = fs_err::File::options().write(true).open(&path).unwrap();
        let file = file.into_parts().0;
        if file.try_lock().is_ok() {
            return file;
        }
    }
}

fn config_in(data: &std::path::Path) -> crate::HubConfig {
    crate::HubConfig {
        data: data.to_owned(),
        database: None,
        large_files: None,
        storage: crate::StorageVariables::default(),
        limits: crate::Limits::default(),
        durability: assay_model::Durability::Fast,
        trust: crate::TrustConfig::default(),
        shell_user: None,
    }
}

#[test]
fn a_process_that_takes_the_logs_over_many_times_at_once_ends_up_with_both() {
    let directory = tempfile::tempdir().unwrap();
    let config = config_in(directory.path());
    let trust = Trust::open(&config, Role::Keeper).unwrap();

    for _ in 0..20 {
        trust.let_go().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| trust.refresh().unwrap());
            }
        });

        assert!(trust.is_writer(), "nobody else could have taken them");
    }
}

#[test]
fn who_does_not_write_the_results_log_leaves_the_control_log_to_who_does() {
    let directory = tempfile::tempdir().unwrap();
    let config = config_in(directory.path());
    let first = Trust::open(&config, Role::Keeper).unwrap();
    let second = Trust::open(&config, Role::Keeper).unwrap();
    // The first one has the results log alone for a moment.
    first.put(
        Which::Control,
        super::super::hold(
            &first.directory,
            Which::Control,
            &first.origin,
            &first.vault,
            Role::Visitor,
        )
        .unwrap(),
    );

    second.refresh().unwrap();
    first.refresh().unwrap();

    assert!(first.is_writer());
    assert!(!second.writes(Which::Results) && !second.writes(Which::Control));
}

#[tokio::test]
async fn who_has_one_log_answers_for_it_and_lets_go_when_the_other_stays_away() {
    let (scene, _) = two_results().await;
    let world = &scene.world;
    let data = world.hub.config.data.clone();
    let leaf = scene.leaf();
    let visitor = world.visit().await;
    let control = occupy_control(&world.hub);
    while !world.hub.trust.writes(Which::Results) {
        world.hub.trust.refresh().unwrap();
        tokio::time::sleep(TICK).await;
    }
    assert!(!world.hub.trust.is_writer());

    let asked = visitor.evidence().log_results(vec![leaf]).await;

    assert!(asked.is_ok(), "{asked:?}");
    while !is_free(&data, "results") {
        tokio::time::sleep(TICK).await;
    }
    drop(control);
    while !world.hub.trust.is_writer() {
        tokio::time::sleep(TICK).await;
    }
}

#[tokio::test]
async fn log_rollback_refused() {
    let (scene, _) = two_results().await;
    let backups = tempfile::tempdir().unwrap();
    let old = backups.path().join("data");
    let config = scene.world.hub.config.clone();
    copy_directory(&config.data, &old);
    let clock = std::sync::Arc::clone(&scene.world.clock);
    let clock = clock as std::sync::Arc<dyn assay_model::Clock>;
    scene.signed(&scene.draft("0.25")).await;

    // The backup comes back; the file that remembers the largest checkpoint is kept where backups
    // do not reach.
    let largest = config.data.join("trust/results/checkpoint.largest");
    let Scene { world, .. } = scene;
    let super::World { hub, .. } = world;
    // The watch may have the hub in its hand for a moment; the log is closed when the last one lets
    // go of it.
    let closed = std::sync::Arc::downgrade(&hub);
    drop(hub);
    while closed.strong_count() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    fs_err::copy(largest, old.join("trust/results/checkpoint.largest")).unwrap();
    let opened = crate::Hub::open(
        crate::HubConfig {
            data: old,
            database: None,
            ..config
        },
        clock,
    )
    .await;

    let error = opened.err().expect("an old copy is refused");
    let crate::Error::Internal(why) = error else {
        panic!("{error}");
    };
    assert!(why.to_string().contains("old copy"), "{why}");
}

fn copy_directory(from: &std::path::Path, to: &std::path::Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).unwrap();
        }
    }
}
