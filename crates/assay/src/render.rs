//! Output of findings in the requested format.

pub(crate) mod github;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod rich;
pub(crate) mod sarif;

use assay_check::FileReport;
use assay_cli::Exit;
use assay_model::Severity;
use serde::Serialize;

use crate::fix::Fixed;
use crate::plural::{bytes, count};

/// Everything there is to show.
pub(crate) struct Outcome<'a> {
    /// The findings, file by file.
    pub(crate) reports: &'a [FileReport],
    /// The fixes that were made before.
    pub(crate) fixed: &'a [Fixed],
    /// All of it in numbers.
    pub(crate) summary: Summary,
}

/// A run in numbers.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Summary {
    files: u64,
    bytes: u64,
    rows: u64,
    errors: u64,
    warnings: u64,
    notes: u64,
    #[serde(rename = "exit_code", serialize_with = "as_number")]
    exit: Exit,
    #[serde(skip)]
    samples_files: u64,
    #[serde(skip)]
    passed_over: u64,
}

impl Summary {
    /// Counts what was found.
    pub(crate) fn of(reports: &[FileReport], passed_over: u64, exit: Exit) -> Self {
        let sum = |part: &dyn Fn(&FileReport) -> u64| reports.iter().map(part).sum();
        let of_severity = |severity| sum(&|report| report.findings.count(severity));
        Self {
            files: sum(&|_| 1),
            bytes: sum(&|report| report.bytes),
            rows: sum(&|report| report.rows.unwrap_or_default()),
            errors: of_severity(Severity::Error),
            warnings: of_severity(Severity::Warning),
            notes: of_severity(Severity::Note),
            exit,
            samples_files: sum(&|report| u64::from(report.rows.is_some())),
            passed_over,
        }
    }

    /// Returns the exit code of the run.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// The summary in one line.
    pub(crate) fn line(&self) -> String {
        let checked = self.checked();
        if self.passed_over == 0 {
            return checked;
        }
        let others = count(self.passed_over, "other file", "other files");
        format!("{checked}; {others} passed over")
    }

    fn checked(&self) -> String {
        if self.files == 0 {
            return "found no files to check".to_owned();
        }
        let files = count(self.files, "file", "files");
        let size = bytes(self.bytes);
        let samples = self.samples();
        format!("checked {files} ({size}{samples}): {}", self.verdict())
    }

    fn samples(&self) -> String {
        if self.samples_files == 0 {
            return String::new();
        }
        let files = count(self.samples_files, "samples file", "samples files");
        let rows = count(self.rows, "row", "rows");
        format!(", {files} with {rows}")
    }

    fn verdict(&self) -> String {
        let parts: Vec<String> = [
            (self.errors, "error", "errors"),
            (self.warnings, "warning", "warnings"),
            (self.notes, "note", "notes"),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| count(number, one, many))
        .collect();
        if parts.is_empty() {
            "no problems found".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands a reference over"
)]
fn as_number<S: serde::Serializer>(exit: &Exit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(exit.number())
}

/// Returns a line about a fix.
pub(crate) fn fixed_line(fixed: &Fixed) -> String {
    let path = assay_render::visible(&fixed.path);
    let place = match (fixed.line, fixed.column) {
        (0, _) => path,
        (line, column) => format!("{path}:{line}:{column}"),
    };
    let message = assay_render::visible(&fixed.message);
    match &fixed.renamed_to {
        Some(name) => {
            let name = assay_render::visible(name);
            format!(
                "fixed[{}]: {place}: {message}; renamed to `{name}`",
                fixed.code
            )
        }
        None => format!("fixed[{}]: {place}: {message}", fixed.code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        Summary {
            files: 5_566,
            bytes: 33_250_000,
            rows: 12_000,
            errors: 3,
            warnings: 2,
            notes: 1,
            exit: Exit::Errors,
            samples_files: 1,
            passed_over: 0,
        }
    }

    #[test]
    fn the_summary_counts_everything_with_the_right_plural() {
        assert_eq!(
            summary().line(),
            "checked 5,566 files (33.2 MB, 1 samples file with 12,000 rows): 3 errors, 2 warnings, 1 note"
        );
    }

    #[test]
    fn a_clean_run_says_so_and_names_what_it_passed_over() {
        let clean = Summary {
            files: 1,
            bytes: 812,
            errors: 0,
            warnings: 0,
            notes: 0,
            samples_files: 0,
            passed_over: 2,
            ..summary()
        };

        assert_eq!(
            clean.line(),
            "checked 1 file (812 bytes): no problems found; 2 other files passed over"
        );
    }

    #[test]
    fn nothing_to_check_is_not_called_clean() {
        let nothing = Summary {
            files: 0,
            ..summary()
        };

        assert_eq!(nothing.line(), "found no files to check");
    }
}
