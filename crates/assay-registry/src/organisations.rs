//! Organisations under their many spellings.

use std::collections::HashMap;

use crate::{Organisation, Role};

/// Endings that one organisation has in some names and not in others.
const ENDINGS: [&str; 8] = ["ai", "labs", "lab", "org", "hq", "inc", "research", "team"];
/// The shortest text that an ending is taken from.
const SHORTEST: usize = 3;

/// An organisation as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OrganisationKey {
    /// Equal for all spellings of one organisation.
    pub(crate) group: Box<str>,
    pub(crate) role: Role,
    /// The registry has it.
    pub(crate) is_declared: bool,
}

/// Spellings of organisations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Organisations {
    by_spelling: HashMap<Box<str>, OrganisationKey>,
}

impl Organisations {
    pub(crate) fn insert(&mut self, organisation: &Organisation) {
        let key = OrganisationKey {
            group: plain(&organisation.id).into(),
            role: organisation.role,
            is_declared: true,
        };
        for spelling in std::iter::once(&organisation.id).chain(&organisation.spellings) {
            self.by_spelling.insert(plain(spelling).into(), key.clone());
        }
    }

    /// Returns the organisation that the text names, declared or not.
    pub(crate) fn find(&self, text: &str) -> OrganisationKey {
        let whole = plain(text);
        if let Some(key) = self.by_spelling.get(whole.as_str()) {
            return key.clone();
        }
        let short = without_endings(&whole);
        self.by_spelling
            .get(short)
            .cloned()
            .unwrap_or_else(|| OrganisationKey {
                group: short.into(),
                role: Role::Developer,
                is_declared: false,
            })
    }

    /// Returns the organisation if the text is a declared spelling of one.
    pub(crate) fn declared(&self, text: &str) -> Option<&OrganisationKey> {
        self.by_spelling.get(text)
    }
}

/// Letters and digits in lower case.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn without_endings(text: &str) -> &str {
    ENDINGS
        .iter()
        .filter_map(|ending| text.strip_suffix(ending))
        .find(|rest| rest.len() >= SHORTEST)
        .unwrap_or(text)
}
