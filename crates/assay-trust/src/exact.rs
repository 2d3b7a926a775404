use assay_formats::json::Parser;
use assay_formats::{Kind, Tape, Value};
use assay_model::{Number, Spelling};

use crate::json::{is_key, write_text};
use crate::{Json, JsonError};

/// A JSON text that is known to be in its canonical spelling: whatever it means, it could not have
/// been written otherwise.
///
/// The text is compared with what a writer would have written while it is walked, so no second text
/// is made of it.
pub(crate) struct Exact<'t> {
    text: &'t str,
    tape: Tape,
}

impl<'t> Exact<'t> {
    pub(crate) fn read(text: &'t str) -> Result<Self, JsonError> {
        let mut tape = Tape::with_room_for(text.len());
        let is_plain = Parser::with_depth(Json::MAX_DEPTH).parse(text, &mut tape);
        let root = tape.root(text).filter(|_| is_plain);
        let mut walk = Walk { text, at: 0 };
        walk.value(root.ok_or(JsonError::Syntax)?)?;
        if walk.at == text.len() {
            Ok(Self { text, tape })
        } else {
            Err(JsonError::NotCanonical)
        }
    }

    pub(crate) fn root(&self) -> Value<'_> {
        self.tape
            .root(self.text)
            .expect("`read` refuses a text without a value")
    }
}

/// The way through a text, byte by byte: `at` is where the next thing must begin.
struct Walk<'t> {
    text: &'t str,
    at: usize,
}

impl Walk<'_> {
    fn value(&mut self, value: Value<'_>) -> Result<(), JsonError> {
        match value.kind() {
            // A word has one spelling, and a parser that takes it for one has seen that.
            Kind::Null | Kind::Bool => self.pass(value),
            Kind::Number => {
                let number = value.number().and_then(Number::new);
                let number = number.ok_or(JsonError::Syntax)?;
                self.check(number.spell(&mut Spelling::new()) == value.raw())?;
                self.pass(value)
            }
            Kind::String => self.string(value),
            Kind::List => self.list(value),
            Kind::Map => self.map(value),
        }
    }

    fn string(&mut self, value: Value<'_>) -> Result<(), JsonError> {
        if value.plain_text().is_none() {
            let mut spelled = String::new();
            write_text(&value.text().unwrap_or_default(), &mut spelled);
            self.check(spelled == value.raw())?;
        }
        self.pass(value)
    }

    fn list(&mut self, value: Value<'_>) -> Result<(), JsonError> {
        self.eat(b'[')?;
        for (position, item) in value.items().enumerate() {
            if position > 0 {
                self.eat(b',')?;
            }
            self.value(item)?;
        }
        self.eat(b']')
    }

    fn map(&mut self, value: Value<'_>) -> Result<(), JsonError> {
        self.eat(b'{')?;
        let mut last: Option<&str> = None;
        for (key, value) in value.entries() {
            let Some(name) = key.plain_text().filter(|name| is_key(name)) else {
                return Err(JsonError::Key(key.text().unwrap_or_default().into_owned()));
            };
            self.check(last.is_none_or(|last| last < name))?;
            if last.replace(name).is_some() {
                self.eat(b',')?;
            }
            self.pass(key)?;
            self.eat(b':')?;
            self.value(value)?;
        }
        self.eat(b'}')
    }

    /// Passes a scalar or a key that is spelled as it should be; it must stand here, with nothing
    /// before it.
    fn pass(&mut self, value: Value<'_>) -> Result<(), JsonError> {
        let range = value.range();
        self.check(range.start == self.at)?;
        self.at = range.end;
        Ok(())
    }

    fn eat(&mut self, byte: u8) -> Result<(), JsonError> {
        self.check(self.text.as_bytes().get(self.at) == Some(&byte))?;
        self.at += 1;
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "it reads as a step of the way")]
    fn check(&self, holds: bool) -> Result<(), JsonError> {
        if holds {
            Ok(())
        } else {
            Err(JsonError::NotCanonical)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_canonical_spelling_is_read() {
        for text in [
            r#"{"a":1,"b":[true,null,"x\n\"\\\u001f"],"c":{}}"#,
            "[]",
            "1e+21",
            r#""é""#,
        ] {
            assert!(Exact::read(text).is_ok(), "{text}");
        }
        for text in [
            r#" {"a":1}"#,
            r#"{"a":1} "#,
            r#"{"a" :1}"#,
            r#"{"a":1, "b":2}"#,
            r#"{"b":1,"a":2}"#,
            "[1 ]",
            "[ ]",
            "{ }",
            "1.0",
            "-0",
            "1E5",
            "1e21",
            r#""\u00e9""#,
            r#""\/""#,
            r#""\u001F""#,
            r#"{"\u0061":1}"#,
            r#"{"a b":1}"#,
            "",
        ] {
            assert!(Exact::read(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_exact_when_writing_what_it_says_gives_it_back(text in "[\\[\\]{}\",:a-c0-2.e\\\\un -]{0,24}") {
            let written = Json::read(&text).map(|json| json.to_jcs());

            prop_assert_eq!(Exact::read(&text).is_ok(), written == Ok(text));
        }
    }
}
