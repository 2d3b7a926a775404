use std::collections::BTreeMap;

use assay_model::{ObjectId, RepoId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{EvalResult, Expand, Gated, Property};

/// What is told of a repository, alone or in a list. What is not known is left out, as clients expect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RepoInfo {
    /// What the hub knows it by.
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
    /// When something in it changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<Timestamp>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Whether only some may see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
    /// Whether readers must ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gated: Option<Gated>,
    /// Whether the operator has closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// How often it was downloaded lately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads: Option<u64>,
    /// How often it was downloaded ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads_all_time: Option<u64>,
    /// How many like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likes: Option<u64>,
    /// How much it is talked of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trending_score: Option<u64>,
    /// How many bytes it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_storage: Option<u64>,
    /// Its tags, those that the hub computes included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// What it is about, for datasets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How to cite it, for datasets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// What a model does.
    #[serde(rename = "pipeline_tag", skip_serializing_if = "Option::is_none")]
    pub pipeline_tag: Option<String>,
    /// What a model runs with.
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
    /// How large a model is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safetensors: Option<SafeTensors>,
    /// Its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Sibling>>,
    /// The results of a model; only when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_results: Option<Vec<EvalResult>>,
}

/// How many parameters a model has. Clients insist on both keys.
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
    /// Where a large one is kept, when `blobs=true` is asked.
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
    /// What is told when nothing but the name is known or wanted.
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
