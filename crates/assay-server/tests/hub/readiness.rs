use assay_server::{Person, TestHub};
use serde_json::{Value, json};

/// The checks that did not come out well, by name.
fn odd(answer: &Value) -> Vec<(&str, &str)> {
    let checks = answer["checks"].as_array().unwrap().iter();
    checks
        .map(|check| {
            (
                check["name"].as_str().unwrap(),
                check["status"].as_str().unwrap(),
            )
        })
        .filter(|(_, status)| *status != "ok")
        .collect()
}

/// The directory of the newest repository.
fn newest(hub: &TestHub) -> std::path::PathBuf {
    let repos = hub.directory().join("data/repos");
    let directories = std::fs::read_dir(repos).unwrap();
    let mut found: Vec<_> = directories
        .flat_map(|shard| std::fs::read_dir(shard.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "git"))
        .collect();
    found.sort();
    found.pop().unwrap()
}

#[tokio::test]
async fn a_hub_that_can_write_says_so_check_by_check() {
    let hub = TestHub::new().await;

    let answer = hub.get(Person::Nobody, "/readyz").await.expect(200);

    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let json = answer.json();
    assert_eq!(json["ready"], json!(true));
    assert_eq!(odd(&json), []);
    let names: Vec<&Value> = json["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| &check["name"])
        .collect();
    assert_eq!(
        json!(names),
        json!([
            "database",
            "disk",
            "large_files",
            "logs",
            "repositories",
            "unrecorded"
        ])
    );
}

#[tokio::test]
async fn a_directory_that_cannot_be_written_is_not_ready_and_reading_goes_on() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/m")
        .await
        .expect(200);
    let lfs = hub.directory().join("data/lfs");
    std::fs::remove_dir_all(&lfs).unwrap();
    std::fs::write(&lfs, "no directory").unwrap();

    let ready = hub.get(Person::Nobody, "/readyz").await.expect(503);

    assert_eq!(odd(&ready.json()), [("disk", "failed")]);
    assert!(!ready.text().contains(hub.directory().to_str().unwrap()));
    hub.get(Person::Nobody, "/healthz").await.expect(200);
    hub.get(Person::Nobody, "/api/models/alice/m")
        .await
        .expect(200);
}

#[tokio::test]
async fn a_disk_with_less_space_than_the_floor_is_not_ready() {
    let hub = TestHub::with(|config| config.limits.free_bytes = u64::MAX).await;

    let ready = hub.get(Person::Nobody, "/readyz").await.expect(503);

    assert_eq!(odd(&ready.json()), [("disk", "failed")]);
    assert!(ready.text().contains("limits.free_bytes"));
}

#[tokio::test]
async fn damaged_and_unrecorded_repositories_are_counted_and_not_named() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/private-name")
        .await
        .expect(200);
    let directory = newest(&hub);
    let aside = hub
        .directory()
        .join("data/repos/.unrecorded/2026-01-01T00-00-00.000Z/77.git");
    std::fs::create_dir_all(&aside).unwrap();
    let mut index = hub
        .hub()
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap();
    assert_eq!(index.damaged, []);
    std::fs::write(
        directory.join("refs/heads/main"),
        format!("{}\n", "1".repeat(40)),
    )
    .unwrap();
    index = hub
        .hub()
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap();
    assert_eq!(index.damaged.len(), 1);

    let ready = hub.get(Person::Nobody, "/readyz").await.expect(200);
    let health = hub.get(Person::Nobody, "/healthz").await.expect(200);

    assert_eq!(
        odd(&ready.json()),
        [("repositories", "warning"), ("unrecorded", "warning")]
    );
    assert!(!ready.text().contains("private-name"));
    assert_eq!(health.text(), "ok\n1 damaged; see /readyz\n");
    let told = hub
        .get(Person::Alice, "/api/models/alice/private-name/tree/main")
        .await
        .expect(500);
    assert!(
        told.json()["error"].as_str().unwrap().contains("damaged"),
        "{}",
        told.text()
    );
}
