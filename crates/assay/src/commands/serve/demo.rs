//! A hub that has something to show, made through the hub's own API: published results of real
//! models, and four benchmarks with invented models, because nobody else can sign results for real
//! ones.
//!
//! The invented models, their makers and their scores say that they are invented.

mod collections;
mod models;
mod runs;
mod samples;
mod signed;

use std::time::Duration;

use assay_hub_api::client::{Client, ClientError, CommitFile};
use assay_hub_api::{CreateRepo, NewOrganisation, Official};
use assay_model::{RepoId, RepoKind};

use self::models::{BENCHMARKS, MODELS, Model};
use self::runs::{PROPOSALS, Proposal, RERUNS, RUNS, Run};
pub(super) use self::signed::{IDENTITY, INTEGRATION, policy_in};

/// The person who proposes results to models of others.
pub(super) const VISITOR: &str = "visitor";

/// The disclaimer of every invented thing.
const DISCLAIMER: &str =
    "This model, its maker and its scores are invented for the demonstration of a hub.";

/// A choice whether the demonstration has samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Samples {
    /// The hub has a lake.
    Shown,
    /// It has none, so nobody would see them.
    None,
}

/// Fills a hub: the operator makes benchmarks and models, a visitor opens pull requests. What is
/// there already stays. Where there is a harness that signs, some of the results are verified.
pub(super) fn fill(
    operator: &Client,
    visitor: &Client,
    signer: Option<&Client>,
    samples: Samples,
) -> Result<(), ClientError> {
    let mut made: Vec<&str> = Vec::new();
    let namespaces = BENCHMARKS
        .iter()
        .map(|(id, _)| *id)
        .chain(MODELS.iter().map(|model| model.id));
    for namespace in namespaces.filter_map(|id| id.split('/').next()) {
        if !made.contains(&namespace) {
            made.push(namespace);
            tolerate(operator.create_organisation(&NewOrganisation {
                name: namespace.to_owned(),
                fullname: Some(namespace.to_owned()),
                allow_look_alike: false,
            }))?;
        }
    }
    for (id, definition) in BENCHMARKS {
        if create(operator, id, RepoKind::Dataset)? {
            let readme = format!(
                "---\ntags:\n- benchmark\n---\n\n# {id}\n\nA benchmark of the demonstration.\n"
            );
            let files = [file("eval.yaml", definition), file("README.md", &readme)];
            operator.commit(
                &format!("datasets/{id}"),
                "main",
                "Define the benchmark",
                &files,
            )?;
            operator.set_official(id, Official { official: true })?;
        }
    }
    let mut is_new = false;
    for model in MODELS {
        is_new |= publish(operator, signer, model)?;
    }
    if is_new {
        // Commits count by the second: what is replaced within one was never there.
        std::thread::sleep(Duration::from_millis(1100));
        for run in RERUNS {
            add(
                operator,
                run.model,
                "Replace the results",
                &[run.text()],
                run,
            )?;
        }
    }
    if let Err(reason) = collections::fill(operator) {
        tracing::error!("the demonstration lacks published results: {reason}");
    }
    match samples {
        Samples::Shown => samples::fill(operator)?,
        Samples::None => {}
    }
    for proposal in PROPOSALS {
        propose(visitor, proposal)?;
    }
    Ok(())
}

/// Makes a model with its results; whether it is new.
fn publish(operator: &Client, signer: Option<&Client>, model: &Model) -> Result<bool, ClientError> {
    if !create(operator, model.id, RepoKind::Model)? {
        return Ok(false);
    }
    let repo = format!("models/{}", model.id);
    let carded = operator.commit(
        &repo,
        "main",
        "Add the model card",
        &[file("README.md", &card(model))],
    )?;
    let own = RUNS.iter().filter(|run| run.model == model.id);
    let mut benchmarks: Vec<&str> = own.clone().map(|run| run.board.benchmark).collect();
    benchmarks.dedup();
    for benchmark in benchmarks {
        let runs: Vec<&Run> = own
            .clone()
            .filter(|run| run.board.benchmark == benchmark)
            .collect();
        let mut texts = Vec::with_capacity(runs.len());
        for run in &runs {
            texts.push(match signer.filter(|_| signed::is_signed(run)) {
                Some(signer) => signed::text(operator, signer, run, &carded)?,
                None => run.text(),
            });
        }
        if let Some(first) = runs.first() {
            add(operator, model.id, "Add results", &texts, first)?;
        }
    }
    Ok(true)
}

/// Commits the results of a model on one benchmark.
fn add(
    client: &Client,
    model: &str,
    title: &str,
    texts: &[String],
    first: &Run,
) -> Result<(), ClientError> {
    let files = [file(&result_file(first), &texts.concat())];
    client
        .commit(&format!("models/{model}"), "main", title, &files)
        .map(|_| ())
}

/// The file that holds the results on a benchmark.
fn result_file(run: &Run) -> String {
    let name = repo_id(run.board.benchmark).result_file_name();
    format!(".eval_results/{name}")
}

fn card(model: &Model) -> String {
    let base = model
        .base
        .map_or_else(String::new, |base| format!("base_model: {base}\n"));
    let size = model
        .parameters
        .map_or_else(String::new, |size| format!("parameters: \"{size}\"\n"));
    format!(
        "---\nlicense: apache-2.0\npipeline_tag: {}\n{base}{size}---\n\n# {}\n\n{}\n\n{DISCLAIMER}\n",
        model.pipeline, model.id, model.about
    )
}

/// Opens a pull request, unless there is one already.
fn propose(visitor: &Client, proposal: &Proposal) -> Result<(), ClientError> {
    let model = repo_id(proposal.run.model);
    let pulls = visitor.pull_requests(RepoKind::Model, &model, 0, true)?;
    if pulls.value.count > 0 {
        return Ok(());
    }
    let files = [file(&result_file(&proposal.run), &proposal.run.text())];
    visitor
        .propose(&format!("models/{model}"), proposal.title, "", &files)
        .map(|_| ())
}

/// Makes a repository; whether it is new.
fn create(client: &Client, id: &str, kind: RepoKind) -> Result<bool, ClientError> {
    tolerate(client.create_repo(&CreateRepo::new(&repo_id(id), kind)))
}

fn repo_id(id: &str) -> RepoId {
    id.parse()
        .expect("the demonstration names its repositories as a hub does")
}

fn tolerate<T>(answer: Result<T, ClientError>) -> Result<bool, ClientError> {
    match answer {
        Ok(_) => Ok(true),
        Err(ClientError::Refused { status: 409, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn file(path: &str, text: &str) -> (String, CommitFile) {
    (path.to_owned(), CommitFile::Bytes(text.as_bytes().to_vec()))
}
