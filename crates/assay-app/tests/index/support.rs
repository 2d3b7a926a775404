use std::sync::Arc;

use assay_app::{
    BoardQuery, BoardView, Caller, CommitRequest, Committed, Error, FileSource, Hub, HubConfig,
    Limits, NewRepository, NewToken, Repo, RepoInfo, Scope, Visibility,
};
use assay_git::{Expected, RefChange, RefName, Repositories};
use assay_hub_api::CommitOperation;
use assay_model::{Clock, ObjectId, RepoId, RepoKey, RepoKind};
use assay_testkit::clock::TestClock;
use tempfile::TempDir;

/// The moment at which every test begins: 2026-01-01T00:00:00Z.
pub(crate) const START: i64 = 1_767_225_600_000;

pub(crate) const SUMS: &str = "name: Sums\ndescription: Adding numbers.\nmetrics:\n  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}\n  - {id: wer, display_name: WER, higher_is_better: false}\ntasks:\n  - {id: words}\n  - {id: digits}\n";

/// A hub with three users: `ada` and `bob`, and `root`, who runs it.
pub(crate) struct World {
    pub(crate) hub: Arc<Hub>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) ada: Caller,
    pub(crate) bob: Caller,
    pub(crate) root: Caller,
    pub(crate) directory: TempDir,
    pub(crate) limits: Limits,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::within(Limits::default()).await
    }

    pub(crate) async fn within(limits: Limits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock::at(START));
        let hub = open(&directory, &clock, limits).await;
        let ada = user(&hub, "ada", false).await;
        let bob = user(&hub, "bob", false).await;
        let root = user(&hub, "root", true).await;
        Self {
            hub,
            clock,
            ada,
            bob,
            root,
            directory,
            limits,
        }
    }

    /// A hub with the benchmark `ada/sums` and the models `ada/small` and `bob/large`.
    pub(crate) async fn with_benchmark() -> Self {
        Self::new().await.and_benchmark().await
    }

    /// The same, on a hub that has been made already.
    pub(crate) async fn and_benchmark(self) -> Self {
        let world = self;
        world.create(&world.ada, RepoKind::Dataset, "sums").await;
        world
            .put(&world.ada, RepoKind::Dataset, "ada/sums", "eval.yaml", SUMS)
            .await;
        world.create(&world.ada, RepoKind::Model, "small").await;
        world.create(&world.bob, RepoKind::Model, "large").await;
        world
    }

    /// The hub as another process would find it, or this one after it was killed.
    pub(crate) async fn reopen(&mut self) {
        self.hub = self.second().await;
    }

    /// A second process on the same directory.
    pub(crate) async fn second(&self) -> Arc<Hub> {
        self.start().await
    }

    /// Starts a second process on the same directory.
    pub(crate) fn start(&self) -> impl Future<Output = Arc<Hub>> + Send + use<> {
        let (config, clock) = settings(&self.directory, &self.clock, self.limits);
        async { Hub::open(config, clock).await.unwrap() }
    }

    /// A second process on the same directory that leaves it as it is.
    pub(crate) async fn visit(&self) -> Arc<Hub> {
        let (config, clock) = settings(&self.directory, &self.clock, self.limits);
        Hub::visit(config, clock).await.unwrap()
    }

    pub(crate) fn git(&self) -> Repositories {
        Repositories::new(self.directory.path().join("repos")).unwrap()
    }

    pub(crate) async fn create(&self, owner: &Caller, kind: RepoKind, name: &str) -> RepoInfo {
        self.create_as(owner, kind, name, Visibility::Public).await
    }

    pub(crate) async fn create_as(
        &self,
        owner: &Caller,
        kind: RepoKind,
        name: &str,
        visibility: Visibility,
    ) -> RepoInfo {
        let new = NewRepository {
            kind,
            namespace: None,
            name: name.to_owned(),
            visibility,
            description: None,
        };
        self.hub
            .repositories()
            .create_repository(owner, new)
            .await
            .unwrap()
    }

    /// Writes one file on main.
    pub(crate) async fn put(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &str,
        path: &str,
        text: &str,
    ) -> Committed {
        let request = commit("main", false, vec![write(path, text)]);
        self.hub
            .repositories()
            .commit(caller, kind, &repo_id(id), request)
            .await
            .unwrap()
    }

    /// Writes the results of a model on main.
    pub(crate) async fn results(&self, caller: &Caller, model: &str, text: &str) -> Committed {
        self.clock.advance(1000);
        self.put(caller, RepoKind::Model, model, RESULTS, text)
            .await
    }

    /// Proposes results to a model; the answer is the number of the pull request.
    pub(crate) async fn propose(&self, caller: &Caller, model: &str, text: &str) -> u32 {
        self.clock.advance(1000);
        let request = commit("main", true, vec![write(RESULTS, text)]);
        let committed = self
            .hub
            .repositories()
            .commit(caller, RepoKind::Model, &repo_id(model), request)
            .await;
        committed.unwrap().pull.unwrap()
    }

    pub(crate) async fn repo(&self, caller: &Caller, kind: RepoKind, id: &str) -> Repo {
        self.hub.repo(caller, kind, &repo_id(id)).await.unwrap()
    }

    pub(crate) async fn model(&self, id: &str) -> Repo {
        self.repo(&self.root, RepoKind::Model, id).await
    }

    /// The board of `ada/sums` as someone sees it: rank, model, value and pull request.
    pub(crate) async fn board(&self, caller: &Caller) -> Vec<String> {
        lines(&self.view(caller, &everyone()).await.unwrap())
    }

    pub(crate) async fn view(
        &self,
        caller: &Caller,
        query: &BoardQuery,
    ) -> Result<Arc<BoardView>, Error> {
        self.hub
            .boards()
            .leaderboard(caller, &repo_id("ada/sums"), query)
            .await
    }

    /// Asserts that a rebuilt index says what the live one says.
    pub(crate) async fn check_index(&self) {
        let checked = self.hub.operations().check_index(&|_, _| {}).await.unwrap();

        assert_eq!(checked, assay_app::IndexCheck::default());
    }
}

pub(crate) const RESULTS: &str = ".eval_results/sums.yaml";

pub(crate) fn everyone() -> BoardQuery {
    BoardQuery::default()
}

pub(crate) fn lines(view: &BoardView) -> Vec<String> {
    let line = |row: &assay_app::BoardRow| {
        let loaded = &row.loaded;
        let pull = loaded.pull().map(|pull| format!(" #{pull}"));
        let pull = pull.unwrap_or_default();
        format!("{} {} {}{pull}", row.rank, loaded.model(), row.value)
    };
    view.rows().iter().map(line).collect()
}

/// One result of the task `words` of `ada/sums`, in the dialect with one value.
pub(crate) fn score(value: f64) -> String {
    format!("- dataset: {{id: ada/sums, task_id: words}}\n  value: {value:?}\n")
}

pub(crate) fn repo_id(id: &str) -> RepoId {
    id.parse().unwrap()
}

pub(crate) fn key_of(info: &RepoInfo) -> RepoKey {
    RepoKey(i64::from_str_radix(&info.stable_id, 16).unwrap())
}

pub(crate) fn write(path: &str, text: &str) -> CommitOperation<FileSource> {
    CommitOperation::put(path.parse().unwrap(), text.as_bytes().to_vec())
}

pub(crate) fn commit(
    revision: &str,
    create_pull: bool,
    operations: Vec<CommitOperation<FileSource>>,
) -> CommitRequest {
    CommitRequest {
        revision: revision.to_owned(),
        summary: "Change results".to_owned(),
        description: String::new(),
        parent: None,
        create_pull,
        received_at: None,
        operations,
    }
}

async fn open(directory: &TempDir, clock: &Arc<TestClock>, limits: Limits) -> Arc<Hub> {
    let (config, clock) = settings(directory, clock, limits);
    Hub::open(config, clock).await.unwrap()
}

pub(crate) fn settings(
    directory: &TempDir,
    clock: &Arc<TestClock>,
    limits: Limits,
) -> (HubConfig, Arc<dyn Clock>) {
    let config = HubConfig {
        data: directory.path().to_owned(),
        database: None,
        large_files: None,
        storage: assay_app::StorageVariables::default(),
        limits,
        durability: assay_model::Durability::Fast,
        trust: assay_app::TrustConfig::default(),
        shell_user: None,
    };
    (config, Arc::clone(clock) as Arc<dyn Clock>)
}

async fn user(hub: &Hub, name: &str, operator: bool) -> Caller {
    let shell = hub.shell();
    hub.accounts()
        .create_user(&shell, name, name, None, operator)
        .await
        .unwrap();
    let token = NewToken {
        label: "test".to_owned(),
        scope: Scope::Admin,
        expires: None,
    };
    let (_, secret) = hub
        .accounts()
        .create_token(&shell, name, token)
        .await
        .unwrap();
    hub.accounts()
        .authenticate(Some(secret.reveal()))
        .await
        .unwrap()
}

/// Moves main behind the back of the hub, which finds out when it is started again.
pub(crate) fn force_main(world: &World, info: &RepoInfo, target: ObjectId) {
    let git = world.git().get(key_of(info)).unwrap();
    let change = RefChange {
        name: RefName::main(),
        expected: Expected::Any,
        new: Some(target),
    };
    git.update_refs(&[change]).unwrap();
}

/// Returns the head of main.
pub(crate) fn head(world: &World, info: &RepoInfo) -> ObjectId {
    let git = world.git().get(key_of(info)).unwrap();
    git.find_ref(&RefName::main()).unwrap().unwrap().target
}
