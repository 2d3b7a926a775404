//! The sink into which rules put their findings.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use assay_formats::Value;
use assay_model::{Code, Diagnostic, Edit, Excerpt, Fix, Place, Severity, Span};

use crate::lines::Lines;
use crate::rule::Rule;

/// The number of characters of a long line that an excerpt shows on each side of the place.
const EXCERPT_SIDE: usize = 60;
/// The number of characters of the place that an excerpt underlines.
const EXCERPT_CARET: usize = 60;

/// The findings in one file: the first few of each code, and the total of all.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    diagnostics: Vec<Diagnostic>,
    counts: BTreeMap<(Severity, Code), u64>,
}

impl Findings {
    /// The findings that were kept, in the order they were made.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the number of findings of one severity, kept or not.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts
            .iter()
            .filter(|((own, _), _)| *own == severity)
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns the number of findings of each code, kept or not.
    pub fn counts(&self) -> impl Iterator<Item = (Severity, Code, u64)> {
        self.counts
            .iter()
            .map(|(&(severity, code), &count)| (severity, code, count))
    }

    /// Returns whether anything refuses the file.
    pub fn has_errors(&self) -> bool {
        self.counts
            .keys()
            .any(|(severity, _)| *severity == Severity::Error)
    }

    /// Adds one more, keeping at most `limit` of its code.
    pub(crate) fn add(
        &mut self,
        limit: u64,
        rule: (Severity, Code),
        make: impl FnOnce() -> Diagnostic,
    ) {
        let count = self.counts.entry(rule).or_default();
        *count += 1;
        if *count <= limit {
            self.diagnostics.push(make());
        }
    }

    /// Adds what was found further down in the same file, keeping at most `limit` of each code.
    pub(crate) fn append(&mut self, limit: u64, later: Self) {
        let mut room: BTreeMap<(Severity, Code), u64> = BTreeMap::new();
        for (key, count) in later.counts {
            let own = self.counts.entry(key).or_default();
            room.insert(key, limit.saturating_sub(*own));
            *own += count;
        }
        for diagnostic in later.diagnostics {
            let left = room
                .entry((diagnostic.severity, diagnostic.code))
                .or_default();
            if *left > 0 {
                *left -= 1;
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// Adds the errors of another report of the same text, but for those that are there already.
    pub(crate) fn append_errors(&mut self, limit: u64, other: &Self) {
        for diagnostic in other.diagnostics() {
            let is_known = |own: &Diagnostic| {
                own.code == diagnostic.code && own.place.span == diagnostic.place.span
            };
            if diagnostic.severity == Severity::Error && !self.diagnostics.iter().any(is_known) {
                let rule = (Severity::Error, diagnostic.code);
                self.add(limit, rule, || diagnostic.clone());
            }
        }
    }

    /// Moves the findings to another name of the same file.
    pub(crate) fn rename(&mut self, file: &Arc<str>) {
        for diagnostic in &mut self.diagnostics {
            diagnostic.place.file = Arc::clone(file);
        }
    }

    /// Drops the findings and keeps their numbers.
    pub(crate) fn drop_diagnostics(&mut self) {
        self.diagnostics = Vec::new();
    }

    /// Brings the findings into the order of the file.
    pub(crate) fn sort(&mut self) {
        self.diagnostics.sort_by(|a, b| {
            (a.place.line, a.place.column, a.code, &a.path).cmp(&(
                b.place.line,
                b.place.column,
                b.code,
                &b.path,
            ))
        });
    }
}

/// The place of a finding in the current text.
#[derive(Debug, Clone)]
pub(crate) enum Target<'d> {
    /// A value.
    Value(Value<'d>),
    /// Some bytes of the text at hand.
    Range(Range<usize>),
    /// The file as a whole.
    Whole,
}

impl<'d> From<Value<'d>> for Target<'d> {
    fn from(value: Value<'d>) -> Self {
        Self::Value(value)
    }
}

impl From<Range<usize>> for Target<'_> {
    fn from(range: Range<usize>) -> Self {
        Self::Range(range)
    }
}

/// A finding that a rule is about to report.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    message: String,
    notes: Vec<String>,
    help: Option<String>,
    fix: Option<DraftFix>,
    path: Option<String>,
}

#[derive(Debug)]
enum DraftFix {
    Edits(Vec<(Range<usize>, String)>),
    Rename(String),
}

impl Draft {
    /// Makes a finding from its message: lower case, no full stop, backticks round what the user
    /// wrote.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// The next step.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The next step, when there is one to name.
    pub(crate) fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// The value that the finding is about, when the caret stands under a part of it only.
    pub(crate) fn path_of(mut self, value: Value<'_>) -> Self {
        self.path = Some(value.path());
        self
    }

    /// A piece of evidence.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Replacing these bytes of the text at hand is safe and makes the finding go away.
    pub(crate) fn replace(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        match &mut self.fix {
            Some(DraftFix::Edits(edits)) => edits.push((range, text.into())),
            Some(DraftFix::Rename(_)) | None => {
                self.fix = Some(DraftFix::Edits(vec![(range, text.into())]));
            }
        }
        self
    }

    /// Renaming the file is safe and makes the finding go away.
    pub(crate) fn rename(mut self, name: impl Into<String>) -> Self {
        self.fix = Some(DraftFix::Rename(name.into()));
        self
    }
}

/// Collects findings about one text: a whole document, or one row of a samples file.
pub(crate) struct Sink<'s> {
    file: &'s Arc<str>,
    /// The text that ranges and values point into.
    source: &'s str,
    lines: Lines<'s>,
    /// The byte of the file at which the text begins.
    offset: u64,
    /// The line of the file on which the text begins.
    line: u64,
    limit: u64,
    findings: &'s mut Findings,
}

impl<'s> Sink<'s> {
    /// A sink for a whole file.
    pub(crate) fn new(
        file: &'s Arc<str>,
        source: &'s str,
        limit: u64,
        findings: &'s mut Findings,
    ) -> Self {
        Self {
            file,
            source,
            lines: Lines::of(source),
            offset: 0,
            line: 1,
            limit,
            findings,
        }
    }

    /// A sink for a text that begins somewhere inside its file.
    pub(crate) fn at(mut self, offset: u64, line: u64) -> Self {
        self.offset = offset;
        self.line = line;
        self
    }

    /// The line of the file on which a byte of the text stands.
    pub(crate) fn line_of(&self, at: usize) -> u64 {
        self.line + self.lines.find(at).line
    }

    /// Returns the diagnostics that were reported and kept so far.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        self.findings.diagnostics()
    }

    /// Collects what is reported meanwhile apart from the rest.
    pub(crate) fn collect_apart(&mut self, report: impl FnOnce(&mut Self)) -> Findings {
        let before = std::mem::take(self.findings);
        report(self);
        std::mem::replace(self.findings, before)
    }

    /// Adds findings that were collected apart.
    pub(crate) fn append(&mut self, findings: Findings) {
        self.findings.append(self.limit, findings);
    }

    /// Adds the errors among findings of the same text, but for those that are there already.
    pub(crate) fn append_errors(&mut self, findings: &Findings) {
        self.findings.append_errors(self.limit, findings);
    }

    /// Reports a finding. The draft is only made when the finding is kept.
    pub(crate) fn report<'d>(
        &mut self,
        rule: &'static Rule,
        target: impl Into<Target<'d>>,
        draft: impl FnOnce() -> Draft,
    ) {
        self.report_as(rule.severity, rule, target, draft);
    }

    /// Reports a finding about the file as a whole.
    pub(crate) fn report_whole(&mut self, rule: &'static Rule, draft: impl FnOnce() -> Draft) {
        self.report_as(rule.severity, rule, Target::Whole, draft);
    }

    /// Reports a finding with a weight of its own.
    pub(crate) fn report_as<'d>(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        target: impl Into<Target<'d>>,
        draft: impl FnOnce() -> Draft,
    ) {
        let target = target.into();
        let text = Text {
            file: self.file,
            source: self.source,
            lines: &self.lines,
            offset: self.offset,
            line: self.line,
        };
        self.findings.add(self.limit, (severity, rule.code), || {
            let draft = draft();
            let (place, excerpt, path) = text.locate(target);
            let fix = draft.fix.map(|fix| match fix {
                DraftFix::Rename(name) => Fix::Rename(name),
                DraftFix::Edits(edits) => Fix::Edit(
                    edits
                        .into_iter()
                        .map(|(range, new)| edit(text.offset, &range, new))
                        .collect(),
                ),
            });
            Diagnostic {
                code: rule.code,
                severity,
                message: draft.message,
                place,
                path: draft.path.unwrap_or(path),
                excerpt,
                notes: draft.notes,
                help: draft.help,
                fix,
            }
        });
    }
}

fn edit(offset: u64, range: &Range<usize>, text: String) -> Edit {
    Edit {
        span: Span::new(offset + range.start as u64, offset + range.end as u64),
        text,
    }
}

/// A text and where in its file it begins.
struct Text<'s> {
    file: &'s Arc<str>,
    source: &'s str,
    lines: &'s Lines<'s>,
    offset: u64,
    line: u64,
}

impl Text<'_> {
    fn locate(&self, target: Target<'_>) -> (Place, Option<Excerpt>, String) {
        let (range, path) = match target {
            Target::Whole => return (Place::whole(Arc::clone(self.file)), None, String::new()),
            Target::Range(range) => (range, String::new()),
            Target::Value(value) => (value.range(), value.path()),
        };
        let start = floor_boundary(self.source, range.start);
        let end = floor_boundary(self.source, range.end.max(start));
        let position = self.lines.find(start);
        let place = Place {
            file: Arc::clone(self.file),
            line: self.line + position.line,
            column: position.column + 1,
            span: Span::new(self.offset + start as u64, self.offset + end as u64),
        };
        // A text that is no longer at hand has no line to show.
        let excerpt =
            (!self.source.is_empty()).then(|| self.excerpt(position.line_start, start, end));
        (place, excerpt, path)
    }

    /// The line at `start`, cut to a window when it is long.
    fn excerpt(&self, line_start: usize, start: usize, end: usize) -> Excerpt {
        // Only the window is looked at, so that a finding in a very long line costs no more than in
        // a short one.
        let furthest = advance(self.source, start, EXCERPT_CARET + EXCERPT_SIDE);
        let newline = memchr::memchr2(b'\n', b'\r', &self.source.as_bytes()[start..furthest]);
        let line_end = newline.map_or(furthest, |at| start + at);
        let cut_right = newline.is_none() && furthest < self.source.len();
        let caret_end = end
            .min(line_end)
            .min(advance(self.source, start, EXCERPT_CARET))
            .max(start);
        let from = retreat(self.source, start, EXCERPT_SIDE).max(line_start);
        let to = advance(self.source, caret_end, EXCERPT_SIDE).min(line_end);
        Excerpt {
            text: self.source[from..to].to_owned(),
            start: start - from,
            end: caret_end - from,
            cut_left: from > line_start,
            cut_right: cut_right || to < line_end,
        }
    }
}

/// The nearest character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// The byte `count` characters after `at`.
fn advance(text: &str, at: usize, count: usize) -> usize {
    text[at..]
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(offset, _)| at + offset)
}

/// The byte `count` characters before `at`.
fn retreat(text: &str, at: usize, count: usize) -> usize {
    text[..at]
        .char_indices()
        .rev()
        .nth(count.saturating_sub(1))
        .map_or(0, |(offset, _)| offset)
}
