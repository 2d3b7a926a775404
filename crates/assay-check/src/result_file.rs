//! A result file that is read once, however many look at it.

use std::ops::Range;
use std::sync::Arc;

use assay_formats::Value;
use assay_formats::syntax::limits;
use assay_model::{Entry, Finding};

use crate::collection::{self, Boards};
use crate::context::Context;
use crate::document::{Document, DocumentBuffers, Spelling};
use crate::eval_results::{self, Alone};
use crate::rules;
use crate::sink::{Findings, Sink};

/// A result file that was parsed, and validated by all rules that need to know nothing but the
/// file. Only this crate makes one.
///
/// What it says follows from its bytes, so it can be kept for as long as they stay the same. What
/// benchmarks, the clock and its path have to do with it is added by [`ResultFile::check`], without
/// parsing it again.
///
/// ```
/// use assay_check::{Context, ResultFile};
///
/// let text = "- dataset: {id: acme/sums, task_id: words}\n  value: 72.25\n";
/// let file = ResultFile::read(text.into(), Context::DEFAULT_LIMIT);
///
/// assert_eq!(file.entries().map(|entries| entries.len()), Some(1));
/// ```
#[derive(Debug)]
pub struct ResultFile {
    buffers: DocumentBuffers,
    /// The places of YAML that tools do not read alike.
    constructs: Vec<Range<usize>>,
    /// The findings of the rules that depend on nothing else.
    findings: Findings,
    alone: Alone,
}

/// An entry of a result file that no rule refuses.
#[derive(Debug, Clone, Copy)]
pub struct ValidEntry<'f> {
    entry: &'f Entry,
    written: Value<'f>,
    findings: &'f [Finding],
}

impl<'f> ValidEntry<'f> {
    /// Returns the entry as it was read.
    pub fn entry(self) -> &'f Entry {
        self.entry
    }

    /// Returns the entry as it is written.
    pub fn written(self) -> Value<'f> {
        self.written
    }

    /// The warnings that follow from the file alone, in the order of their codes; a few of each
    /// code.
    pub fn findings(self) -> &'f [Finding] {
        self.findings
    }
}

impl ResultFile {
    /// Maximum size of a result file, in bytes.
    pub const MAX_BYTES: u64 = limits::MAX_YAML_BYTES as u64;

    /// Parses and validates a file. Of each code at most `limit` findings are kept.
    pub fn read(bytes: Vec<u8>, limit: u64) -> Self {
        Self::of_desk(DocumentBuffers::holding(bytes), limit)
    }

    /// The report of a file that was not read because it is larger than [`ResultFile::MAX_BYTES`].
    pub fn too_large(limit: u64) -> Self {
        let mut findings = Findings::default();
        let nameless: Arc<str> = "".into();
        let mut sink = Sink::new(&nameless, "", limit, &mut findings);
        rules::too_large::document(Spelling::Yaml.max_bytes(), &mut sink);
        Self {
            buffers: DocumentBuffers::default(),
            constructs: Vec::new(),
            findings,
            alone: Alone::default(),
        }
    }

    /// Validates the file that was loaded last.
    pub(crate) fn of_desk(mut buffers: DocumentBuffers, limit: u64) -> Self {
        // The path is known when the findings are asked for.
        let nameless: Arc<str> = "".into();
        let mut findings = Findings::default();
        let mut constructs = Vec::new();
        let mut alone = Alone::default();
        if let Some(document) = buffers.document(&nameless, Spelling::Yaml, limit, &mut findings) {
            let mut sink = Sink::new(&nameless, document.source(), limit, &mut findings);
            alone = eval_results::check_alone(&document, &mut sink);
            constructs = document.constructs().to_vec();
            #[cfg(feature = "testing")]
            assay_formats::watch::note(assay_formats::watch::Event::Validated, document.source());
        }
        Self {
            buffers,
            constructs,
            findings,
            alone,
        }
    }

    /// The buffers of the file, for the next one.
    pub(crate) fn into_desk(self) -> DocumentBuffers {
        self.buffers
    }

    /// Returns all findings about the file at a path, in the order of the file: those that follow
    /// from it alone, and those of the rules that know benchmarks, the clock and the path.
    pub fn check(&self, path: &Arc<str>, context: &Context<'_>) -> Findings {
        let mut findings = self.findings.clone();
        if let Some(root) = self.root() {
            let document = Document::read_before(root, self.constructs.clone());
            let mut sink = Sink::new(path, document.source(), context.limit, &mut findings);
            eval_results::check_in_context(&document, &self.alone, path, context, &mut sink);
        }
        findings.rename(path);
        findings.sort();
        findings
    }

    /// Returns what stands out in the values of the file at a path against the boards that they are
    /// for. A file that a rule refuses is held against none.
    ///
    /// Boards change with every push, so nothing of this is a finding of the file, and nothing of
    /// it is kept.
    pub fn check_on_boards(&self, path: &Arc<str>, boards: &dyn Boards, limit: u64) -> Findings {
        let mut findings = Findings::default();
        if let (Some(entries), Some(root)) = (self.entries(), self.root()) {
            let document = Document::read_before(root, self.constructs.clone());
            let mut sink = Sink::new(path, document.source(), limit, &mut findings);
            collection::check_on_boards(entries, boards, &mut sink);
        }
        findings.sort();
        findings
    }

    /// The entries; none when a rule that needs to know nothing but the file refuses it.
    pub fn entries(&self) -> Option<impl ExactSizeIterator<Item = ValidEntry<'_>>> {
        let entries = self.alone.entries.as_ref()?;
        if self.findings.has_errors() || self.alone.has_errors() {
            return None;
        }
        let written: Vec<Value<'_>> = self.root()?.items().collect();
        let valid = entries.iter().zip(written).zip(&self.alone.kept);
        Some(valid.map(|((entry, written), findings)| ValidEntry {
            entry,
            written,
            findings,
        }))
    }

    /// Returns the entries, whatever the rules find.
    pub(crate) fn said(&self) -> Option<&Vec<Entry>> {
        self.alone.entries.as_ref()
    }

    /// Returns the number of bytes that were read.
    pub fn bytes(&self) -> usize {
        self.buffers.size()
    }

    /// The root of the document; none when it could not be read.
    fn root(&self) -> Option<Value<'_>> {
        (!self.alone.without_benchmark.is_empty()).then(|| self.buffers.root())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<Vec<String>> {
        let file = ResultFile::read(text.into(), Context::DEFAULT_LIMIT);
        let entries = file.entries().expect("no rule refuses it");
        let codes = |valid: ValidEntry<'_>| {
            let findings = valid.findings().iter();
            findings.map(|finding| finding.code.to_string()).collect()
        };
        entries.map(codes).collect()
    }

    #[test]
    fn a_warning_stays_with_the_entry_that_it_is_about() {
        let text = "\
- dataset: {id: acme/sums, task_id: a}
  value: 0.5
- dataset: {id: acme/sums, task_id: b, revision: abcdef1}
  metrics: [{metric_id: accuracy, value: 0.613, value_type: percentage}]
  date: 2026-02-14
- dataset: &same {id: acme/sums, task_id: c}
  value: 0.5
- dataset: {id: acme/sums, task_id: a}
  value: 0.75
";

        assert_eq!(
            kept(text),
            [
                vec![],
                vec!["AY014".to_owned(), "AY313".to_owned(), "AY601".to_owned()],
                vec!["AY013".to_owned()],
                vec!["AY308".to_owned()],
            ]
        );
    }

    #[test]
    fn a_warning_stays_also_with_the_last_of_many_entries() {
        let entry = |task: u32| {
            format!(
                "- dataset: {{id: acme/sums, task_id: t{task}}}\n  metrics: [{{metric_id: accuracy, value: 0.613, \
                 value_type: percentage}}]\n"
            )
        };
        let text: String = (0..200).map(entry).collect();

        let kept = kept(&text);

        assert_eq!(kept.len(), 200);
        assert!(kept.iter().all(|codes| codes == &["AY601"]), "{kept:?}");
    }

    #[test]
    fn an_error_that_the_file_has_by_itself_counts_whatever_the_benchmark_says() {
        let text = "- dataset: {id: acme/sums, task_id: a}\n  metrics: [{metric_id: m, value: 150, value_type: percentage}]\n";
        let file = ResultFile::read(text.into(), Context::DEFAULT_LIMIT);

        assert!(file.entries().is_none());
    }
}
