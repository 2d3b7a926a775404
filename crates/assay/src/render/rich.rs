//! Findings for people: the line, a caret under the place, the evidence and the next step.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use assay_cli::Printer;
use assay_model::{Code, Diagnostic, Severity};
use assay_render::{ELLIPSIS, FindingRenderer};

use super::{Outcome, fixed_line};
use crate::plural::count;

/// Number of findings of one code at one kind of place that are shown in full, when they differ
/// only in what they quote.
const SHOWN_ALIKE: usize = 5;

/// The look of the output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// True if colours are used.
    pub(crate) styled: bool,
    /// The number of columns.
    pub(crate) width: usize,
    /// True if only the summary is printed.
    pub(crate) quiet: bool,
}

/// Findings that say the same of different places.
struct Alike<'a> {
    first: &'a Diagnostic,
    more: u64,
    /// The files of those that are not shown.
    files: BTreeSet<&'a str>,
}

/// The fields that similar findings share.
type Key<'a> = (Code, Severity, String, String, Option<&'a str>);

/// Prints the findings, those alike together, and the summary.
pub(crate) fn print(outcome: &Outcome<'_>, look: Look, printer: &mut Printer) {
    if !look.quiet {
        for fixed in outcome.fixed {
            printer.line(&fixed_line(fixed));
        }
        if !outcome.fixed.is_empty() {
            printer.line("");
        }
        let renderer = renderer(look);
        let (shown, rest) = enough(group(outcome));
        for alike in shown {
            printer.line(&renderer.render(alike.first));
            if let Some(more) = more_like(&alike) {
                printer.line(&more);
            }
            printer.line("");
        }
        for line in rest {
            printer.line(&line);
        }
        for line in not_kept(outcome) {
            printer.line(&line);
        }
    }
    printer.line(&outcome.summary.line());
}

fn renderer(look: Look) -> FindingRenderer {
    if look.styled {
        FindingRenderer::styled(look.width)
    } else {
        FindingRenderer::plain(look.width)
    }
}

/// Brings findings together that have one code and, indexes aside, one message and one path; in the
/// order of the first. A file that cannot be read stands alone: who named it wants to see its name.
fn group<'a>(outcome: &Outcome<'a>) -> Vec<Alike<'a>> {
    let mut groups: Vec<Alike<'a>> = Vec::new();
    let mut index: HashMap<Key<'_>, usize> = HashMap::new();
    for report in outcome.reports {
        for diagnostic in report.findings.diagnostics() {
            let key = (
                diagnostic.code,
                diagnostic.severity,
                without_indexes(&diagnostic.message),
                without_indexes(&diagnostic.path),
                report.unreadable.then_some(&*report.path),
            );
            if let Some(&at) = index.get(&key) {
                groups[at].more += 1;
                groups[at].files.insert(&report.path);
            } else {
                index.insert(key, groups.len());
                groups.push(Alike {
                    first: diagnostic,
                    more: 0,
                    files: BTreeSet::new(),
                });
            }
        }
    }
    groups
}

/// Keeps the first few groups of each code at each kind of place, and counts the rest in a line
/// each.
fn enough(groups: Vec<Alike<'_>>) -> (Vec<Alike<'_>>, Vec<String>) {
    let mut seen: HashMap<(Code, String), usize> = HashMap::new();
    let mut rest: BTreeMap<Code, (u64, BTreeSet<&str>)> = BTreeMap::new();
    let mut shown = Vec::new();
    for alike in groups {
        let code = alike.first.code;
        // A file that cannot be read is always named.
        let is_place = !alike.first.place.is_whole();
        let number = seen
            .entry((code, without_indexes(&alike.first.path)))
            .or_default();
        *number += 1;
        if !is_place || *number <= SHOWN_ALIKE {
            shown.push(alike);
            continue;
        }
        let (count, files) = rest.entry(code).or_default();
        *count += 1 + alike.more;
        files.insert(&alike.first.place.file);
        files.extend(alike.files);
    }
    let lines = rest.into_iter().map(|(code, (number, files))| {
        let findings = count(number, "finding", "findings");
        let files = count(files.len() as u64, "file", "files");
        format!("{ELLIPSIS} and {findings} more of {code} in {files}; `--format json` lists them\n")
    });
    (shown, lines.collect())
}

/// `results[3].x` as `results[*].x`.
fn without_indexes(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, inside) = rest.split_at(open + 1);
        blanked.push_str(before);
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && inside[digits..].starts_with(']') {
            blanked.push('*');
            rest = &inside[digits..];
        } else {
            rest = inside;
        }
    }
    blanked.push_str(rest);
    blanked
}

fn more_like(alike: &Alike<'_>) -> Option<String> {
    if alike.more == 0 {
        return None;
    }
    let more = crate::plural::grouped(alike.more);
    let is_here = alike.files.len() == 1 && alike.files.contains(&*alike.first.place.file);
    let files = if is_here {
        "this file".to_owned()
    } else {
        count(alike.files.len() as u64, "file", "files")
    };
    Some(format!("{ELLIPSIS} and {more} more like this in {files}"))
}

/// Returns the findings that were counted and not kept, by code.
fn not_kept(outcome: &Outcome<'_>) -> Vec<String> {
    let mut missing: BTreeMap<Code, u64> = BTreeMap::new();
    for report in outcome.reports {
        for (_, code, number) in report.findings.counts() {
            *missing.entry(code).or_default() += number;
        }
        for diagnostic in report.findings.diagnostics() {
            if let Some(number) = missing.get_mut(&diagnostic.code) {
                *number -= 1;
            }
        }
    }
    missing
        .into_iter()
        .filter(|(_, number)| *number > 0)
        .map(|(code, number)| {
            let findings = count(number, "finding", "findings");
            format!("{ELLIPSIS} and {findings} of {code} not shown; `--max-errors 0` shows all\n")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indexes_are_blanked() {
        assert_eq!(without_indexes("a[0].b[12]"), "a[*].b[*]");
        assert_eq!(without_indexes("[x] [] [1 [2]"), "[x] [] [1 [*]");
    }
}
