use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The rule that chooses the result that counts when a model has several.
///
/// ```
/// # use assay_board::Policy;
/// assert_eq!("latest".parse(), Ok(Policy::Latest));
/// assert_eq!(Policy::default(), Policy::Authoritative);
/// assert_eq!("most-trusted".parse(), Ok(Policy::Authoritative));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// The most trusted one: verified, then merged, then community; of one setup the newest, of
    /// several setups the best.
    #[default]
    Authoritative,
    /// The best value.
    Best,
    /// The newest date, then the newest commit; of several setups that are equally new, the most
    /// trusted.
    Latest,
    /// Every one, each in a row of its own.
    All,
}

/// The text is not a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a policy is `most-trusted` (or `authoritative`), `best`, `latest` or `all`")]
pub struct PolicyError;

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 4] = [Self::Authoritative, Self::Best, Self::Latest, Self::All];

    /// Returns the label of the policy on pages. A query may use it too.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Authoritative => "most trusted",
            Self::Best => "best",
            Self::Latest => "latest",
            Self::All => "all",
        }
    }

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Authoritative => "authoritative",
            Self::Best => "best",
            Self::Latest => "latest",
            Self::All => "all",
        }
    }
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        // `most trusted` may be written with anything between its words that an address or a shell
        // takes well.
        let spaced = text.replace(['-', '_', '+'], " ");
        Self::ALL
            .into_iter()
            .find(|policy| policy.as_str() == text || policy.label() == spaced)
            .ok_or(PolicyError)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
