//! Citations, and descriptions of a board for machines.

use std::fmt::Write as _;

use assay_model::RepoId;
use serde_json::{Value, json};

use super::links::is_hidden;
use super::matrix::escape_latex;

/// A BibTeX entry for a page at an address, as it is on a day.
pub(crate) fn bibtex(key: &str, title: &str, publisher: &str, address: &str, day: &str) -> String {
    let year = day.get(..4).unwrap_or(day);
    let key: String = key
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    format!(
        "@misc{{{key},\n  title = {{{{{}}}}},\n  author = {{{{{}}}}},\n  year = {{{year}}},\n  \
         howpublished = {{\\url{{{address}}}}},\n  note = {{Leaderboard as of {day}}}\n}}",
        escape_latex(title),
        escape_latex(publisher),
    )
}

/// A board for search engines of datasets.
#[derive(Debug)]
pub(crate) struct DatasetDescription<'d> {
    pub(crate) id: &'d RepoId,
    pub(crate) name: &'d str,
    pub(crate) description: &'d str,
    pub(crate) license: Option<&'d str>,
    pub(crate) address: String,
    /// The files: name of the format, media type and address.
    pub(crate) files: Vec<(&'d str, &'d str, String)>,
}

impl DatasetDescription<'_> {
    /// Returns JSON-LD in which nothing can end the script element that it stands in.
    pub(crate) fn to_json_ld(&self) -> String {
        let files = self.files.iter().map(|(name, kind, address)| {
            json!({"@type": "DataDownload", "name": name, "encodingFormat": kind, "contentUrl": address})
        });
        let mut document = json!({
            "@context": "https://schema.org/",
            "@type": "Dataset",
            "name": self.name,
            "description": self.description,
            "identifier": self.id.as_str(),
            "url": self.address,
            "creator": {"@type": "Organization", "name": self.id.namespace().unwrap_or_default()},
            "isAccessibleForFree": true,
            "distribution": files.collect::<Vec<Value>>(),
        });
        if let Some(license) = self.license {
            document["license"] = license.into();
        }
        escape_for_script(&document.to_string())
    }
}

/// Escapes JSON so that it can stand in a script element, and so that no character in it is hidden.
fn escape_for_script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        let is_markup = matches!(letter, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        if is_markup || is_hidden(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // A text can always be written to.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_escapes_what_latex_would_run() {
        let entry = bibtex(
            "alice/sums",
            "50% & more_",
            "alice",
            "https://h/x",
            "2026-01-02",
        );

        assert!(entry.starts_with("@misc{alice-sums,\n"), "{entry}");
        assert!(entry.contains("title = {{50\\% \\& more\\_}}"), "{entry}");
        assert!(entry.contains("year = {2026}"), "{entry}");
    }

    #[test]
    fn a_description_cannot_end_its_script_or_hide_characters() {
        let id = "alice/sums".parse().expect("a valid id");
        let board = DatasetDescription {
            id: &id,
            name: "</script><b>",
            description: "a & b\u{202e}c\u{e0041}",
            license: None,
            address: "https://h/datasets/alice/sums".to_owned(),
            files: Vec::new(),
        };

        let text = board.to_json_ld();

        assert!(!text.contains('<') && !text.contains('&'), "{text}");
        assert!(!text.chars().any(is_hidden), "{text}");
        let read: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read["name"], "</script><b>");
        assert_eq!(read["description"], "a & b\u{202e}c\u{e0041}");
        assert_eq!(read["license"], Value::Null);
    }
}
