//! The warnings that stay with the entries of a result file.

use std::ops::Range;

use assay_formats::Value;
use assay_model::{Diagnostic, Finding, Severity};

/// Number of findings of one code that stay with an entry.
const MAX_OF_CODE: usize = 3;

/// The warnings of each entry.
pub(crate) struct Kept {
    /// The ranges of the entries.
    ranges: Vec<Range<usize>>,
    pub(crate) findings: Vec<Vec<Finding>>,
}

impl Kept {
    /// Of entries without any.
    pub(crate) fn of(entries: &[Value<'_>]) -> Self {
        Self {
            ranges: entries.iter().map(|entry| entry.range()).collect(),
            findings: vec![Vec::new(); entries.len()],
        }
    }

    /// Adds warnings of one entry.
    pub(crate) fn add(&mut self, place: usize, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            self.add_one(place, diagnostic);
        }
    }

    /// Adds warnings of the file, each to the entry that it is about. One about the file as a whole
    /// stays with none.
    pub(crate) fn add_by_place(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            if let Some(place) = self.entry_of(diagnostic) {
                self.add_one(place, diagnostic);
            }
        }
    }

    fn add_one(&mut self, place: usize, diagnostic: &Diagnostic) {
        match diagnostic.severity {
            Severity::Warning => {}
            // A file with errors is not kept, and a note is for the desk.
            Severity::Error | Severity::Note => return,
        }
        let Some(kept) = self.findings.get_mut(place) else {
            return;
        };
        let finding = Finding {
            code: diagnostic.code,
            message: diagnostic.message.clone(),
        };
        let of_code = kept.iter().filter(|own| own.code == finding.code).count();
        if of_code >= MAX_OF_CODE || kept.contains(&finding) {
            return;
        }
        // The order is that of the codes, whichever rule came first.
        let behind = kept.partition_point(|own| own.code <= finding.code);
        kept.insert(behind, finding);
    }

    /// The entry that a finding is about: the one its path begins with, else the one it stands in.
    fn entry_of(&self, diagnostic: &Diagnostic) -> Option<usize> {
        let in_path = diagnostic.path.strip_prefix('[');
        let in_path = in_path.and_then(|rest| rest.split_once(']')?.0.parse().ok());
        in_path.or_else(|| {
            let start = usize::try_from(diagnostic.place.span.start).ok()?;
            let behind = self.ranges.partition_point(|range| range.start <= start);
            let place = behind.checked_sub(1)?;
            self.ranges[place].contains(&start).then_some(place)
        })
    }
}
