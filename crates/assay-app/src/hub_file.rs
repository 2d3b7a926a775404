//! `DATA/hub.json`: which hub a data directory belongs to, and where its database is.
//!
//! The id is drawn once and is in the database as well, so that a database and a data directory of
//! two different hubs are told apart before either changes the other.

use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::str::FromStr;

use assay_store::Database;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::facts::hex;
use crate::secret;

/// The version of the format.
const VERSION: u32 = 1;
/// The length of an id, in bytes.
const ID_BYTES: usize = 16;

/// The id of a hub: 32 hexadecimal digits, drawn at random when its data directory is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HubId(String);

/// The text is not the id of a hub.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the id of a hub has {} lower-case hexadecimal digits", ID_BYTES * 2)]
pub struct HubIdError;

/// The contents of `DATA/hub.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubFile {
    /// The id of the hub.
    pub id: HubId,
    /// The address of the database that the server used last, without a password. A file in the
    /// data directory is named by its path from there, so that the directory can be moved.
    pub database: String,
    /// The address of the bucket that has the large files; they are in the data directory when
    /// absent.
    pub large_files: Option<String>,
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    version: u32,
    id: String,
    database: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    large_files: Option<String>,
}

impl HubId {
    /// Draws a new id.
    pub(crate) fn draw() -> Result<Self, Error> {
        let bytes: [u8; ID_BYTES] = secret::bytes()?;
        Ok(Self(hex(&bytes)))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for HubId {
    type Err = HubIdError;

    fn from_str(text: &str) -> Result<Self, HubIdError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == ID_BYTES * 2 && text.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(HubIdError)
        }
    }
}

impl fmt::Display for HubId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HubFile {
    /// The name of the file in a data directory.
    pub const NAME: &str = "hub.json";

    /// Reads the file of a data directory. A directory without one is new, or was last used by an
    /// older version.
    pub fn read(data: &Path) -> Result<Option<Self>, Error> {
        let path = data.join(Self::NAME);
        let text = match fs_err::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::internal(error)),
        };
        let wrong = |why: String| {
            Error::Invalid(format!(
                "`{}` cannot be read ({why}); restore it from a backup",
                path.display()
            ))
        };
        let written: Written =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if written.version != VERSION {
            let found = written.version;
            return Err(wrong(format!("it has version {found}, not {VERSION}")));
        }
        let id = written.id.parse();
        let id = id.map_err(|error: HubIdError| wrong(error.to_string()))?;
        Ok(Some(Self {
            id,
            database: written.database,
            large_files: written.large_files,
        }))
    }

    /// Writes the file, whole or not at all, in place of the one that is there.
    pub fn write(&self, data: &Path) -> Result<(), Error> {
        let written = Written {
            version: VERSION,
            id: self.id.to_string(),
            database: self.database.clone(),
            large_files: self.large_files.clone(),
        };
        let mut text = serde_json::to_string_pretty(&written).map_err(Error::internal)?;
        text.push('\n');
        let mut file = tempfile::NamedTempFile::new_in(data).map_err(Error::internal)?;
        file.write_all(text.as_bytes()).map_err(Error::internal)?;
        file.as_file().sync_all().map_err(Error::internal)?;
        file.persist(data.join(Self::NAME))
            .map_err(|error| Error::internal(error.error))?;
        let directory = fs_err::File::open(data).map_err(Error::internal)?;
        directory.sync_all().map_err(Error::internal)
    }

    /// The address of a database as the file has it: without a password, and a file in the data
    /// directory by its path from there.
    pub fn address_of(data: &Path, database: &Database) -> String {
        match database {
            Database::Server(server) => server.to_string(),
            Database::File(path) => {
                let absolute = |path: &Path| {
                    let parent = path
                        .parent()
                        .filter(|parent| !parent.as_os_str().is_empty());
                    let parent = fs_err::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
                    Some(parent.join(path.file_name()?))
                };
                let full = absolute(path).unwrap_or_else(|| path.clone());
                let home = fs_err::canonicalize(data).unwrap_or_else(|_| data.to_owned());
                let shown = full.strip_prefix(&home).unwrap_or(&full);
                format!("sqlite:{}", shown.display())
            }
        }
    }

    /// The database that the file names, if it is a file: the address of a server lacks the
    /// password.
    pub fn database_file(&self, data: &Path) -> Option<Database> {
        let path = self.database.strip_prefix("sqlite:")?;
        Some(Database::File(data.join(path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let data = tempfile::tempdir().unwrap();
        let file = HubFile {
            id: HubId::draw().unwrap(),
            database: "sqlite:hub.db".to_owned(),
            large_files: Some("s3://hub/files".to_owned()),
        };
        assert_eq!(HubFile::read(data.path()).unwrap(), None);

        file.write(data.path()).unwrap();

        assert_eq!(HubFile::read(data.path()).unwrap(), Some(file));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_refused_by_name() {
        let data = tempfile::tempdir().unwrap();
        for text in [
            "",
            "{}",
            r#"{"version":2,"id":"00112233445566778899aabbccddeeff","database":"sqlite:hub.db"}"#,
            r#"{"version":1,"id":"short","database":"sqlite:hub.db"}"#,
        ] {
            fs_err::write(data.path().join(HubFile::NAME), text).unwrap();

            let refused = HubFile::read(data.path()).unwrap_err().to_string();

            assert!(refused.contains("hub.json` cannot be read"), "{refused}");
        }
    }

    #[test]
    fn a_database_is_named_without_its_password_and_moves_with_its_directory() {
        let data = tempfile::tempdir().unwrap();
        let inside = Database::File(data.path().join("hub.db"));
        let outside = Database::File(data.path().parent().unwrap().join("other.db"));
        let server = "postgres://hub:secret@db.example/assay".parse().unwrap();

        let inside = HubFile::address_of(data.path(), &inside);
        let outside = HubFile::address_of(data.path(), &outside);
        let server = HubFile::address_of(data.path(), &server);

        assert_eq!(inside, "sqlite:hub.db");
        assert!(outside.starts_with("sqlite:/") && outside.ends_with("/other.db"));
        assert_eq!(server, "postgres://hub@db.example:5432/assay");
    }
}
