use assay_server::{Person, TestHub};
use serde_json::{Value, json};

fn ids(json: &Value) -> Vec<&str> {
    let items = json.as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_list_comes_in_pages_that_keep_the_question() {
    let hub = TestHub::new().await;
    for number in 0..5 {
        hub.pass(1);
        hub.create(Person::Alice, &format!("models/alice/m{number}"))
            .await
            .expect(200);
    }
    hub.create(Person::Bob, "models/bob/other")
        .await
        .expect(200);

    let mut seen = Vec::new();
    let mut page = Some("/api/models?author=alice&limit=2&expand=sha".to_owned());
    while let Some(path) = page {
        let answer = hub.get(Person::Nobody, &path).await.expect(200);
        let json = answer.json();
        assert!(
            json[0]["sha"].is_string() && json[0].get("tags").is_none(),
            "{json}"
        );
        seen.extend(ids(&json).into_iter().map(str::to_owned));
        page = answer.header("link").map(|link| {
            let link = link.strip_prefix("<http://127.0.0.1:8460").unwrap();
            link.strip_suffix(">; rel=\"next\"").unwrap().to_owned()
        });
    }

    seen.sort();
    assert_eq!(
        seen,
        ["alice/m0", "alice/m1", "alice/m2", "alice/m3", "alice/m4"]
    );
}

#[tokio::test]
async fn lists_are_of_one_kind_and_of_what_the_caller_may_see() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/open")
        .await
        .expect(200);
    hub.create(Person::Alice, "datasets/alice/data")
        .await
        .expect(200);
    let private = json!({ "name": "secret", "organization": "alice", "private": true });
    hub.post(Person::Alice, "/api/repos/create", private)
        .await
        .expect(200);

    let to_nobody = hub
        .get(Person::Nobody, "/api/models")
        .await
        .expect(200)
        .json();
    let to_bob = hub
        .get(Person::Bob, "/api/models?search=SECRET")
        .await
        .expect(200)
        .json();
    let to_alice = hub
        .get(Person::Alice, "/api/models?search=SECRET")
        .await
        .expect(200)
        .json();
    let datasets = hub
        .get(Person::Nobody, "/api/datasets")
        .await
        .expect(200)
        .json();

    assert_eq!(ids(&to_nobody), ["alice/open"]);
    assert_eq!(ids(&to_bob), Vec::<&str>::new());
    assert_eq!(ids(&to_alice), ["alice/secret"]);
    assert_eq!(ids(&datasets), ["alice/data"]);
}

#[tokio::test]
async fn tags_of_a_card_filter_a_list_and_a_badge_cannot_be_claimed() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/data")
        .await
        .expect(200);
    let card = "---\nlicense: mit\ntags: [\"benchmark:official\", fine]\n---\n# Data\n";
    hub.commit(Person::Alice, "datasets/alice/data", &[("README.md", card)])
        .await
        .expect(200);

    let tagged = hub
        .get(
            Person::Nobody,
            "/api/datasets?filter=fine&filter=license%3Amit",
        )
        .await
        .json();
    let official = hub
        .get(Person::Nobody, "/api/datasets?filter=benchmark%3Aofficial")
        .await
        .json();

    assert_eq!(ids(&tagged), ["alice/data"]);
    assert_eq!(ids(&official), Vec::<&str>::new());
}

#[tokio::test]
async fn an_order_that_nobody_knows_is_refused() {
    let hub = TestHub::new().await;

    let answer = hub.get(Person::Nobody, "/api/models?sort=beauty").await;

    assert_eq!(answer.status, 400);
}
