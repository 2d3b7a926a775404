//! Tests of news and public totals.

use assay_model::{RepoKey, Standing};
use assay_store::{Branch, NewsFilter, PublicCounts, Settings};

use crate::entries::{attested, replace};
use crate::support::{Hub, at, entry};

async fn hide(hub: &Hub, key: RepoKey, settings: Settings) {
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_repository(key, &settings).await.unwrap();
    tx.commit().await.unwrap();
}

/// Four models: one with a verified result, one with a plain one, one private, one closed.
async fn hub() -> Hub {
    let hub = Hub::new().await;
    let mut verified = entry("a/b", "t", 0, 0.9);
    verified.standing = Standing::Verified(Box::new(attested()));
    for (millis, id, entry) in [
        (10, "alice/first", verified),
        (20, "bob/second", entry("A/B", "t", 0, 0.5)),
        (30, "alice/private", entry("a/b", "t", 0, 0.7)),
        (40, "bob/closed", entry("a/b", "t", 0, 0.8)),
    ] {
        let key = hub.model(id).await;
        replace(&hub.store, key, Branch::Main, millis, &[entry]).await;
        let settings = Settings {
            private: id == "alice/private",
            disabled: id == "bob/closed",
            ..Settings::default()
        };
        hide(&hub, key, settings).await;
    }
    hub
}

async fn told(hub: &Hub, filter: NewsFilter, limit: u32) -> Vec<(String, i64)> {
    let news = hub.store.news(filter, limit).await.unwrap();
    news.into_iter()
        .map(|one| (one.model.to_string(), one.since.millis()))
        .collect()
}

#[tokio::test]
async fn news_are_of_what_everyone_sees_newest_first() {
    let hub = hub().await;

    let all = told(&hub, NewsFilter::default(), 10).await;
    let one = told(&hub, NewsFilter::default(), 1).await;

    assert_eq!(
        all,
        [
            ("bob/second".to_owned(), 20),
            ("alice/first".to_owned(), 10)
        ]
    );
    assert_eq!(one, all[..1]);
}

#[tokio::test]
async fn news_can_be_of_verified_results_or_of_one_owner() {
    let hub = hub().await;
    let bob = hub.store.account_named("bob").await.unwrap().unwrap();
    let verified = NewsFilter {
        verified: true,
        ..NewsFilter::default()
    };
    let of_bob = NewsFilter {
        owner: Some(bob.id),
        ..NewsFilter::default()
    };

    assert_eq!(told(&hub, verified, 10).await[0].0, "alice/first");
    assert_eq!(told(&hub, verified, 10).await.len(), 1);
    assert_eq!(told(&hub, of_bob, 10).await[0].0, "bob/second");
    assert_eq!(told(&hub, of_bob, 10).await.len(), 1);
}

#[tokio::test]
async fn only_what_everyone_sees_is_counted() {
    let hub = hub().await;

    let counts = hub.store.public_counts().await.unwrap();

    assert_eq!(
        counts,
        PublicCounts {
            models: 2,
            benchmarks: 0,
            entries: 2,
            verified: 1
        }
    );
    let empty = Hub::new().await.store.public_counts().await.unwrap();
    assert_eq!(empty, PublicCounts::default());
}

#[tokio::test]
async fn the_versions_that_ended_last_are_told_first() {
    let hub = Hub::new().await;
    let key = hub.model("alice/first").await;
    for (moment, value) in [(10, 0.5), (20, 0.6), (30, 0.7)] {
        let entries = [entry("a/b", "t", 0, value), entry("a/b", "u", 1, value)];
        replace(&hub.store, key, Branch::Main, moment, &entries).await;
    }
    let task = "t".parse().unwrap();

    for (limit, expected) in [(1, 1), (2, 2), (3, 2)] {
        let ended = hub.store.ended_ranking_rows("a/b", &task, limit).await;

        let lives = ended.unwrap();
        let lives: Vec<_> = lives.iter().map(|row| (row.since, row.until)).collect();
        let all = [(at(20), Some(at(30))), (at(10), Some(at(20)))];
        assert_eq!(lives, all[..expected]);
    }
}
