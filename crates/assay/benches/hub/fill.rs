//! A large hub, written straight to its directory: records to the database, files to git. The index
//! is the hub's own work.

use std::path::Path;
use std::sync::Arc;

use assay_app::Hub;
use assay_formats::each;
use assay_git::{Blob, CommitPlan, FileMode, Repositories, Signature, TreeEdit};
use assay_model::{RepoKey, RepoKind, Timestamp};
use assay_server::{Config, SystemClock};
use assay_store::{AccountId, AccountKind, NewAccount, NewRepository, Settings, Store, Tx};

pub(crate) const BOARDS: u32 = 20;
pub(crate) const RESULTS_PER_MODEL: u32 = 4;
pub(crate) const MODELS_PER_NAMESPACE: u32 = 100;
/// The moment at which everything was made: the 14th of February 2026.
pub(crate) const MOMENT: i64 = 1_771_065_000;

/// A repository that is to be written.
struct Planned {
    key: RepoKey,
    files: Vec<(String, String)>,
}

/// Writes benchmarks and models, and returns the operator's token.
pub(crate) fn fill(data: &Path, models: u32) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (token, planned) = runtime.block_on(async {
        let token = operator(data).await;
        (token, records(data, models).await)
    });
    let git = Repositories::new(data.join("repos")).unwrap();
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    each(threads, &planned, |repository| {
        git.create(repository.key, &commit(&repository.files))
            .unwrap();
    });
    token
}

/// The address of a board below `/api/datasets/`.
pub(crate) fn board(number: u32) -> String {
    format!("bench/board-{}", number % BOARDS)
}

/// The name of a model.
pub(crate) fn model(number: u32) -> String {
    let namespace = number / MODELS_PER_NAMESPACE;
    format!("lab-{namespace}/model-{number}")
}

/// The path of a model's results on a board.
pub(crate) fn result_path(number: u32) -> String {
    let id: assay_model::RepoId = board(number).parse().unwrap();
    format!(".eval_results/{}", id.result_file_name())
}

/// A model's results on a board.
pub(crate) fn result_text(number: u32, value: &str) -> String {
    result_of(&board(number), number, value)
}

/// A result on the board of this name.
pub(crate) fn result_of(board: &str, number: u32, value: &str) -> String {
    format!(
        "- dataset:\n    id: \"{board}\"\n    task_id: \"main\"\n  metrics:\n    - metric_id: \"accuracy\"\n      value: {value}\n  date: \"2026-02-14\"\n  source:\n    url: \"https://lab.example/report/{number}\"\n    name: \"Technical report\"\n  notes: \"five shots, greedy decoding, one run\"\n"
    )
}

/// All files of a model.
pub(crate) fn model_files(number: u32) -> Vec<(String, String)> {
    let card = "---\nlicense: apache-2.0\npipeline_tag: text-generation\nlanguage:\n- en\n---\n\n# A model\n";
    let mut files = vec![("README.md".to_owned(), card.to_owned())];
    for step in 0..RESULTS_PER_MODEL {
        let board = number + step;
        let value = format!("0.{:04}", (number * 7 + step * 131) % 10_000);
        files.push((result_path(board), result_text(board, &value)));
    }
    files
}

pub(crate) async fn operator(data: &Path) -> String {
    let config = Config {
        data: data.to_owned(),
        ..Config::default()
    };
    let hub = Hub::open(config.hub(), Arc::new(SystemClock))
        .await
        .unwrap();
    let (_, token) = hub.first_operator().await.unwrap().unwrap();
    token.reveal().to_owned()
}

async fn records(data: &Path, models: u32) -> Vec<Planned> {
    let store = Store::open(&data.join("hub.db")).await.unwrap();
    let mut tx = store.begin().await.unwrap();
    let mut planned = Vec::new();
    let owner = organisation(&mut tx, "bench").await;
    for number in 0..BOARDS {
        let id = board(number);
        let key = repository(&mut tx, owner, RepoKind::Dataset, &id).await;
        let files = vec![("eval.yaml".to_owned(), definition(number))];
        planned.push(Planned { key, files });
    }
    for first in (0..models).step_by(MODELS_PER_NAMESPACE as usize) {
        let name = format!("lab-{}", first / MODELS_PER_NAMESPACE);
        let owner = organisation(&mut tx, &name).await;
        for number in first..models.min(first + MODELS_PER_NAMESPACE) {
            let id = model(number);
            let key = repository(&mut tx, owner, RepoKind::Model, &id).await;
            let files = model_files(number);
            planned.push(Planned { key, files });
        }
    }
    tx.commit().await.unwrap();
    planned
}

pub(crate) async fn organisation(tx: &mut Tx, name: &str) -> AccountId {
    let account = NewAccount {
        name: name.to_owned(),
        kind: AccountKind::Organisation,
        fullname: None,
        email: None,
        operator: false,
        created: Timestamp::from_seconds(MOMENT),
        founder: None,
    };
    tx.add_account(&account).await.unwrap()
}

pub(crate) async fn repository(tx: &mut Tx, owner: AccountId, kind: RepoKind, id: &str) -> RepoKey {
    let new = NewRepository {
        kind,
        id: id.parse().unwrap(),
        owner,
        creator: None,
        created: Timestamp::from_seconds(MOMENT),
        settings: Settings::default(),
    };
    tx.add_repository(&new).await.unwrap()
}

pub(crate) fn definition(number: u32) -> String {
    format!(
        "name: \"Board {number}\"\ndescription: \"A generated benchmark\"\nmetrics:\n  - id: \"accuracy\"\n    display_name: \"Accuracy\"\n    higher_is_better: true\n    unit: \"proportion\"\n    primary: true\ntasks:\n  - id: \"main\"\n    config: \"default\"\n    split: \"test\"\n"
    )
}

pub(crate) fn commit(files: &[(String, String)]) -> CommitPlan {
    let author = Signature {
        name: "Lab".to_owned(),
        email: "lab@users.noreply.invalid".to_owned(),
        when: Timestamp::from_seconds(MOMENT),
    };
    let operations = files.iter().map(|(path, text)| TreeEdit::Put {
        path: path.parse().unwrap(),
        blob: Blob::Bytes(text.clone().into_bytes()),
        mode: FileMode::Regular,
    });
    CommitPlan {
        parents: Vec::new(),
        base: None,
        operations: operations.collect(),
        message: "Add results".to_owned(),
        committer: author.clone(),
        author,
    }
}
