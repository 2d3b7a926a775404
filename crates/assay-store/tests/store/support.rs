//! A store of its own, on the backend of this binary, and what most tests put into it.

use std::time::Duration;

use assay_model::{
    Durability, Entry, Number, ObjectId, RepoId, RepoKey, RepoKind, Score, Standing, Timestamp,
};
use assay_store::{
    AccountId, AccountKind, Database, NewAccount, NewEntry, NewRepository, Settings, Store, Tx,
};
use serde_json::json;
use tempfile::TempDir;

/// A store that is gone when the test ends.
pub(crate) struct Hub {
    pub(crate) store: Store,
    pub(crate) directory: TempDir,
    pub(crate) database: Database,
    _kept: crate::Kept,
}

impl Hub {
    pub(crate) async fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let (database, kept) = crate::new_database(&directory).await;
        let store = open(&database).await;
        Self {
            store,
            directory,
            database,
            _kept: kept,
        }
    }

    /// Another store on the same database, as another process would open it.
    pub(crate) async fn other(&self) -> Store {
        open(&self.database).await
    }

    pub(crate) async fn user(&self, name: &str) -> AccountId {
        let mut tx = self.store.begin().await.unwrap();
        let id = tx.add_account(&user(name)).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// A public repository, whose namespace is made when it is not there.
    pub(crate) async fn repository(&self, kind: RepoKind, id: &str) -> RepoKey {
        let mut tx = self.store.begin().await.unwrap();
        let key = add_repository(&mut tx, kind, id).await;
        tx.commit().await.unwrap();
        key
    }

    pub(crate) async fn model(&self, id: &str) -> RepoKey {
        self.repository(RepoKind::Model, id).await
    }

    pub(crate) async fn dataset(&self, id: &str) -> RepoKey {
        self.repository(RepoKind::Dataset, id).await
    }
}

pub(crate) async fn open(database: &Database) -> Store {
    Store::connect(database, Durability::Fast).await.unwrap()
}

/// The generation, once a store has noticed what another one committed: with a server that takes a
/// moment.
pub(crate) async fn noticed(store: &Store, at_least: u64) -> u64 {
    for _ in 0..600 {
        let generation = store.generation().await.unwrap();
        if generation >= at_least {
            return generation;
        }
        store.wait_for_news(Duration::from_millis(100)).await;
    }
    panic!("generation {at_least} was never noticed");
}

pub(crate) async fn add_repository(tx: &mut Tx, kind: RepoKind, id: &str) -> RepoKey {
    let id: RepoId = id.parse().unwrap();
    let namespace = id.namespace().unwrap();
    let owner = match tx.account_named(namespace).await.unwrap() {
        Some(account) => account.id,
        None => tx.add_account(&user(namespace)).await.unwrap(),
    };
    let new = repository(kind, id.as_str(), owner);
    tx.add_repository(&new).await.unwrap()
}

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn user(name: &str) -> NewAccount {
    NewAccount {
        name: name.to_owned(),
        kind: AccountKind::User,
        fullname: None,
        email: None,
        operator: false,
        created: at(1),
        founder: None,
    }
}

pub(crate) fn organisation(name: &str) -> NewAccount {
    NewAccount {
        kind: AccountKind::Organisation,
        ..user(name)
    }
}

pub(crate) fn repository(kind: RepoKind, id: &str, owner: AccountId) -> NewRepository {
    NewRepository {
        kind,
        id: id.parse().unwrap(),
        owner,
        creator: Some(owner),
        created: at(1),
        settings: Settings::default(),
    }
}

pub(crate) fn commit(number: u8) -> ObjectId {
    ObjectId::from_bytes([number; 20])
}

/// An entry of `.eval_results/results.yaml` with one score.
pub(crate) fn entry(dataset: &str, task: &str, ordinal: u32, value: f64) -> NewEntry {
    let value = Number::new(value).unwrap();
    NewEntry {
        file: ".eval_results/results.yaml".parse().unwrap(),
        ordinal,
        entry: Entry::new(
            dataset.parse().unwrap(),
            task.parse().unwrap(),
            vec![Score::new(None, value)],
        ),
        findings: Vec::new(),
        moment: at(1),
        evidence: None,
        standing: Standing::no_token(),
        data: json!({ "dataset": { "id": dataset, "task_id": task }, "value": value.get() }),
        commit: commit(1),
        committed: at(1),
        submitter: None,
        author: "Alice".to_owned(),
    }
}

/// For property tests, which are not async themselves.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}
