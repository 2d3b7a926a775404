//! `--fix`: makes the changes that findings call safe.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

use assay_check::{FileReport, Files as _, Item};
use assay_model::{Code, Diagnostic, Edit, Fix};
use serde::Serialize;

use crate::disk::Disk;
use crate::replace::replace;

/// A finding that was mended.
#[derive(Debug, Serialize)]
pub(crate) struct Fixed {
    /// The file, as it was called before.
    pub(crate) path: Arc<str>,
    /// The code of the finding.
    pub(crate) code: Code,
    /// The line before the change, 0 when the whole file is meant.
    pub(crate) line: u64,
    /// The column before the change, 0 when the whole file is meant.
    pub(crate) column: u64,
    /// The message of the finding.
    pub(crate) message: String,
    /// The new name, when the file was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) renamed_to: Option<String>,
}

/// The reason why a file could not be fixed.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` cannot be mended: {source}")]
pub(crate) struct FixError {
    path: Arc<str>,
    source: io::Error,
}

/// Applies what fixes it can; renamed files are renamed among the items too.
pub(crate) fn apply(
    disk: &Disk,
    reports: &[FileReport],
    items: &mut [Item],
) -> (Vec<Fixed>, Vec<FixError>) {
    let (mut fixed, mut failed) = (Vec::new(), Vec::new());
    for report in reports {
        if report.unreadable || disk.is_stream(&report.path) {
            continue;
        }
        match mend(disk, report, items) {
            Ok(done) => fixed.extend(done),
            Err(source) => failed.push(FixError {
                path: Arc::clone(&report.path),
                source,
            }),
        }
    }
    (fixed, failed)
}

fn mend(disk: &Disk, report: &FileReport, items: &mut [Item]) -> io::Result<Vec<Fixed>> {
    let (edits, mut fixed) = choose(report);
    if !edits.is_empty() {
        // The edits were made for the bytes that were validated, and for no others.
        if disk.size(&report.path) != Some(report.bytes) {
            return Err(io::Error::other("it has changed since it was read"));
        }
        rewrite(disk.path(&report.path), &edits)?;
    }
    if let Some(done) = rename(disk, report, items)? {
        fixed.push(done);
    }
    Ok(fixed)
}

/// The edits of a file that do not get in each other's way, in order, and the findings they mend.
fn choose(report: &FileReport) -> (Vec<&Edit>, Vec<Fixed>) {
    let mut chosen: BTreeMap<u64, &Edit> = BTreeMap::new();
    let mut fixed = Vec::new();
    for diagnostic in report.findings.diagnostics() {
        let Some(Fix::Edit(edits)) = &diagnostic.fix else {
            continue;
        };
        if edits.iter().all(|edit| is_free(&chosen, edit)) {
            chosen.extend(edits.iter().map(|edit| (edit.span.start, edit)));
            fixed.push(mended(report, diagnostic, None));
        }
    }
    (chosen.into_values().collect(), fixed)
}

/// Returns whether an edit touches no bytes of those chosen, and no place where one of them
/// inserts.
fn is_free(chosen: &BTreeMap<u64, &Edit>, edit: &Edit) -> bool {
    let before = chosen.range(..=edit.span.start).next_back();
    let after = chosen.range(edit.span.start..).next();
    before
        .is_none_or(|(&start, other)| other.span.end <= edit.span.start && start != edit.span.start)
        && after.is_none_or(|(&start, _)| edit.span.end <= start && start != edit.span.start)
}

fn mended(report: &FileReport, diagnostic: &Diagnostic, renamed_to: Option<String>) -> Fixed {
    Fixed {
        path: Arc::clone(&report.path),
        code: diagnostic.code,
        line: diagnostic.place.line,
        column: diagnostic.place.column,
        message: diagnostic.message.clone(),
        renamed_to,
    }
}

fn rewrite(path: &Path, edits: &[&Edit]) -> io::Result<()> {
    let mut source = BufReader::new(File::open(path)?);
    replace(path, |target| copy_edited(&mut source, target, edits))
}

/// Copies a text with its edits, which are sorted and apart, in memory that does not grow with the
/// text.
fn copy_edited(source: &mut dyn Read, target: &mut dyn Write, edits: &[&Edit]) -> io::Result<()> {
    let mut at = 0;
    for edit in edits {
        copy(source, edit.span.start - at, target)?;
        target.write_all(edit.text.as_bytes())?;
        copy(source, edit.span.len(), &mut io::sink())?;
        at = edit.span.end;
    }
    io::copy(source, target)?;
    Ok(())
}

fn copy(source: &mut dyn Read, length: u64, target: &mut dyn Write) -> io::Result<()> {
    match io::copy(&mut source.take(length), target)? {
        copied if copied == length => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Renames the file as the first finding asks that wants it renamed, unless something of that name
/// is there.
fn rename(disk: &Disk, report: &FileReport, items: &mut [Item]) -> io::Result<Option<Fixed>> {
    let wanted =
        report
            .findings
            .diagnostics()
            .iter()
            .find_map(|diagnostic| match &diagnostic.fix {
                Some(Fix::Rename(name)) => Some((diagnostic, name)),
                Some(Fix::Edit(_)) | None => None,
            });
    let Some((diagnostic, name)) = wanted else {
        return Ok(None);
    };
    let old = disk.path(&report.path);
    // The item of a file with a name of its own could not be followed; it is left as it is.
    let is_text = old.to_str() == Some(&*report.path);
    if !is_text || !move_beside(old, name)? {
        return Ok(None);
    }
    let renamed = report.path.rsplit_once('/').map_or_else(
        || name.clone(),
        |(directory, _)| format!("{directory}/{name}"),
    );
    for item in items.iter_mut().filter(|item| item.path == report.path) {
        item.path = renamed.as_str().into();
    }
    Ok(Some(mended(report, diagnostic, Some(name.clone()))))
}

/// Gives a file another name in its directory; `false` when that is taken or no plain name.
fn move_beside(old: &Path, name: &str) -> io::Result<bool> {
    let new = old.with_file_name(name);
    let is_plain = !name.contains(['/', '\\']) && new.file_name().is_some_and(|own| own == name);
    if !is_plain || new.symlink_metadata().is_ok() {
        return Ok(false);
    }
    std::fs::rename(old, new)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use assay_model::Span;

    use super::*;

    fn edit(start: u64, end: u64, text: &str) -> Edit {
        Edit {
            span: Span::new(start, end),
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_replace_insert_and_delete() {
        let (replace, insert, delete) = (edit(0, 3, "AB"), edit(4, 4, "<"), edit(6, 8, ""));
        let mut target = Vec::new();

        copy_edited(
            &mut b"abc def gh".as_slice(),
            &mut target,
            &[&replace, &insert, &delete],
        )
        .unwrap();

        assert_eq!(target, b"AB <degh");
    }

    #[test]
    fn an_edit_past_the_end_is_refused() {
        let past = edit(2, 9, "");

        let refused = copy_edited(&mut b"abc".as_slice(), &mut Vec::new(), &[&past]);

        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn edits_that_overlap_or_insert_at_one_place_exclude_each_other() {
        let first = edit(4, 8, "");
        let chosen = BTreeMap::from([(4, &first)]);

        let free = |start, end| is_free(&chosen, &edit(start, end, ""));

        assert!(free(0, 4) && free(8, 9) && free(8, 8));
        assert!(!free(4, 4) && !free(3, 5) && !free(5, 6) && !free(7, 12) && !free(0, 20));
    }

    #[test]
    fn a_file_is_renamed_in_its_directory() {
        let directory = tempfile::tempdir().unwrap();
        let old = directory.path().join("old.yaml");
        std::fs::write(&old, "text").unwrap();

        assert!(move_beside(&old, "new.yaml").unwrap());

        let new = directory.path().join("new.yaml");
        assert_eq!(std::fs::read_to_string(new).unwrap(), "text");
        assert!(!old.exists());
    }

    #[test]
    fn a_name_that_is_taken_or_leads_elsewhere_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let old = directory.path().join("old.yaml");
        std::fs::write(&old, "old").unwrap();
        let taken = directory.path().join("taken.yaml");
        std::fs::write(&taken, "taken").unwrap();

        for name in [
            "taken.yaml",
            "../out.yaml",
            "a/b.yaml",
            "..",
            ".",
            "",
            "a\\b",
        ] {
            assert!(!move_beside(&old, name).unwrap(), "{name}");
        }

        assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
        assert_eq!(std::fs::read_to_string(&taken).unwrap(), "taken");
    }
}
