use assay_model::quote;
use serde::Serialize;

use crate::syntax::{SyntaxFault, SyntaxFaultKind, YamlConstruct};

/// The number of messages of each kind that are kept.
const MAX_MESSAGES: usize = 50;

/// The answer: what is wrong with a card, if anything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct YamlReport {
    /// The errors, which must be fixed.
    pub errors: Vec<YamlMessage>,
    /// The warnings.
    pub warnings: Vec<YamlMessage>,
}

/// One thing to say about a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct YamlMessage {
    /// For people.
    pub message: String,
}

impl YamlReport {
    /// Returns whether the card has no errors.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Collects what there is to say about a card.
#[derive(Debug, Default)]
pub(super) struct Report {
    said: YamlReport,
    /// The line of the page that the YAML begins on.
    line: usize,
}

impl Report {
    /// From here on, places are in YAML that begins on this line of the page.
    pub(super) fn begin_at(&mut self, line: usize) -> &mut Self {
        self.line = line;
        self
    }

    pub(super) fn error(&mut self, message: impl Into<String>) {
        push(&mut self.said.errors, message.into());
    }

    pub(super) fn warn(&mut self, message: impl Into<String>) {
        push(&mut self.said.warnings, message.into());
    }

    /// Tells what the reader of YAML found.
    pub(super) fn syntax(&mut self, text: &str, faults: &[SyntaxFault]) {
        for fault in faults.iter().take(2 * MAX_MESSAGES) {
            let before = text.get(..fault.range.start).unwrap_or(text);
            let line = self.line + before.matches('\n').count();
            let message = format!("line {line}: {}", words(&fault.kind, text, fault));
            match fault.kind {
                SyntaxFaultKind::YamlConstruct(_) | SyntaxFaultKind::NonFinite => {
                    self.warn(message);
                }
                SyntaxFaultKind::Expected(_)
                | SyntaxFaultKind::UnexpectedEnd
                | SyntaxFaultKind::TrailingText
                | SyntaxFaultKind::TrailingComma
                | SyntaxFaultKind::DuplicateKey { .. }
                | SyntaxFaultKind::LoneSurrogate
                | SyntaxFaultKind::ControlCharacter
                | SyntaxFaultKind::BadEscape
                | SyntaxFaultKind::TooDeep
                | SyntaxFaultKind::TooManyValues
                | SyntaxFaultKind::Yaml(_) => self.error(message),
            }
        }
    }

    pub(super) fn finish(self) -> YamlReport {
        self.said
    }
}

fn push(messages: &mut Vec<YamlMessage>, message: String) {
    if messages.len() < MAX_MESSAGES {
        messages.push(YamlMessage { message });
    }
}

fn words(kind: &SyntaxFaultKind, text: &str, fault: &SyntaxFault) -> String {
    let shown = || quote(text.get(fault.range.clone()).unwrap_or_default());
    match kind {
        SyntaxFaultKind::Expected(what) => format!("expected {what}"),
        SyntaxFaultKind::UnexpectedEnd => "the front matter ends too early".to_owned(),
        SyntaxFaultKind::TrailingText => "there is text after the front matter".to_owned(),
        SyntaxFaultKind::TrailingComma => "there is nothing after this comma".to_owned(),
        SyntaxFaultKind::DuplicateKey { .. } => format!("the key {} stands here twice", shown()),
        SyntaxFaultKind::NonFinite => format!("{} is not a finite number", shown()),
        SyntaxFaultKind::LoneSurrogate => "this escape is half a character".to_owned(),
        SyntaxFaultKind::ControlCharacter => {
            format!("a control character may not stand here: {}", shown())
        }
        SyntaxFaultKind::BadEscape => "this cannot be escaped".to_owned(),
        SyntaxFaultKind::TooDeep => "lists and mappings nest too deep".to_owned(),
        SyntaxFaultKind::TooManyValues => "there are too many values".to_owned(),
        SyntaxFaultKind::Yaml(message) => message.clone(),
        SyntaxFaultKind::YamlConstruct(construct) => match construct {
            YamlConstruct::Alias => "anchors and aliases are read as copies".to_owned(),
            YamlConstruct::Tag => format!("the tag {} is not read", shown()),
            YamlConstruct::Directive => format!("the directive {} is not read", shown()),
            YamlConstruct::SecondDocument => "a second document is not read".to_owned(),
            YamlConstruct::MergeKey => "`<<` is read as an ordinary key".to_owned(),
            YamlConstruct::ComplexKey => "a key must be plain text".to_owned(),
            YamlConstruct::Tab => {
                "a tab outside quotes, which many tools cannot read; use spaces".to_owned()
            }
        },
    }
}
