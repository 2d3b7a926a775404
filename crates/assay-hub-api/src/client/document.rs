use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

/// An answer of a hub, read, together with the whole JSON document. Keys that this version does not
/// know are in the document alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<T> {
    /// The answer.
    pub value: T,
    /// The whole document.
    pub json: Json,
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Document<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let value = T::deserialize(&json).map_err(D::Error::custom)?;
        Ok(Self { value, json })
    }
}
