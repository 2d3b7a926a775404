use assay_app::{Caller, Error, ListQuery, ListSort, Visibility};
use assay_model::RepoKind;

use crate::support::{World, repo_id};

fn all(kind: RepoKind) -> ListQuery {
    ListQuery {
        kind,
        author: None,
        search: Vec::new(),
        tags: Vec::new(),
        sort: ListSort::Name,
        limit: None,
        cursor: None,
    }
}

async fn names(world: &World, caller: &Caller, query: &ListQuery) -> Vec<String> {
    let page = world.hub.repositories().list(caller, query).await.unwrap();
    let ids = page.repositories.into_iter().map(|info| info.id);
    ids.map(|id| id.to_string()).collect()
}

#[tokio::test]
async fn private_repositories_are_listed_for_those_who_see_them() {
    let world = World::with_benchmark().await;
    world
        .create_as(&world.bob, RepoKind::Model, "secret", Visibility::Private)
        .await;
    let query = all(RepoKind::Model);

    let everyone = names(&world, &Caller::anonymous(), &query).await;
    let owner = names(&world, &world.bob, &query).await;

    assert_eq!(everyone, ["ada/small", "bob/large"]);
    assert_eq!(owner, ["ada/small", "bob/large", "bob/secret"]);
}

#[tokio::test]
async fn a_benchmark_is_official_when_the_operator_says_so() {
    let world = World::with_benchmark().await;
    world.create(&world.bob, RepoKind::Dataset, "plain").await;
    let tagged = |tag: &str| ListQuery {
        tags: vec![tag.to_owned()],
        ..all(RepoKind::Dataset)
    };
    let (any, official) = (tagged("benchmark"), tagged("benchmark:official"));
    let before = names(&world, &world.ada, &official).await;

    let refused = world
        .hub
        .operations()
        .set_official(&world.ada, &repo_id("ada/sums"), true)
        .await;
    world
        .hub
        .operations()
        .set_official(&world.root, &repo_id("ada/sums"), true)
        .await
        .unwrap();

    assert!(matches!(refused, Err(Error::Denied(_))));
    assert_eq!(before, [""; 0]);
    assert_eq!(names(&world, &world.ada, &any).await, ["ada/sums"]);
    assert_eq!(names(&world, &world.ada, &official).await, ["ada/sums"]);
    let plain = world
        .hub
        .operations()
        .set_official(&world.root, &repo_id("bob/plain"), true)
        .await;
    assert!(matches!(plain, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn a_card_cannot_claim_the_mark_of_the_operator() {
    let world = World::with_benchmark().await;
    let card = "---\nlicense: mit\ntags:\n  - \"benchmark:official\"\n  - sums\n---\n";
    world
        .put(&world.ada, RepoKind::Dataset, "ada/sums", "README.md", card)
        .await;
    let page = world
        .hub
        .repositories()
        .list(&world.bob, &all(RepoKind::Dataset))
        .await;

    let tags = &page.unwrap().repositories[0].tags;

    assert!(tags.contains(&"license:mit".to_owned()), "{tags:?}");
    assert!(tags.contains(&"sums".to_owned()), "{tags:?}");
    assert!(!tags.contains(&"benchmark:official".to_owned()), "{tags:?}");
}

#[tokio::test]
async fn a_list_is_taken_page_by_page_without_gaps() {
    let world = World::new().await;
    for number in 0..7 {
        let name = format!("model-{number}");
        world.create(&world.ada, RepoKind::Model, &name).await;
    }
    let mut query = ListQuery {
        limit: Some(3),
        ..all(RepoKind::Model)
    };
    let mut seen = Vec::new();

    loop {
        let page = world
            .hub
            .repositories()
            .list(&world.ada, &query)
            .await
            .unwrap();
        seen.extend(
            page.repositories
                .into_iter()
                .map(|info| info.id.to_string()),
        );
        query.cursor = page.next;
        if query.cursor.is_none() {
            break;
        }
    }

    let expected: Vec<String> = (0..7).map(|number| format!("ada/model-{number}")).collect();
    assert_eq!(seen, expected);
    query.cursor = Some("not a cursor".to_owned());
    let refused = world.hub.repositories().list(&world.ada, &query).await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn search_finds_parts_of_names_whatever_their_case() {
    let world = World::with_benchmark().await;
    let query = ListQuery {
        search: vec!["SMA".to_owned(), "ada".to_owned()],
        ..all(RepoKind::Model)
    };

    assert_eq!(names(&world, &world.bob, &query).await, ["ada/small"]);
}
