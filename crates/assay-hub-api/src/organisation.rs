use serde::{Deserialize, Serialize};

/// The body of `POST /api/assay/organizations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewOrganisation {
    /// The name in addresses.
    pub name: String,
    /// The name for people; none for the same.
    #[serde(default)]
    pub fullname: Option<String>,
    /// True if a name is accepted that looks like that of another account. Only operators are
    /// heard.
    #[serde(default, rename = "allowLookAlike")]
    pub allow_look_alike: bool,
}
