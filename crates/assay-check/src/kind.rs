use std::fmt;
use std::str::FromStr;

use assay_formats::eee;
use assay_formats::{Kind, Tape, Value, json, yaml};
use assay_model::RepoKind;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// `eval.yaml`: a benchmark.
    EvalYaml,
    /// `.eval_results/*.yaml`: results of a model.
    EvalResults,
    /// `{uuid}.json`: an Every Eval Ever record.
    Record,
    /// `{uuid}_samples.jsonl`: the rows of such a record.
    Samples,
}

/// The error of a text that names no kind of file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no kind of file; the kinds are `eval-yaml`, `eval-results`, `eee` and `eee-samples`"
)]
pub struct FileKindError(String);

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [
        Self::EvalYaml,
        Self::EvalResults,
        Self::Record,
        Self::Samples,
    ];

    /// The number of bytes by which the kind of a file is recognised.
    pub const HEAD_BYTES: u64 = 64 << 10;

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EvalYaml => "eval-yaml",
            Self::EvalResults => "eval-results",
            Self::Record => "eee",
            Self::Samples => "eee-samples",
        }
    }

    /// The kind that a path alone gives away. Slashes only: callers turn other separators first.
    pub fn of_path(path: &str) -> Option<Self> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_yaml = has_extension(name, "yaml") || has_extension(name, "yml");
        let parent = directory.rsplit('/').next().unwrap_or_default();
        if name == "eval.yaml" || name == "eval.yml" {
            Some(Self::EvalYaml)
        } else if is_yaml && parent == ".eval_results" {
            Some(Self::EvalResults)
        } else {
            match eee::uuid_of(name)? {
                uuid if name.len() == uuid.len() + ".json".len() => Some(Self::Record),
                _ => Some(Self::Samples),
            }
        }
    }

    /// The kind that the beginning of a file gives away, with its path as a hint.
    ///
    /// `head` may stop anywhere, also inside a character's line; it must hold the first few keys.
    pub fn of_content(path: &str, head: &str) -> Option<Self> {
        let text = head.strip_prefix('\u{feff}').unwrap_or(head);
        if text.trim_start().starts_with('{') {
            return Self::of_json(path, text);
        }
        let mut tape = Tape::new();
        // A cut-off head may break in the middle of a scalar; the last line is dropped so that the
        // rest can be read.
        let whole_lines = text.rfind('\n').map_or(text, |end| &text[..=end]);
        yaml::parse(whole_lines, &mut tape);
        let root = tape.root(whole_lines)?;
        match root.kind() {
            Kind::List => root
                .items()
                .any(|entry| entry.get("dataset").is_some())
                .then_some(Self::EvalResults),
            Kind::Map => (root.get("tasks").is_some() || root.get("metrics").is_some())
                .then_some(Self::EvalYaml),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => None,
        }
    }

    /// Returns the kind of a file in a repository of a hub; `None` for files that the hub does not
    /// read.
    ///
    /// Only files at the place that gives them their meaning are ours: a model may well have an
    /// `eval.yaml` of some trainer among its configurations. `head` is how the file begins; it is
    /// asked for only where the path does not settle the matter.
    pub fn in_repository(
        repository: RepoKind,
        path: &str,
        head: impl FnOnce() -> Option<String>,
    ) -> Option<Self> {
        let kind = Self::of_path(path)?;
        let is_ours = match kind {
            Self::EvalYaml => repository == RepoKind::Dataset && path == "eval.yaml",
            Self::EvalResults => {
                repository == RepoKind::Model && path.starts_with(".eval_results/")
            }
            // A dataset may name files of its own by UUIDs; those of the datastore lie in its
            // layout or say what they are.
            Self::Record | Self::Samples => {
                path.starts_with("data/")
                    && (eee::layout_of(path).0.is_some()
                        || head().is_some_and(|head| Self::of_content(path, &head) == Some(kind)))
            }
        };
        is_ours.then_some(kind)
    }

    fn of_json(path: &str, text: &str) -> Option<Self> {
        if has_extension(path, "jsonl") {
            return looks_like_row(text).then_some(Self::Samples);
        }
        let first_line = text.trim_start().lines().next().unwrap_or_default();
        let mut tape = Tape::new();
        json::parse(first_line, &mut tape);
        let one_line = tape.root(first_line).is_some_and(is_row);
        if one_line && !has_extension(path, "json") {
            return Some(Self::Samples);
        }
        let named = [
            "\"evaluation_results\"",
            "\"evaluation_id\"",
            "\"source_metadata\"",
            "\"model_info\"",
        ];
        (named.iter().filter(|key| text.contains(**key)).count() >= 2).then_some(Self::Record)
    }
}

fn looks_like_row(text: &str) -> bool {
    let keys = [
        "\"evaluation_id\"",
        "\"sample_id\"",
        "\"interaction_type\"",
        "\"evaluation_name\"",
        "\"model_id\"",
    ];
    keys.iter().filter(|key| text.contains(**key)).count() >= 2
}

fn is_row(value: Value<'_>) -> bool {
    value.get("sample_id").is_some() || value.get("interaction_type").is_some()
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, own)| own.eq_ignore_ascii_case(extension))
}

impl FromStr for FileKind {
    type Err = FileKindError;

    fn from_str(text: &str) -> Result<Self, FileKindError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| FileKindError(text.to_owned()))
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "5eed0000-0000-4000-8000-000000000100";

    fn by_path(repository: RepoKind, path: &str) -> Option<FileKind> {
        FileKind::in_repository(repository, path, || None)
    }

    #[test]
    fn a_hub_takes_only_files_at_their_place_for_ours() {
        use RepoKind::{Dataset, Model};

        assert_eq!(by_path(Dataset, "eval.yaml"), Some(FileKind::EvalYaml));
        assert_eq!(by_path(Model, "eval.yaml"), None);
        assert_eq!(by_path(Dataset, "configs/eval.yaml"), None);
        assert_eq!(
            by_path(Model, ".eval_results/gpqa.yaml"),
            Some(FileKind::EvalResults)
        );
        assert_eq!(by_path(Model, "old/.eval_results/gpqa.yaml"), None);
        assert_eq!(by_path(Model, ".eval_results/deeper/gpqa.yaml"), None);
        assert_eq!(by_path(Dataset, ".eval_results/gpqa.yaml"), None);
        assert_eq!(by_path(Model, "README.md"), None);
    }

    #[test]
    fn a_file_named_by_a_uuid_is_ours_by_its_place_or_its_content() {
        let placed = format!("data/gpqa/acme/model/{UUID}.json");
        let misplaced = format!("data/{UUID}.json");
        let record = r#"{"evaluation_id": "x", "model_info": {}}"#;
        let head = |text: &str| {
            let text = text.to_owned();
            move || Some(text)
        };

        let kind_of =
            |path: &str, text: &str| FileKind::in_repository(RepoKind::Dataset, path, head(text));

        assert_eq!(kind_of(&placed, "not JSON"), Some(FileKind::Record));
        assert_eq!(kind_of(&misplaced, record), Some(FileKind::Record));
        assert_eq!(kind_of(&misplaced, r#"{"image": "x"}"#), None);
        assert_eq!(kind_of(&format!("backup/{UUID}.json"), record), None);
    }
}
