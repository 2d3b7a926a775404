use std::collections::BTreeSet;
use std::fmt;

use assay_model::RepoKind;

/// A property of a repository that can be asked for by `expand`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named as in the answer")]
pub enum Property {
    Author,
    BaseModels,
    CardData,
    ChildrenModelCount,
    Citation,
    Config,
    CreatedAt,
    Description,
    Disabled,
    Downloads,
    DownloadsAllTime,
    EvalResults,
    Gated,
    Gguf,
    Inference,
    InferenceProviderMapping,
    LastModified,
    LibraryName,
    Likes,
    MainSize,
    MaskToken,
    ModelIndex,
    PapersWithCodeId,
    PipelineTag,
    Private,
    ResourceGroup,
    Safetensors,
    Sha,
    Siblings,
    Spaces,
    Tags,
    TransformersInfo,
    TrendingScore,
    UsedStorage,
    WidgetData,
    XetEnabled,
}

/// The properties of a model, in the order in which clients list them.
const OF_MODEL: [Property; 32] = [
    Property::Author,
    Property::BaseModels,
    Property::CardData,
    Property::ChildrenModelCount,
    Property::Config,
    Property::CreatedAt,
    Property::Disabled,
    Property::Downloads,
    Property::DownloadsAllTime,
    Property::EvalResults,
    Property::Gated,
    Property::Gguf,
    Property::Inference,
    Property::InferenceProviderMapping,
    Property::LastModified,
    Property::LibraryName,
    Property::Likes,
    Property::MaskToken,
    Property::ModelIndex,
    Property::PipelineTag,
    Property::Private,
    Property::ResourceGroup,
    Property::Safetensors,
    Property::Sha,
    Property::Siblings,
    Property::Spaces,
    Property::Tags,
    Property::TransformersInfo,
    Property::TrendingScore,
    Property::UsedStorage,
    Property::WidgetData,
    Property::XetEnabled,
];

/// The properties of a dataset, in the order in which clients list them.
const OF_DATASET: [Property; 21] = [
    Property::Author,
    Property::CardData,
    Property::Citation,
    Property::CreatedAt,
    Property::Description,
    Property::Disabled,
    Property::Downloads,
    Property::DownloadsAllTime,
    Property::Gated,
    Property::LastModified,
    Property::Likes,
    Property::MainSize,
    Property::PapersWithCodeId,
    Property::Private,
    Property::ResourceGroup,
    Property::Sha,
    Property::Siblings,
    Property::Tags,
    Property::TrendingScore,
    Property::UsedStorage,
    Property::XetEnabled,
];

impl Property {
    /// Returns the properties of a repository of this kind.
    pub fn of(kind: RepoKind) -> &'static [Self] {
        match kind {
            RepoKind::Model => &OF_MODEL,
            RepoKind::Dataset => &OF_DATASET,
        }
    }

    /// The key in the question and in the answer.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Author => "author",
            Self::BaseModels => "baseModels",
            Self::CardData => "cardData",
            Self::ChildrenModelCount => "childrenModelCount",
            Self::Citation => "citation",
            Self::Config => "config",
            Self::CreatedAt => "createdAt",
            Self::Description => "description",
            Self::Disabled => "disabled",
            Self::Downloads => "downloads",
            Self::DownloadsAllTime => "downloadsAllTime",
            Self::EvalResults => "evalResults",
            Self::Gated => "gated",
            Self::Gguf => "gguf",
            Self::Inference => "inference",
            Self::InferenceProviderMapping => "inferenceProviderMapping",
            Self::LastModified => "lastModified",
            Self::LibraryName => "library_name",
            Self::Likes => "likes",
            Self::MainSize => "mainSize",
            Self::MaskToken => "mask_token",
            Self::ModelIndex => "model-index",
            Self::PapersWithCodeId => "paperswithcode_id",
            Self::PipelineTag => "pipeline_tag",
            Self::Private => "private",
            Self::ResourceGroup => "resourceGroup",
            Self::Safetensors => "safetensors",
            Self::Sha => "sha",
            Self::Siblings => "siblings",
            Self::Spaces => "spaces",
            Self::Tags => "tags",
            Self::TransformersInfo => "transformersInfo",
            Self::TrendingScore => "trendingScore",
            Self::UsedStorage => "usedStorage",
            Self::WidgetData => "widgetData",
            Self::XetEnabled => "xetEnabled",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The properties that a client asks for with `expand`. None means the usual ones.
///
/// ```
/// # use assay_hub_api::{Expand, Property};
/// # use assay_model::RepoKind;
/// let expand = Expand::read(RepoKind::Model, ["sha", "evalResults"])?;
/// assert!(expand.names(Property::EvalResults));
/// assert!(Expand::read(RepoKind::Dataset, ["evalResults"]).is_err());
/// # Ok::<(), assay_hub_api::ExpandError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expand(BTreeSet<Property>);

/// A name that cannot be expanded, in the words that clients know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"expand\" must be one of [{}]", words(*.kind))]
pub struct ExpandError {
    /// The kind of the repository.
    pub kind: RepoKind,
}

impl Expand {
    /// Reads the names that stand in the query.
    pub fn read<'a>(
        kind: RepoKind,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ExpandError> {
        let find = |name| {
            let of_kind = Property::of(kind);
            of_kind.iter().find(|known| known.as_str() == name).copied()
        };
        names
            .into_iter()
            .map(|name| find(name).ok_or(ExpandError { kind }))
            .collect::<Result<BTreeSet<_>, _>>()
            .map(Self)
    }

    /// Returns whether nothing is named, and the usual answer is wanted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a property is asked for by name.
    pub fn names(&self, property: Property) -> bool {
        self.0.contains(&property)
    }
}

fn words(kind: RepoKind) -> String {
    let names: Vec<&str> = Property::of(kind)
        .iter()
        .map(|property| property.as_str())
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_kind_is_read() {
        for kind in RepoKind::ALL {
            for property in Property::of(kind) {
                let expand = Expand::read(kind, [property.as_str()]).unwrap();

                assert!(expand.names(*property) && !expand.is_empty());
            }
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_are_known() {
        let refusal = Expand::read(RepoKind::Dataset, ["sha", "evalResults"]).unwrap_err();

        let text = refusal.to_string();
        assert!(
            text.starts_with("\"expand\" must be one of [author, cardData, citation, "),
            "{text}"
        );
    }
}
