use assay_model::{ObjectId, RepoPath, Timestamp};
use serde::{Deserialize, Serialize};

/// One file or directory of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TreeEntry {
    /// A file or a directory.
    #[serde(rename = "type")]
    pub entry_type: EntryType,
    /// The git object.
    pub oid: ObjectId,
    /// The size of the file, the large one and not its pointer; 0 for a directory.
    pub size: u64,
    /// The path from the root of the repository.
    pub path: RepoPath,
    /// The large file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lfs: Option<LargeEntry>,
    /// The commit that changed it last, when `expand` is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_commit: Option<LastCommit>,
}

/// The type of an entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EntryType {
    /// A file, or what git keeps like one.
    File,
    /// A directory.
    Directory,
}

/// A file that git has only a pointer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LargeEntry {
    /// The SHA-256 digest of its bytes.
    pub oid: String,
    /// Its size.
    pub size: u64,
    /// The size of the pointer.
    pub pointer_size: u64,
}

/// The commit that changed an entry last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LastCommit {
    /// The commit.
    pub id: ObjectId,
    /// Its first line.
    pub title: String,
    /// Time at which it was made.
    pub date: Timestamp,
}

/// The body of `POST …/paths-info/{rev}`, a form from Python and JSON from JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PathsInfo {
    /// The paths as they were written. One that is no path names nothing, and is answered with
    /// nothing.
    #[serde(default)]
    pub paths: Vec<String>,
    /// True if the last commits are wanted.
    #[serde(default)]
    pub expand: bool,
}

impl PathsInfo {
    /// Reads the pairs of a form. Other keys say nothing to us.
    ///
    /// ```
    /// # use assay_hub_api::PathsInfo;
    /// let form = [("paths", "a.txt"), ("paths", "b"), ("expand", "True")];
    /// let question = PathsInfo::of_form(form);
    /// assert_eq!(question.paths, ["a.txt", "b"]);
    /// assert!(question.expand);
    /// ```
    pub fn of_form<K: AsRef<str>, V: AsRef<str>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut question = Self::default();
        for (key, value) in pairs {
            match (key.as_ref(), value.as_ref()) {
                ("paths", path) => question.paths.push(path.to_owned()),
                ("expand", word) => {
                    question.expand = word.eq_ignore_ascii_case("true") || word == "1";
                }
                (_, _) => {}
            }
        }
        question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_has_all_three_keys_and_a_directory_none() {
        let oid = ObjectId::from_bytes([0xab; 20]);
        let entry = |entry_type, path: &str, lfs| TreeEntry {
            entry_type,
            oid,
            size: 0,
            path: path.parse().unwrap(),
            lfs,
            last_commit: None,
        };
        let large = LargeEntry {
            oid: "00".repeat(32),
            size: 20,
            pointer_size: 133,
        };

        let directory = serde_json::to_string(&entry(EntryType::Directory, "a", None)).unwrap();
        let file = serde_json::to_value(entry(EntryType::File, "a/b", Some(large))).unwrap();

        assert_eq!(
            directory,
            format!(r#"{{"type":"directory","oid":"{oid}","size":0,"path":"a"}}"#)
        );
        assert_eq!(file["lfs"]["pointerSize"], 133);
        assert_eq!(file["lfs"]["size"], 20);
        assert_eq!(file["lfs"]["oid"], "00".repeat(32));
    }

    #[test]
    fn a_question_in_json_is_the_same_as_one_in_a_form() {
        let json: PathsInfo = serde_json::from_str(r#"{"paths":["a","b"],"expand":true}"#).unwrap();

        let form =
            PathsInfo::of_form([("paths", "a"), ("x", "y"), ("paths", "b"), ("expand", "1")]);

        assert_eq!(json, form);
    }
}
