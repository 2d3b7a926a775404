//! Checkpoints when witnesses answer, when they do not, and when the log grows meanwhile.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_tlog::{SignedCheckpoint, Witness, WitnessKey, WitnessRefusal};
use tempfile::TempDir;

use super::Scene;
use crate::trust::Which;
use crate::{AskWitness, Hub, LogName, WitnessAddress, WitnessAnswer, Witnesses};

/// Witnesses that are reached by calling them, some of them not always.
struct Near {
    witnesses: Vec<Witness>,
    down: Mutex<BTreeSet<usize>>,
    asked: AtomicUsize,
    _place: TempDir,
}

impl Near {
    fn new(hub: &Hub, count: usize) -> Self {
        let place = tempfile::tempdir().unwrap();
        let logs = vec![
            hub.trust.results().key().clone(),
            hub.trust.control().key().clone(),
        ];
        let witness = |number: usize| {
            let name = format!("w{number}.example");
            Witness::open(&place.path().join(&name), &name, logs.clone()).unwrap()
        };
        Self {
            witnesses: (0..count).map(witness).collect(),
            down: Mutex::default(),
            asked: AtomicUsize::new(0),
            _place: place,
        }
    }

    fn set_down(&self, down: &[usize]) {
        *self.down.lock().unwrap() = down.iter().copied().collect();
    }

    /// Returns the number of requests since the last call.
    fn asked(&self) -> usize {
        self.asked.swap(0, Ordering::SeqCst)
    }

    fn addresses(&self) -> Vec<WitnessAddress> {
        let keys = self.keys().into_iter().enumerate();
        keys.map(|(number, key)| WitnessAddress {
            url: number.to_string(),
            key,
        })
        .collect()
    }

    fn keys(&self) -> Vec<WitnessKey> {
        self.witnesses.iter().map(|own| own.key().clone()).collect()
    }

    /// Returns the size of the last checkpoint that most of them signed, and how many did.
    fn seen(&self, hub: &Hub, which: Which) -> Option<(u64, usize)> {
        let signed = hub.trust.witnessed(which).unwrap()?;
        Some((signed.claimed().size, signed.witnesses(&self.keys()).len()))
    }
}

impl AskWitness for Near {
    fn add_checkpoint(&self, url: &str, request: &str) -> Result<WitnessAnswer, String> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let number: usize = url.parse().unwrap();
        if self.down.lock().unwrap().contains(&number) {
            return Err("nobody answers".to_owned());
        }
        match self.witnesses[number].add_checkpoint(request, 1_790_000_000) {
            Ok(line) => Ok(WitnessAnswer::Signed(line)),
            Err(WitnessRefusal::NotNewest { known } | WitnessRefusal::Forked { known }) => {
                Ok(WitnessAnswer::Knows(known))
            }
            Err(other) => Ok(WitnessAnswer::Refused(other.to_string())),
        }
    }
}

#[tokio::test]
async fn most_witnesses_are_enough_and_all_are_asked_again_after_a_while() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let near = Near::new(&world.hub, 3);
    let mut witnesses = Witnesses::new(std::sync::Arc::clone(&world.hub), near.addresses());
    let size = world.hub.trust.control().size();

    near.set_down(&[2]);
    witnesses.round(&near).unwrap();
    let first = near.seen(&world.hub, Which::Control);
    let (asked, again) = (near.asked(), {
        witnesses.round(&near).unwrap();
        near.asked()
    });
    near.set_down(&[]);
    world.clock.advance(300_000);
    witnesses.round(&near).unwrap();

    assert_eq!(first, Some((size, 2)));
    assert_eq!((asked, again), (6, 0), "nothing is new");
    assert_eq!(near.seen(&world.hub, Which::Control), Some((size, 3)));
}

#[tokio::test]
async fn half_of_the_witnesses_are_too_few_and_are_left_in_peace_for_a_while() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let near = Near::new(&world.hub, 2);
    let mut witnesses = Witnesses::new(std::sync::Arc::clone(&world.hub), near.addresses());

    near.set_down(&[1]);
    witnesses.round(&near).unwrap();
    let kept = near.seen(&world.hub, Which::Results);
    near.asked();
    witnesses.round(&near).unwrap();
    let at_once = near.asked();
    near.set_down(&[]);
    world.clock.advance(10_000);
    witnesses.round(&near).unwrap();

    assert_eq!(kept, None);
    assert_eq!(at_once, 0);
    assert_eq!(near.seen(&world.hub, Which::Results), Some((0, 2)));
}

#[tokio::test]
async fn a_server_that_was_restarted_goes_on_where_the_witnesses_are() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let near = Near::new(&world.hub, 2);
    let hub = || std::sync::Arc::clone(&world.hub);
    Witnesses::new(hub(), near.addresses())
        .round(&near)
        .unwrap();
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;

    Witnesses::new(hub(), near.addresses())
        .round(&near)
        .unwrap();

    assert_eq!(near.seen(&world.hub, Which::Results), Some((2, 2)));
}

#[tokio::test]
async fn signatures_of_witnesses_are_in_checkpoints_receipts_and_the_mirror() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let near = Near::new(&world.hub, 1);
    let mut witnesses = Witnesses::new(std::sync::Arc::clone(&world.hub), near.addresses());
    let signed = async |path: &str| {
        let file = world
            .hub
            .evidence()
            .log_file(LogName::Results, path)
            .await
            .unwrap();
        let text = String::from_utf8(file.bytes).unwrap();
        let signed: SignedCheckpoint = text.parse().unwrap();
        (signed.claimed().size, signed.witnesses(&near.keys()).len())
    };
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;
    witnesses.round(&near).unwrap();

    let newest = signed("checkpoint").await;
    world.hub.evidence().mirror_logs().await.unwrap();
    let text = scene.signed(&scene.draft("0.5")).await;
    world.results(&world.ada, "ada/small", &text).await;
    let (grown, witnessed) = (signed("checkpoint").await, signed("witnessed").await);
    let old = world
        .hub
        .evidence()
        .receipt(LogName::Results, 1)
        .await
        .unwrap();
    let new = world
        .hub
        .evidence()
        .receipt(LogName::Results, 3)
        .await
        .unwrap();

    assert_eq!(newest, (2, 1));
    assert_eq!((grown, witnessed), ((4, 0), (2, 1)));
    assert!(old.contains("\u{2014} w0.example "), "{old}");
    assert!(!new.contains("w0.example"), "{new}");
    let directory = world.hub.trust.directory.join("mirror");
    let repositories = assay_git::Repositories::new(directory).unwrap();
    let git = repositories.get(assay_model::RepoKey(1)).unwrap();
    let head = git.find_ref(&assay_git::RefName::main()).unwrap().unwrap();
    let path = "results/witnessed".parse().unwrap();
    assert!(git.objects().entry(head.target, &path).unwrap().is_some());
}
