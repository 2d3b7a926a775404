//! Any interleaving of commits, pull requests, merges, closes, reopens, forced moves, new names,
//! changes of visibility and rebuilds leaves an index that is the one made from nothing, and boards
//! that are those of a hub just started.

use assay_app::{BoardQuery, Caller, FileSource, Hub, Limits, Settings, Status, Visibility};
use assay_git::{Expected, RefChange, RefName};
use assay_hub_api::CommitOperation;
use assay_model::RepoKind;
use proptest::prelude::*;

use crate::support::{SUMS, World, commit, everyone, key_of, lines, repo_id, write};

const FILES: [&str; 3] = [
    ".eval_results/sums.yaml",
    ".eval_results/other.yml",
    ".eval_results/third.yaml",
];

/// The names that the model goes by, and those of the benchmark.
const MODELS: [&str; 3] = ["ada/small", "ada/tiny", "ada/minute"];
const BENCHMARKS: [&str; 2] = ["ada/sums", "ada/additions"];

/// Something that happens to the model, or to the benchmark.
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
    Rename(usize),
    RenameBenchmark(usize),
    Show(Visibility),
    ShowBenchmark(Visibility),
    Look,
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
        1 => (0..MODELS.len()).prop_map(Act::Rename),
        1 => (0..BENCHMARKS.len()).prop_map(Act::RenameBenchmark),
        1 => visibility().prop_map(Act::Show),
        1 => visibility().prop_map(Act::ShowBenchmark),
        3 => Just(Act::Look),
        1 => Just(Act::Restart),
        1 => Just(Act::Reindex),
    ]
}

fn visibility() -> impl Strategy<Value = Visibility> {
    prop_oneof![Just(Visibility::Public), Just(Visibility::Private)]
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
        // Some results are of the task that everyone looks at, and some name the benchmark as it is
        // called at times.
        let (benchmark, task) = match entry {
            0..=2 => ("ada/sums", "words".to_owned()),
            3 => ("ada/additions", "words".to_owned()),
            _ => ("ada/sums", format!("t{entry}")),
        };
        format!("- dataset: {{id: {benchmark}, task_id: {task}}}\n  value: {entry}\n{date}")
    };
    distinct.map(entry).collect()
}

/// The pull requests opened so far, and the model.
struct Run {
    world: World,
    info: assay_app::RepoInfo,
    pulls: Vec<u32>,
    /// The current name of the model.
    model: &'static str,
    benchmark: &'static str,
}

impl Run {
    async fn new(transaction_rows: usize) -> Self {
        let limits = Limits {
            transaction_rows,
            ..Limits::default()
        };
        let world = World::within(limits).await;
        let info = world.create(&world.ada, RepoKind::Model, "small").await;
        world.create(&world.ada, RepoKind::Dataset, "sums").await;
        Self {
            world,
            info,
            pulls: Vec::new(),
            model: MODELS[0],
            benchmark: BENCHMARKS[0],
        }
    }

    fn pull(&self, index: usize) -> Option<u32> {
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
                let path = FILES[*file].parse().unwrap();
                let operations = vec![CommitOperation::DeleteFile { path }];
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
                let model = repo_id(self.model);
                let opened = world
                    .hub
                    .discussions()
                    .open_discussion(&world.bob, RepoKind::Model, &model, new)
                    .await;
                // Bob sees no private model.
                self.pulls.extend(opened.ok().map(|opened| opened.num));
            }
            Act::Close { pull } => self.status(*pull, Status::Closed).await,
            Act::Reopen { pull } => self.status(*pull, Status::Open).await,
            Act::Merge { pull } => {
                if let Some(num) = self.pull(*pull) {
                    let model = world.model(self.model).await;
                    let _ = world
                        .hub
                        .discussions()
                        .merge(&world.ada, &model, num, None)
                        .await;
                }
            }
            Act::ForceMain { back } => self.force(RefName::main(), *back).await,
            Act::ForcePull { pull, back } => {
                if let Some(num) = self.pull(*pull) {
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
                let dataset = repo_id(self.benchmark);
                let _ = world
                    .hub
                    .repositories()
                    .commit(&world.ada, RepoKind::Dataset, &dataset, request)
                    .await;
            }
            Act::Rename(to) => {
                if self.rename(RepoKind::Model, self.model, MODELS[*to]).await {
                    self.model = MODELS[*to];
                }
            }
            Act::RenameBenchmark(to) => {
                let to = BENCHMARKS[*to];
                if self.rename(RepoKind::Dataset, self.benchmark, to).await {
                    self.benchmark = to;
                }
            }
            Act::Show(visibility) => self.show(RepoKind::Model, self.model, *visibility).await,
            Act::ShowBenchmark(visibility) => {
                let kind = RepoKind::Dataset;
                self.show(kind, self.benchmark, *visibility).await;
            }
            // What was looked at is kept in memory from here on.
            Act::Look => {
                boards(&world.hub, world).await;
            }
            Act::Restart => self.world.reopen().await,
            Act::Reindex => {
                world.hub.operations().reindex(&|_, _| {}).await.unwrap();
            }
        }
    }

    async fn rename(&self, kind: RepoKind, from: &str, to: &str) -> bool {
        let (from, to) = (repo_id(from), repo_id(to));
        let ada = &self.world.ada;
        let moved = self
            .world
            .hub
            .repositories()
            .move_repository(ada, kind, &from, &to)
            .await;
        moved.is_ok()
    }

    async fn show(&self, kind: RepoKind, id: &str, visibility: Visibility) {
        let settings = Settings {
            visibility: Some(visibility),
            description: None,
        };
        let (hub, ada) = (&self.world.hub, &self.world.ada);
        hub.repositories()
            .change_settings(ada, kind, &repo_id(id), settings)
            .await
            .unwrap();
    }

    async fn commit(
        &self,
        caller: &Caller,
        revision: &str,
        create_pull: bool,
        operations: Vec<CommitOperation<FileSource>>,
    ) -> Option<u32> {
        let model = repo_id(self.model);
        let request = commit(revision, create_pull, operations);
        let committed = self
            .world
            .hub
            .repositories()
            .commit(caller, RepoKind::Model, &model, request)
            .await;
        committed.ok()?.pull
    }

    async fn status(&self, pull: usize, status: Status) {
        if let Some(num) = self.pull(pull) {
            let model = self.world.model(self.model).await;
            let hub = &self.world.hub;
            let _ = hub
                .discussions()
                .change_status(&self.world.bob, &model, num, status, None)
                .await;
        }
    }

    /// Sets a ref back along its history behind the back of the hub, which finds out when it is
    /// started again.
    async fn force(&mut self, name: RefName, back: usize) {
        let model = self.world.model(self.model).await;
        let log = self
            .world
            .hub
            .repositories()
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

/// The boards under every name of the benchmark, as everyone sees them, and the results of the
/// model.
async fn boards(hub: &Hub, world: &World) -> Vec<String> {
    let mut seen = Vec::new();
    for caller in [&Caller::anonymous(), &world.ada, &world.bob, &world.root] {
        for benchmark in BENCHMARKS {
            for policy in ["authoritative", "all"] {
                let query = BoardQuery {
                    policy: Some(policy.to_owned()),
                    ..everyone()
                };
                let board = hub
                    .boards()
                    .leaderboard(caller, &repo_id(benchmark), &query)
                    .await;
                seen.push(match board {
                    Ok(view) => format!("{:?}", lines(&view)),
                    Err(error) => error.to_string(),
                });
            }
        }
        for model in MODELS {
            let repo = hub.repo(caller, RepoKind::Model, &repo_id(model)).await;
            seen.push(match repo {
                Ok(repo) => format!("{:?}", hub.boards().model_results(&repo).await.unwrap()),
                Err(error) => error.to_string(),
            });
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_happens_the_index_is_the_one_made_from_nothing(
        acts in prop::collection::vec(act(), 1..24),
        // One transaction for each change, or many.
        transaction_rows in prop::sample::select(vec![1_usize, 2, 500]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (differences, kept, fresh) = runtime.block_on(async {
            let mut run = Run::new(transaction_rows).await;
            for act in &acts {
                run.act(act).await;
            }
            let world = &run.world;
            let differences = world.hub.operations().check_index(&|_, _| {}).await.unwrap().differences;
            let kept = boards(&world.hub, world).await;
            let fresh = boards(&*world.second().await, world).await;
            (differences, kept, fresh)
        });

        prop_assert_eq!(differences, []);
        prop_assert_eq!(kept, fresh);
    }
}
