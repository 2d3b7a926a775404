//! Properties of any entries: they are read as written, and replayed alike.

use assay_model::{
    Attested, Entry, Framework, Number, ObjectId, Score, Source, Standing, Timestamp, ValueType,
};
use assay_store::{Branch, Evidence, History, NewEntry};
use proptest::prelude::*;
use serde_json::json;

use crate::entries::replace;
use crate::support::{Hub, at, entry, runtime};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 ]{0,12}",
        "\\PC{0,12}",
        Just("' ; DROP TABLE entries; --\0\u{1f600}".to_owned())
    ]
}

fn maybe<T: std::fmt::Debug>(
    strategy: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    prop::option::of(strategy)
}

fn score() -> impl Strategy<Value = Score> {
    let value = any::<f64>().prop_filter_map("finite", Number::new);
    let metric = "[a-z@_]{1,8}".prop_map(|text| text.parse().unwrap());
    let value_type = prop::sample::select(vec![ValueType::Float, ValueType::Int]);
    (
        maybe(metric),
        value,
        text(),
        maybe(text()),
        maybe(value_type),
        maybe(any::<u64>()),
    )
        .prop_map(
            |(metric, value, literal, slice, value_type, sample_size)| Score {
                metric,
                value,
                literal,
                slice,
                value_type,
                sample_size,
                uncertainty: assay_model::StatedUncertainty::default(),
                context: None,
            },
        )
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let number = any::<f64>().prop_filter("finite", |number| number.is_finite());
    (text(), number, any::<u64>(), any::<i64>(), text())
        .prop_map(|(key, float, large, small, text)| json!({ key: float, "l": large, "s": [small, text, null, true] }))
}

fn attested() -> impl Strategy<Value = Attested> {
    let moments = (any::<i64>(), any::<i64>());
    let places = (maybe(any::<u64>()), any::<u64>());
    (text(), text(), text(), moments, places).prop_map(
        |(assurance, integration, issuer, (signed, first_seen), (issue_index, decide_index))| {
            Attested {
                assurance,
                integration,
                issuer,
                kid: "k".to_owned(),
                jti: "j".to_owned(),
                signed: at(signed),
                first_seen: at(first_seen),
                issue_index,
                decide_index,
            }
        },
    )
}

fn evidence() -> impl Strategy<Value = Evidence> {
    (maybe(text()), text(), any::<bool>()).prop_map(|(jti, form, repeated)| Evidence {
        jti,
        form,
        repeated,
    })
}

fn any_entry() -> impl Strategy<Value = NewEntry> {
    let scores = prop::collection::vec(score(), 0..4);
    let framework =
        (maybe(text()), maybe(text()), maybe(text())).prop_map(|(name, version, command)| {
            Framework {
                name,
                version,
                command,
            }
        });
    let source =
        (text(), maybe(text()), maybe(text()), maybe(text())).prop_map(|(url, name, user, org)| {
            Source {
                url,
                name,
                user,
                org,
            }
        });
    let revision = "[0-9a-f]{7,40}".prop_map(|text| text.parse().unwrap());
    let standing = prop_oneof![
        attested().prop_map(|attested| Standing::Verified(Box::new(attested))),
        (text(), text()).prop_map(|(reason, detail)| Standing::Unverified { reason, detail }),
        (text(), text()).prop_map(|(reason, detail)| Standing::Revoked { reason, detail })
    ];
    let words = (maybe(text()), maybe(text()), maybe(text()), text());
    let rest = (
        any::<i64>(),
        any::<[u8; 20]>(),
        maybe(any::<u64>()),
        maybe(revision),
        json_value(),
    );
    (
        scores,
        maybe(framework),
        maybe(source),
        (standing, maybe(evidence())),
        words,
        rest,
    )
        .prop_map(
            |(
                scores,
                framework,
                source,
                (standing, evidence),
                (token, notes, subset, author),
                rest,
            )| {
                let (millis, commit, sample_size, model_revision, data) = rest;
                let mut new = entry("Acme/Bench", "t", 0, 0.0);
                new.entry = Entry {
                    scores,
                    framework,
                    source,
                    token,
                    notes,
                    subset,
                    sample_size,
                    model_revision,
                    date: Timestamp::from_millis(millis).to_string().parse().ok(),
                    ..new.entry
                };
                (new.standing, new.author, new.data) = (standing, author, data);
                new.evidence = evidence;
                (new.commit, new.committed) = (ObjectId::from_bytes(commit), at(millis));
                new.moment = at(millis.wrapping_mul(31));
                new
            },
        )
}

async fn is_read_as_written(entries: Vec<NewEntry>) {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    replace(&hub.store, key, Branch::Main, 1, &entries).await;

    let read = hub.store.entries_of_model(key, None).await.unwrap();

    let read: Vec<_> = read.into_iter().map(|indexed| indexed.version).collect();
    assert_eq!(read, entries);
}

/// The number of ended versions that these tests keep.
const KEPT: u32 = 5;

async fn replays_alike(steps: Vec<(i64, Vec<Option<u8>>)>) {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut history = History::new(Branch::Pull(4)).keeping(KEPT as usize);
    for (millis, values) in steps {
        let entries: Vec<_> = (0..)
            .zip(values)
            .filter_map(|(ordinal, value)| Some(entry("a/b", "t", ordinal, value?.into())))
            .collect();
        replace(&hub.store, key, Branch::Pull(4), millis, &entries).await;
        let mut tx = hub.store.begin().await.unwrap();
        tx.trim_entries(key, Branch::Pull(4), KEPT).await.unwrap();
        tx.commit().await.unwrap();
        history.replace(at(millis), &entries);

        let current = hub.store.entries_of_model(key, None).await.unwrap();
        let current: Vec<_> = current.into_iter().map(|indexed| indexed.version).collect();
        assert_eq!(current, entries);
    }

    let live = hub.store.history_of(key, Branch::Pull(4)).await.unwrap();

    let ended = live.iter().filter(|version| version.until.is_some());
    assert!(ended.count() <= KEPT as usize);
    assert_eq!(live, history.into_versions());
    for (index, left) in live.iter().enumerate() {
        for right in &live[index + 1..] {
            let apart = left.until.is_some_and(|until| until <= right.since);
            assert!(apart || left.version.ordinal != right.version.ordinal);
        }
    }
}

/// Writes some steps at once, and the rest at once, after what the first have left.
async fn follows_on_rows(steps: Vec<(i64, Vec<Option<u8>>)>, cut: usize) {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut whole = History::new(Branch::Main).keeping(KEPT as usize);
    let cut = cut.min(steps.len());
    for part in [&steps[..cut], &steps[cut..]] {
        let rows = hub.store.branch_entries(key, Branch::Main).await.unwrap();
        let mut history = History::after(Branch::Main, rows.0, rows.1).keeping(KEPT as usize);
        for (millis, values) in part {
            let entries: Vec<_> = (0..)
                .zip(values)
                .filter_map(|(ordinal, value)| Some(entry("a/b", "t", ordinal, (*value)?.into())))
                .collect();
            history.replace(at(*millis), &entries);
            whole.replace(at(*millis), &entries);
        }
        let mut tx = hub.store.begin().await.unwrap();
        tx.write_branch(key, &history.into_change()).await.unwrap();
        tx.trim_entries(key, Branch::Main, KEPT).await.unwrap();
        tx.commit().await.unwrap();
    }

    let live = hub.store.history_of(key, Branch::Main).await.unwrap();

    assert_eq!(live, whole.into_versions());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    // Statements insert 16, 4 or 1 rows, so that up to forty entries take all of them.
    #[test]
    fn an_entry_is_read_as_it_was_written(mut entries in prop::collection::vec(any_entry(), 1..40)) {
        for (ordinal, new) in (0..).zip(&mut entries) {
            new.ordinal = ordinal;
        }

        runtime().block_on(is_read_as_written(entries));
    }

    #[test]
    fn a_history_that_follows_on_rows_is_that_of_all_its_steps(
        steps in prop::collection::vec(
            (0_i64..12, prop::collection::vec(prop::option::of(0_u8..3), 0..4)),
            0..12,
        ),
        cut in 0_usize..12,
    ) {
        runtime().block_on(follows_on_rows(steps, cut));
    }

    #[test]
    fn the_database_and_the_history_in_memory_agree(
        steps in prop::collection::vec(
            (0_i64..12, prop::collection::vec(prop::option::of(0_u8..3), 0..4)),
            0..8,
        )
    ) {
        runtime().block_on(replays_alike(steps));
    }
}
