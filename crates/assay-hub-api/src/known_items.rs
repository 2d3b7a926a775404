use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

/// Reads a list and leaves out the items that this version does not know: a hub may be newer than
/// its client.
pub(crate) fn known_items<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let items = Vec::<Json>::deserialize(deserializer)?;
    Ok(items
        .into_iter()
        .filter_map(|item| T::deserialize(item).ok())
        .collect())
}

/// Reads a list that may be absent, like [`known_items`].
pub(crate) fn some_known_items<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    known_items(deserializer).map(Some)
}
