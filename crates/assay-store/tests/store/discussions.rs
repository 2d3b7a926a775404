//! Discussions, pull requests and their events.

use std::collections::BTreeSet;

use assay_model::RepoKey;
use assay_store::{
    DiscussionFilter, DiscussionKind, DiscussionState, Error, EventId, EventKind, NewDiscussion,
    NewEvent, Status, Store, Taken,
};
use serde_json::json;

use crate::support::{Hub, at, commit};

fn discussion(key: RepoKey, num: u32) -> NewDiscussion {
    NewDiscussion {
        key,
        num,
        title: format!("discussion {num}"),
        status: Status::Open,
        is_pull: false,
        author: None,
        created: at(i64::from(num)),
        base: None,
        opened_at: None,
    }
}

fn pull(key: RepoKey, num: u32, status: Status) -> NewDiscussion {
    NewDiscussion {
        status,
        is_pull: true,
        base: Some("refs/heads/main".to_owned()),
        opened_at: Some(commit(3)),
        ..discussion(key, num)
    }
}

fn event(key: RepoKey, num: u32, id: u8) -> NewEvent {
    NewEvent {
        id: EventId::from_bytes([id; 12]),
        key,
        num,
        kind: EventKind::Comment,
        author: None,
        created: at(i64::from(id)),
        data: json!({ "latest": { "raw": "looks good" }, "edited": false }),
    }
}

fn all(key: RepoKey) -> DiscussionFilter {
    DiscussionFilter {
        key,
        kind: None,
        state: None,
        author: None,
        offset: 0,
        limit: 100,
    }
}

/// Opens a discussion, or takes its number and gives up.
async fn open(store: Store, key: RepoKey, keep: bool) -> Option<u32> {
    let mut tx = store.begin().await.unwrap();
    let num = tx.next_number(key).await.unwrap().unwrap();
    tx.add_discussion(&discussion(key, num)).await.unwrap();
    if !keep {
        return None;
    }
    tx.commit().await.unwrap();
    Some(num)
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_have_no_gaps_whoever_gives_up_and_however_many_open_at_once() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let stores = [hub.store.clone(), hub.other().await];

    let tasks: Vec<_> = (0..40)
        .map(|task| tokio::spawn(open(stores[task % 2].clone(), key, task % 4 != 3)))
        .collect();
    let mut given = BTreeSet::new();
    for task in tasks {
        given.extend(task.await.unwrap());
    }

    assert_eq!(given, (1..=30).collect());
    let page = hub.store.discussions(&all(key)).await.unwrap();
    let listed: Vec<u32> = page.items.iter().map(|item| item.num).collect();
    assert_eq!(listed, (1..=30).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn each_repository_counts_for_itself_and_one_that_is_not_there_not_at_all() {
    let hub = Hub::new().await;
    let one = hub.model("alice/one").await;
    let two = hub.model("alice/two").await;
    let mut tx = hub.store.begin().await.unwrap();

    let numbers = [
        tx.next_number(one).await.unwrap(),
        tx.next_number(one).await.unwrap(),
        tx.next_number(two).await.unwrap(),
        tx.next_number(RepoKey(99)).await.unwrap(),
    ];

    assert_eq!(numbers, [Some(1), Some(2), Some(1), None]);
}

#[tokio::test]
async fn a_number_that_git_has_already_counts_as_given() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut tx = hub.store.begin().await.unwrap();

    tx.add_discussion(&pull(key, 7, Status::Draft))
        .await
        .unwrap();
    tx.add_discussion(&pull(key, 3, Status::Draft))
        .await
        .unwrap();
    let next = tx.next_number(key).await.unwrap();
    let error = tx.add_discussion(&discussion(key, 7)).await.unwrap_err();

    assert_eq!(next, Some(8));
    assert!(matches!(
        error,
        Error::Taken {
            what: Taken::Discussion
        }
    ));
}

#[tokio::test]
async fn a_discussion_is_read_as_it_was_opened_until_its_author_is_gone() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let bob = hub.user("Bob").await;
    let mut new = pull(key, 1, Status::Draft);
    new.author = Some(bob);
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_discussion(&new).await.unwrap();
    tx.commit().await.unwrap();

    let read = hub.store.discussion(key, 1).await.unwrap().unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    tx.remove_account(bob).await.unwrap();
    let orphan = tx.discussion(key, 1).await.unwrap().unwrap();

    let author = read.author.clone().unwrap();
    assert_eq!((author.id, author.name.as_str()), (bob, "Bob"));
    assert_eq!(
        (read.title.as_str(), read.status),
        ("discussion 1", Status::Draft)
    );
    assert_eq!((read.base, read.opened_at), (new.base, new.opened_at));
    assert_eq!(
        (read.created, read.updated, read.ended),
        (at(1), at(1), None)
    );
    assert_eq!((orphan.author, orphan.title), (None, read.title));
}

#[tokio::test]
async fn discussions_are_filtered_and_counted_over_all_pages() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let bob = hub.user("bob").await;
    let mut tx = hub.store.begin().await.unwrap();
    let statuses = [Status::Draft, Status::Open, Status::Closed, Status::Merged];
    for (num, status) in (1..).zip(statuses) {
        tx.add_discussion(&pull(key, num, status)).await.unwrap();
    }
    let mut asked = discussion(key, 5);
    asked.author = Some(bob);
    tx.add_discussion(&asked).await.unwrap();
    tx.commit().await.unwrap();
    let numbers = async |filter: DiscussionFilter| {
        let page = hub.store.discussions(&filter).await.unwrap();
        let numbers: Vec<u32> = page.items.iter().map(|item| item.num).collect();
        (numbers, page.count)
    };

    let open = Some(DiscussionState::Open);
    let closed = Some(DiscussionState::Closed);
    let pulls = Some(DiscussionKind::Pull);
    let talks = Some(DiscussionKind::Discussion);
    let bobs = Some("BOB".to_owned());
    let (from, two) = (1, 2);
    assert_eq!(numbers(all(key)).await, (vec![5, 4, 3, 2, 1], 5));
    assert_eq!(
        numbers(DiscussionFilter {
            state: open,
            ..all(key)
        })
        .await,
        (vec![5, 2, 1], 3)
    );
    assert_eq!(
        numbers(DiscussionFilter {
            state: closed,
            ..all(key)
        })
        .await,
        (vec![4, 3], 2)
    );
    assert_eq!(
        numbers(DiscussionFilter {
            kind: talks,
            ..all(key)
        })
        .await,
        (vec![5], 1)
    );
    assert_eq!(
        numbers(DiscussionFilter {
            kind: pulls,
            state: open,
            ..all(key)
        })
        .await,
        (vec![2, 1], 2)
    );
    assert_eq!(
        numbers(DiscussionFilter {
            author: bobs,
            ..all(key)
        })
        .await,
        (vec![5], 1)
    );
    assert_eq!(
        numbers(DiscussionFilter {
            offset: from,
            limit: two,
            ..all(key)
        })
        .await,
        (vec![4, 3], 5)
    );
    let pulls = hub.store.pulls_of(key).await.unwrap();
    let pulls: Vec<_> = pulls.iter().map(|pull| (pull.num, pull.status)).collect();
    assert_eq!(pulls, (1..).zip(statuses).collect::<Vec<_>>());
}

#[tokio::test]
async fn of_two_who_move_a_discussion_from_one_status_one_does() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_discussion(&pull(key, 1, Status::Open))
        .await
        .unwrap();
    let (open, merged, closed) = (Status::Open, Status::Merged, Status::Closed);

    let first = tx
        .move_discussion(key, 1, open, merged, Some(&commit(9)), at(50))
        .await;
    let second = tx.move_discussion(key, 1, open, closed, None, at(60)).await;

    assert_eq!((first.unwrap(), second.unwrap()), (true, false));
    let read = tx.discussion(key, 1).await.unwrap().unwrap();
    assert_eq!((read.status, read.merge_commit), (merged, Some(commit(9))));
    assert_eq!((read.ended, read.updated), (Some(at(50)), at(50)));
}

#[tokio::test]
async fn a_discussion_that_is_opened_again_has_not_ended() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_discussion(&pull(key, 1, Status::Open))
        .await
        .unwrap();
    let (open, closed) = (Status::Open, Status::Closed);
    assert!(
        tx.move_discussion(key, 1, open, closed, None, at(50))
            .await
            .unwrap()
    );

    assert!(
        tx.move_discussion(key, 1, closed, open, None, at(60))
            .await
            .unwrap()
    );
    assert!(
        tx.rename_discussion(key, 1, "a better title", at(70))
            .await
            .unwrap()
    );
    tx.touch_discussion(key, 1, at(65)).await.unwrap();

    let read = tx.discussion(key, 1).await.unwrap().unwrap();
    assert_eq!((read.status, read.ended), (open, None));
    assert_eq!(
        (read.title.as_str(), read.updated),
        ("a better title", at(70))
    );
    assert!(
        !tx.rename_discussion(key, 2, "nothing", at(70))
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn events_keep_their_order_and_can_be_rewritten() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let bob = hub.user("bob").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_discussion(&discussion(key, 1)).await.unwrap();
    tx.add_discussion(&discussion(key, 2)).await.unwrap();
    let mut first = event(key, 1, 0xbb);
    first.author = Some(bob);
    let second = event(key, 1, 0xaa);
    let elsewhere = event(key, 2, 0xcc);

    let mut places = Vec::new();
    for new in [&first, &second, &elsewhere] {
        places.push(tx.add_event(new).await.unwrap());
    }
    let hidden = json!({ "hidden": true });
    assert!(tx.set_event(&second.id, &hidden).await.unwrap());
    tx.commit().await.unwrap();

    assert_eq!(places, [1, 2, 1]);
    let events = hub.store.events_of(key, 1).await.unwrap();
    let ids: Vec<_> = events.iter().map(|event| event.id.clone()).collect();
    assert_eq!(ids, [first.id, second.id.clone()]);
    assert_eq!((&events[0].data, &events[1].data), (&first.data, &hidden));
    assert_eq!(events[0].author.as_ref().map(|author| author.id), Some(bob));
    let read = hub.store.event(&second.id).await.unwrap();
    assert_eq!(read.as_ref(), events.get(1));
    assert_eq!(
        hub.store
            .event(&EventId::from_bytes([0; 12]))
            .await
            .unwrap(),
        None
    );
}

#[tokio::test]
async fn an_event_has_an_id_of_its_own_and_belongs_to_a_discussion() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_discussion(&discussion(key, 1)).await.unwrap();
    tx.add_event(&event(key, 1, 1)).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    let taken = tx.add_event(&event(key, 1, 1)).await.unwrap_err();
    tx.rollback().await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    let nowhere = tx.add_event(&event(key, 9, 2)).await.unwrap_err();

    assert!(matches!(taken, Error::Taken { what: Taken::Event }));
    assert!(matches!(
        nowhere,
        Error::Related {
            doing: "add_event",
            ..
        }
    ));
}
