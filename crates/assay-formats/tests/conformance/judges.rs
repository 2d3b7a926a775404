use assay_formats::eee::Version;
use assay_formats::shape::{self, Shape, ShapeFaultKind};
use assay_formats::{Tape, json};
use assay_testkit::corpus::find_corpus;
use jsonschema::{Draft, Validator};
use serde_json::Value as Json;

use crate::differences;
use crate::seeds::Format;

/// Number of disagreements that a failure shows.
const SHOWN: usize = 5;
/// The least share of the documents that must be accepted, and refused, for the comparison to mean
/// anything: one in so many.
const LEAST_SHARE: usize = 20;

/// Those who judge documents of one format and version.
pub(crate) struct Judges {
    format: Format,
    version: Version,
    shape: &'static Shape,
    generated: Validator,
    published: Option<Validator>,
    /// The published schema that a known difference says we follow instead.
    instead: Option<Validator>,
}

/// The verdicts of all validators on one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdicts {
    evaluator: bool,
    generated: bool,
    published: Option<bool>,
    instead: Option<bool>,
}

impl Judges {
    pub(crate) fn of(format: Format, version: Version) -> Self {
        let shape = format.shape(version);
        let title = format!("{format} {version}");
        let difference = differences::known(format, version);
        Self {
            format,
            version,
            shape,
            generated: validator(&shape::json_schema(&title, shape)),
            published: published(format, version),
            instead: difference.and_then(|difference| published(format, difference.instead)),
        }
    }

    pub(crate) fn judge(&self, text: &str) -> Verdicts {
        let document: Json = serde_json::from_str(text).expect("mutations keep the text valid");
        Verdicts {
            evaluator: accepts(self.shape, text),
            generated: self.generated.is_valid(&document),
            published: self.published.as_ref().map(|own| own.is_valid(&document)),
            instead: self.instead.as_ref().map(|own| own.is_valid(&document)),
        }
    }
}

impl Verdicts {
    /// Returns whether the judges whose word counts accept the document.
    pub(crate) fn all_accept(self) -> bool {
        self.evaluator && self.agree() && self.published_or_instead().unwrap_or(true)
    }

    fn agree(self) -> bool {
        self.evaluator == self.generated
            && self
                .published_or_instead()
                .is_none_or(|published| published == self.evaluator)
    }

    /// Returns whether a known difference had to be called on.
    fn differs_as_known(self) -> bool {
        self.instead.is_some() && self.published != Some(self.evaluator)
    }

    fn published_or_instead(self) -> Option<bool> {
        self.instead.or(self.published)
    }
}

/// Returns whether our evaluator finds nothing but keys that it merely does not know.
fn accepts(shape: &'static Shape, text: &str) -> bool {
    let mut tape = Tape::new();
    assert_eq!(json::parse(text, &mut tape), [], "{text}");
    let mut accepts = true;
    let root = tape.root(text).expect("a text without faults has a root");
    shape::evaluate(shape, root, &mut |fault| {
        accepts &= matches!(fault.kind, ShapeFaultKind::StrangeKey { .. });
    });
    accepts
}

/// The outcome of all documents.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    accepted: usize,
    refused: usize,
    differing: usize,
    disagreements: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, judges: &Judges, text: &str, changes: &str) {
        let verdicts = judges.judge(text);
        if verdicts.evaluator {
            self.accepted += 1;
        } else {
            self.refused += 1;
        }
        self.differing += usize::from(verdicts.differs_as_known());
        if !verdicts.agree() {
            self.disagreements
                .push(format!("{changes}\n{verdicts:?}\n{text}\n"));
        }
    }

    /// Says how many documents there were, and fails when the judges did not agree on one.
    #[expect(clippy::print_stdout, reason = "a test says what it covered")]
    pub(crate) fn conclude(&self, judges: &Judges) {
        let Judges {
            format, version, ..
        } = judges;
        let all = self.accepted + self.refused;
        println!(
            "{format} {version}: {all} documents, {} accepted, {} refused, {} differ as known",
            self.accepted, self.refused, self.differing
        );
        if judges.published.is_none() {
            println!("{format} {version}: no published schema at hand, compared without it");
        }
        assert!(
            self.disagreements.is_empty(),
            "{format} {version}: {} of {all} documents are judged differently:\n{}",
            self.disagreements.len(),
            self.disagreements[..self.disagreements.len().min(SHOWN)].join("\n"),
        );
        assert!(
            self.accepted.min(self.refused) * LEAST_SHARE > all,
            "{format} {version}: {} accepted, {} refused: one side is hardly tried",
            self.accepted,
            self.refused,
        );
        assert!(
            judges.instead.is_none() || self.differing > 0,
            "{format} {version}: the known difference never shows and can be taken off the list",
        );
    }
}

fn validator(schema: &Json) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft7)
        .build(schema)
        .expect("a schema that validates documents is valid itself")
}

fn published(format: Format, version: Version) -> Option<Validator> {
    let path = find_corpus()?
        .join("schemas")
        .join(format.published(version));
    let text = std::fs::read_to_string(path).expect("the corpus has every published schema");
    Some(validator(
        &serde_json::from_str(&text).expect("a published schema is JSON"),
    ))
}
