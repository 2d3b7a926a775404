//! The name of a model, out of the path or service that a harness loaded it from.

use assay_formats::eee::record::ModelInfo;

use super::identity::digest;
use super::run::UNKNOWN;

/// The prefix of the directory of a repository in the cache of the model hub.
const CACHED: &str = "models--";
/// Directories that hold models and say nothing of them.
const CONTAINERS: [&str; 22] = [
    "models",
    "model",
    "checkpoints",
    "checkpoint",
    "ckpt",
    "ckpts",
    "output",
    "outputs",
    "out",
    "runs",
    "weights",
    "hub",
    "huggingface",
    "data",
    "mnt",
    "tmp",
    "home",
    "users",
    "root",
    "workspace",
    "scratch",
    "saves",
];
/// Directories whose next part is the name of a person.
const HOMES: [&str; 2] = ["home", "users"];

/// A model by the name that it was loaded with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoadedModel {
    /// `organisation/name`, or the name alone where the organisation is not known.
    pub(super) id: String,
    /// The digest of the path of a model on somebody's disk. Two paths may end alike, and the path
    /// itself is nobody's business.
    pub(super) path_digest: Option<String>,
}

/// Reads a name that is a path of a machine, or else the id of a repository.
///
/// Of a path, the last part stays, and the one before it unless that only holds models:
/// `run-a/final` and `run-b/final` are two models. A path into the cache of the model hub tells the
/// repository.
pub(super) fn loaded_model(written: &str) -> LoadedModel {
    let written = written.trim();
    let parts: Vec<&str> = parts_of(written).collect();
    if let Some(cached) = parts.iter().find_map(|part| part.strip_prefix(CACHED)) {
        return LoadedModel {
            id: cached.replacen("--", "/", 1),
            path_digest: None,
        };
    }
    if !is_path(written) && parts.len() <= 2 && !written.ends_with(['/', '\\']) {
        return LoadedModel {
            id: written.to_owned(),
            path_digest: None,
        };
    }
    LoadedModel {
        id: local_name(&parts),
        path_digest: Some(digest(written)),
    }
}

/// The model that a repository or a path names. A maker that the name does not tell is unknown.
pub(super) fn repository_model(written: &str) -> ModelInfo {
    let model = loaded_model(written);
    let maker = model.id.split_once('/').map(|(maker, _)| maker.to_owned());
    let (name, id) = match (&maker, model.id.is_empty()) {
        (Some(_), _) => (model.id.clone(), model.id),
        (None, false) => (model.id.clone(), format!("{UNKNOWN}/{}", model.id)),
        (None, true) => (UNKNOWN.to_owned(), format!("{UNKNOWN}/{UNKNOWN}")),
    };
    let mut info = ModelInfo::new(name, id);
    info.developer = maker;
    let digest = model.path_digest;
    info.additional_details
        .extend(digest.map(|digest| ("model_path_digest".to_owned(), digest)));
    info
}

/// Returns whether a text is a path of a machine.
pub(super) fn is_path(written: &str) -> bool {
    let is_drive = |bytes: &[u8]| matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    written.starts_with(['/', '~', '.', '\\']) || is_drive(written.as_bytes())
}

fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".." | "~"))
}

fn local_name(parts: &[&str]) -> String {
    let is = |list: &[&str], part: &str| list.contains(&part.to_ascii_lowercase().as_str());
    let Some((last, rest)) = parts.split_last() else {
        return "unknown".to_owned();
    };
    let Some((parent, above)) = rest.split_last() else {
        return (*last).to_owned();
    };
    let is_person = above.last().is_some_and(|above| is(&HOMES, above));
    if is(&CONTAINERS, parent) || is_person || parent.ends_with(':') {
        (*last).to_owned()
    } else {
        format!("{parent}--{last}")
    }
}

/// Returns a path for everyone to read: a text without the directories of somebody's machine.
pub(super) fn published_path(value: &str) -> String {
    if is_path(value) {
        local_name(&parts_of(value).collect::<Vec<_>>())
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_machine_keep_what_tells_them_apart() {
        for (written, expected) in [
            ("/home/someone/checkpoints/llama-ft/", "llama-ft"),
            ("/home/someone/llama-ft", "llama-ft"),
            ("./llama-ft", "llama-ft"),
            ("~/models/llama-ft", "llama-ft"),
            ("C:\\models\\llama-ft", "llama-ft"),
            ("/ckpt/run-a/final", "run-a--final"),
            ("/ckpt/run-b/final", "run-b--final"),
            ("runs/7/llama-ft", "7--llama-ft"),
            ("/mnt/models/llama-3", "llama-3"),
            ("/", "unknown"),
            ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
            ("gpt-4o", "gpt-4o"),
            (
                "/root/.cache/huggingface/hub/models--meta-llama--Llama-3.1-8B/snapshots/0e9e39f",
                "meta-llama/Llama-3.1-8B",
            ),
        ] {
            assert_eq!(loaded_model(written).id, expected, "{written}");
        }
        assert_ne!(
            loaded_model("/a/models/x").path_digest,
            loaded_model("/b/models/x").path_digest
        );
        assert_eq!(loaded_model("acme/x").path_digest, None);
    }
}
