//! Any interleaving of commits, pull requests, merges, closes, reopens, forced moves and rebuilds leaves an index that is
//! the one made from nothing.

use assay_app::{Caller, Operation, Status};
use assay_git::{Expected, RefChange, RefName};
use assay_model::RepoKind;
use proptest::prelude::*;

use crate::support::{SUMS, World, commit, key_of, repo_id, write};

const FILES: [&str; 3] = [
    ".eval_results/sums.yaml",
    ".eval_results/other.yml",
    ".eval_results/third.yaml",
];

/// Something that happens to the model `ada/small`, or to the benchmark.
#[derive(Debug, Clone)]
enum Act {
    Wait(i64),
    Commit {
        file: usize,
        entries: Vec<u8>,
    },
    Delete {
        file: usize,
    },
    Card(u8),
    Propose {
        file: usize,
        entries: Vec<u8>,
    },
    CommitToPull {
        pull: usize,
        file: usize,
        entries: Vec<u8>,
    },
    Draft,
    Close {
        pull: usize,
    },
    Reopen {
        pull: usize,
    },
    Merge {
        pull: usize,
    },
    ForceMain {
        back: usize,
    },
    ForcePull {
        pull: usize,
        back: usize,
    },
    Define(u8),
    Restart,
    Reindex,
}

fn act() -> impl Strategy<Value = Act> {
    let entries = || prop::collection::vec(0..6_u8, 1..4);
    let file = || 0..FILES.len();
    prop_oneof![
        3 => (0..3000_i64).prop_map(Act::Wait),
        4 => (file(), entries()).prop_map(|(file, entries)| Act::Commit { file, entries }),
        1 => file().prop_map(|file| Act::Delete { file }),
        1 => (0..3_u8).prop_map(Act::Card),
        3 => (file(), entries()).prop_map(|(file, entries)| Act::Propose { file, entries }),
        3 => (0..4_usize, file(), entries())
            .prop_map(|(pull, file, entries)| Act::CommitToPull { pull, file, entries }),
        1 => Just(Act::Draft),
        2 => (0..4_usize).prop_map(|pull| Act::Close { pull }),
        2 => (0..4_usize).prop_map(|pull| Act::Reopen { pull }),
        2 => (0..4_usize).prop_map(|pull| Act::Merge { pull }),
        1 => (0..5_usize).prop_map(|back| Act::ForceMain { back }),
        1 => (0..4_usize, 0..3_usize).prop_map(|(pull, back)| Act::ForcePull { pull, back }),
        1 => (0..3_u8).prop_map(Act::Define),
        1 => Just(Act::Restart),
        1 => Just(Act::Reindex),
    ]
}

fn text(entries: &[u8]) -> String {
    let mut seen = std::collections::BTreeSet::new();
    let distinct = entries.iter().filter(|entry| seen.insert(**entry));
    let entry = |entry: &u8| {
        let date = if entry.is_multiple_of(2) {
            ""
        } else {
            "  date: \"2025-11-01\"\n"
        };
        format!("- dataset: {{id: ada/sums, task_id: t{entry}}}\n  value: {entry}\n{date}")
    };
    distinct.map(entry).collect()
}

/// The pull requests opened so far, and the model.
struct Run {
    world: World,
    info: assay_app::RepoInfo,
    pulls: Vec<i64>,
}

impl Run {
    async fn new() -> Self {
        let world = World::new().await;
        let info = world.create(&world.ada, RepoKind::Model, "small").await;
        world.create(&world.ada, RepoKind::Dataset, "sums").await;
        Self {
            world,
            info,
            pulls: Vec::new(),
        }
    }

    fn pull(&self, index: usize) -> Option<i64> {
        (!self.pulls.is_empty()).then(|| self.pulls[index % self.pulls.len()])
    }

    /// Does it. What the hub refuses, such as the merge of what is closed, changes nothing.
    async fn act(&mut self, act: &Act) {
        let world = &self.world;
        match act {
            Act::Wait(millis) => world.clock.advance(*millis),
            Act::Commit { file, entries } => {
                let operations = vec![write(FILES[*file], &text(entries))];
                self.commit(&world.ada, "main", false, operations).await;
            }
            Act::Delete { file } => {
                let operations = vec![Operation::Delete(FILES[*file].parse().unwrap())];
                self.commit(&world.ada, "main", false, operations).await;
            }
            Act::Card(number) => {
                let card = format!("---\nlicense: mit\ntags: [t{number}]\n---\n");
                self.commit(&world.ada, "main", false, vec![write("README.md", &card)])
                    .await;
            }
            Act::Propose { file, entries } => {
                let operations = vec![write(FILES[*file], &text(entries))];
                let opened = self.commit(&world.bob, "main", true, operations).await;
                self.pulls.extend(opened);
            }
            Act::CommitToPull {
                pull,
                file,
                entries,
            } => {
                if let Some(num) = self.pull(*pull) {
                    let operations = vec![write(FILES[*file], &text(entries))];
                    let revision = format!("refs/pr/{num}");
                    self.commit(&world.ada, &revision, false, operations).await;
                }
            }
            Act::Draft => {
                let new = assay_app::NewDiscussion {
                    title: "A draft".to_owned(),
                    description: "to come".to_owned(),
                    is_pull: true,
                };
                let model = repo_id("ada/small");
                let opened = world
                    .hub
                    .open_discussion(&world.bob, RepoKind::Model, &model, new)
                    .await;
                self.pulls.push(opened.unwrap().num);
            }
            Act::Close { pull } => self.status(*pull, Status::Closed).await,
            Act::Reopen { pull } => self.status(*pull, Status::Open).await,
            Act::Merge { pull } => {
                if let Some(num) = self.pull(*pull) {
                    let model = world.model("ada/small").await;
                    let _ = world.hub.merge(&world.ada, &model, num, None).await;
                }
            }
            Act::ForceMain { back } => self.force(RefName::main(), *back).await,
            Act::ForcePull { pull, back } => {
                if let Some(num) = self.pull(*pull) {
                    let num = u64::try_from(num).unwrap();
                    self.force(RefName::pull(num), *back).await;
                }
            }
            Act::Define(number) => {
                let definition = match number {
                    0 => "broken: true\n".to_owned(),
                    1 => SUMS.to_owned(),
                    _ => SUMS.replace("words", "t2"),
                };
                let operations = vec![write("eval.yaml", &definition)];
                let request = commit("main", false, operations);
                let dataset = repo_id("ada/sums");
                let _ = world
                    .hub
                    .commit(&world.ada, RepoKind::Dataset, &dataset, request)
                    .await;
            }
            Act::Restart => self.world.reopen().await,
            Act::Reindex => {
                world.hub.reindex(&|_, _| {}).await.unwrap();
            }
        }
    }

    async fn commit(
        &self,
        caller: &Caller,
        revision: &str,
        create_pull: bool,
        operations: Vec<Operation>,
    ) -> Option<i64> {
        let model = repo_id("ada/small");
        let request = commit(revision, create_pull, operations);
        let committed = self
            .world
            .hub
            .commit(caller, RepoKind::Model, &model, request)
            .await;
        committed.ok()?.pull
    }

    async fn status(&self, pull: usize, status: Status) {
        if let Some(num) = self.pull(pull) {
            let model = self.world.model("ada/small").await;
            let hub = &self.world.hub;
            let _ = hub
                .change_status(&self.world.bob, &model, num, status, None)
                .await;
        }
    }

    /// Sets a ref back along its history behind the back of the hub, which finds out when it is started again.
    async fn force(&mut self, name: RefName, back: usize) {
        let model = self.world.model("ada/small").await;
        let log = self
            .world
            .hub
            .commits(&model, name.as_str(), back, 1)
            .await
            .unwrap();
        let Some(target) = log.commits.first() else {
            return;
        };
        let git = self.world.git().get(key_of(&self.info)).unwrap();
        git.update_refs(&[RefChange {
            name,
            expected: Expected::Any,
            new: Some(target.id),
        }])
        .unwrap();
        self.world.reopen().await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_happens_the_index_is_the_one_made_from_nothing(acts in prop::collection::vec(act(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let differences = runtime.block_on(async {
            let mut run = Run::new().await;
            for act in &acts {
                run.act(act).await;
            }
            run.world.hub.check_index(&|_, _| {}).await.unwrap()
        });

        prop_assert_eq!(differences, []);
    }
}
