use assay_app::{
    Discussion, DiscussionFilter, Error, Event, EventData, Missing, NewDiscussion, Status,
};
use assay_model::RepoKind;

use crate::support::{RESULTS, World, commit, repo_id, score, write};

fn kinds(events: &[Event]) -> Vec<String> {
    let kind = |event: &Event| match &event.data {
        EventData::Comment { text, .. } => format!("comment {text}"),
        EventData::Status(status) => format!("status {}", status.as_str()),
        EventData::Commit { subject, .. } => format!("commit {subject}"),
        EventData::Title { from, to } => format!("title {from} -> {to}"),
    };
    events.iter().map(kind).collect()
}

async fn happened(world: &World, num: u32) -> Vec<String> {
    let repo = world.model("ada/small").await;
    let details = world
        .hub
        .discussions()
        .discussion(&repo, num, false, assay_app::EventPage::all())
        .await
        .unwrap();
    kinds(&details.events)
}

async fn open(world: &World, is_pull: bool) -> Discussion {
    let new = NewDiscussion {
        title: "About sums".to_owned(),
        description: "Why?".to_owned(),
        is_pull,
    };
    let model = repo_id("ada/small");
    let opened = world
        .hub
        .discussions()
        .open_discussion(&world.bob, RepoKind::Model, &model, new)
        .await;
    opened.unwrap()
}

#[tokio::test]
async fn a_proposal_counts_while_it_is_open() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;

    let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.5 #1"]);

    let status = async |status| {
        world.clock.advance(1000);
        let changed = world
            .hub
            .discussions()
            .change_status(&world.bob, &model, num, status, None);
        changed.await.unwrap();
    };
    status(Status::Closed).await;
    assert_eq!(world.board(&world.ada).await, [""; 0]);
    world.check_index().await;

    status(Status::Open).await;
    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.5 #1"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_merge_makes_a_proposal_the_repository_s_own() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;
    let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
    world.clock.advance(1000);

    let (event, merge) = world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, Some("thanks"))
        .await
        .unwrap();

    assert_eq!(event.data, EventData::Status(Status::Merged));
    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.5"]);
    let head = world
        .hub
        .repositories()
        .resolve(&model, "main")
        .await
        .unwrap();
    assert_eq!(head, merge);
    let commits = world
        .hub
        .repositories()
        .commits(&model, "main", 0, 1)
        .await
        .unwrap();
    assert_eq!(commits.commits[0].title, "Change results (#1)");
    let details = world
        .hub
        .discussions()
        .discussion(&model, num, true, assay_app::EventPage::all())
        .await
        .unwrap();
    assert_eq!(details.merge_commit, Some(merge));
    assert_eq!(details.base.as_deref(), Some("refs/heads/main"));
    assert!(details.diff.unwrap().text.contains("+  value: 0.5"));
    assert_eq!(
        kinds(&details.events),
        ["commit Change results", "comment thanks", "status merged"]
    );
    let results = world.hub.boards().model_results(&model).await.unwrap();
    assert_eq!(results[0].submitter.as_deref(), Some("bob"));
    world.check_index().await;
}

#[tokio::test]
async fn only_a_writer_merges_and_only_what_is_open() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;
    let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
    let draft = open(&world, true).await.num;
    let plain = open(&world, false).await.num;

    let stranger = world
        .hub
        .discussions()
        .merge(&world.bob, &model, num, None)
        .await;
    let of_draft = world
        .hub
        .discussions()
        .merge(&world.ada, &model, draft, None)
        .await;
    let of_plain = world
        .hub
        .discussions()
        .merge(&world.ada, &model, plain, None)
        .await;
    let of_none = world
        .hub
        .discussions()
        .merge(&world.ada, &model, 99, None)
        .await;

    assert!(matches!(stranger, Err(Error::Denied(_))));
    assert!(matches!(of_draft, Err(Error::Invalid(_))));
    assert!(matches!(of_plain, Err(Error::Invalid(_))));
    assert!(matches!(
        of_none,
        Err(Error::NotFound(Missing::Discussion(99)))
    ));
    assert_eq!((num, draft, plain), (1, 2, 3));
}

#[tokio::test]
async fn a_conflict_names_the_files_and_changes_nothing() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;
    world.results(&world.ada, "ada/small", &score(0.25)).await;
    let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
    world.results(&world.ada, "ada/small", &score(0.75)).await;

    let details = world
        .hub
        .discussions()
        .discussion(&model, num, false, assay_app::EventPage::all())
        .await
        .unwrap();
    let refused = world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, None)
        .await;

    assert_eq!(details.conflicts, [RESULTS]);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains(RESULTS), "{message}");
    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.75"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_draft_is_open_with_its_first_commit() {
    let world = World::with_benchmark().await;
    let draft = open(&world, true).await;
    assert_eq!((draft.num, draft.status), (1, Status::Draft));
    world.clock.advance(1000);

    let request = commit("refs/pr/1", false, vec![write(RESULTS, &score(0.5))]);
    let model = repo_id("ada/small");
    world
        .hub
        .repositories()
        .commit(&world.bob, RepoKind::Model, &model, request)
        .await
        .unwrap();

    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.5 #1"]);
    assert_eq!(
        happened(&world, 1).await,
        ["comment Why?", "commit Change results", "status open"]
    );
    world.check_index().await;
}

#[tokio::test]
async fn what_a_proposal_inherits_is_not_its_own() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.25)).await;
    let other = "- dataset: {id: ada/sums, task_id: digits}\n  value: 0.125\n";
    let both = format!("{}{other}", score(0.25));
    world.propose(&world.bob, "ada/small", &both).await;
    world.results(&world.ada, "ada/small", &score(0.75)).await;

    let model = world.model("ada/small").await;
    let results = world.hub.boards().model_results(&model).await.unwrap();

    let shown: Vec<_> = results
        .iter()
        .map(|result| (result.pull, result.value.to_string()))
        .collect();
    assert_eq!(
        shown,
        [(None, "0.75".to_owned()), (Some(1), "0.125".to_owned())]
    );
    world.check_index().await;
}

#[tokio::test]
async fn what_main_says_as_well_is_shown_once() {
    let world = World::with_benchmark().await;
    world.propose(&world.bob, "ada/small", &score(0.5)).await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let query = assay_app::BoardQuery {
        policy: Some("all".to_owned()),
        ..crate::support::everyone()
    };

    let view = world.view(&world.ada, &query).await.unwrap();

    assert_eq!(crate::support::lines(&view), ["1 ada/small 0.5"]);
    let model = world.model("ada/small").await;
    assert_eq!(
        world
            .hub
            .boards()
            .model_results(&model)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn comments_are_edited_by_their_author_and_hidden_for_ever() {
    let world = World::with_benchmark().await;
    let num = open(&world, false).await.num;
    let model = world.model("ada/small").await;
    let said = world
        .hub
        .discussions()
        .comment(&world.bob, &model, num, "first")
        .await;
    let id = said.unwrap().id;
    world.clock.advance(5);

    let by_another = world
        .hub
        .discussions()
        .edit_comment(&world.ada, &model, num, &id, "mine")
        .await;
    let edited = world
        .hub
        .discussions()
        .edit_comment(&world.bob, &model, num, &id, "second")
        .await
        .unwrap();
    let hidden = world
        .hub
        .discussions()
        .hide_comment(&world.ada, &model, num, &id)
        .await;
    let again = world
        .hub
        .discussions()
        .edit_comment(&world.bob, &model, num, &id, "third")
        .await;

    assert!(matches!(by_another, Err(Error::Denied(_))));
    let EventData::Comment {
        text,
        edits,
        hidden: is_hidden,
        ..
    } = edited.data
    else {
        panic!("a comment stays one");
    };
    assert_eq!((text.as_str(), edits, is_hidden), ("second", 1, false));
    let EventData::Comment { text, hidden, .. } = hidden.unwrap().data else {
        panic!("a comment stays one");
    };
    assert_eq!((text.as_str(), hidden), ("", true));
    assert!(matches!(again, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_comment_is_changed_only_where_it_was_made() {
    let world = World::with_benchmark().await;
    let (one, other) = (open(&world, false).await.num, open(&world, false).await.num);
    let model = world.model("ada/small").await;
    let said = world
        .hub
        .discussions()
        .comment(&world.bob, &model, one, "first")
        .await;
    let id = said.unwrap().id;

    for (num, event) in [
        (other, id.as_str()),
        (one, "nonsense"),
        (one, &"0".repeat(24)),
    ] {
        let refused = world
            .hub
            .discussions()
            .hide_comment(&world.bob, &model, num, event)
            .await;

        assert!(matches!(refused, Err(Error::NotFound(_))), "{num} {event}");
    }
}

#[tokio::test]
async fn titles_and_status_are_for_the_author_and_for_writers() {
    let world = World::with_benchmark().await;
    let model = world.model("bob/large").await;
    let new = NewDiscussion {
        title: "A question".to_owned(),
        description: String::new(),
        is_pull: false,
    };
    let opened = world
        .hub
        .discussions()
        .open_discussion(&world.ada, RepoKind::Model, &repo_id("bob/large"), new)
        .await
        .unwrap();
    world.create(&world.root, RepoKind::Model, "own").await;
    let own = world.model("root/own").await;
    let strange = NewDiscussion {
        title: "Not yours".to_owned(),
        description: String::new(),
        is_pull: false,
    };
    world
        .hub
        .discussions()
        .open_discussion(&world.root, RepoKind::Model, &repo_id("root/own"), strange)
        .await
        .unwrap();

    let event = world
        .hub
        .discussions()
        .retitle(&world.ada, &model, opened.num, "An answer")
        .await
        .unwrap();
    let by_stranger = world
        .hub
        .discussions()
        .retitle(&world.ada, &own, 1, "Mine now")
        .await;
    let closed = world
        .hub
        .discussions()
        .change_status(&world.bob, &model, opened.num, Status::Closed, None)
        .await;
    let twice = world
        .hub
        .discussions()
        .change_status(&world.bob, &model, opened.num, Status::Closed, None)
        .await;

    let expected = EventData::Title {
        from: "A question".to_owned(),
        to: "An answer".to_owned(),
    };
    assert_eq!(event.data, expected);
    assert!(matches!(by_stranger, Err(Error::Denied(_))));
    assert!(closed.is_ok());
    assert!(twice.is_ok(), "{twice:?}");
}

#[tokio::test]
async fn discussions_are_filtered_by_kind_and_state() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;
    open(&world, false).await;
    open(&world, true).await;
    let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
    world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, None)
        .await
        .unwrap();
    let count = async |is_pull, open| {
        let filter = DiscussionFilter {
            is_pull,
            open,
            ..DiscussionFilter::default()
        };
        let page = world
            .hub
            .discussions()
            .discussions(&model, &filter)
            .await
            .unwrap();
        let nums: Vec<u32> = page.discussions.iter().map(|held| held.num).collect();
        assert_eq!(page.count, nums.len() as u64);
        nums
    };

    assert_eq!(count(None, None).await, [3, 2, 1]);
    assert_eq!(count(Some(true), None).await, [3, 2]);
    assert_eq!(count(Some(true), Some(true)).await, [2]);
    assert_eq!(count(None, Some(false)).await, [3]);
}

#[tokio::test]
async fn a_pull_request_whose_commits_are_on_main_already_is_merged_by_no_commit() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;
    let draft = open(&world, true).await.num;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world
        .hub
        .discussions()
        .change_status(&world.bob, &model, draft, Status::Open, None)
        .await
        .unwrap();

    world
        .hub
        .discussions()
        .merge(&world.ada, &model, draft, None)
        .await
        .unwrap();

    let details = world
        .hub
        .discussions()
        .discussion(&model, draft, false, assay_app::EventPage::all())
        .await
        .unwrap();
    assert_eq!(details.discussion.status, Status::Merged);
    assert_eq!(details.merge_commit, None);
    let results = world.hub.boards().model_results(&model).await.unwrap();
    assert_eq!(results[0].submitter.as_deref(), Some("ada"));
    world.check_index().await;
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_a_pull_request_whole_or_none() {
    let world = World::with_benchmark().await;
    let model = repo_id("ada/small");
    let (mut abandoned, mut landed) = (0, 0);
    // However far a request gets before it is dropped, there is a ref for each pull request and no
    // other.
    for polls in 0..40 {
        let new = NewDiscussion {
            title: "A draft".to_owned(),
            description: "to come".to_owned(),
            is_pull: true,
        };
        let opening =
            world
                .hub
                .discussions()
                .open_discussion(&world.bob, RepoKind::Model, &model, new);
        match give_up_after(polls, opening).await {
            None => abandoned += 1,
            Some(opened) => {
                opened.unwrap();
                landed += 1;
            }
        }

        // This waits until whatever is still under way has ended.
        world.check_index().await;
    }
    assert!(abandoned > 2 && landed > 2, "{abandoned} {landed}");
}

/// Asks a future so often whether it is done, and drops it when it is not.
async fn give_up_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 {
            return std::task::Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}
