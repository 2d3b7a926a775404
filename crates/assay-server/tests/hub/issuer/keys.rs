use std::path::PathBuf;
use std::sync::Arc;

use assay_app::{Hub, NewRevocation, RevokedFrom};
use assay_server::{Config, Person, SystemClock};
use assay_trust::{Kid, Scope};

use super::scene::Scene;

/// The name that a server is given by a flag and its commands are not.
const NAME: &str = "https://hub.example";

/// A hub that goes by a name which is in no file.
async fn named() -> Scene {
    Scene::with(|config| config.trust.issuer = Some(NAME.to_owned())).await
}

/// The data directory as a command opens it: beside the server, and told nothing but where it is.
async fn command(scene: &Scene) -> Arc<Hub> {
    let mut config = Config {
        data: scene.hub.directory().join("data"),
        database: scene.hub.database(),
        ..Config::default()
    };
    config.trust.names_as_kept = true;
    let clock = Arc::new(SystemClock);
    Hub::visit(config.hub(), clock).await.unwrap()
}

/// The keys that a stranger would check tokens with.
async fn published(scene: &Scene) -> Vec<Kid> {
    let answer = scene.hub.get(Person::Nobody, "/.well-known/jwks.json");
    let keys = answer.await.expect(200).json();
    let keys = keys["keys"].as_array().unwrap().iter();
    keys.map(|key| key["kid"].as_str().unwrap().parse().unwrap())
        .collect()
}

fn sealed(scene: &Scene, kid: Kid) -> PathBuf {
    let keys = scene.hub.directory().join("data/trust/keys");
    keys.join(format!("token-{kid}.sealed"))
}

fn all(scope: Scope) -> NewRevocation {
    NewRevocation {
        scope,
        from: RevokedFrom::Start,
        reason: "it was stolen".to_owned(),
    }
}

#[tokio::test]
async fn a_key_that_is_revoked_beside_a_running_hub_has_a_successor_that_signs() {
    let scene = named().await;
    let command = command(&scene).await;
    let kid = published(&scene).await[0];

    let revoked = command
        .evidence()
        .revoke(&command.shell(), all(Scope::Kid(kid)), false)
        .await;

    revoked.unwrap();
    let left = published(&scene).await;
    assert_eq!(left.len(), 1);
    assert_ne!(left[0], kid);
    let issued = scene.issue(&scene.token, &scene.request()).await;
    issued.expect(201);
}

#[tokio::test]
async fn without_a_key_issuing_says_so_and_one_command_mends_it() {
    let scene = named().await;
    let kid = published(&scene).await[0];
    std::fs::remove_file(sealed(&scene, kid)).unwrap();

    let refused = scene.issue(&scene.token, &scene.request()).await;
    let command = command(&scene).await;
    command
        .evidence()
        .rotate_key(&command.shell(), None)
        .await
        .unwrap();
    let issued = scene.issue(&scene.token, &scene.request()).await;

    let refused = refused.expect(503);
    let problem = refused.json();
    assert_eq!(problem["type"], "urn:assay:problem:no-signing-key");
    assert_eq!(problem["code"], "no_signing_key");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("`assay keys rotate`"), "{detail}");
    assert_eq!(
        refused.header("content-type"),
        Some("application/problem+json")
    );
    issued.expect(201);
    assert_eq!(scene.logged(), 1, "what was refused is not in the log");
}

#[tokio::test]
async fn an_issuer_that_is_revoked_signs_nothing_that_nobody_would_believe() {
    let scene = named().await;
    let hub = scene.hub.hub();
    let own = all(Scope::Issuer(NAME.to_owned()));
    let index = hub
        .evidence()
        .revoke(&hub.shell(), own, false)
        .await
        .unwrap()
        .index;
    let index = index.unwrap();

    let refused = scene.issue(&scene.token, &scene.request()).await;
    hub.evidence()
        .unrevoke(&hub.shell(), index, "it was another one", false)
        .await
        .unwrap();
    let issued = scene.issue(&scene.token, &scene.request()).await;

    let problem = refused.expect(503).json();
    assert_eq!(problem["code"], "no_signing_key");
    let detail = problem["detail"].as_str().unwrap();
    let next = format!("`assay trust unrevoke {index}`");
    assert!(detail.contains(&next), "{detail}");
    issued.expect(201);
}

#[tokio::test]
async fn an_integration_that_is_revoked_gets_no_more_tokens_and_is_told_why() {
    let scene = Scene::new().await;
    let hub = scene.hub.hub();
    let revoked = all(Scope::Integration("inspect-ai".parse().unwrap()));
    hub.evidence()
        .revoke(&hub.shell(), revoked, false)
        .await
        .unwrap();

    let refused = scene.issue(&scene.token, &scene.request()).await;

    let problem = refused.expect(403).json();
    assert_eq!(problem["code"], "identity_suspended");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.ends_with("it was stolen"), "{detail}");
    assert_eq!(scene.logged(), 0);
}
