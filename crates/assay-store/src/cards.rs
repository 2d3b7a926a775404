use assay_model::RepoKey;
use serde_json::Value as Json;

use crate::{Error, Tx};

/// What the card of a repository says: the front matter of its `README.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The front matter.
    pub data: Json,
    /// The tags to list and filter by, in the order in which they are shown.
    pub tags: Vec<String>,
    /// The models that it says it was made from.
    pub base_models: Vec<String>,
    /// The licence.
    pub license: Option<String>,
    /// What the model does.
    pub pipeline_tag: Option<String>,
    /// The library that it is used with.
    pub library: Option<String>,
    /// How many parameters the model has.
    pub parameters: Option<u64>,
}

questions! {
    /// The card of a repository.
    fn card(key: RepoKey) -> Option<Card>;
}

impl Tx {
    /// Writes the card of a repository, or removes it.
    pub async fn set_card(&mut self, key: RepoKey, card: Option<&Card>) -> Result<(), Error> {
        let _ = (key, card);
        todo!()
    }
}
