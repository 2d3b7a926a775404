//! Lists of repositories: filters, who sees what, and pages.

use assay_model::{RepoId, RepoKey, RepoKind};
use assay_store::{
    AccountId, BenchmarkFilter, Cursor, Error, Filter, NewRepository, Page, Repository, Settings,
    Sort, Store, Viewer,
};
use proptest::prelude::*;

use crate::index::{benchmark, card};
use crate::support::{Hub, at, commit, repository, runtime, user};

async fn names(store: &Store, filter: &Filter) -> Vec<String> {
    let page = store.repositories(filter).await.unwrap();
    let count = store.count_repositories(filter).await.unwrap();
    assert_eq!(page.items.len() as u64, count.min(filter.limit.into()));
    page.items
        .iter()
        .map(|item| item.repository.id.to_string())
        .collect()
}

fn models() -> Filter {
    let mut filter = Filter::new(RepoKind::Model, 100);
    filter.sort = Sort::Name;
    filter
}

#[tokio::test]
async fn a_list_shows_what_a_page_needs_of_each_repository() {
    let hub = Hub::new().await;
    let bare = hub.dataset("alice/bare").await;
    let full = hub.dataset("alice/full").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_card(full, Some(&card(&["x"]))).await.unwrap();
    tx.set_benchmark(full, Some(&benchmark(&["t"], true)))
        .await
        .unwrap();
    tx.mark_official(full, at(1)).await.unwrap();
    tx.set_indexed_ref(full, "refs/heads/main", Some(&commit(5)))
        .await
        .unwrap();
    tx.set_indexed_ref(full, "refs/heads/dev", Some(&commit(6)))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let page = hub
        .store
        .repositories(&Filter::new(RepoKind::Dataset, 10))
        .await
        .unwrap();

    let Page { items, next } = page;
    assert_eq!(next, None);
    let [first, second] = items.as_slice() else {
        panic!("two repositories, not {items:?}");
    };
    assert_eq!((first.repository.key, second.repository.key), (full, bare));
    assert_eq!((first.head, second.head), (Some(commit(5)), None));
    assert_eq!((first.benchmark, first.official), (true, true));
    assert_eq!((second.benchmark, second.official), (false, false));
    assert_eq!(
        (first.card.as_ref(), second.card.as_ref()),
        (Some(&card(&["x"])), None)
    );
    assert_eq!(hub.store.listed(full).await.unwrap().as_ref(), Some(first));
}

#[tokio::test]
async fn every_text_and_every_tag_must_be_there() {
    let hub = Hub::new().await;
    for (id, tags) in [
        ("acme/Llama-7b", vec!["license:mit", "language:en"]),
        ("acme/llama_70b", vec!["license:mit"]),
        ("bob/llama-7b", vec!["language:en"]),
        ("bob/other", vec![]),
    ] {
        let key = hub.model(id).await;
        let mut tx = hub.store.begin().await.unwrap();
        tx.set_card(key, Some(&card(&tags))).await.unwrap();
        tx.commit().await.unwrap();
    }
    let by = |author: Option<&str>, search: &[&str], tags: &[&str]| Filter {
        author: author.map(str::to_owned),
        search: search.iter().map(|&text| text.to_owned()).collect(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..models()
    };
    let found = async |filter: Filter| names(&hub.store, &filter).await;

    let everything = [
        "acme/Llama-7b",
        "acme/llama_70b",
        "bob/llama-7b",
        "bob/other",
    ];
    assert_eq!(found(by(None, &[], &[])).await, everything);
    assert_eq!(found(by(Some("ACME"), &[], &[])).await, everything[..2]);
    assert_eq!(found(by(None, &["LLAMA"], &[])).await, everything[..3]);
    assert_eq!(
        found(by(None, &["llama", "7b"], &[])).await,
        ["acme/Llama-7b", "bob/llama-7b"]
    );
    assert_eq!(found(by(None, &["e/l"], &[])).await, everything[..2]);
    assert_eq!(
        found(by(None, &[], &["license:mit"])).await,
        everything[..2]
    );
    assert_eq!(
        found(by(None, &[], &["license:mit", "language:en"])).await,
        ["acme/Llama-7b"]
    );
    assert_eq!(
        found(by(Some("bob"), &["7b"], &["language:en"])).await,
        ["bob/llama-7b"]
    );
    assert!(found(by(None, &[], &["License:MIT"])).await.is_empty());
}

#[tokio::test]
async fn a_search_finds_one_of_many_and_many_page_by_page() {
    let hub = Hub::new().await;
    for number in 0..120 {
        hub.model(&format!("alice/common-{number:03}")).await;
    }
    hub.model("alice/rare").await;
    let mut filter = Filter {
        search: vec!["common".to_owned()],
        limit: 50,
        ..models()
    };

    let mut found = Vec::new();
    loop {
        let page = hub.store.repositories(&filter).await.unwrap();
        found.extend(page.items.into_iter().map(|item| item.repository.id));
        let Some(next) = page.next else { break };
        filter.after = Some(next);
    }
    filter.after = None;
    filter.search = vec!["RARE".to_owned(), "alice".to_owned()];
    let rare = names(&hub.store, &filter).await;

    let expected: Vec<RepoId> = (0..120)
        .map(|number| format!("alice/common-{number:03}").parse().unwrap())
        .collect();
    assert_eq!(found, expected);
    assert_eq!(rare, ["alice/rare"]);
}

#[tokio::test]
async fn wild_cards_in_a_search_are_only_text() {
    let hub = Hub::new().await;
    hub.model("alice/a_b").await;
    hub.model("alice/axb").await;
    let search = |text: &str| Filter {
        search: vec![text.to_owned()],
        ..models()
    };

    assert_eq!(names(&hub.store, &search("a_b")).await, ["alice/a_b"]);
    assert!(names(&hub.store, &search("a%b")).await.is_empty());
    assert!(names(&hub.store, &search("a!b")).await.is_empty());
    assert!(
        names(&hub.store, &search("a\\_b' OR 1=1 --"))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn benchmarks_are_listed_when_they_are_valid_and_official_ones_when_they_are_both() {
    let hub = Hub::new().await;
    for (id, valid, official) in [
        ("a/plain", None, true),
        ("a/broken", Some(false), true),
        ("a/valid", Some(true), false),
        ("a/official", Some(true), true),
    ] {
        let key = hub.dataset(id).await;
        let mut tx = hub.store.begin().await.unwrap();
        if let Some(valid) = valid {
            tx.set_benchmark(key, Some(&benchmark(&["t"], valid)))
                .await
                .unwrap();
        }
        if official {
            tx.mark_official(key, at(1)).await.unwrap();
        }
        tx.commit().await.unwrap();
    }
    let mut filter = Filter::new(RepoKind::Dataset, 10);
    filter.sort = Sort::Name;

    filter.benchmark = Some(BenchmarkFilter::Any);
    assert_eq!(names(&hub.store, &filter).await, ["a/official", "a/valid"]);
    filter.benchmark = Some(BenchmarkFilter::Official);
    assert_eq!(names(&hub.store, &filter).await, ["a/official"]);
}

#[tokio::test]
async fn private_repositories_are_listed_only_for_their_own() {
    let hub = Hub::new().await;
    let mut accounts = Vec::new();
    for id in ["alice/open", "alice/secret", "bob/secret"] {
        let key = hub.model(id).await;
        let mut repository = hub.store.repository(key).await.unwrap().unwrap();
        repository.settings.private = id.ends_with("secret");
        let mut tx = hub.store.begin().await.unwrap();
        tx.set_repository(key, &repository.settings).await.unwrap();
        tx.commit().await.unwrap();
        accounts.push(repository.owner);
    }
    let seen = async |viewer: Viewer| names(&hub.store, &Filter { viewer, ..models() }).await;
    let member = |accounts: &[AccountId]| Viewer {
        sees_all: false,
        accounts: accounts.to_vec(),
    };
    let operator = Viewer {
        sees_all: true,
        accounts: Vec::new(),
    };

    let everything = ["alice/open", "alice/secret", "bob/secret"];
    assert_eq!(seen(Viewer::default()).await, ["alice/open"]);
    assert_eq!(seen(member(&accounts[..1])).await, everything[..2]);
    assert_eq!(
        seen(member(&accounts[2..])).await,
        ["alice/open", "bob/secret"]
    );
    assert_eq!(seen(member(&accounts)).await, everything);
    assert_eq!(seen(operator).await, everything);
}

#[tokio::test]
async fn a_list_that_is_narrowed_too_often_is_refused() {
    let hub = Hub::new().await;
    hub.model("alice/small").await;
    let mut filter = models();
    filter.search = vec!["a".to_owned(); Filter::MAX_TERMS - 1];
    filter.tags = vec!["t".to_owned()];
    filter.viewer.accounts = vec![AccountId(1); Viewer::MAX_ACCOUNTS];
    assert!(names(&hub.store, &filter).await.is_empty());
    filter.tags.clear();
    filter.search.push("a".to_owned());
    assert_eq!(names(&hub.store, &filter).await, ["alice/small"]);

    filter.search.push("a".to_owned());
    let page = hub.store.repositories(&filter).await;
    let count = hub.store.count_repositories(&filter).await;

    assert!(matches!(page, Err(Error::Filter)));
    assert!(matches!(count, Err(Error::Filter)));
}

#[test]
fn a_cursor_is_read_as_it_prints_and_nothing_else_is_one() {
    let cursors = [
        Cursor::Created(at(-5), RepoKey(7)),
        Cursor::Updated(at(1_771_065_000_000), RepoKey(i64::MAX)),
        Cursor::Name("Acme/a.b".parse().unwrap()),
    ];
    for cursor in cursors {
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
    }
    for text in [
        "", "c", "c1", "c1.", "c.1", "x1.2", "n", "n../x", "cé.1", "é", "c1.2.3",
    ] {
        assert!(text.parse::<Cursor>().is_err(), "{text:?}");
    }
}

/// A repository of a hub that is made up: name, when it was made and changed, and whether it is
/// private.
type Made = (u8, i64, i64, bool);

fn new(owner: AccountId, (name, created, _, private): Made) -> NewRepository {
    NewRepository {
        created: at(created),
        settings: Settings {
            private,
            ..Settings::default()
        },
        ..repository(RepoKind::Model, &format!("alice/M{name}"), owner)
    }
}

/// Returns the expected list: all at once, filtered and sorted in memory.
fn expected(mut all: Vec<Repository>, sort: Sort, sees_all: bool) -> Vec<RepoId> {
    all.retain(|repository| sees_all || !repository.settings.private);
    all.sort_by(|left, right| match sort {
        Sort::Created => (right.created, right.key).cmp(&(left.created, left.key)),
        Sort::Updated => (right.updated, right.key).cmp(&(left.updated, left.key)),
        Sort::Name => {
            let lower = |repository: &Repository| repository.id.as_str().to_ascii_lowercase();
            lower(left).cmp(&lower(right))
        }
    });
    all.into_iter().map(|repository| repository.id).collect()
}

async fn pages_give_everything(made: Vec<Made>, sort: Sort, limit: u32, sees_all: bool) {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    let owner = tx.add_account(&user("alice")).await.unwrap();
    let mut all = Vec::new();
    for made in made {
        let key = tx.add_repository(&new(owner, made)).await.unwrap();
        tx.touch_repository(key, at(made.2)).await.unwrap();
        all.push(tx.repository(key).await.unwrap().unwrap());
    }
    tx.commit().await.unwrap();
    let mut filter = Filter::new(RepoKind::Model, limit);
    filter.sort = sort;
    filter.viewer.sees_all = sees_all;

    let mut listed = Vec::new();
    loop {
        let page = hub.store.repositories(&filter).await.unwrap();
        assert!(page.items.len() <= limit as usize);
        assert!(page.next.is_none() || page.items.len() == limit as usize);
        listed.extend(page.items.into_iter().map(|item| item.repository.id));
        let Some(next) = page.next else { break };
        // A client carries the cursor as text and may say another order than at first.
        filter.after = Some(next.to_string().parse().unwrap());
        filter.sort = Sort::Created;
    }

    assert_eq!(listed, expected(all, sort, sees_all));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pages_of_any_size_give_every_repository_once_and_in_order(
        made in prop::collection::btree_map(any::<u8>(), (0_i64..4, 0_i64..6, any::<bool>()), 0..12),
        sort in prop::sample::select(vec![Sort::Created, Sort::Updated, Sort::Name]),
        limit in 1_u32..6,
        sees_all in any::<bool>(),
    ) {
        let made = made
            .into_iter()
            .map(|(name, (created, updated, private))| (name, created, updated, private))
            .collect();

        runtime().block_on(pages_give_everything(made, sort, limit, sees_all));
    }
}
