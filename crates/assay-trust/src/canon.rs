//! The canonical form of an entry.

use std::collections::HashSet;

use assay_formats::eval_results::TOKEN_KEYS;
use assay_formats::{Tape, Value, json, yaml};
use assay_model::RepoId;

use crate::{Digest, Json, Reason, Subject, Unverified};

mod profile;
mod subject;
mod write;

pub use profile::limits;

/// An entry of a result file in its one canonical spelling, and the token beside it.
///
/// Comments, quotes, the order of keys and the layout do not matter; every value does. A file that
/// tools could read in two ways has no canonical form, and its entries cannot be verified.
///
/// ```
/// # use assay_trust::Canonical;
/// let entries = Canonical::read_file("- notes: 'no-tools'   # a comment\n  value: 20.90\n");
/// let entry = entries[0].as_ref().expect("the entry is plain");
/// assert_eq!(entry.as_json(), r#"{"notes":"no-tools","value":20.9}"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Canonical {
    tree: Json,
    json: String,
    token: Option<String>,
}

impl Canonical {
    const DOMAIN: &str = "eval-entry/v1";

    /// The canonical form of an entry of a YAML file, decided by its own text and by what stands
    /// around it.
    pub fn of(entry: Value<'_>) -> Result<Self, Unverified> {
        Self::from_tree(profile::yaml(entry)?)
    }

    /// The canonical form of every entry of a result file; one answer for the whole file if it
    /// cannot be read as a list.
    pub fn read_file(source: &str) -> Vec<Result<Self, Unverified>> {
        // Half of a file with tokens is tokens, which are a value each.
        let mut tape = Tape::with_room_for(source.len() / 2);
        let faults = yaml::parse(source, &mut tape);
        let Some(root) = tape.root(source) else {
            return vec![Err(profile::fatal(source, &faults))];
        };
        if root.kind() != assay_formats::Kind::List {
            let detail = format!("the file is {} and not a list", root.kind().words());
            return vec![Err(Unverified::new(
                Reason::Type(crate::Field::Entry),
                detail,
            ))];
        }
        root.items().map(Self::of).collect()
    }

    /// The canonical form of the entry in a request, which is JSON. Numbers are read from their
    /// letters.
    pub fn from_json(source: &str) -> Result<Self, Unverified> {
        let mut tape = Tape::new();
        let faults = json::parse(source, &mut tape);
        let Some(root) = tape.root(source) else {
            return Err(profile::fatal(source, &faults));
        };
        Self::of_json(root)
    }

    /// The same of a value inside a request.
    pub fn of_json(entry: Value<'_>) -> Result<Self, Unverified> {
        Self::from_tree(profile::json(entry)?)
    }

    /// An entry from what [`Canonical::as_json`] gave once, with its token; none when the text is
    /// not canonical.
    pub fn restore(json: &str, token: Option<&str>) -> Option<Self> {
        Some(Self {
            tree: Json::read_exact(json).ok()?,
            json: json.to_owned(),
            token: token.map(str::to_owned),
        })
    }

    /// The digest of the whole entry without its token.
    pub fn digest(&self) -> Digest {
        Digest::in_domain(Self::DOMAIN, self.json.as_bytes())
    }

    /// The entry without its token, as canonical JSON.
    pub fn as_json(&self) -> &str {
        &self.json
    }

    /// The token, unread.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Returns the claim of the entry for a model.
    pub fn subject(&self, model: &RepoId) -> Result<Subject, Unverified> {
        subject::read(&self.tree, model)
    }

    /// Returns whether the entry claims exactly this, for whichever model. The answer of
    /// [`Canonical::subject`] without making one.
    pub(crate) fn is_claim(&self, signed: &Subject) -> bool {
        subject::is(&self.tree, signed)
    }

    /// The entry as a result file has it, with this token. It reads back as the same entry.
    pub fn to_yaml(&self, token: Option<&str>) -> String {
        write::yaml(&self.tree, token)
    }

    /// For each entry of a file, whether one before it has the same token and the same content.
    /// Content that differs is refused by itself, and must not take the token from the entry that
    /// it belongs to.
    pub fn repeats(entries: &[Result<Self, Unverified>]) -> Vec<bool> {
        let mut seen = HashSet::new();
        let mut is_repeat = |entry: &Self| {
            let token = entry.token.as_deref()?;
            Some(!seen.insert((token.to_owned(), entry.digest())))
        };
        entries
            .iter()
            .map(|entry| entry.as_ref().ok().and_then(&mut is_repeat) == Some(true))
            .collect()
    }

    fn from_tree(mut tree: Json) -> Result<Self, Unverified> {
        let mut token = None;
        if let Json::Map(members) = &mut tree {
            for key in TOKEN_KEYS {
                match (members.remove(key), &token) {
                    (None, _) => {}
                    (Some(Json::Text(text)), None) => token = Some(text),
                    (Some(_), Some(_)) => {
                        let detail = "the entry has `verify_token` and `verifyToken`";
                        return Err(Unverified::new(Reason::TokenAmbiguous, detail));
                    }
                    (Some(_), None) => {
                        let detail = format!("`{key}` is not text");
                        return Err(Unverified::new(Reason::TokenMalformed, detail));
                    }
                }
            }
        }
        let json = tree.to_jcs();
        Ok(Self { tree, json, token })
    }
}
