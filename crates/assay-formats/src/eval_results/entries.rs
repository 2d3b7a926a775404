//! The entries of a result file as text: cut out, and changed without touching what is not meant.

use assay_model::Entry;

use super::{TOKEN_KEYS, read as read_value};
use crate::{Kind, Tape, Value, yaml};

/// The largest result file that is read, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// The error for a result file whose text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntriesError {
    /// It is broken, or it is something else.
    #[error("it is no result file; `assay validate` tells what is wrong with it")]
    NotResults,
    /// It is laid out so that its entries cannot be told apart by lines.
    #[error(
        "its entries do not begin with a dash on a line of their own; write the list in block style"
    )]
    Layout,
    /// Nothing can be written behind its last entry.
    #[error(
        "it is laid out so that nothing can be added at its end; write the list in block style at the left margin first"
    )]
    NoRoom,
    /// There is no such entry.
    #[error("it has no entry {position}; entries are counted from 1, and there are {count}")]
    NoEntry {
        /// The place that was asked for, from 1.
        position: usize,
        /// How many entries there are.
        count: usize,
    },
    /// The key cannot be written there without changing something else.
    #[error(
        "`{0}` cannot be written into the entry without changing how the rest reads; write it by hand"
    )]
    Place(&'static str),
}

/// One entry of a result file.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// A result file with this entry alone, as its author wrote it.
    pub text: String,
    /// What it says.
    pub entry: Entry,
    /// The line of the file on which it begins, from 1.
    pub line: usize,
}

/// A field that can be written into an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The commit of the benchmark.
    DatasetRevision,
    /// The commit of the model.
    ModelRevision,
    /// The token.
    Token,
}

impl Field {
    /// The way to the value.
    fn words(self) -> &'static str {
        match self {
            Self::DatasetRevision => "dataset.revision",
            Self::ModelRevision => "model_revision",
            Self::Token => TOKEN_KEYS[0],
        }
    }

    /// The keys it may stand behind; the first is written when there is none.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::DatasetRevision => &["revision"],
            Self::ModelRevision => &["model_revision"],
            Self::Token => &TOKEN_KEYS,
        }
    }
}

/// Reads every entry of a result file.
pub fn read(text: &str) -> Result<Vec<Entry>, EntriesError> {
    let mut tape = Tape::new();
    if !yaml::parse(text, &mut tape).is_empty() {
        return Err(EntriesError::NotResults);
    }
    let root = tape.root(text).ok_or(EntriesError::NotResults)?;
    read_value(root).ok_or(EntriesError::NotResults)
}

/// Cuts a result file into its entries.
pub fn split(text: &str) -> Result<Vec<Piece>, EntriesError> {
    let entries = read(text)?;
    let mut tape = Tape::new();
    yaml::parse(text, &mut tape);
    let root = tape.root(text).ok_or(EntriesError::NotResults)?;
    let starts: Vec<usize> = root
        .items()
        .map(|item| line_start(text, item.range().start))
        .collect();
    let mut pieces = Vec::new();
    for (position, entry) in entries.into_iter().enumerate() {
        let start = starts[position];
        let end = starts.get(position + 1).copied().unwrap_or(text.len());
        let lines = text.get(start..end).ok_or(EntriesError::Layout)?;
        let piece = Piece {
            text: without_indent(lines).ok_or(EntriesError::Layout)?,
            entry,
            line: text[..start].matches('\n').count() + 1,
        };
        let mut own = Tape::new();
        let is_whole = yaml::parse(&piece.text, &mut own).is_empty();
        let alone = own.root(&piece.text).and_then(|root| root.items().next());
        let original = root.items().nth(position);
        if !is_whole
            || !alone
                .zip(original)
                .is_some_and(|(one, other)| same(one, other))
        {
            return Err(EntriesError::Layout);
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

/// Adds result files behind a result file; not a byte of what is there changes. `None` stands for a
/// file that is not there yet.
pub fn append(existing: Option<&str>, added: &[&str]) -> Result<String, EntriesError> {
    let mut whole = existing.unwrap_or_default().to_owned();
    let mut expected = match existing {
        Some(text) => read(text)?,
        None => Vec::new(),
    };
    for text in added {
        if !whole.is_empty() && !whole.ends_with('\n') {
            whole.push('\n');
        }
        whole.push_str(text);
        expected.extend(read(text).unwrap_or_default());
    }
    // A list in brackets, an indented list or a second document cannot be added to by writing
    // behind it.
    if read(&whole).as_ref() != Ok(&expected) {
        return Err(EntriesError::NoRoom);
    }
    Ok(whole)
}

/// Writes a value into one entry, from 0, and leaves every other byte as it is.
pub fn set(text: &str, position: usize, field: Field, value: &str) -> Result<String, EntriesError> {
    let mut expected = read(text)?;
    let count = expected.len();
    let changed = expected.get_mut(position).ok_or(EntriesError::NoEntry {
        position: position + 1,
        count,
    })?;
    let refuse = || EntriesError::Place(field.words());
    match field {
        Field::DatasetRevision => {
            changed.dataset_revision = Some(value.parse().map_err(|_| refuse())?);
        }
        Field::ModelRevision => {
            changed.model_revision = Some(value.parse().map_err(|_| refuse())?);
        }
        Field::Token => changed.token = Some(value.to_owned()),
    }
    let mut tape = Tape::new();
    yaml::parse(text, &mut tape);
    let root = tape.root(text).ok_or(EntriesError::NotResults)?;
    let entry = root.items().nth(position).ok_or_else(refuse)?;
    let map = match field {
        Field::DatasetRevision => entry.get("dataset").ok_or_else(refuse)?,
        Field::ModelRevision | Field::Token => entry,
    };
    let edited = edited(text, map, field.keys(), value).ok_or_else(refuse)?;
    // Whatever the layout was, the file has to say the same as before but for this value.
    if read(&edited).as_ref() != Ok(&expected) {
        return Err(refuse());
    }
    Ok(edited)
}

fn edited(text: &str, map: Value<'_>, keys: &[&str], value: &str) -> Option<String> {
    // Tokens and hashes have no character that a quote would have to protect.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let quoted = value
        .bytes()
        .all(is_plain)
        .then(|| format!("\"{value}\""))?;
    let mut found = keys.iter().filter_map(|key| map.get(key));
    if let Some(old) = found.next() {
        // Two spellings of one key contradict each other, and which of them counts is for a person
        // to say.
        let is_scalar = !matches!(old.kind(), Kind::List | Kind::Map);
        let range = old.range();
        let spliced = format!("{}{quoted}{}", &text[..range.start], &text[range.end..]);
        return (found.next().is_none() && is_scalar && !range.is_empty()).then_some(spliced);
    }
    let key = keys.first()?;
    let (at, inserted) = if map.raw().starts_with('{') {
        let inside = text.get(..map.range().end.checked_sub(1)?)?;
        (inside.trim_end().len(), format!(", {key}: {quoted}"))
    } else {
        let column = map.range().start - line_start(text, map.range().start);
        let last = map.range().end;
        let rest = text.get(last..)?;
        let line_end = last + rest.find(['\n', '\r']).unwrap_or(rest.len());
        let indent = " ".repeat(column);
        (line_end, format!("\n{indent}{key}: {quoted}"))
    };
    Some(format!("{}{inserted}{}", &text[..at], &text[at..]))
}

/// Returns the start of the line of a byte.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |feed| feed + 1)
}

/// Lines of one list item with the dash moved to the left margin; none when they do not begin with
/// a dash.
fn without_indent(lines: &str) -> Option<String> {
    let indent = lines.len() - lines.trim_start_matches(' ').len();
    if !lines[indent..].starts_with('-') {
        return None;
    }
    let mut text = String::with_capacity(lines.len() + 1);
    for line in lines.lines() {
        let own = line.len() - line.trim_start_matches(' ').len();
        text.push_str(&line[own.min(indent)..]);
        text.push('\n');
    }
    Some(text)
}

/// Returns whether two values say the same in the same words.
fn same(one: Value<'_>, other: Value<'_>) -> bool {
    if one.kind() != other.kind() {
        return false;
    }
    match one.kind() {
        Kind::Null => true,
        Kind::Bool => one.truth() == other.truth(),
        Kind::Number => one.raw() == other.raw(),
        Kind::String => one.text() == other.text(),
        Kind::List => {
            one.items().count() == other.items().count()
                && one.items().zip(other.items()).all(|(a, b)| same(a, b))
        }
        Kind::Map => {
            one.entries().count() == other.entries().count()
                && one
                    .entries()
                    .zip(other.entries())
                    .all(|(a, b)| same(a.0, b.0) && same(a.1, b.1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6";
    const PLAIN: &str = "\
# kept by hand
- dataset:
    id: acme/sums
    task_id: words # the easy one
  metrics:
    - metric_id: accuracy
      value: 20.90
  artifacts: {log: a.json}
# between
- dataset: {id: acme/sums, task_id: digits}
  value: 3
  notes: |
    two
    lines
";

    fn after(text: &str, position: usize, field: Field) -> String {
        set(text, position, field, SHA).unwrap()
    }

    #[test]
    fn a_file_is_cut_into_entries_that_say_what_they_said() {
        let pieces = split(PLAIN).unwrap();

        assert_eq!(pieces.len(), 2);
        assert_eq!((pieces[0].line, pieces[1].line), (2, 10));
        assert!(pieces[0].text.starts_with("- dataset:\n    id: acme/sums"));
        assert!(pieces[0].text.contains("value: 20.90\n"));
        assert!(pieces[1].text.ends_with("    two\n    lines\n"));
    }

    #[test]
    fn an_indented_list_is_moved_to_the_margin() {
        let lines: Vec<&str> = PLAIN.lines().collect();
        let indented = format!("  {}\n", lines.join("\n  "));

        let pieces = split(&indented).unwrap();

        let plain = split(PLAIN).unwrap();
        assert_eq!(pieces[0].entry, plain[0].entry);
        assert_eq!(pieces[1].text, plain[1].text);
    }

    #[test]
    fn a_list_in_brackets_cannot_be_cut() {
        let flow = "[{dataset: {id: a/b, task_id: t}, value: 1}, {dataset: {id: a/b, task_id: u}, value: 2}]\n";

        assert_eq!(split(flow), Err(EntriesError::Layout));
        assert_eq!(split("a: [").unwrap_err(), EntriesError::NotResults);
        assert_eq!(split("").unwrap_err(), EntriesError::NotResults);
    }

    #[test]
    fn a_value_is_written_behind_the_last_key_and_nothing_else_moves() {
        let revised = after(PLAIN, 0, Field::DatasetRevision);
        let pinned = after(PLAIN, 0, Field::ModelRevision);

        let line =
            format!("    task_id: words # the easy one\n    revision: \"{SHA}\"\n  metrics:\n");
        assert!(revised.contains(&line), "{revised}");
        let line =
            format!("  artifacts: {{log: a.json}}\n  model_revision: \"{SHA}\"\n# between\n");
        assert!(pinned.contains(&line), "{pinned}");
        assert_eq!(
            pinned.replace(&format!("  model_revision: \"{SHA}\"\n"), ""),
            PLAIN
        );
    }

    #[test]
    fn a_map_in_braces_and_a_text_block_are_written_into() {
        let revised = after(PLAIN, 1, Field::DatasetRevision);
        let pinned = after(PLAIN, 1, Field::Token);

        let line = format!("{{id: acme/sums, task_id: digits, revision: \"{SHA}\"}}");
        assert!(revised.contains(&line), "{revised}");
        assert!(
            pinned.ends_with(&format!("    lines\n  verify_token: \"{SHA}\"\n")),
            "{pinned}"
        );
    }

    #[test]
    fn what_is_there_is_replaced_whichever_way_its_key_is_spelled() {
        let live = "- dataset: {id: a/b, task_id: t}\n  value: 1\n  verifyToken: 'old' # mine\n";

        let written = after(live, 0, Field::Token);

        assert_eq!(written, live.replace("'old'", &format!("\"{SHA}\"")));
    }

    #[test]
    fn what_would_change_more_than_it_says_is_refused() {
        let both =
            "- dataset: {id: a/b, task_id: t}\n  value: 1\n  verify_token: x\n  verifyToken: y\n";
        let cases = [
            (
                set(both, 0, Field::Token, SHA),
                EntriesError::Place("verify_token"),
            ),
            (
                set(PLAIN, 0, Field::Token, "a\"b"),
                EntriesError::Place("verify_token"),
            ),
            (
                set(PLAIN, 0, Field::ModelRevision, "main"),
                EntriesError::Place("model_revision"),
            ),
            (
                set(PLAIN, 2, Field::Token, SHA),
                EntriesError::NoEntry {
                    position: 3,
                    count: 2,
                },
            ),
        ];
        for (outcome, expected) in cases {
            assert_eq!(outcome, Err(expected));
        }
    }

    #[test]
    fn a_file_without_a_last_line_feed_is_written_to() {
        let text = PLAIN
            .trim_end()
            .split("# between")
            .next()
            .unwrap()
            .trim_end();

        let written = after(text, 0, Field::Token);

        assert_eq!(written, format!("{text}\n  verify_token: \"{SHA}\""));
    }
}
