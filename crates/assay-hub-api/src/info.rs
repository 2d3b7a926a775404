use std::collections::BTreeMap;

use assay_model::{ObjectId, RepoId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{EvalResult, Expand, Gated, Property};

/// The facts of a repository, alone or in a list. Unknown ones are left out, as clients expect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RepoInfo {
    /// The id of the repository on the hub.
    #[serde(rename = "_id")]
    pub key: String,
    /// The name with the namespace.
    pub id: RepoId,
    /// The name once more, for models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<RepoId>,
    /// The namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The commit that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<ObjectId>,
    /// The time of the last change in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<Timestamp>,
    /// Time at which it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// True if only some may see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
    /// True if readers must ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gated: Option<Gated>,
    /// True if the operator has closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// The number of recent downloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads: Option<u64>,
    /// The number of all downloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads_all_time: Option<u64>,
    /// The number of likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likes: Option<u64>,
    /// The trending score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trending_score: Option<u64>,
    /// Number of bytes that it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_storage: Option<u64>,
    /// Its tags, those that the hub computes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// A description, for datasets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The citation, for datasets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// The task of a model.
    #[serde(rename = "pipeline_tag", skip_serializing_if = "Option::is_none")]
    pub pipeline_tag: Option<String>,
    /// The library that runs a model.
    #[serde(rename = "library_name", skip_serializing_if = "Option::is_none")]
    pub library_name: Option<String>,
    /// The front matter of its card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub card_data: Option<Json>,
    /// The results that an old card declares.
    #[serde(rename = "model-index", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub model_index: Option<Json>,
    /// The models it is made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub base_models: Option<Json>,
    /// The size of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safetensors: Option<SafeTensors>,
    /// Its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Sibling>>,
    /// The results of a model; only when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_results: Option<Vec<EvalResult>>,
}

/// The number of parameters of a model. Clients insist on both keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SafeTensors {
    /// By type of number.
    pub parameters: BTreeMap<String, u64>,
    /// All.
    pub total: u64,
}

/// A file of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Sibling {
    /// Its path.
    pub rfilename: String,
    /// Its size, when `blobs=true` is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Its git object, when `blobs=true` is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob_id: Option<ObjectId>,
    /// The large file, when `blobs=true` is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lfs: Option<LargeSibling>,
}

/// A file that git has only a pointer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LargeSibling {
    /// The digest of its bytes.
    pub sha256: String,
    /// Its size.
    pub size: u64,
    /// The size of the pointer.
    pub pointer_size: u64,
}

impl RepoInfo {
    /// Makes the answer when nothing but the name is known or wanted.
    pub fn named(key: String, id: RepoId) -> Self {
        Self {
            key,
            id,
            model_id: None,
            author: None,
            sha: None,
            last_modified: None,
            created_at: None,
            private: None,
            gated: None,
            disabled: None,
            downloads: None,
            downloads_all_time: None,
            likes: None,
            trending_score: None,
            used_storage: None,
            tags: None,
            description: None,
            citation: None,
            pipeline_tag: None,
            library_name: None,
            card_data: None,
            model_index: None,
            base_models: None,
            safetensors: None,
            siblings: None,
            eval_results: None,
        }
    }

    /// Only the properties that were asked for by name; everything when none was.
    #[must_use]
    pub fn only(self, expand: &Expand) -> Self {
        if expand.is_empty() {
            return self;
        }
        let named = |property| expand.names(property);
        Self {
            model_id: None,
            author: self.author.filter(|_| named(Property::Author)),
            sha: self.sha.filter(|_| named(Property::Sha)),
            last_modified: self.last_modified.filter(|_| named(Property::LastModified)),
            created_at: self.created_at.filter(|_| named(Property::CreatedAt)),
            private: self.private.filter(|_| named(Property::Private)),
            gated: self.gated.filter(|_| named(Property::Gated)),
            disabled: self.disabled.filter(|_| named(Property::Disabled)),
            downloads: self.downloads.filter(|_| named(Property::Downloads)),
            downloads_all_time: self
                .downloads_all_time
                .filter(|_| named(Property::DownloadsAllTime)),
            likes: self.likes.filter(|_| named(Property::Likes)),
            trending_score: self
                .trending_score
                .filter(|_| named(Property::TrendingScore)),
            used_storage: self.used_storage.filter(|_| named(Property::UsedStorage)),
            tags: self.tags.filter(|_| named(Property::Tags)),
            description: self.description.filter(|_| named(Property::Description)),
            citation: self.citation.filter(|_| named(Property::Citation)),
            pipeline_tag: self.pipeline_tag.filter(|_| named(Property::PipelineTag)),
            library_name: self.library_name.filter(|_| named(Property::LibraryName)),
            card_data: self.card_data.filter(|_| named(Property::CardData)),
            model_index: self.model_index.filter(|_| named(Property::ModelIndex)),
            base_models: self.base_models.filter(|_| named(Property::BaseModels)),
            safetensors: self.safetensors.filter(|_| named(Property::Safetensors)),
            siblings: self.siblings.filter(|_| named(Property::Siblings)),
            eval_results: self.eval_results.filter(|_| named(Property::EvalResults)),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_model::RepoKind;

    use super::*;

    fn info() -> RepoInfo {
        RepoInfo {
            author: Some("alice".to_owned()),
            gated: Some(Gated::Open),
            tags: Some(vec!["license:mit".to_owned()]),
            pipeline_tag: Some("text-generation".to_owned()),
            last_modified: Some(Timestamp::from_seconds(0)),
            ..RepoInfo::named("0a".to_owned(), "alice/demo".parse().unwrap())
        }
    }

    #[test]
    fn the_keys_are_those_that_clients_read() {
        let json = serde_json::to_string(&info()).unwrap();

        assert_eq!(
            json,
            r#"{"_id":"0a","id":"alice/demo","author":"alice","lastModified":"1970-01-01T00:00:00.000Z","gated":false,"tags":["license:mit"],"pipeline_tag":"text-generation"}"#
        );
    }

    #[test]
    fn only_what_is_asked_for_by_name_is_told() {
        let expand = Expand::read(RepoKind::Model, ["tags", "gguf"]).unwrap();

        let json = serde_json::to_string(&info().only(&expand)).unwrap();

        assert_eq!(
            json,
            r#"{"_id":"0a","id":"alice/demo","tags":["license:mit"]}"#
        );
        assert_eq!(info().only(&Expand::default()), info());
    }
}
