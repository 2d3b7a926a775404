//! A unified diff as rows of a table. Everything in it was written by strangers and is shown as
//! text.

use assay_app::DiffText;

/// The most lines that a page shows.
const MAX_LINES: usize = 4_000;
/// The longest line that is shown, in characters.
const MAX_LINE: usize = 2_000;

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FileDiff {
    /// The file, with its former name when it was moved.
    pub(crate) name: String,
    /// The kind of change: `added`, `deleted`, `moved` or `changed`.
    pub(crate) became: &'static str,
    /// Number of lines that came.
    pub(crate) added: usize,
    /// Number of lines that went.
    pub(crate) removed: usize,
    /// The lines.
    pub(crate) lines: Vec<Line>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The kind of the line.
    pub(crate) kind: LineKind,
    /// Its number before.
    pub(crate) old: Option<usize>,
    /// Its number after.
    pub(crate) new: Option<usize>,
    /// Its text.
    pub(crate) text: String,
}

/// A kind of line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// It is in both.
    Same,
    /// It came.
    Added,
    /// It went.
    Removed,
    /// Lines are left out before what follows, or git says something of the file.
    Note,
}

impl LineKind {
    /// The word for it, as a class.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Note => "note",
        }
    }

    /// The sign before the line.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Same | Self::Note => " ",
            Self::Added => "+",
            Self::Removed => "\u{2212}",
        }
    }
}

/// The files of a diff, and what is left out of it.
pub(crate) fn shown(diff: Option<&DiffText>) -> (Vec<FileDiff>, Option<String>) {
    let Some(diff) = diff else {
        return (Vec::new(), None);
    };
    let (files, is_cut) = parse(&diff.text);
    let left_out = diff.left_out.clone().or_else(|| {
        is_cut.then(|| {
            "there is more than a page can show: fetch the branch to see all of it".to_owned()
        })
    });
    (files, left_out)
}

/// The files of a diff, and whether lines were left out because there are too many.
fn parse(text: &str) -> (Vec<FileDiff>, bool) {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut reader = Reader::default();
    let mut shown = 0;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            files.push(FileDiff {
                name: name_of(rest),
                became: "changed",
                ..FileDiff::default()
            });
            reader = Reader::default();
            continue;
        }
        let Some(file) = files.last_mut() else {
            continue;
        };
        if shown >= MAX_LINES {
            return (files, true);
        }
        let held = file.lines.len();
        reader.read(file, line);
        shown += file.lines.len() - held;
    }
    (files, false)
}

/// The position in a diff.
#[derive(Debug, Default)]
struct Reader {
    old: usize,
    new: usize,
    in_hunk: bool,
    moved_from: Option<String>,
}

impl Reader {
    fn read(&mut self, file: &mut FileDiff, line: &str) {
        if let Some(ranges) = line.strip_prefix("@@ ") {
            let mut starts = ranges.split(' ').map(|range| {
                let start = range.get(1..).and_then(|range| range.split(',').next());
                start.and_then(|start| start.parse().ok()).unwrap_or(0)
            });
            self.old = starts.next().unwrap_or(0);
            self.new = starts.next().unwrap_or(0);
            if self.in_hunk {
                push(file, LineKind::Note, None, None, "\u{22ef}");
            }
            self.in_hunk = true;
            return;
        }
        if self.in_hunk {
            self.hunk(file, line);
        } else {
            self.head(file, line);
        }
    }

    fn hunk(&mut self, file: &mut FileDiff, line: &str) {
        let mut characters = line.chars();
        match characters.next() {
            Some('+') => {
                file.added += 1;
                push(
                    file,
                    LineKind::Added,
                    None,
                    Some(self.new),
                    characters.as_str(),
                );
                self.new += 1;
            }
            Some('-') => {
                file.removed += 1;
                push(
                    file,
                    LineKind::Removed,
                    Some(self.old),
                    None,
                    characters.as_str(),
                );
                self.old += 1;
            }
            Some('\\') => push(
                file,
                LineKind::Note,
                None,
                None,
                "no line end at the end of the file",
            ),
            _ => {
                let (old, new) = (Some(self.old), Some(self.new));
                push(file, LineKind::Same, old, new, characters.as_str());
                self.old += 1;
                self.new += 1;
            }
        }
    }

    fn head(&mut self, file: &mut FileDiff, line: &str) {
        if line.starts_with("new file mode") {
            file.became = "added";
        } else if line.starts_with("deleted file mode") {
            file.became = "deleted";
        } else if let Some(from) = line.strip_prefix("rename from ") {
            file.became = "moved";
            self.moved_from = Some(from.to_owned());
        } else if let Some(to) = line.strip_prefix("rename to ") {
            let from = self.moved_from.take().unwrap_or_default();
            file.name = format!("{from} \u{2192} {to}");
        } else if line.starts_with("Binary files ") {
            push(
                file,
                LineKind::Note,
                None,
                None,
                "the file is not text and is not shown",
            );
        } else if let Some(name) = line.strip_prefix("+++ b/") {
            name.trim_end_matches('\t').clone_into(&mut file.name);
        }
    }
}

fn push(file: &mut FileDiff, kind: LineKind, old: Option<usize>, new: Option<usize>, text: &str) {
    let mut shown: String = text.chars().take(MAX_LINE).collect();
    if shown.len() < text.len() {
        shown.push('\u{2026}');
    }
    file.lines.push(Line {
        kind,
        old,
        new,
        text: shown,
    });
}

/// The name in `a/name b/name`, until a better line tells it.
fn name_of(rest: &str) -> String {
    let name = rest.rsplit(" b/").next().unwrap_or(rest);
    name.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/.eval_results/a.yaml b/.eval_results/a.yaml\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/.eval_results/a.yaml\n@@ -0,0 +1,2 @@\n+- dataset: x\n+  value: <script>alert(1)</script>\ndiff --git a/b b/b\nindex 1..2 100644\n--- a/b\n+++ b/b\n@@ -3,3 +3,3 @@ x\n same\n-old\n+new\n\\ No newline at end of file\n@@ -20 +20 @@\n-x\n+y\n";

    #[test]
    fn lines_have_their_numbers_and_files_what_became_of_them() {
        let (files, is_cut) = parse(DIFF);

        assert!(!is_cut);
        assert_eq!(files.len(), 2);
        assert_eq!(
            (files[0].name.as_str(), files[0].became, files[0].added),
            (".eval_results/a.yaml", "added", 2)
        );
        assert_eq!(files[0].lines[1].new, Some(2));
        let second: Vec<(LineKind, Option<usize>, Option<usize>)> = files[1]
            .lines
            .iter()
            .map(|line| (line.kind, line.old, line.new))
            .collect();
        assert_eq!(
            second,
            [
                (LineKind::Same, Some(3), Some(3)),
                (LineKind::Removed, Some(4), None),
                (LineKind::Added, None, Some(4)),
                (LineKind::Note, None, None),
                (LineKind::Note, None, None),
                (LineKind::Removed, Some(20), None),
                (LineKind::Added, None, Some(20)),
            ]
        );
    }

    #[test]
    fn what_is_no_diff_harms_nobody_and_a_long_one_is_cut() {
        assert_eq!(parse("hello\n@@ \u{e9}\n"), (Vec::new(), false));
        parse("diff --git a b\n@@ \u{e9}-1 \u{e9} @@\n+x\n@@ @@\n");
        let long = format!(
            "diff --git a/b b/b\n@@ -0,0 +1,9000 @@\n{}",
            "+x\n".repeat(9000)
        );

        let (files, is_cut) = parse(&long);

        assert!(is_cut);
        assert_eq!(files[0].lines.len(), MAX_LINES);
    }

    #[test]
    fn a_moved_file_has_both_names() {
        let text = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";

        let (files, _) = parse(text);

        assert_eq!(
            (files[0].name.as_str(), files[0].became),
            ("x \u{2192} y", "moved")
        );
    }
}
