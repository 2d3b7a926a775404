use assay_formats::json::{Map, Node};
use assay_model::quote;

use super::conform::as_text;
use super::details::{details, free_key};
use super::report::{ChangeKind, Ledger};

/// The word for something that nobody knows.
const UNKNOWN: &str = "unknown";

/// One of the two things that 0.3.0 wants to know of every model.
struct Axis {
    key: &'static str,
    /// The allowed words, and the older words that mean the same.
    words: &'static [(&'static str, &'static [&'static str])],
}

static AXES: [Axis; 2] = [
    Axis {
        key: "deployment_type",
        words: &[
            (
                "self_deployed",
                &["self_hosted", "local", "on_premise", "on_premises"],
            ),
            (
                "externally_managed",
                &[
                    "api",
                    "hosted_api",
                    "third_party_api",
                    "externally_hosted",
                    "managed",
                    "managed_api",
                ],
            ),
            (UNKNOWN, &["not_specified", "unspecified", "n/a"]),
        ],
    },
    Axis {
        key: "model_availability",
        words: &[
            ("open_weights", &["open", "open_weight", "open_source"]),
            (
                "closed_weights",
                &[
                    "closed",
                    "closed_weight",
                    "closed_source",
                    "proprietary",
                    "api_only",
                ],
            ),
            (UNKNOWN, &["not_specified", "unspecified", "n/a"]),
        ],
    },
];

/// Makes a model say how it was run and whether its weights can be had, if only that both are
/// unknown.
pub(crate) fn fill(model: &mut Map, ledger: &mut Ledger) {
    let Some(details) = details(model, "additional_details", ledger) else {
        return;
    };
    ledger.at_key("additional_details", |ledger| {
        for axis in &AXES {
            ledger.at_key(axis.key, |ledger| axis.fill(details, ledger));
        }
    });
}

impl Axis {
    fn fill(&self, details: &mut Map, ledger: &mut Ledger) {
        let written = match details.get(self.key) {
            None | Some(Node::Null) => {
                details.set(self.key, UNKNOWN);
                ledger.note(ChangeKind::Filled, format!("with `{UNKNOWN}`"));
                return;
            }
            Some(node) => as_text(node),
        };
        let plain = written.to_lowercase().replace(['-', ' '], "_");
        let current = self
            .words
            .iter()
            .find(|(word, older)| plain == *word || older.contains(&plain.as_str()))
            .map(|(word, _)| *word);
        match current {
            Some(word) if word == written => {}
            Some(word) => {
                details.set(self.key, word);
                ledger.note(
                    ChangeKind::Renamed,
                    format!("{} is `{word}` now", quote(&written)),
                );
            }
            None => self.set_aside(written, details, ledger),
        }
    }

    /// Keeps a word that 0.3.0 has no equal for, beside the axis.
    fn set_aside(&self, written: String, details: &mut Map, ledger: &mut Ledger) {
        details.set(self.key, UNKNOWN);
        let taken = details.entries().map(|(key, _)| key.to_owned()).collect();
        let aside = free_key(&format!("{}_as_written", self.key), &taken);
        ledger.note(
            ChangeKind::Moved,
            format!(
                "{} is no word of 0.3.0: kept as `{aside}`, and the axis says `{UNKNOWN}`",
                quote(&written)
            ),
        );
        details.set(&aside, written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(deployment: &str) -> (Map, Vec<(ChangeKind, String)>) {
        let mut details = Map::new();
        details.set("deployment_type", deployment);
        details.set("model_availability", "open_weights");
        let mut model = Map::new();
        model.set("additional_details", details);
        let mut ledger = Ledger::default();

        fill(&mut model, &mut ledger);

        let details = model.map_of_mut("additional_details").cloned().unwrap();
        let changes = ledger
            .changes
            .into_iter()
            .map(|change| (change.kind, change.path));
        (details, changes.collect())
    }

    #[test]
    fn older_words_are_renamed() {
        for (older, current) in [
            ("self_hosted", "self_deployed"),
            ("Self-Hosted", "self_deployed"),
            ("api", "externally_managed"),
        ] {
            let (details, changes) = filled(older);

            assert_eq!(details.text_of("deployment_type"), Some(current));
            assert_eq!(
                changes,
                [(
                    ChangeKind::Renamed,
                    "additional_details.deployment_type".to_owned()
                )]
            );
        }
    }

    #[test]
    fn current_words_stay() {
        for word in ["self_deployed", "externally_managed", "unknown"] {
            let (details, changes) = filled(word);

            assert_eq!(details.text_of("deployment_type"), Some(word));
            assert_eq!(changes, []);
        }
    }

    #[test]
    fn a_strange_word_is_kept_beside_the_axis() {
        let (details, changes) = filled("on the moon");

        assert_eq!(details.text_of("deployment_type"), Some("unknown"));
        assert_eq!(
            details.text_of("deployment_type_as_written"),
            Some("on the moon")
        );
        assert_eq!(changes.len(), 1);
    }

    #[test]
    fn a_model_without_details_gets_both() {
        let (mut model, mut ledger) = (Map::new(), Ledger::default());

        fill(&mut model, &mut ledger);

        let details = model.map_of_mut("additional_details").unwrap();
        assert_eq!(details.text_of("deployment_type"), Some("unknown"));
        assert_eq!(details.text_of("model_availability"), Some("unknown"));
        assert_eq!(ledger.changes.len(), 2);
    }
}
