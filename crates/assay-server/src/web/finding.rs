use assay_app::{doubts_value, rule_page};
use assay_model::{Diagnostic, Severity};

/// A finding, as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The code of the rule.
    pub(crate) code: String,
    /// The severity of the finding.
    pub(crate) weight: String,
    /// The class of its badge.
    pub(crate) class: &'static str,
    /// The message, in pieces: whether each was written by somebody, and its text.
    pub(crate) message: Vec<(bool, String)>,
    /// The file, with line and column.
    pub(crate) place: String,
    /// The line, with what is meant.
    pub(crate) excerpt: Option<Marked>,
    /// The evidence.
    pub(crate) notes: Vec<String>,
    /// The next step.
    pub(crate) help: Option<String>,
}

/// A line with a marked part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    /// The text before it.
    pub(crate) before: String,
    /// The marked part.
    pub(crate) meant: String,
    /// The text after it.
    pub(crate) after: String,
}

impl Finding {
    /// Each finding as it is shown.
    pub(crate) fn list(diagnostics: &[Diagnostic]) -> Vec<Self> {
        diagnostics.iter().map(Self::of).collect()
    }

    fn of(diagnostic: &Diagnostic) -> Self {
        let place = &diagnostic.place;
        Self {
            code: diagnostic.code.to_string(),
            weight: diagnostic.severity.to_string(),
            class: match diagnostic.severity {
                Severity::Error => "bad",
                Severity::Warning => "community",
                Severity::Note => "source",
            },
            message: pieces(&diagnostic.message),
            place: if place.is_whole() {
                place.file.to_string()
            } else {
                let (line, column) = (place.line, place.column);
                format!("{}, line {line}, column {column}", place.file)
            },
            excerpt: diagnostic.excerpt.as_ref().and_then(|excerpt| {
                let text = excerpt.text.as_str();
                Some(Marked {
                    before: text.get(..excerpt.start)?.to_owned(),
                    meant: text.get(excerpt.start..excerpt.end)?.to_owned(),
                    after: text.get(excerpt.end..)?.to_owned(),
                })
            }),
            notes: diagnostic.notes.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

/// A finding that stays with a result.
pub(crate) struct KeptFinding {
    /// The code of the rule.
    pub(crate) code: String,
    /// The name of the rule for people.
    pub(crate) name: &'static str,
    /// The page of the rule.
    pub(crate) to: String,
    /// The message.
    pub(crate) message: String,
    /// True if it puts the value in doubt.
    pub(crate) doubts: bool,
}

impl KeptFinding {
    pub(crate) fn of(finding: &assay_model::Finding) -> Self {
        let code = finding.code.to_string();
        Self {
            name: rule_page(&code).map_or("", |page| page.name),
            to: format!("/docs/codes/{code}"),
            message: finding.message.clone(),
            doubts: doubts_value(finding.code),
            code,
        }
    }
}

/// A message cut at its backticks: what stands between two of them was written by somebody.
pub(crate) fn pieces(message: &str) -> Vec<(bool, String)> {
    let parts = message.split('`').enumerate();
    parts
        .filter(|(_, text)| !text.is_empty())
        .map(|(position, text)| (position % 2 == 1, text.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote_is_told_from_what_we_say() {
        let said = |quoted: bool, text: &str| (quoted, text.to_owned());

        assert_eq!(
            pieces("`a` must be `b`, not c"),
            [
                said(true, "a"),
                said(false, " must be "),
                said(true, "b"),
                said(false, ", not c")
            ]
        );
        assert_eq!(pieces("plain"), [said(false, "plain")]);
    }
}
