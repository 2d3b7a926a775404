use std::ops::Range;

use assay_formats::syntax::SyntaxFaultKind;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A file is not well-formed
    ///
    /// The text is not JSON or not YAML from this place on. Nothing after it can be read, so this
    /// is the only finding of the document (or of the row, in a samples file).
    ///
    /// ## Example
    ///
    /// ```json
    /// {"score": 0.5, "method" "bootstrap"}
    /// ```
    ///
    /// ## What to do
    ///
    /// Look just before the caret: a missing comma, colon or quote, or an indentation that does not
    /// line up. Files made by a program are best mended in the program; `json.dumps` and
    /// `yaml.safe_dump` write what is read here.
    BROKEN_SYNTAX = (6, "broken-syntax", Error)
}

pub(crate) fn report(kind: &SyntaxFaultKind, at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&BROKEN_SYNTAX, at, || match kind {
        SyntaxFaultKind::Expected(what) => Draft::new(format!("expected {what}"))
            .help("look just before this place for a missing comma, colon or quote"),
        SyntaxFaultKind::UnexpectedEnd => Draft::new("the text ends in the middle of a value")
            .help("the file may have been cut off while it was written; write it again"),
        SyntaxFaultKind::TrailingText => Draft::new(
            "there is more text after the end of the document",
        )
        .help("keep one JSON document in a file; for one document a line use a `.jsonl` file"),
        SyntaxFaultKind::TrailingComma => Draft::new("a comma with nothing after it")
            .help("remove the comma; JSON does not allow it"),
        SyntaxFaultKind::BadEscape => Draft::new("this escape does not exist in JSON")
            .help("write a backslash itself as `\\\\`"),
        SyntaxFaultKind::Yaml(message) => Draft::new(message.clone())
            .help("check indentation, colons and quotes just before this place"),
        SyntaxFaultKind::DuplicateKey { .. }
        | SyntaxFaultKind::NonFinite
        | SyntaxFaultKind::LoneSurrogate
        | SyntaxFaultKind::ControlCharacter
        | SyntaxFaultKind::TooDeep
        | SyntaxFaultKind::TooManyValues
        | SyntaxFaultKind::YamlConstruct(_) => Draft::new("the text is not well-formed"),
    });
}
