//! The two files that tell git about other files: `.gitattributes` and `.gitignore`.

use std::collections::BTreeMap;

use assay_git::{Blob, CommitPlan, EntryKind, FileMode, Objects, TreeEdit};
use assay_model::{ObjectId, RepoPath};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::Error;

/// The file that says which files are large.
const ATTRIBUTES: &str = ".gitattributes";
/// The most of such a file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The attributes of a large file.
const TRACKED: &str = "filter=lfs diff=lfs merge=lfs -text";

/// Adds to a commit the lines of `.gitattributes` that its large files need, so that git-lfs knows
/// them in a clone.
pub(crate) fn track(objects: &Objects, mut plan: CommitPlan) -> Result<CommitPlan, Error> {
    let large: Vec<&RepoPath> = plan
        .operations
        .iter()
        .filter_map(|operation| match operation {
            TreeEdit::PutPointer { path, .. } => Some(path),
            TreeEdit::Put { .. } | TreeEdit::Delete(_) | TreeEdit::DeleteFolder(_) => None,
        })
        .collect();
    if large.is_empty() {
        return Ok(plan);
    }
    let mut text = match (written(&plan.operations), plan.base) {
        (Some(text), _) => text,
        (None, Some(base)) => text_at(objects, base, ATTRIBUTES)?,
        (None, None) => String::new(),
    };
    let is_changed = add_lines(&mut text, &large);
    if is_changed {
        plan.operations.push(TreeEdit::Put {
            path: path_of(ATTRIBUTES),
            blob: Blob::Bytes(text.into_bytes()),
            mode: FileMode::Regular,
        });
    }
    Ok(plan)
}

/// Returns the last content that the commit itself writes to `.gitattributes`.
fn written(operations: &[TreeEdit]) -> Option<String> {
    operations
        .iter()
        .rev()
        .find_map(|operation| match operation {
            TreeEdit::Put {
                path,
                blob: Blob::Bytes(bytes),
                ..
            } if path.as_str() == ATTRIBUTES => Some(String::from_utf8_lossy(bytes).into_owned()),
            TreeEdit::Put { .. }
            | TreeEdit::PutPointer { .. }
            | TreeEdit::Delete(_)
            | TreeEdit::DeleteFolder(_) => None,
        })
}

/// Adds a line for each path that has none yet, and says whether there was one to add.
fn add_lines(text: &mut String, paths: &[&RepoPath]) -> bool {
    let mut is_changed = false;
    for path in paths {
        let line = format!("{} {TRACKED}", pattern(path.as_str()));
        if text.lines().any(|own| own == line) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
        text.push('\n');
        is_changed = true;
    }
    is_changed
}

/// A pattern that means this one path: anchored, with wildcards escaped, and quoted when it has
/// spaces.
fn pattern(path: &str) -> String {
    let mut escaped = String::from("/");
    for character in path.chars() {
        if matches!(character, '*' | '?' | '[') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    if escaped.contains([' ', '"']) {
        let quoted = escaped.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{quoted}\"")
    } else {
        escaped
    }
}

/// The text of a small file of a commit; empty when there is none, or when it is too large to be
/// meant.
pub(crate) fn text_at(
    objects: &Objects,
    commit: ObjectId,
    path: &'static str,
) -> Result<String, Error> {
    text_of(objects, commit, &path_of(path))
}

fn text_of(objects: &Objects, commit: ObjectId, path: &RepoPath) -> Result<String, Error> {
    let entry = objects.entry(commit, path)?;
    match entry {
        Some(entry) if matches!(entry.kind, EntryKind::File(_)) && entry.size <= MAX_BYTES => {
            let bytes = objects.read(entry.oid, MAX_BYTES)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Some(_) | None => Ok(String::new()),
    }
}

fn path_of(name: &'static str) -> RepoPath {
    name.parse().expect("the names here are plain")
}

/// The rules of a `.gitignore` at the root. A line that git would not understand is passed over, as
/// git does.
pub(crate) fn ignore(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    let text = &text[..text.floor_char_boundary(text.len().min(most))];
    for line in text.lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The files that libraries delete once they have announced them, which is why they have to be sent
/// before the commit.
const SENT_FIRST: [&str; 1] = [".parquet"];

/// The `.gitattributes` of a commit, read as they are needed.
pub(crate) struct LargeFileRules<'a> {
    objects: &'a Objects,
    commit: ObjectId,
    read: BTreeMap<String, Gitignore>,
}

impl<'a> LargeFileRules<'a> {
    /// Reads the rules of a commit.
    pub(crate) fn new(objects: &'a Objects, commit: ObjectId) -> Self {
        Self {
            objects,
            commit,
            read: BTreeMap::new(),
        }
    }

    /// Returns whether a file goes beside git whatever its size: a `.gitattributes` says
    /// `filter=lfs`, or it is a file that libraries delete before they commit. The innermost file
    /// that says something decides.
    pub(crate) fn is_large(&mut self, path: &RepoPath) -> Result<bool, Error> {
        let text = path.as_str();
        let folders = text.match_indices('/').map(|(at, _)| &text[..=at]);
        let mut folders: Vec<&str> = folders.collect();
        folders.insert(0, "");
        for folder in folders.into_iter().rev() {
            let rules = self.rules_in(folder)?;
            let matched = rules.matched(&text[folder.len()..], false);
            if matched.is_ignore() || matched.is_whitelist() {
                return Ok(matched.is_ignore());
            }
        }
        Ok(SENT_FIRST.iter().any(|ending| text.ends_with(ending)))
    }

    fn rules_in(&mut self, folder: &str) -> Result<&Gitignore, Error> {
        if !self.read.contains_key(folder) {
            let path = format!("{folder}{ATTRIBUTES}");
            let text = match path.parse() {
                Ok(path) => text_of(self.objects, self.commit, &path)?,
                Err(_) => String::new(),
            };
            self.read.insert(folder.to_owned(), tracked_patterns(&text));
        }
        Ok(&self.read[folder])
    }
}

/// The patterns of a `.gitattributes` that `git-lfs` is the filter of, as rules of which the last
/// one that matches counts.
fn tracked_patterns(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.lines() {
        let Some((pattern, attributes)) = divide(line.trim()) else {
            continue;
        };
        let filter = attributes
            .split_whitespace()
            .rfind(|own| own.trim_start_matches(['-', '!']).starts_with("filter"));
        let rule = match filter {
            Some("filter=lfs") => pattern,
            Some(_) => format!("!{pattern}"),
            None => continue,
        };
        let _ = builder.add_line(None, &rule);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Divides a line into its pattern and its attributes. A pattern with spaces is quoted.
fn divide(line: &str) -> Option<(String, &str)> {
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let Some(quoted) = line.strip_prefix('"') else {
        let (pattern, attributes) = line.split_once(char::is_whitespace)?;
        return Some((pattern.to_owned(), attributes));
    };
    let mut pattern = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((pattern, &quoted[at + 1..])),
            '\\' => pattern.push(characters.next()?.1),
            other => pattern.push(other),
        }
    }
    None
}

/// Returns whether rules leave a file out.
pub(crate) fn is_ignored(rules: &Gitignore, path: &RepoPath) -> bool {
    rules
        .matched_path_or_any_parents(path.as_str(), false)
        .is_ignore()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    #[test]
    fn a_gitignore_leaves_out_what_git_would() {
        let rules = ignore("# comment\n*.log\n/build/\n!keep.log\n[broken\nsub/*.bin\n");

        for (name, ignored) in [
            ("a.log", true),
            ("deep/er/a.log", true),
            ("keep.log", false),
            ("build/x/y.txt", true),
            ("other/build/x.txt", false),
            ("sub/a.bin", true),
            ("sub/x/a.bin", false),
            ("README.md", false),
        ] {
            assert_eq!(is_ignored(&rules, &path(name)), ignored, "{name}");
        }
    }

    #[test]
    fn attributes_say_which_files_are_large_and_the_last_line_counts() {
        let rules = tracked_patterns(
            "# comment\n*.bin filter=lfs diff=lfs merge=lfs -text\n/only/here.txt filter=lfs\nsaved/**/* filter=lfs\n\
             small.bin -filter\n\"a b.dat\" filter=lfs\n*.md text\nraw.bin !filter\n",
        );

        for (name, large) in [
            ("w.bin", true),
            ("deep/er/w.bin", true),
            ("small.bin", false),
            ("raw.bin", false),
            ("only/here.txt", true),
            ("not/only/here.txt", false),
            ("saved/x/y.txt", true),
            ("a b.dat", true),
            ("README.md", false),
        ] {
            assert_eq!(rules.matched(name, false).is_ignore(), large, "{name}");
        }
    }

    #[test]
    fn a_large_file_is_tracked_once_and_by_its_own_name() {
        let mut text = "*.txt text".to_owned();
        let (plain, odd) = (path("model.bin"), path("a b/[1]*.bin"));

        assert!(add_lines(&mut text, &[&plain, &odd]));
        assert!(!add_lines(&mut text, &[&plain, &odd]));

        assert_eq!(
            text,
            "*.txt text\n\
             /model.bin filter=lfs diff=lfs merge=lfs -text\n\
             \"/a b/\\\\[1]\\\\*.bin\" filter=lfs diff=lfs merge=lfs -text\n"
        );
    }
}
