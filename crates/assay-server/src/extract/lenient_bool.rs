use serde::de::{Deserialize, Deserializer, Error as _};

/// A yes or no of a query, as clients of every language write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LenientBool(pub(crate) bool);

impl<'de> Deserialize<'de> for LenientBool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" => Ok(Self(true)),
            "" | "0" | "false" | "no" => Ok(Self(false)),
            _ => Err(D::Error::custom("a flag is `true` or `false`")),
        }
    }
}
