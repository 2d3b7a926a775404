//! Small YAML files made of what somebody filled in. Texts stand in double quotes, numbers as they
//! were typed when they are numbers; whether the file is good is for validation to say.

use std::fmt::Write as _;

/// A file that is written line by line.
#[derive(Debug, Default)]
pub(crate) struct Yaml(String);

impl Yaml {
    /// A key whose value stands on the lines below.
    pub(crate) fn open(&mut self, indent: usize, key: &str) {
        let _ = writeln!(self.0, "{:indent$}{key}:", "");
    }

    /// A key with a text, unless that is empty.
    pub(crate) fn text(&mut self, indent: usize, key: &str, value: &str) {
        if !value.is_empty() {
            let _ = writeln!(self.0, "{:indent$}{key}: {}", "", quoted(value));
        }
    }

    /// A key with a number, or with what was typed where a number should be.
    pub(crate) fn number(&mut self, indent: usize, key: &str, value: &str) {
        if is_number(value) {
            self.plain(indent, key, value);
        } else {
            self.text(indent, key, value);
        }
    }

    /// A key with a word of ours.
    pub(crate) fn plain(&mut self, indent: usize, key: &str, value: &str) {
        let _ = writeln!(self.0, "{:indent$}{key}: {value}", "");
    }

    /// The file.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}

fn is_number(text: &str) -> bool {
    let is_plain = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    is_plain && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A text in double quotes. What JSON escapes YAML reads alike.
fn quoted(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    serde_json::Value::String(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_can_be_nothing_but_a_text_or_a_number() {
        let mut yaml = Yaml::default();
        yaml.open(0, "- dataset");
        yaml.text(4, "id", "acme/sums\"\nevil: true");
        yaml.number(2, "value", "0.50");
        yaml.number(2, "other", "0.5 # no\nevil: true");
        yaml.text(2, "notes", "");

        assert_eq!(
            yaml.finish(),
            "- dataset:\n    id: \"acme/sums\\\"\\nevil: true\"\n  value: 0.50\n  other: \"0.5 # no\\nevil: true\"\n"
        );
    }

    #[test]
    fn a_number_is_a_finite_one() {
        for good in ["1", "-0.5", "1e-3", "20.90"] {
            assert!(is_number(good), "{good}");
        }
        for bad in ["", "NaN", "inf", "1_000", "0x10", "1e999", "1 2"] {
            assert!(!is_number(bad), "{bad}");
        }
    }
}
