//! A hub that has something to show: four benchmarks and a few models, made through the hub's own API.
//!
//! The benchmarks are known ones; the models, their makers and every score are invented, and say so.

mod models;

use assay_model::RepoKind;
use serde_json::json;

use self::models::{BENCHMARKS, MODELS, Model, PROPOSALS, Proposal};
use crate::client::{Client, ClientError, FileContent};

/// The person who proposes results to models of others.
pub(super) const VISITOR: &str = "visitor";

/// What to say of every invented thing.
const DISCLAIMER: &str =
    "This model, its maker and its scores are invented for the demonstration of a hub.";

/// Fills a hub: the operator makes benchmarks and models, a visitor opens pull requests. What is there already stays.
pub(super) fn fill(operator: &Client, visitor: &Client) -> Result<(), ClientError> {
    let mut made: Vec<&str> = Vec::new();
    let namespaces = BENCHMARKS
        .iter()
        .map(|(id, _)| *id)
        .chain(MODELS.iter().map(|model| model.id));
    for namespace in namespaces.filter_map(|id| id.split('/').next()) {
        if !made.contains(&namespace) {
            made.push(namespace);
            let body = json!({ "name": namespace, "fullname": namespace });
            tolerate(operator.send("POST", "/api/assay/organizations", &body))?;
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
                false,
            )?;
            let path = format!("/api/assay/benchmarks/{id}/official");
            operator.send("PUT", &path, &json!({ "official": true }))?;
        }
    }
    for model in MODELS {
        publish(operator, model)?;
    }
    for proposal in PROPOSALS {
        propose(visitor, proposal)?;
    }
    Ok(())
}

fn publish(operator: &Client, model: &Model) -> Result<(), ClientError> {
    if !create(operator, model.id, RepoKind::Model)? {
        return Ok(());
    }
    let repo = format!("models/{}", model.id);
    operator.commit(
        &repo,
        "main",
        "Add the model card",
        &[file("README.md", &card(model))],
        false,
    )?;
    for result in model.results {
        let name = result
            .benchmark
            .parse::<assay_model::RepoId>()
            .map(|id| id.result_file_name());
        let path = format!(".eval_results/{}", name.unwrap_or_default());
        operator.commit(
            &repo,
            "main",
            "Add results",
            &[file(&path, &result.text())],
            false,
        )?;
    }
    Ok(())
}

fn card(model: &Model) -> String {
    let base = model
        .base
        .map_or_else(String::new, |base| format!("base_model: {base}\n"));
    format!(
        "---\nlicense: apache-2.0\npipeline_tag: {}\n{base}---\n\n# {}\n\n{}\n\n{DISCLAIMER}\n",
        model.pipeline, model.id, model.about
    )
}

/// Opens a pull request, unless there is one already.
fn propose(visitor: &Client, proposal: &Proposal) -> Result<(), ClientError> {
    let open = visitor.get(&format!(
        "/api/models/{}/discussions?p=0&type=pull_request&status=all",
        proposal.model
    ))?;
    if open["count"].as_u64().unwrap_or_default() > 0 {
        return Ok(());
    }
    let name = proposal
        .result
        .benchmark
        .parse::<assay_model::RepoId>()
        .map(|id| id.result_file_name());
    let path = format!(".eval_results/{}", name.unwrap_or_default());
    let repo = format!("models/{}", proposal.model);
    let files = [file(&path, &proposal.result.text())];
    visitor
        .commit(&repo, "main", proposal.title, &files, true)
        .map(|_| ())
}

/// Makes a repository; whether it is new.
fn create(client: &Client, id: &str, kind: RepoKind) -> Result<bool, ClientError> {
    let (namespace, name) = id.split_once('/').unwrap_or(("", id));
    let body = json!({ "name": name, "organization": namespace, "type": kind });
    tolerate(client.send("POST", "/api/repos/create", &body))
}

fn tolerate<T>(answer: Result<T, ClientError>) -> Result<bool, ClientError> {
    match answer {
        Ok(_) => Ok(true),
        Err(ClientError::Refused { status: 409, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn file(path: &str, text: &str) -> (String, FileContent) {
    (
        path.to_owned(),
        FileContent::Bytes(text.as_bytes().to_vec()),
    )
}
