use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The role of a member of an organisation, in ascending order. Each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// See private repositories, and open pull requests as anyone signed in may.
    Read,
    /// Also create repositories, and write to those one has created.
    Contribute,
    /// Also write to every repository.
    Write,
    /// Also rename and delete repositories, change visibility, and manage members.
    Admin,
}

/// The text is not a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a role is `read`, `contribute`, `write` or `admin`")]
pub struct RoleError;

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Read, Self::Contribute, Self::Write, Self::Admin];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Contribute => "contribute",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, RoleError> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or(RoleError)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
