//! Entries: versions, boards, and what waits for its benchmark.

use std::collections::BTreeMap;

use assay_model::{
    Attested, Cost, Entry, Evaluator, Finding, Framework, MetricContext, MetricId, Number,
    Provenance, Relationship, RepoKey, Score, Source, Standing, StatedInterval, StatedUncertainty,
    TaskId, ValueType,
};
use assay_store::{
    Board, BoardEntry, Branch, EntryId, Error, Evidence, History, IndexedEntry, NewEntry,
    RankingRow, SearchTextRow, Store, Taken,
};

use serde_json::json;

use crate::index::{benchmark, card};
use crate::support::{Hub, at, commit, entry};

pub(crate) async fn replace(
    store: &Store,
    key: RepoKey,
    branch: Branch,
    millis: i64,
    entries: &[NewEntry],
) {
    let mut tx = store.begin().await.unwrap();
    tx.replace_entries(key, branch, at(millis), entries)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

fn values(entries: &[IndexedEntry]) -> Vec<f64> {
    let value = |indexed: &IndexedEntry| indexed.version.entry.scores[0].value.get();
    entries.iter().map(value).collect()
}

fn task(text: &str) -> TaskId {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_version_stays_while_its_entry_is_as_it_was() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let first = [entry("a/b", "t", 0, 0.1), entry("a/b", "t", 1, 0.2)];
    replace(&hub.store, key, Branch::Main, 10, &first).await;
    let mut second = [entry("a/b", "t", 0, 0.1), entry("a/b", "t", 1, 0.3)];
    for version in &mut second {
        version.commit = commit(2);
        version.committed = at(20);
        version.author = "Bob".to_owned();
    }

    replace(&hub.store, key, Branch::Main, 20, &second).await;

    let history = hub.store.history_of(key, Branch::Main).await.unwrap();
    let lives: Vec<_> = history
        .iter()
        .map(|indexed| (indexed.version.clone(), indexed.since, indexed.until))
        .collect();
    let [kept, changed] = first;
    let [_, new] = second;
    assert_eq!(
        lives,
        [
            (kept, at(10), None),
            (changed, at(10), Some(at(20))),
            (new, at(20), None)
        ]
    );
}

#[tokio::test]
async fn what_is_replaced_by_itself_is_no_change() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let entries = [entry("a/b", "t", 0, 0.1)];
    replace(&hub.store, key, Branch::Main, 10, &entries).await;
    let before = hub.store.generation().await.unwrap();
    let history = hub.store.history_of(key, Branch::Main).await.unwrap();

    replace(&hub.store, key, Branch::Main, 20, &entries).await;

    assert_eq!(hub.store.generation().await.unwrap(), before);
    assert_eq!(
        hub.store.history_of(key, Branch::Main).await.unwrap(),
        history
    );
}

#[tokio::test]
async fn entries_are_seen_as_they_were_at_any_moment() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    replace(
        &hub.store,
        key,
        Branch::Main,
        10,
        &[entry("a/b", "t", 0, 0.1)],
    )
    .await;
    replace(
        &hub.store,
        key,
        Branch::Pull(3),
        15,
        &[entry("a/b", "t", 0, 0.9)],
    )
    .await;
    replace(
        &hub.store,
        key,
        Branch::Main,
        20,
        &[entry("a/b", "t", 0, 0.2)],
    )
    .await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.replace_entries(key, Branch::Pull(3), at(25), &[])
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let dataset = "a/b";

    for (moment, seen) in [
        (Some(9), vec![]),
        (Some(10), vec![0.1]),
        (Some(19), vec![0.1, 0.9]),
        (Some(20), vec![0.2, 0.9]),
        (Some(24), vec![0.2, 0.9]),
        (Some(25), vec![0.2]),
        (None, vec![0.2]),
    ] {
        let moment = moment.map(at);
        let of_model = hub.store.entries_of_model(key, moment).await.unwrap();
        let of_board = hub
            .store
            .entries_of_board(dataset, None, moment)
            .await
            .unwrap();
        let of_task = hub
            .store
            .entries_of_board(dataset, Some(&task("t")), moment)
            .await
            .unwrap();

        assert_eq!(values(&of_model), seen, "{moment:?}");
        let board: Vec<f64> = of_board
            .iter()
            .map(|row| row.entry.scores[0].value.get())
            .collect();
        assert_eq!(board, seen, "{moment:?}");
        assert_eq!(of_board, of_task);
    }
}

#[tokio::test]
async fn the_versions_of_a_branch_never_overlap_even_when_clocks_run_backwards() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;

    for (millis, value) in [(10, 0.1), (20, 0.2), (15, 0.3), (20, 0.4), (30, 0.5)] {
        replace(
            &hub.store,
            key,
            Branch::Main,
            millis,
            &[entry("a/b", "t", 0, value)],
        )
        .await;
    }

    let history = hub.store.history_of(key, Branch::Main).await.unwrap();
    let lives: Vec<_> = history
        .iter()
        .map(|indexed| (indexed.since, indexed.until))
        .collect();
    assert_eq!(
        lives,
        [
            (at(10), Some(at(20))),
            (at(20), Some(at(30))),
            (at(30), None)
        ]
    );
    assert_eq!(values(&history), [0.1, 0.4, 0.5]);
}

#[tokio::test]
async fn a_history_can_be_written_as_a_whole() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    replace(
        &hub.store,
        key,
        Branch::Main,
        10,
        &[entry("x/y", "t", 0, 0.7)],
    )
    .await;
    replace(
        &hub.store,
        key,
        Branch::Pull(1),
        10,
        &[entry("x/y", "t", 0, 0.8)],
    )
    .await;
    let mut history = History::new(Branch::Main);
    history.replace(
        at(1),
        &[entry("a/b", "t", 0, 0.1), entry("a/b", "t", 1, 0.2)],
    );
    history.replace(at(2), &[entry("a/b", "t", 1, 0.2)]);
    let versions = history.clone().into_versions();

    let mut tx = hub.store.begin().await.unwrap();
    tx.remove_entries(key, Branch::Main, u32::MAX)
        .await
        .unwrap();
    tx.write_branch(key, &history.into_change()).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(
        hub.store.history_of(key, Branch::Main).await.unwrap(),
        versions
    );
    let pull = hub.store.history_of(key, Branch::Pull(1)).await.unwrap();
    assert_eq!(values(&pull), [0.8]);
    let mut tx = hub.store.begin().await.unwrap();
    tx.remove_entries(key, Branch::Pull(1), u32::MAX)
        .await
        .unwrap();
    assert!(
        tx.history_of(key, Branch::Pull(1))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn rows_are_removed_some_at_a_time_and_those_that_ended_first_go_first() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    for (millis, value) in [(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)] {
        let entries = [entry("a/b", "t", 0, value)];
        replace(&hub.store, key, Branch::Main, millis, &entries).await;
    }

    let mut tx = hub.store.begin().await.unwrap();
    let removed = tx.remove_entries(key, Branch::Main, 2).await.unwrap();
    let trimmed = tx.trim_entries(key, Branch::Main, 1).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!((removed, trimmed), (2, 0));
    let history = hub.store.history_of(key, Branch::Main).await.unwrap();
    assert_eq!(values(&history), [0.3, 0.4]);
    let branches = hub.store.branches_of(key).await.unwrap();
    assert_eq!(branches, [(Branch::Main, 2)]);
}

#[tokio::test]
async fn two_entries_cannot_stand_at_one_place() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let twice = [0.1, 0.2].map(|value| IndexedEntry {
        branch: Branch::Main,
        since: at(1),
        until: None,
        version: entry("a/b", "t", 0, value),
    });
    let mut tx = hub.store.begin().await.unwrap();

    let error = tx.add_entries(key, Branch::Main, &twice).await.unwrap_err();

    assert!(matches!(error, Error::Taken { what: Taken::Entry }));
}

#[tokio::test]
async fn a_board_knows_the_model_of_every_entry() {
    let hub = Hub::new().await;
    let key = hub.model("Acme/Small").await;
    let bob = hub.user("bob").await;
    let mut repository = hub.store.repository(key).await.unwrap().unwrap();
    repository.settings.private = true;
    let full = full_entry(bob);
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_repository(key, &repository.settings).await.unwrap();
    tx.set_card(key, Some(&card(&[]))).await.unwrap();
    tx.replace_entries(key, Branch::Pull(2), at(5), std::slice::from_ref(&full))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let board = hub
        .store
        .entries_of_board("a/b", Some(&task("t")), None)
        .await
        .unwrap();

    let [row] = board.as_slice() else {
        panic!("one row, not {board:?}");
    };
    assert_eq!((row.key, row.model.as_str()), (key, "Acme/Small"));
    assert_eq!((row.private, row.disabled), (true, false));
    assert_eq!(
        (row.owner.id, row.owner.name.as_str()),
        (repository.owner, "Acme")
    );
    assert_eq!(
        (&row.base_models, row.parameters),
        (&card(&[]).base_models, Some(7_000_000_000))
    );
    assert_eq!((row.branch, row.since), (Branch::Pull(2), at(5)));
    assert_eq!((&row.file, row.ordinal), (&full.file, full.ordinal));
    let mut said = full.entry.clone();
    said.token = None;
    assert_eq!((&row.entry, row.moment), (&said, full.moment));
    assert_eq!(row.standing, full.standing);
    assert_eq!((row.commit, row.committed), (full.commit, full.committed));
    assert_eq!(
        (row.submitter.as_deref(), &row.author),
        (Some("bob"), &full.author)
    );
    let read = hub.store.entries_of_model(key, None).await.unwrap();
    assert_eq!(read[0].version, full);
    let own = task("t");
    let briefs = hub
        .store
        .ranking_rows_of_board("a/b", Some(&own), None)
        .await;
    let briefs = briefs.unwrap();
    let [brief] = briefs.as_slice() else {
        panic!("one row, not {briefs:?}");
    };
    is_told_in_brief(brief, row);
    let words = hub.store.search_texts_of_board("a/b", &own).await.unwrap();
    let told = SearchTextRow {
        id: brief.id,
        submitter: Some("bob".to_owned()),
        source: full.entry.source,
        notes: full.entry.notes,
        framework: full.entry.framework,
    };
    assert_eq!(words, [told]);
}

/// Returns whether an entry in brief tells what the whole of it does.
fn is_told_in_brief(brief: &RankingRow, row: &BoardEntry) {
    assert_eq!((brief.key, &brief.model), (row.key, &row.model));
    assert_eq!((brief.private, brief.disabled), (row.private, row.disabled));
    assert_eq!(brief.owner, row.owner.id);
    assert_eq!(brief.derived, !row.base_models.is_empty());
    assert_eq!(brief.parameters, row.parameters);
    assert_eq!((brief.branch, &brief.file), (row.branch, &row.file));
    assert_eq!((brief.ordinal, &brief.task), (row.ordinal, &row.entry.task));
    assert_eq!(brief.scores, row.entry.scores);
    assert_eq!((&brief.date, brief.moment), (&row.entry.date, row.moment));
    assert_eq!(brief.verified, row.standing.is_verified());
    assert_eq!(brief.sample_size, row.entry.sample_size);
    assert_eq!(brief.setup, row.entry.full_setup());
    assert_eq!(brief.has_notes, row.entry.notes.is_some());
    assert_eq!(brief.has_framework, row.entry.framework.is_some());
    assert_eq!((brief.commit, brief.committed), (row.commit, row.committed));
    assert_eq!((brief.since, brief.until), (row.since, row.until));
}

#[tokio::test]
async fn entries_are_found_by_their_number_however_many_are_asked_for() {
    let hub = Hub::new().await;
    let key = hub.model("acme/small").await;
    let entries: Vec<NewEntry> = (0..13)
        .map(|ordinal| entry("a/b", "t", ordinal, 0.5))
        .collect();
    replace(&hub.store, key, Branch::Main, 1, &entries).await;
    let briefs = hub
        .store
        .ranking_rows_of_board("a/b", None, None)
        .await
        .unwrap();
    assert_eq!(briefs.len(), 13);

    for count in [0, 1, 2, 10, 11, 13] {
        let asked: BTreeMap<EntryId, u32> = briefs[..count]
            .iter()
            .map(|brief| (brief.id, brief.ordinal))
            .collect();
        let ids: Vec<EntryId> = asked.keys().copied().collect();
        let rows = hub.store.entries_with(&ids).await.unwrap();

        assert_eq!(rows.len(), count);
        let found = rows.iter().map(|(id, row)| (*id, row.ordinal));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), asked);
    }
    let nobody = EntryId(i64::MAX);
    assert_eq!(hub.store.entries_with(&[nobody]).await.unwrap(), []);
}

fn findings() -> Vec<Finding> {
    let finding = |code: &str, message: &str| Finding {
        code: code.parse().unwrap(),
        message: message.to_owned(),
    };
    vec![
        finding("AY014", "a \u{0}\u{1f} value that tools read differently"),
        finding("AY601", "0.5 is probably a share of 1"),
        finding("AY601", "0.25 is probably a share of 1"),
    ]
}

/// An entry with everything that one can have.
fn full_entry(submitter: assay_store::AccountId) -> NewEntry {
    let mut full = entry("A/B", "t", 3, 0.5);
    full.entry = Entry {
        dataset_revision: Some("5503434ddd753f426f4b38109466949a1217c2bb".parse().unwrap()),
        model_revision: Some("9f3c2c9a1c4e6d1e".parse().unwrap()),
        framework: Some(Framework {
            name: Some("inspect-ai".to_owned()),
            version: None,
            command: Some("inspect eval".to_owned()),
        }),
        token: Some("header.body.signature".to_owned()),
        source: Some(Source {
            url: "https://example.org/log".to_owned(),
            name: Some("the log".to_owned()),
            user: None,
            org: Some("acme".to_owned()),
        }),
        date: Some("2026-02-14".parse().unwrap()),
        notes: Some("five shots".to_owned()),
        subset: Some("diamond".to_owned()),
        // More than a column of the database can count.
        sample_size: Some(u64::MAX),
        normalization: Some("lower case".to_owned()),
        setup: [("shots", "5"), ("agent", "\u{0}\u{1f}")]
            .into_iter()
            .collect(),
        provenance: provenance(),
        ..full.entry
    };
    full.entry.scores.push(Score {
        metric: Some("pass@1".parse::<MetricId>().unwrap()),
        value: Number::new(0.1 + 0.2).unwrap(),
        literal: "0.30000000000000004".to_owned(),
        slice: Some("hard".to_owned()),
        value_type: Some(ValueType::Float),
        sample_size: Some(u64::MAX),
        uncertainty: StatedUncertainty {
            standard_error: Number::new(0.01),
            interval: Some(StatedInterval {
                low: Number::new(0.2).unwrap(),
                high: Number::new(0.4).unwrap(),
                level: Number::new(0.9),
            }),
            method: Some("bootstrap".to_owned()),
        },
        context: Some(Box::new(MetricContext {
            parameters: Some(json!({"range": [0.5, 0.95]})),
            normalization: Some("lower case".to_owned()),
        })),
    });
    full.findings = findings();
    full.standing = Standing::Verified(Box::new(attested()));
    full.evidence = Some(Evidence {
        jti: Some("AAAAAAAAAAAAAAAAAAAAAQ".to_owned()),
        form: "{}".to_owned(),
        repeated: true,
    });
    full.submitter = Some(submitter);
    full
}

fn provenance() -> Provenance {
    Provenance {
        evaluator: Some(Evaluator {
            name: Some("Princeton".to_owned()),
            relationship: Relationship::ThirdParty,
        }),
        published: Some("2026-01-02".parse().unwrap()),
        retrieved: Some("2026-03-04T05:06:07Z".parse().unwrap()),
        cost: Cost {
            usd: Number::new(412.5),
            tokens: Some(7),
            seconds: Number::new(0.5),
            hardware: Some("8 x H100".to_owned()),
        },
        run: Some(json!({"seed": 7})),
        runtime_context: Some(json!({"gpu": "H100", "environment": {"os": "Linux"}})),
        artifacts: Some(json!(["https://example.org/traces"])),
    }
}

pub(crate) fn attested() -> Attested {
    Attested {
        assurance: "hosted".to_owned(),
        integration: "inspect-ai".to_owned(),
        issuer: "https://issuer.example".to_owned(),
        kid: "k".to_owned(),
        jti: "AAAAAAAAAAAAAAAAAAAAAQ".to_owned(),
        signed: at(1),
        first_seen: at(2),
        issue_index: Some(0),
        decide_index: 1,
    }
}

#[tokio::test]
async fn a_benchmark_keeps_its_results_when_it_is_renamed() {
    let hub = Hub::new().await;
    let (one, two) = (hub.model("alice/one").await, hub.model("alice/two").await);
    let dataset = hub.dataset("acme/old").await;
    let acme = hub.store.repository(dataset).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_benchmark(dataset, Some(&benchmark(&["t"], true)))
        .await
        .unwrap();
    let new = "acme/New".parse().unwrap();
    tx.rename_repository(dataset, &new, acme, at(5))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    replace(
        &hub.store,
        one,
        Branch::Main,
        1,
        &[entry("Acme/Old", "t", 0, 0.1)],
    )
    .await;
    replace(
        &hub.store,
        two,
        Branch::Main,
        1,
        &[entry("acme/new", "t", 0, 0.2)],
    )
    .await;

    let board = hub
        .store
        .entries_of_board("acme/new", Some(&task("t")), None)
        .await
        .unwrap();

    let models: Vec<_> = board.iter().map(|row| row.key).collect();
    assert_eq!(models, [one, two]);
    for (index, model) in [one, two].into_iter().enumerate() {
        let store = &hub.store;
        let briefs = store
            .ranking_rows_of_model("acme/new", model)
            .await
            .unwrap();
        let ids: Vec<EntryId> = briefs.iter().map(|brief| brief.id).collect();
        let rows = store.entries_with(&ids).await.unwrap();
        assert_eq!(rows, [(ids[0], board[index].clone())]);
    }
    let board = Board {
        dataset: "acme/new".to_owned(),
        task: task("t"),
    };
    for model in [one, two] {
        let touched = hub.store.boards_touched(model).await.unwrap();
        assert_eq!(touched, std::slice::from_ref(&board));
    }
}

#[tokio::test]
async fn the_boards_of_a_model_are_named_and_entries_counted() {
    let hub = Hub::new().await;
    let (one, two) = (hub.model("alice/one").await, hub.model("alice/two").await);
    let entries = [
        entry("a/b", "u", 0, 0.1),
        entry("a/b", "t", 1, 0.2),
        entry("A/B", "t", 2, 0.3),
        entry("x/y", "t", 3, 0.4),
    ];
    replace(&hub.store, one, Branch::Main, 1, &entries).await;
    replace(
        &hub.store,
        two,
        Branch::Pull(1),
        1,
        &[entry("a/b", "t", 0, 0.5)],
    )
    .await;
    replace(
        &hub.store,
        two,
        Branch::Pull(2),
        1,
        &[entry("a/b", "z", 0, 0.5)],
    )
    .await;
    replace(&hub.store, two, Branch::Pull(2), 2, &[]).await;

    let touched = hub.store.boards_touched(one).await.unwrap();

    let touched: Vec<_> = touched
        .iter()
        .map(|board| (board.dataset.as_str(), board.task.as_str()))
        .collect();
    assert_eq!(touched, [("a/b", "t"), ("a/b", "u"), ("x/y", "t")]);
    let counts = hub.store.counts().await.unwrap();
    assert_eq!((counts.entries, counts.verified), (5, 0));
}
