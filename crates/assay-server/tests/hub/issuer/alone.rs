use assay_server::{Person, Serves, TestHub};

use super::scene::{Scene, credential, policy};

#[tokio::test(flavor = "multi_thread")]
async fn an_issuer_alone_reads_benchmarks_from_a_hub_and_has_no_repositories() {
    let scene = Scene::new().await;
    let address = scene.hub.listen().await;
    let alone = TestHub::with(|config| {
        let file = config.data.with_file_name("policy.toml");
        std::fs::write(&file, policy(&scene.provider.url)).unwrap();
        config.issuer.policy = Some(file);
        config.issuer.allow_loopback = true;
        config.issuer.hub = Some(format!("http://{address}").parse().unwrap());
        config.serves = Serves::IssuerAlone;
    })
    .await;
    let shell = alone.hub().shell();
    alone
        .issuer()
        .add_integration(&shell, "inspect-ai")
        .await
        .unwrap();
    let token = credential(&alone, "inspect-ai/lab", None).await.unwrap();
    let issue = async |body: String| {
        let request = axum::http::Request::post("/v1/eval-tokens")
            .header("authorization", format!("Bearer {token}"))
            .body(axum::body::Body::from(body))
            .unwrap();
        alone.send(Person::Nobody, request).await
    };
    let unknown = scene
        .request()
        .to_string()
        .replace(&scene.revision, &"9".repeat(40));

    let issued = issue(scene.request().to_string()).await;
    let refused = issue(unknown).await;

    issued.expect(201);
    assert_eq!(
        refused.expect(422).json()["code"],
        "benchmark_revision_unknown"
    );
    assert_eq!(alone.issuer().logged(), 1);
    assert_eq!(scene.logged(), 0, "it has a log of its own");
    alone.get(Person::Nobody, "/healthz").await.expect(200);
    alone
        .get(Person::Nobody, "/.well-known/jwks.json")
        .await
        .expect(200);
    alone
        .get(Person::Nobody, "/v1/log/results/checkpoint")
        .await
        .expect(200);
    alone.get(Person::Alice, "/api/models").await.expect(404);
}
