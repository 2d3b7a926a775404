use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Date, Number};

/// The evaluator, the dates, the cost and the circumstances of a result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// The party that ran the evaluation; the submitter may be somebody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluator: Option<Evaluator>,
    /// The date of publication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Date>,
    /// The date on which the result was copied from its source. Not the date of the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<Date>,
    /// The cost of the run.
    #[serde(skip_serializing_if = "Cost::is_unknown")]
    pub cost: Cost,
    /// Facts needed to repeat the run: versions, seed, sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Json>,
    /// The hardware and software of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_context: Option<Json>,
    /// Predictions, logs or traces, with hashes or addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Json>,
}

/// The party that ran an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Evaluator {
    /// The organisation or person, when it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its relation to the developer of the model.
    pub relationship: Relationship,
}

/// The relation of an evaluator to the developer of the model.
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

/// The cost of a run. Whatever is absent was not reported.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Cost {
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub usd: Option<Number>,
    /// Tokens, prompts and answers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Wall time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub seconds: Option<Number>,
    /// The hardware in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
}

impl Cost {
    /// Returns whether nothing of the cost was reported.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
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
