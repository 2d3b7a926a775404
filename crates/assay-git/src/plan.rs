use std::path::PathBuf;

use assay_model::{ObjectId, RepoPath, Timestamp};

use crate::LargeFile;

/// A commit that is to be written.
#[derive(Debug, Clone)]
pub struct CommitPlan {
    /// The parents of the commit.
    pub parents: Vec<ObjectId>,
    /// The commit (or tree) whose files it begins with; `None` begins with none.
    pub base: Option<ObjectId>,
    /// The operations on files, in this order.
    pub operations: Vec<TreeEdit>,
    /// The message: title, blank line, body.
    pub message: String,
    /// The author of the commit.
    pub author: Signature,
    /// The committer.
    pub committer: Signature,
}

/// One thing that happens to the files of a commit.
#[derive(Debug, Clone)]
pub enum TreeEdit {
    /// A file is made or replaced.
    Put {
        /// The path.
        path: RepoPath,
        /// With what.
        blob: Blob,
        /// The mode of the file.
        mode: FileMode,
    },
    /// The pointer to a large file is made or replaced.
    PutPointer {
        /// The path.
        path: RepoPath,
        /// To what.
        file: LargeFile,
    },
    /// A file goes; it must be there.
    Delete(RepoPath),
    /// A folder goes with all that is in it; it must be there.
    DeleteFolder(RepoPath),
}

/// The source of the bytes of a file.
#[derive(Debug, Clone)]
pub enum Blob {
    /// From memory.
    Bytes(Vec<u8>),
    /// From a file on disk, which is not held in memory.
    File(PathBuf),
    /// From a blob that the repository has already.
    Existing(ObjectId),
}

/// The mode of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// Be read.
    #[default]
    Regular,
    /// Be run.
    Executable,
}

/// A person and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name of the person; characters that git cannot write in a name are left out.
    pub name: String,
    /// Their address, or what stands for one.
    pub email: String,
    /// The time; git keeps whole seconds.
    pub when: Timestamp,
}

impl CommitPlan {
    /// The commit as git writes it.
    pub(crate) fn encode(&self, tree: ObjectId) -> Vec<u8> {
        encode_commit(
            tree,
            &self.parents,
            &self.author,
            &self.committer,
            &self.message,
        )
    }
}

/// A commit as git writes it.
pub(crate) fn encode_commit(
    tree: ObjectId,
    parents: &[ObjectId],
    author: &Signature,
    committer: &Signature,
    message: &str,
) -> Vec<u8> {
    let parents: Vec<_> = parents.iter().map(|id| format!("parent {id}\n")).collect();
    let message = message.replace('\0', "");
    let text = format!(
        "tree {tree}\n{}author {}\ncommitter {}\n\n{}\n",
        parents.concat(),
        author.line(),
        committer.line(),
        message.trim_end()
    );
    text.into_bytes()
}

/// A tag with a message that is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagPlan {
    /// Its name, without `refs/tags/`.
    pub name: String,
    /// The commit that it names.
    pub target: ObjectId,
    /// The message of the tag.
    pub message: String,
    /// The person who made it.
    pub tagger: Signature,
}

impl TagPlan {
    /// The tag as git writes it. What a name of a tag may hold cannot end its line.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Self {
            name,
            target,
            message,
            tagger,
        } = self;
        let message = message.replace('\0', "");
        let text = format!(
            "object {target}\ntype commit\ntag {name}\ntagger {}\n\n{}\n",
            tagger.line(),
            message.trim_end()
        );
        text.into_bytes()
    }
}

impl Signature {
    /// `name <email> seconds +0000`.
    fn line(&self) -> String {
        // A time before 1970 is none that git can write.
        let seconds = self.when.seconds().max(0);
        format!(
            "{} <{}> {seconds} +0000",
            clean(&self.name, "unknown"),
            clean(&self.email, "")
        )
    }
}

/// Returns a text as git allows it between the brackets: no line end, no bracket, and no
/// punctuation at the ends.
fn clean<'a>(text: &str, otherwise: &'a str) -> std::borrow::Cow<'a, str> {
    let allowed = |c: &char| !c.is_control() && !matches!(c, '<' | '>');
    let text: String = text.chars().filter(allowed).collect();
    let crud = |c: char| c.is_whitespace() || ".,:;\"'\\".contains(c);
    match text.trim_matches(crud) {
        "" => otherwise.into(),
        text => text.to_owned().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(name: &str, email: &str, seconds: i64) -> Signature {
        Signature {
            name: name.to_owned(),
            email: email.to_owned(),
            when: Timestamp::from_seconds(seconds),
        }
    }

    #[test]
    fn a_name_cannot_end_its_line_or_pose_as_an_address() {
        let hostile = signature("Eve\n<root@hub>\nparent 0", "a>b<c\0", -5);

        assert_eq!(hostile.line(), "Everoot@hubparent 0 <abc> 0 +0000");
    }

    #[test]
    fn a_name_of_nothing_is_unknown() {
        assert_eq!(signature(" .,; ", "", 7).line(), "unknown <> 7 +0000");
    }
}
