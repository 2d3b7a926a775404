use assay_model::{RepoId, RepoIdError, RepoKind, RepoKindError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The body of `POST /api/repos/create`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateRepo {
    /// The name, usually without the namespace; some clients write `namespace/name` here.
    pub name: String,
    /// The namespace; none for that of the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The kind of the repository; none for a model.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub repo_type: Option<String>,
    /// The visibility, as clients from 1.8 on send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// The visibility, as older clients send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
}

/// The body of `DELETE /api/repos/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteRepo {
    /// The name without the namespace.
    pub name: String,
    /// The namespace; none for that of the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The kind of the repository; none for a model.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub repo_type: Option<String>,
}

/// The body of `POST /api/repos/move`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MoveRepo {
    /// The name it has, with the namespace.
    pub from_repo: String,
    /// The name it shall have, with the namespace.
    pub to_repo: String,
    /// The kind of the repository; none for a model.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub repo_type: Option<String>,
}

/// The body of `PUT /api/{models,datasets}/{id}/settings`. What is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RepoSettings {
    /// The visibility, as clients from 1.8 on send it.
    #[serde(default)]
    pub visibility: Option<Visibility>,
    /// The visibility, as older clients send it.
    #[serde(default)]
    pub private: Option<bool>,
    /// True if readers must ask.
    #[serde(default)]
    pub gated: Option<Gated>,
    /// A description in a sentence.
    #[serde(default)]
    pub description: Option<String>,
}

/// The answer to a created repository; with the status of a conflict, where the existing one is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedRepo {
    /// Its page. Clients parse it and insist on their own host name.
    pub url: String,
    /// The name with the namespace.
    pub name: RepoId,
    /// The id of the repository on the hub.
    pub id: String,
}

/// The body of `POST /api/{kind}s/{id}/duplicate`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DuplicateRepo {
    /// The name of the copy, with the namespace.
    pub repository: String,
    /// Who may see it; those who see the source when absent.
    #[serde(default)]
    pub visibility: Option<Visibility>,
    /// The visibility, as older clients send it.
    #[serde(default)]
    pub private: Option<bool>,
}

/// The answer to a repository that was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DuplicatedRepo {
    /// Its page. Clients parse it and insist on their own host name.
    pub url: String,
    /// True if large files are still being copied; never here.
    pub files_copy_pending: bool,
}

/// The answer to changed settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SettingsAnswer {
    /// True if only some may see it.
    pub private: bool,
    /// True if readers must ask.
    pub gated: Gated,
}

/// The visibility of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everyone.
    Public,
    /// Those who have access.
    Private,
}

/// `visibility` and `private` say different things.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`visibility` and `private` contradict each other")]
pub struct VisibilityError;

/// The gate for readers: `false`, `"auto"` or `"manual"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gated {
    /// They need not.
    #[default]
    Open,
    /// They must, and everyone who asks may.
    Auto,
    /// They must, and the owner decides.
    Manual,
}

impl CreateRepo {
    /// Asks for a repository by its whole name; who may see it is for the hub to say.
    pub fn new(id: &RepoId, kind: RepoKind) -> Self {
        Self {
            name: id.name().to_owned(),
            organization: id.namespace().map(str::to_owned),
            repo_type: Some(kind.to_string()),
            visibility: None,
            private: None,
        }
    }

    /// The name it shall have, in the namespace given or else in the caller's own.
    pub fn id(&self, own: &str) -> Result<RepoId, RepoIdError> {
        id(self.organization.as_deref(), own, &self.name)
    }

    /// Returns the kind of the new repository.
    pub fn kind(&self) -> Result<RepoKind, RepoKindError> {
        kind(self.repo_type.as_deref())
    }

    /// Returns the visibility, if it is given.
    pub fn visibility(&self) -> Result<Option<Visibility>, VisibilityError> {
        visibility(self.visibility, self.private)
    }
}

impl DuplicateRepo {
    /// Who may see the copy, if that is said.
    pub fn visibility(&self) -> Result<Option<Visibility>, VisibilityError> {
        visibility(self.visibility, self.private)
    }
}

impl DeleteRepo {
    /// Its name, in the namespace given or else in the caller's own.
    pub fn id(&self, own: &str) -> Result<RepoId, RepoIdError> {
        id(self.organization.as_deref(), own, &self.name)
    }

    /// Returns the kind of the repository.
    pub fn kind(&self) -> Result<RepoKind, RepoKindError> {
        kind(self.repo_type.as_deref())
    }
}

impl MoveRepo {
    /// Returns the kind of the repository.
    pub fn kind(&self) -> Result<RepoKind, RepoKindError> {
        kind(self.repo_type.as_deref())
    }
}

impl RepoSettings {
    /// Returns the new visibility, if it is to change.
    pub fn visibility(&self) -> Result<Option<Visibility>, VisibilityError> {
        visibility(self.visibility, self.private)
    }
}

impl Visibility {
    /// The one that `private: value` means.
    pub fn from_private(value: bool) -> Self {
        if value { Self::Private } else { Self::Public }
    }
}

fn id(organization: Option<&str>, own: &str, name: &str) -> Result<RepoId, RepoIdError> {
    match (organization, name.contains('/')) {
        (None, true) => name.parse(),
        (Some(namespace), _) => format!("{namespace}/{name}").parse(),
        (None, false) => format!("{own}/{name}").parse(),
    }
}

fn kind(repo_type: Option<&str>) -> Result<RepoKind, RepoKindError> {
    repo_type.map_or(Ok(RepoKind::Model), str::parse)
}

fn visibility(
    visibility: Option<Visibility>,
    private: Option<bool>,
) -> Result<Option<Visibility>, VisibilityError> {
    match (visibility, private.map(Visibility::from_private)) {
        (Some(new), Some(old)) if new != old => Err(VisibilityError),
        (new, old) => Ok(new.or(old)),
    }
}

impl Serialize for Gated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Open => serializer.serialize_bool(false),
            Self::Auto => serializer.serialize_str("auto"),
            Self::Manual => serializer.serialize_str("manual"),
        }
    }
}

impl<'de> Deserialize<'de> for Gated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GatedVisitor)
    }
}

struct GatedVisitor;

impl serde::de::Visitor<'_> for GatedVisitor {
    type Value = Gated;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("`false`, `\"auto\"` or `\"manual\"`")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Gated, E> {
        if value {
            return Err(E::invalid_value(serde::de::Unexpected::Bool(true), &self));
        }
        Ok(Gated::Open)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Gated, E> {
        match value {
            "auto" => Ok(Gated::Auto),
            "manual" => Ok(Gated::Manual),
            other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(json: &str) -> CreateRepo {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_client_of_any_age_can_create_a_repository() {
        let new = create(
            r#"{"name":"Demo","organization":"alice","visibility":"private","type":"dataset","sdk":"x"}"#,
        );
        let old = create(r#"{"name":"Demo","organization":null,"private":true}"#);
        let bare = create(r#"{"name":"alice/Demo"}"#);

        for request in [&new, &old, &bare] {
            assert_eq!(request.id("alice").unwrap().as_str(), "alice/Demo");
        }
        assert_eq!(new.kind(), Ok(RepoKind::Dataset));
        assert_eq!(old.kind(), Ok(RepoKind::Model));
        assert_eq!(new.visibility(), Ok(Some(Visibility::Private)));
        assert_eq!(old.visibility(), Ok(Some(Visibility::Private)));
        assert_eq!(bare.visibility(), Ok(None));
    }

    #[test]
    fn a_namespace_given_twice_names_nothing() {
        let twice = create(r#"{"name":"alice/Demo","organization":"alice"}"#);

        assert_eq!(twice.id("alice"), Err(RepoIdError::TooManyParts(2)));
    }

    #[test]
    fn a_space_is_not_kept() {
        let space = create(r#"{"name":"Demo","type":"space"}"#);

        assert_eq!(space.kind(), Err(RepoKindError));
    }

    #[test]
    fn settings_that_contradict_themselves_are_refused() {
        let settings: RepoSettings =
            serde_json::from_str(r#"{"visibility":"public","private":true}"#).unwrap();

        assert_eq!(settings.visibility(), Err(VisibilityError));
    }

    #[test]
    fn gates_print_as_they_parse() {
        for (json, gated) in [
            ("false", Gated::Open),
            (r#""auto""#, Gated::Auto),
            (r#""manual""#, Gated::Manual),
        ] {
            assert_eq!(serde_json::from_str::<Gated>(json).unwrap(), gated);
            assert_eq!(serde_json::to_string(&gated).unwrap(), json);
        }
        for json in ["true", r#""yes""#, "1", "null"] {
            assert!(serde_json::from_str::<Gated>(json).is_err(), "{json}");
        }
    }
}
