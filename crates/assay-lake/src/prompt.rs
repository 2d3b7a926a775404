//! A prompt for questions, with completion of names.

use std::borrow::Cow;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};

/// Words of SQL that are worth completing.
const KEYWORDS: [&str; 34] = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "HAVING",
    "JOIN",
    "LEFT JOIN",
    "ON",
    "USING",
    "AS",
    "AND",
    "OR",
    "NOT",
    "IN",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "IS NULL",
    "IS NOT NULL",
    "DISTINCT",
    "count(",
    "avg(",
    "sum(",
    "min(",
    "max(",
    "stddev(",
    "CASE",
    "WHEN",
    "DESC",
    "EXPLAIN",
    "DESCRIBE",
    "SHOW TABLES",
];

/// What was typed at the prompt.
pub(crate) enum Typed {
    /// A question.
    Question(String),
    /// Nothing more.
    End,
}

/// Reads questions, each ended by a semicolon.
pub(crate) struct Prompt {
    editor: Editor<Names, DefaultHistory>,
}

impl Prompt {
    /// A prompt that completes these names of tables and columns.
    pub(crate) fn new(names: Vec<String>) -> Result<Self, ReadlineError> {
        let mut editor = Editor::new()?;
        editor.set_helper(Some(Names(names)));
        Ok(Self { editor })
    }

    /// Waits for the next question.
    pub(crate) fn read(&mut self) -> Result<Typed, ReadlineError> {
        loop {
            match self.editor.readline("assay> ") {
                Ok(line) => {
                    let question = line.trim().trim_end_matches(';').trim();
                    if ["exit", "quit", "\\q"].contains(&question) {
                        return Ok(Typed::End);
                    }
                    if !question.is_empty() {
                        self.editor.add_history_entry(line.trim())?;
                        return Ok(Typed::Question(question.to_owned()));
                    }
                }
                // A line that was begun wrongly is left with Ctrl-C, the prompt with Ctrl-D.
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(Typed::End),
                Err(error) => return Err(error),
            }
        }
    }
}

struct Names(Vec<String>);

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(&self.0, line, position))
    }
}

/// Where the word before the cursor begins, and what it may become.
fn complete(names: &[String], line: &str, position: usize) -> (usize, Vec<String>) {
    let before = line.get(..position).unwrap_or(line);
    let start = before
        .rfind(|character: char| !(character.is_alphanumeric() || character == '_'))
        .map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
    let word = before[start..].to_lowercase();
    if word.is_empty() {
        return (start, Vec::new());
    }
    let names = names.iter().map(String::as_str);
    let candidates = names
        .chain(KEYWORDS)
        .filter(|name| name.to_lowercase().starts_with(&word));
    (start, candidates.map(str::to_owned).collect())
}

impl Validator for Names {
    /// A question goes on to the next line until a semicolon ends it.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input().trim();
        let is_whole =
            text.is_empty() || text.ends_with(';') || ["exit", "quit", "\\q"].contains(&text);
        Ok(if is_whole {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Borrowed(hint)
    }
}

impl Helper for Names {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_before_the_cursor_is_completed() {
        let names = ["instances".to_owned(), "is_correct".to_owned()];

        let (start, candidates) = complete(&names, "SELECT is FROM x", 9);

        assert_eq!(start, 7);
        assert_eq!(candidates, ["is_correct", "IS NULL", "IS NOT NULL"]);
    }

    #[test]
    fn nothing_is_offered_where_no_word_begins() {
        assert_eq!(complete(&["a".to_owned()], "SELECT ", 7), (7, Vec::new()));
        assert_eq!(
            complete(&["é".to_owned()], "x=é", 4),
            (2, vec!["é".to_owned()])
        );
    }
}
