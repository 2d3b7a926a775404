//! Names of the datastore as names of a hub.

use assay_model::{MetricId, RepoId, TaskId, is_reserved_namespace};

/// Namespaces that a hub keeps for itself; a developer of such a name gets a suffix.
const SUFFIX: &str = "-org";

/// A part of a repository's name out of any text: what may not stand in one becomes a dash.
pub fn part(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for character in text.trim().chars() {
        let allowed = character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
        let next = if allowed { character } else { '-' };
        let doubled = matches!(next, '-' | '.') && name.ends_with(next);
        if !doubled {
            name.push(next);
        }
    }
    let mut name = name.trim_matches(['-', '.']).to_owned();
    while name.to_ascii_lowercase().ends_with(".git") {
        name.truncate(name.len() - 4);
    }
    name.truncate(RepoId::MAX_PART);
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "unknown" } else { name }.to_owned()
}

/// A namespace out of any text.
pub fn namespace(text: &str) -> String {
    let name = part(text);
    if is_reserved_namespace(&name) {
        return format!("{name}{SUFFIX}");
    }
    name
}

/// The repository of a model, from its id or, when that has no namespace, from its place in the
/// datastore.
pub fn model(id: &str, developer: &str, model: &str) -> RepoId {
    let (owner, name) = match id.split_once('/') {
        Some((owner, name)) if !owner.trim().is_empty() && !name.trim().is_empty() => (owner, name),
        _ => (developer, model),
    };
    repo(&namespace(owner), &part(name))
}

/// A repository of two parts that were made here.
pub fn repo(namespace: &str, name: &str) -> RepoId {
    format!("{namespace}/{name}")
        .parse()
        .expect("`part` makes only what may stand in a name")
}

/// A task out of the name of an evaluation: white space becomes an underscore.
pub fn task(name: &str) -> Option<TaskId> {
    cut(&unspaced(name), TaskId::MAX).parse().ok()
}

/// A metric out of its name.
pub fn metric(name: &str) -> Option<MetricId> {
    cut(&unspaced(name), MetricId::MAX).parse().ok()
}

fn unspaced(name: &str) -> String {
    let words: Vec<&str> = name
        .split(|c: char| c.is_whitespace() || c.is_control())
        .collect();
    words
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

/// The beginning of a text, in whole characters.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_name() {
        for text in [
            "GPT 4o (mini)",
            "..",
            "a--b",
            "x.git",
            "",
            "模型",
            "-a.",
            "a..b...c",
            "A/B",
            "x.git.git",
        ] {
            let id = repo(&namespace(text), &part(text));

            assert!(id.namespace().is_some(), "{text}");
        }
    }

    #[test]
    fn a_model_without_a_namespace_is_filed_under_its_developer() {
        assert_eq!(model("gpt-4", "openai", "gpt-4").as_str(), "openai/gpt-4");
        assert_eq!(model("meta/Llama 3", "x", "y").as_str(), "meta/Llama-3");
        assert_eq!(model("api/x", "x", "y").as_str(), "api-org/x");
    }

    #[test]
    fn white_space_in_a_task_becomes_an_underscore() {
        assert_eq!(task("MATH  Level 5").unwrap().as_str(), "MATH_Level_5");
        assert_eq!(task(" \n"), None);
    }
}
