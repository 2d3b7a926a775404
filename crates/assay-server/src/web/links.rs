//! Addresses that are safe to follow, and those of the hub's own pages.

use assay_app::EvalResult;
use assay_model::{PullNumber, RepoId, RepoKind, TaskId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that stay as they are in a part of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
/// The longest address that becomes a link.
const MAX: usize = 2048;

/// An address that somebody wrote, if a click on it cannot do harm: only `http` and `https`, with
/// nothing hidden in it.
pub(crate) fn safe(address: &str) -> Option<&str> {
    let address = address.trim();
    let rest = ["http://", "https://"].into_iter().find_map(|scheme| {
        let (head, rest) = address.split_at_checked(scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then_some(rest)
    })?;
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace() && !is_hidden(c);
    // What stands before an `@` is no host, however much it looks like one.
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let is_fine = !host.is_empty() && !host.contains('@');
    (is_fine && address.len() <= MAX && address.chars().all(is_plain)).then_some(address)
}

/// An address within this hub, as it came from somebody: a path and nothing that a browser takes
/// for another host.
pub(crate) fn here(address: &str) -> Option<&str> {
    let is_path = address.starts_with('/')
        && !address.starts_with("//")
        && !address.contains('\\')
        && address.len() <= MAX;
    (is_path && address.chars().all(|c| matches!(c, '!'..='~'))).then_some(address)
}

/// Returns whether a character changes what others look like, or cannot be seen.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}'
            | '\u{061c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A text as a part of a path.
pub(crate) fn part(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// The page of a repository.
pub(crate) fn repo(kind: RepoKind, id: &RepoId) -> String {
    match kind {
        RepoKind::Model => model(id),
        RepoKind::Dataset => benchmark(id),
    }
}

/// The page of a model.
pub(crate) fn model(id: &RepoId) -> String {
    format!("/{id}")
}

/// The page of a benchmark.
pub(crate) fn benchmark(id: &RepoId) -> String {
    format!("/datasets/{id}")
}

/// The page of a leaderboard.
pub(crate) fn board(id: &RepoId, task: &TaskId) -> String {
    format!("/datasets/{id}/leaderboard/{}", part(task.as_str()))
}

/// The row of a model on a board.
pub(crate) fn row(benchmark: &RepoId, task: &TaskId, model: &RepoId) -> String {
    let model = part(model.as_str());
    format!("{}?highlight={model}#highlighted", board(benchmark, task))
}

/// The page of the changes of a board.
pub(crate) fn changes(id: &RepoId, task: &TaskId) -> String {
    let (benchmark, task) = (part(id.as_str()), part(task.as_str()));
    format!("/changes?benchmark={benchmark}&task={task}")
}

/// The page of how a board differs between two moments; without a later one, from the first to now.
pub(crate) fn between(id: &RepoId, task: &TaskId, from: &str, to: Option<&str>) -> String {
    let later = to.map_or_else(String::new, |to| format!("&to={}", part(to)));
    format!("{}&from={}{later}", changes(id, task), part(from))
}

/// The page of the findings in the results for a benchmark.
pub(crate) fn findings(id: &RepoId) -> String {
    format!("/datasets/{id}/findings")
}

/// The page of a pull request or discussion.
pub(crate) fn discussion(kind: RepoKind, id: &RepoId, number: PullNumber) -> String {
    format!("{}/discussions/{number}", repo(kind, id))
}

/// The page of one result: by its token when that holds, else by its place, which a board knows as
/// well.
pub(crate) fn result(result: &EvalResult) -> String {
    let model = model(&result.model);
    if let Some(attested) = result.standing.attested() {
        return format!("{model}/results/{}", part(&attested.jti));
    }
    let file: Vec<String> = result.file.split('/').map(part).collect();
    let pull = match result.pull {
        Some(number) => format!("?pr={number}"),
        None => String::new(),
    };
    format!(
        "{model}/results/at/{}/{}{pull}",
        result.ordinal,
        file.join("/")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_addresses_become_links() {
        for fine in [
            "https://example.org/a?b=c#d",
            "HTTP://example.org",
            " https://example.org ",
        ] {
            assert_eq!(safe(fine), Some(fine.trim()), "{fine}");
        }
        for foul in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "//example.org",
            "/relative",
            "https://",
            "https:///path",
            "https://bank.example@evil.example/",
            "https://exa\u{202e}mple.org",
            "https://exa mple.org",
            "https://example.org/\u{0}",
            "\u{1}javascript:alert(1)",
            "java\nscript:alert(1)",
        ] {
            assert_eq!(safe(foul), None, "{foul:?}");
        }
        assert_eq!(safe(&format!("https://e.org/{}", "x".repeat(MAX))), None);
    }

    #[test]
    fn a_way_back_stays_on_this_hub() {
        assert_eq!(here("/datasets/a/b?sort=c"), Some("/datasets/a/b?sort=c"));
        for foul in [
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "",
            "/a\r\nSet-Cookie: x",
            "javascript:alert(1)",
        ] {
            assert_eq!(here(foul), None, "{foul:?}");
        }
    }

    #[test]
    fn whatever_a_task_is_called_its_page_is_one_address() {
        let id: RepoId = "a/b".parse().unwrap();
        let task: TaskId = "x".parse().unwrap();

        assert_eq!(board(&id, &task), "/datasets/a/b/leaderboard/x");
        assert_eq!(part("a/b?c#d e\u{e9}"), "a%2Fb%3Fc%23d%20e%C3%A9");
    }
}
