//! Attacks on the way from a token to a result, by the names of the threat table.

use assay_model::RepoKind;
use assay_trust::{ResultsLeaf, SigningKey};

use super::support::{World, commit, repo_id, write};
use super::{Draft, FILE, Scene, with_token};

#[tokio::test]
async fn eval_yaml_pinned_to_revision() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let unknown = Draft {
        text: scene
            .draft("0.5")
            .text
            .replace("task_id: words", "task_id: letters"),
        ..scene.draft("0.5")
    };
    let unknown = scene.signed(&unknown).await;
    // The benchmark is defined otherwise before the results come.
    let later = super::support::SUMS.replace("{id: words}", "{id: letters}");
    world
        .put(
            &world.ada,
            RepoKind::Dataset,
            "ada/sums",
            "eval.yaml",
            &later,
        )
        .await;

    world
        .results(&world.ada, "ada/small", &format!("{text}{unknown}"))
        .await;

    assert_eq!(scene.words("ada/small").await, ["verified", "task_unknown"]);
    world.check_index().await;
}

#[tokio::test]
async fn unknown_model_revision() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let nowhere = "0123456789abcdef0123456789abcdef01234567";
    let draft = Draft {
        text: scene
            .draft("0.75")
            .text
            .replace(&scene.model.to_string(), nowhere),
        ..scene.draft("0.75")
    };
    let text = scene.signed(&draft).await;

    world.results(&world.ada, "ada/small", &text).await;

    assert_eq!(scene.words("ada/small").await, ["model_revision_unknown"]);
    world.check_index().await;
}

#[tokio::test]
async fn withdrawn_result_is_visible() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;

    world
        .results(&world.ada, "ada/small", &super::support::score(0.1))
        .await;

    assert_eq!(scene.words("ada/small").await, ["no_token"]);
    let leaf = world.hub.trust.results().leaf(1).unwrap();
    let ResultsLeaf::Decide(decide) = ResultsLeaf::read(&leaf).unwrap() else {
        panic!("the second leaf is the decision");
    };
    assert_eq!(decide.repo.as_bytes(), &uid(world, "ada/small").await);
    world.check_index().await;
}

#[tokio::test]
async fn commit_dates_ignored() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    world.clock.advance(2 * 3_600_000);
    let dated = text.replace("  notes:", "  date: \"2026-01-01\"\n  notes:");
    let plain = commit("main", false, vec![write(FILE, &text)]);
    let id = repo_id("ada/small");

    world
        .hub
        .repositories()
        .commit(&world.ada, RepoKind::Model, &id, plain)
        .await
        .unwrap();
    let late = scene.words("ada/small").await;
    world.results(&world.ada, "ada/small", &dated).await;

    assert_eq!(late, ["expired_at_first_seen"]);
    assert_eq!(scene.words("ada/small").await, ["entry_digest_mismatch"]);
}

#[tokio::test]
async fn stolen_key_off_log() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let claims = scene.claims(&draft);
    let stolen = world.hub.trust.token_key().unwrap();
    let token = stolen.sign_token(&claims);

    world
        .results(&world.ada, "ada/small", &with_token(&draft.text, &token))
        .await;

    assert_eq!(scene.words("ada/small").await, ["not_in_issuance_log"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_token_that_the_log_gets_late_is_admitted_when_it_is_seen_again() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let claims = scene.claims(&draft);
    let key = world.hub.trust.token_key().unwrap();
    let token = key.sign_token(&claims);
    let text = with_token(&draft.text, &token);
    world.results(&world.ada, "ada/small", &text).await;
    let early = scene.words("ada/small").await;

    super::log(&world.hub, &claims, &key, &token).await;
    world
        .results(&world.ada, "ada/small", &format!("{text}# again\n"))
        .await;

    assert_eq!(early, ["not_in_issuance_log"]);
    assert_eq!(scene.words("ada/small").await, ["verified"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_key_that_nobody_trusts_signs_nothing() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let claims = scene.claims(&draft);
    let forger = SigningKey::from_seed([9; 32]);
    let token = forger.sign_token(&claims);
    super::log(&world.hub, &claims, &forger, &token).await;

    world
        .results(&world.ada, "ada/small", &with_token(&draft.text, &token))
        .await;

    assert_eq!(scene.words("ada/small").await, ["unknown_key"]);
    assert_eq!(
        world.hub.trust.results().size(),
        1,
        "nothing is decided that git tells by itself"
    );
    world.check_index().await;
}

#[tokio::test]
async fn render_uses_claims() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let signed = scene.signed(&scene.draft("0.750")).await;
    let plain = scene.draft("0.500").text;
    world
        .results(&world.ada, "ada/small", &format!("{signed}{plain}"))
        .await;

    let model = world.model("ada/small").await;
    let results = world.hub.boards().model_results(&model).await.unwrap();

    let literals: Vec<&str> = results
        .iter()
        .map(|result| result.entry.scores[0].literal.as_str())
        .collect();
    assert_eq!(literals, ["0.75", "0.500"]);
}

#[tokio::test]
async fn leaf_not_guessable() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let claims = scene.claims(&draft);
    scene.issue(&claims).await;

    let leaf = String::from_utf8(world.hub.trust.results().leaf(0).unwrap()).unwrap();

    // Names are looked for with what cannot be in a digest or a key by chance.
    for known in ["ada/", "/small", "sums\"", "0.75", "accuracy"] {
        assert!(!leaf.contains(known), "{known} in {leaf}");
    }
    assert!(!leaf.contains(&claims.digests.subject.to_string()));
    assert!(!leaf.contains(&claims.digests.entry.to_string()));
}

#[tokio::test]
async fn a_crash_between_the_decision_and_the_refs_is_made_good_by_the_same_push() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let model = world.model("ada/small").await;
    let id = repo_id("ada/small");
    // The decision is logged, and then nothing more happens.
    let sighting = sighting(&scene, &text);
    crate::trust::admit(&world.hub, &model, vec![sighting], world.hub.now())
        .await
        .unwrap();
    assert_eq!(world.hub.trust.results().size(), 2);
    world.check_index().await;

    world.clock.advance(86_400_000);
    let request = commit("main", false, vec![write(FILE, &text)]);
    world
        .hub
        .repositories()
        .commit(&world.ada, RepoKind::Model, &id, request)
        .await
        .unwrap();

    assert_eq!(scene.words("ada/small").await, ["verified"]);
    assert_eq!(world.hub.trust.results().size(), 2);
    world.check_index().await;
}

#[tokio::test]
async fn a_preview_says_what_a_push_would_and_decides_nothing() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let model = world.model("ada/small").await;
    let sightings = vec![
        sighting(&scene, &text),
        sighting(&scene, &text.replace("0.75", "0.8")),
    ];

    let told = crate::trust::admission::preview(&world.hub, &model, sightings, world.hub.now())
        .await
        .unwrap();

    let words: Vec<String> = told.iter().map(super::word).collect();
    assert_eq!(words, ["verified", "claim_mismatch:metrics"]);
    assert_eq!(world.hub.trust.results().size(), 1);
}

fn sighting(_: &Scene, text: &str) -> crate::trust::Sighting {
    let said = crate::index::submissions_of_text(text.to_owned()).remove(0);
    crate::trust::Sighting {
        path: FILE.parse().unwrap(),
        token: said.entry.token.unwrap(),
        evidence: said.evidence.unwrap(),
        has_model_revision: true,
    }
}

#[tokio::test]
async fn copied_receipts_useless() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;

    world.hub.evidence().mirror_logs().await.unwrap();

    let (small, large) = (
        world.model("ada/small").await,
        world.model("bob/large").await,
    );
    let own = receipts(world, small.key);
    assert_eq!(own.len(), 2, "{own:?}");
    let decide = own
        .iter()
        .find(|(path, _)| path.ends_with(".decide"))
        .unwrap();
    let receipt: assay_tlog::Receipt = decide.1.parse().unwrap();
    receipt.verify(world.hub.trust.results().key()).unwrap();
    // The same result with the same receipts in another repository: the leaf names the first.
    let copied: Vec<_> = own.iter().map(|(path, text)| write(path, text)).collect();
    let mut operations = vec![write(FILE, &text)];
    operations.extend(copied);
    let request = commit("main", false, operations);
    let id = repo_id("bob/large");
    world
        .hub
        .repositories()
        .commit(&world.bob, RepoKind::Model, &id, request)
        .await
        .unwrap();
    assert_eq!(scene.words("bob/large").await, ["bound_to_other_repo"]);
    assert_eq!(receipts(world, large.key), []);
    // What is the hub's own is no branch, and the index does not see it.
    let refs = world.hub.repositories().refs(&small).await.unwrap();
    assert_eq!((refs.branches.len(), refs.tags.len()), (1, 0));
    world.hub.evidence().mirror_logs().await.unwrap();
    world.check_index().await;
}

#[tokio::test]
async fn the_mirror_of_the_logs_has_their_files_and_only_grows() {
    let scene = Scene::new().await;
    let world = &scene.world;
    world.hub.evidence().mirror_logs().await.unwrap();
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;

    world.hub.evidence().mirror_logs().await.unwrap();
    world.hub.evidence().mirror_logs().await.unwrap();

    let directory = world.hub.trust.directory.join("mirror");
    let repositories = assay_git::Repositories::new(directory).unwrap();
    let git = repositories.get(assay_model::RepoKey(1)).unwrap();
    let head = git
        .find_ref(&assay_git::RefName::main())
        .unwrap()
        .unwrap()
        .target;
    let objects = git.objects();
    assert_eq!(
        objects.first_parents(head, None).unwrap().len(),
        3,
        "one commit for each growth"
    );
    let listed = objects
        .list(head, None, assay_git::Depth::Recursive)
        .unwrap()
        .unwrap();
    let files: Vec<&str> = listed
        .iter()
        .filter(|entry| matches!(entry.kind, assay_git::EntryKind::File(_)))
        .map(|entry| entry.path.as_str())
        .collect();
    let control = world.hub.trust.control().size();
    assert_eq!(
        files,
        [
            "control/checkpoint".to_owned(),
            format!("control/tile/0/000.p/{control}"),
            format!("control/tile/entries/000.p/{control}"),
            "results/checkpoint".to_owned(),
            "results/tile/0/000.p/2".to_owned(),
            "results/tile/entries/000.p/2".to_owned(),
        ]
    );
}

/// The receipts in the repository of a model.
fn receipts(world: &World, key: assay_model::RepoKey) -> Vec<(String, String)> {
    let git = world.git().get(key).unwrap();
    let name: assay_git::RefName = "refs/assay/receipts".parse().unwrap();
    let Some(head) = git.find_ref(&name).unwrap() else {
        return Vec::new();
    };
    let objects = git.objects();
    let listed = objects
        .list(head.target, None, assay_git::Depth::Recursive)
        .unwrap()
        .unwrap();
    let files = listed
        .into_iter()
        .filter(|entry| matches!(entry.kind, assay_git::EntryKind::File(_)));
    files
        .map(|entry| {
            let bytes = objects.read(entry.oid, 1 << 20).unwrap();
            (
                entry.path.as_str().to_owned(),
                String::from_utf8(bytes).unwrap(),
            )
        })
        .collect()
}

async fn uid(world: &World, model: &str) -> [u8; 16] {
    let repo = world.model(model).await;
    world
        .hub
        .store
        .repository(repo.key)
        .await
        .unwrap()
        .unwrap()
        .uid
}
