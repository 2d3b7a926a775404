use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Date, Number};

/// Who ran an evaluation, when it became known, and what it cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// Who ran the evaluation; whoever brings the result may be somebody else.
    pub evaluator: Option<Evaluator>,
    /// When the result was published.
    pub published: Option<Date>,
    /// When the result was copied from where it is published. Not the date of the evaluation.
    pub retrieved: Option<Date>,
    /// What the run cost.
    pub cost: Cost,
}

/// Who ran an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Evaluator {
    /// The organisation or person, when it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it is related to the developer of the model.
    pub relationship: Relationship,
}

/// How an evaluator is related to the developer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relationship {
    /// The developer of the model ran it.
    FirstParty,
    /// Somebody independent of the developer ran it.
    ThirdParty,
    /// Both together ran it.
    Collaborative,
    /// Anything else, or not known.
    Other,
}

/// The text is not a relationship.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a relationship is `first_party`, `third_party`, `collaborative` or `other`")]
pub struct RelationshipError;

/// What a run cost. Whatever is absent was not reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cost {
    /// US dollars.
    pub usd: Option<Number>,
    /// Tokens, prompts and answers together.
    pub tokens: Option<u64>,
    /// Wall time.
    pub seconds: Option<Number>,
    /// The hardware in words.
    pub hardware: Option<String>,
}

impl Relationship {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::FirstParty,
        Self::ThirdParty,
        Self::Collaborative,
        Self::Other,
    ];

    /// The word that files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstParty => "first_party",
            Self::ThirdParty => "third_party",
            Self::Collaborative => "collaborative",
            Self::Other => "other",
        }
    }

    /// The words for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::FirstParty => "first party",
            Self::ThirdParty => "third party",
            Self::Collaborative => "collaborative",
            Self::Other => "other",
        }
    }
}

impl FromStr for Relationship {
    type Err = RelationshipError;

    fn from_str(text: &str) -> Result<Self, RelationshipError> {
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.as_str() == text)
            .ok_or(RelationshipError)
    }
}

impl fmt::Display for Relationship {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
