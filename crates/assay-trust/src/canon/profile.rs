//! The profile of YAML and JSON that every tool reads alike.

use std::collections::BTreeMap;

use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind, YamlConstruct};
use assay_formats::{Kind, Value, yaml as format};
use assay_model::{Number, hidden_character, quote};

use crate::json::is_key;
use crate::{Json, Reason, Unverified};

/// Maximum size of a file whose entries can be verified.
pub mod limits {
    /// The most bytes of the file.
    pub const MAX_BYTES: usize = 256 << 10;
    /// The most entries.
    pub const MAX_ENTRIES: usize = 500;
    /// The greatest depth of lists and maps.
    pub const MAX_DEPTH: usize = 16;
    /// The most values and keys of the file.
    pub const MAX_VALUES: usize = 20_000;
    /// The most bytes of one text.
    pub const MAX_TEXT: usize = 8 << 10;
}

/// The tree of an entry of a YAML file.
pub(super) fn yaml(entry: Value<'_>) -> Result<Json, Unverified> {
    document(entry)?;
    surroundings(entry)?;
    Walk {
        language: Language::Yaml,
    }
    .root(entry)
}

/// The tree of an entry in a JSON document.
pub(super) fn json(entry: Value<'_>) -> Result<Json, Unverified> {
    document(entry)?;
    entry
        .faults()
        .iter()
        .try_for_each(|fault| reject_fault(entry, fault))?;
    Walk {
        language: Language::Json,
    }
    .root(entry)
}

/// Returns the reason why nothing of a document could be read.
pub(super) fn fatal(source: &str, faults: &[SyntaxFault]) -> Unverified {
    let fault = faults.iter().find(|fault| fault.kind.is_fatal());
    let line = fault.map_or(1, |fault| line_of(source, fault.range.start));
    let (reason, words) = match fault.map(|fault| &fault.kind) {
        Some(SyntaxFaultKind::TooDeep) => (Reason::YamlTooLarge, "it nests too deep"),
        Some(SyntaxFaultKind::TooManyValues) => (Reason::YamlTooLarge, "it holds too many values"),
        Some(SyntaxFaultKind::Yaml(words)) => (Reason::YamlSyntax, words.as_str()),
        Some(_) | None => (Reason::YamlSyntax, "it cannot be read"),
    };
    Unverified::new(reason, format!("line {line}: {words}"))
}

/// Rejects faults of the document as a whole.
fn document(entry: Value<'_>) -> Result<(), Unverified> {
    let too_large = |words: String| Err(Unverified::new(Reason::YamlTooLarge, words));
    let (root, source) = (entry.root(), entry.source());
    if source.len() > limits::MAX_BYTES {
        return too_large(format!(
            "the file has more than {} bytes",
            limits::MAX_BYTES
        ));
    }
    if entry.document_len() > limits::MAX_VALUES {
        return too_large(format!(
            "the file has more than {} values",
            limits::MAX_VALUES
        ));
    }
    if root.items().nth(limits::MAX_ENTRIES).is_some() {
        return too_large(format!(
            "the file has more than {} entries",
            limits::MAX_ENTRIES
        ));
    }
    if source.starts_with('\u{feff}') {
        let words = "the file begins with a byte order mark";
        return Err(Unverified::new(Reason::YamlByteOrderMark, words));
    }
    Ok(())
}

/// Rejects faults of what stands in and around an entry: what lies in its neighbours is theirs, and
/// what lies outside the list is everybody's.
fn surroundings(entry: Value<'_>) -> Result<(), Unverified> {
    if entry.faults().is_empty() {
        return Ok(());
    }
    let root = entry.root();
    let before = root
        .items()
        .take_while(|item| *item != entry)
        .last()
        .map_or(root.range().start, |item| item.range().end);
    let is_item = root.items().any(|item| item == entry);
    let own = before..entry.range().end;
    let list = root.range();
    for fault in entry.faults() {
        let at = fault.range.start;
        if !is_item || own.contains(&at) || !list.contains(&at) {
            reject_fault(entry, fault)?;
        }
    }
    Ok(())
}

fn reject_fault(entry: Value<'_>, fault: &SyntaxFault) -> Result<(), Unverified> {
    let (reason, words) = match &fault.kind {
        // The walk says more of such a number than that it is not finite.
        SyntaxFaultKind::NonFinite => return Ok(()),
        SyntaxFaultKind::DuplicateKey { .. } => {
            (Reason::YamlDuplicateKey, "this key is there twice")
        }
        SyntaxFaultKind::ControlCharacter => {
            (Reason::YamlForbiddenCharacter, "a control character")
        }
        SyntaxFaultKind::YamlConstruct(construct) => match construct {
            YamlConstruct::Alias => (Reason::YamlAnchor, "an anchor or an alias"),
            YamlConstruct::Tag => (Reason::YamlTag, "a tag"),
            YamlConstruct::Directive => (Reason::YamlDirective, "a directive"),
            YamlConstruct::SecondDocument => (Reason::YamlDocuments, "a second document"),
            YamlConstruct::MergeKey => (Reason::YamlKey, "a merge key"),
            YamlConstruct::ComplexKey => (Reason::YamlKey, "a key that is not plain text"),
            YamlConstruct::Tab => (Reason::YamlSyntax, "a tab outside quotes"),
        },
        SyntaxFaultKind::Expected(_)
        | SyntaxFaultKind::UnexpectedEnd
        | SyntaxFaultKind::TrailingText
        | SyntaxFaultKind::TrailingComma
        | SyntaxFaultKind::LoneSurrogate
        | SyntaxFaultKind::BadEscape
        | SyntaxFaultKind::TooDeep
        | SyntaxFaultKind::TooManyValues
        | SyntaxFaultKind::Yaml(_) => (Reason::YamlSyntax, "the text is broken here"),
    };
    let line = line_of(entry.source(), fault.range.start);
    Err(Unverified::new(reason, format!("line {line}: {words}")))
}

fn line_of(source: &str, at: usize) -> usize {
    let before = source.get(..at).unwrap_or_default();
    before.split('\n').count()
}

/// The spelling rules of scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Yaml,
    Json,
}

/// The way through the values of an entry.
struct Walk {
    language: Language,
}

impl Walk {
    fn root(&self, entry: Value<'_>) -> Result<Json, Unverified> {
        if entry.kind() == Kind::Map {
            return self.value(entry, 1);
        }
        let detail = format!("the entry is {} and not a mapping", entry.kind().words());
        Err(Unverified::new(Reason::Type(crate::Field::Entry), detail))
    }

    fn value(&self, value: Value<'_>, depth: usize) -> Result<Json, Unverified> {
        Ok(match value.kind() {
            Kind::Null => return ambiguous(value),
            Kind::Bool if value.is_loose() => return ambiguous(value),
            Kind::Bool => Json::Bool(value.truth() == Some(true)),
            Kind::Number => self.number(value)?,
            Kind::String => Json::Text(self.text(value)?),
            Kind::List => {
                let items = value
                    .items()
                    .map(|item| self.value(item, Self::deeper(value, depth)?));
                Json::List(items.collect::<Result<_, _>>()?)
            }
            Kind::Map => {
                // Maps are small, and putting in a member at a time is faster than sorting them
                // all.
                let mut members = BTreeMap::new();
                for (key, value) in value.entries() {
                    let key = self.key(key)?;
                    let member = self.value(value, Self::deeper(value, depth)?)?;
                    members.insert(key, member);
                }
                Json::Map(members)
            }
        })
    }

    fn deeper(value: Value<'_>, depth: usize) -> Result<usize, Unverified> {
        if depth < limits::MAX_DEPTH {
            return Ok(depth + 1);
        }
        let detail = format!("`{}` nests deeper than {}", value.path(), limits::MAX_DEPTH);
        Err(Unverified::new(Reason::YamlTooLarge, detail))
    }

    fn number(&self, value: Value<'_>) -> Result<Json, Unverified> {
        let literal = value.raw();
        let number = match self.language {
            Language::Yaml => literal.parse(),
            Language::Json => Number::from_json(literal),
        };
        number.map(Json::Number).map_err(|error| {
            let detail = format!("`{}` is {}: {error}", value.path(), quote(literal));
            Unverified::new(error.into(), detail)
        })
    }

    fn text(&self, value: Value<'_>) -> Result<String, Unverified> {
        let text = value.text().unwrap_or_default();
        if self.is_plain(value) && !format::is_text(&text) {
            return ambiguous(value);
        }
        if text.len() > limits::MAX_TEXT {
            let detail = format!(
                "`{}` has more than {} bytes",
                value.path(),
                limits::MAX_TEXT
            );
            return Err(Unverified::new(Reason::YamlTooLarge, detail));
        }
        if let Some(character) = forbidden_character(&text) {
            let shown = character.escape_unicode();
            let detail = format!("`{}` holds the character `{shown}`", value.path());
            return Err(Unverified::new(Reason::YamlForbiddenCharacter, detail));
        }
        Ok(text.into_owned())
    }

    fn key(&self, key: Value<'_>) -> Result<String, Unverified> {
        let text = key.text().unwrap_or_default();
        if is_key(&text) && (!self.is_plain(key) || format::is_text(&text)) {
            return Ok(text.into_owned());
        }
        let detail = format!("{} is not a key that every tool reads alike", quote(&text));
        Err(Unverified::new(Reason::YamlKey, detail))
    }

    /// Returns whether text stands there without quotes, so that its letters decide what it is.
    fn is_plain(&self, value: Value<'_>) -> bool {
        self.language == Language::Yaml && !value.raw().starts_with(['"', '\'', '|', '>'])
    }
}

fn ambiguous<T>(value: Value<'_>) -> Result<T, Unverified> {
    let detail = match value.raw() {
        "" => format!("`{}` has no value", value.path()),
        raw => format!(
            "`{}` is {}, which tools read differently",
            value.path(),
            quote(raw)
        ),
    };
    Err(Unverified::new(Reason::YamlAmbiguousScalar, detail))
}

/// The first character that a reader cannot see, or that makes text look like another. Verified
/// text is stricter here than any other: nobody should wonder what was signed.
fn forbidden_character(text: &str) -> Option<char> {
    // Nearly all text is plain, and a fold over all of it is faster than a search that may end
    // early.
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte);
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return None;
    }
    let is_invisible = |c: char| {
        matches!(
            c,
            '\r' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
        ) || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(
                c,
                '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'
                    ..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            )
    };
    let hidden = hidden_character(text).map(|hidden| hidden.character);
    hidden.or_else(|| text.chars().find(|c| is_invisible(*c)))
}
