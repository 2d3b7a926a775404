/// Says what the parser found wrong to someone who has never read the grammar of YAML.
///
/// What is not in the list keeps the parser's own words, without the part that says which of its
/// functions was at work.
pub(super) fn in_plain_words(info: &str) -> String {
    let plain = match info {
        "while scanning a quoted scalar, found unexpected end of stream" => {
            "this string is not closed"
        }
        "while scanning a quoted scalar, found unexpected document indicator" => {
            "this string is not closed before the document ends"
        }
        "while parsing a quoted scalar, found unknown escape character" => {
            "this string has a backslash before something that cannot be escaped"
        }
        "while parsing a quoted scalar, did not find expected hexadecimal number" => {
            "this string has an escape with too few hexadecimal digits"
        }
        "while parsing a quoted scalar, found invalid Unicode character escape code" => {
            "this string has an escape that is not a character; YAML has no surrogate pairs"
        }
        "invalid trailing content after double-quoted scalar" => {
            "unexpected text after the end of a string"
        }
        "mapping values are not allowed in this context" => {
            "a `:` cannot stand here; quote the text if it is part of it"
        }
        "illegal placement of ':' indicator" => "a key and its `:` must be on one line",
        "mapping keys are not allowed in this context" => "a key cannot stand here",
        "block sequence entries are not allowed in this context" => {
            "a list item cannot stand here; begin it on a line of its own"
        }
        r#""-" is only valid inside a block"# => "a `-` item cannot stand inside brackets",
        "plain scalar cannot start with '-' followed by ,[]{}" => {
            "a lone `-` inside brackets must be quoted"
        }
        "while parsing a block mapping, did not find expected key" => {
            "expected a key, indented like the keys before it"
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            "expected `-`, indented like the items before it"
        }
        "while parsing a flow mapping, did not find expected ',' or '}'" => "expected `,` or `}`",
        "while parsing a flow sequence, expected ',' or ']'" => "expected `,` or `]`",
        "while parsing a node, did not find expected node content"
        | "unexpected end of plain scalar" => "expected a value",
        "simple key expected" | "simple key expect ':'" => "expected a key and `:`",
        "':' may not precede any of `[{` in flow mapping" => "expected a space after `:`",
        "did not find expected <document start>"
        | "did not find expected <document-start>"
        | "invalid content after document end marker" => "unexpected text after the document",
        "misplaced bracket" => "this bracket was never opened",
        "invalid indentation" | "invalid indentation in flow construct" => {
            "a line inside brackets must be indented further than the key they belong to"
        }
        "invalid indentation in quoted scalar" => {
            "the lines of this string must be indented further"
        }
        "invalid indentation for anchor" | "wrongly indented line in block scalar" => {
            "this line is indented differently from those before it"
        }
        "tab cannot be used as indentation"
        | "tabs disallowed in this context"
        | "tabs disallowed within this context (block indentation)"
        | "while scanning a plain scalar, found a tab"
        | "a block scalar content cannot start with a tab"
        | "'-' must be followed by a valid YAML whitespace"
        | "':' must be followed by a valid YAML whitespace" => {
            "a tab cannot stand here; indent with spaces"
        }
        "comments must be separated from other tokens by whitespace" => {
            "expected a space before the comment"
        }
        "comment intercepting the multiline text" => {
            "a comment cannot stand between the lines of a text"
        }
        "expected whitespace" => "expected a space",
        "found unprintable character" => "a NUL character cannot stand in a document",
        "a byte order mark must not appear inside a document" => {
            "a byte order mark can only stand before the document"
        }
        "while parsing node, found unknown anchor" => "this alias has no anchor before it",
        "while scanning an anchor or alias, did not find expected alphabetic or numeric character" => {
            "this anchor or alias has no name"
        }
        "while scanning a block scalar, did not find expected comment or line break" => {
            "the text must begin on the line after `|` or `>`"
        }
        "while scanning a block scalar, found an indentation indicator equal to 0" => {
            "the text after `|` or `>` cannot be indented by 0"
        }
        "the handle wasn't declared" => "this tag uses a handle that no directive declares",
        "missing explicit document end marker before directive" => {
            "a directive can only stand before the document"
        }
        "unexpected eof" | "did not find expected next token" => "the document ends too early",
        _ => return in_own_words(info),
    };
    plain.to_owned()
}

fn in_own_words(info: &str) -> String {
    if let Some(character) = info
        .strip_prefix("unexpected character: `")
        .and_then(|rest| rest.strip_suffix('\''))
    {
        return if character == "`" {
            "a value cannot begin with a backtick; quote it".to_owned()
        } else {
            format!("a value cannot begin with `{character}`; quote it")
        };
    }
    match info.split_once(", ") {
        Some((activity, finding)) if activity.starts_with("while ") => finding.to_owned(),
        _ => info.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_names_the_function_that_failed() {
        let message = in_plain_words("while parsing a tag, found an invalid escape sequence");

        assert_eq!(message, "found an invalid escape sequence");
    }

    #[test]
    fn a_character_that_cannot_begin_a_value_is_quoted() {
        let message = in_plain_words("unexpected character: `@'");

        assert_eq!(message, "a value cannot begin with `@`; quote it");
    }
}
