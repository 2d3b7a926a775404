//! The order of commits.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use assay_model::{ObjectId, Timestamp};
use gix::bstr::{BStr, ByteSlice as _};
use gix::objs::{CommitRef, CommitRefIter, Kind};
use gix::revision::plumbing::merge_base;

use crate::id::{from_gix, to_gix};
use crate::layers::LoadedObject;
use crate::tree::peel;
use crate::{CommitInfo, Error, Objects};

/// The facts of a commit that a walk needs.
struct Step {
    id: ObjectId,
    seconds: i64,
    parents: Vec<ObjectId>,
}

/// The largest tag whose message is told, in bytes.
const MAX_TAG_BYTES: u64 = 64 << 10;

impl Objects {
    /// A commit.
    pub fn commit(&self, id: ObjectId) -> Result<CommitInfo, Error> {
        let (id, found) = self.find_commit(id)?;
        decode(id, &found.data).ok_or(wrong(id))
    }

    /// The commits that led to one, itself first, newest first, as `git log` has them.
    pub fn log(&self, from: ObjectId, skip: usize, limit: usize) -> Result<Vec<CommitInfo>, Error> {
        self.walk(from)?
            .skip(skip)
            .take(limit)
            .map(|step| self.commit(step?.id))
            .collect()
    }

    /// Returns the number of commits that led to one, with itself.
    pub fn count(&self, from: ObjectId) -> Result<usize, Error> {
        self.walk(from)?
            .try_fold(0, |count, step| step.map(|_| count + 1))
    }

    /// A commit, its first parent, that one's first parent and so on, until a commit that is left
    /// out, or the end.
    pub fn first_parents(
        &self,
        from: ObjectId,
        until: Option<ObjectId>,
    ) -> Result<Vec<CommitInfo>, Error> {
        let mut line = Vec::new();
        let mut next = Some(from);
        while let Some(id) = next
            && next != until
        {
            let commit = self.commit(id)?;
            next = commit.parents.first().copied();
            line.push(commit);
        }
        Ok(line)
    }

    /// The commits of the first-parent line of one that came after another, newest first; the whole
    /// line without another, and none when the other is not on the line. Only their ids are held,
    /// however long the line is.
    pub fn first_parent_ids(
        &self,
        from: ObjectId,
        after: Option<ObjectId>,
    ) -> Result<Option<Vec<ObjectId>>, Error> {
        let mut line = Vec::new();
        let mut next = Some(from);
        while let Some(id) = next {
            if after == Some(id) {
                return Ok(Some(line));
            }
            line.push(id);
            next = self.step(id)?.parents.first().copied();
        }
        Ok(after.is_none().then_some(line))
    }

    /// Returns whether one commit led to another, or is it.
    pub fn is_ancestor(&self, ancestor: ObjectId, of: ObjectId) -> Result<bool, Error> {
        let ancestor = self.find_commit(ancestor)?.0;
        let of = self.find_commit(of)?.0;
        let is_parent = self.step(of)?.parents.contains(&ancestor);
        Ok(ancestor == of || is_parent || self.merge_base(ancestor, of)? == Some(ancestor))
    }

    /// The newest commit that led to both.
    pub fn merge_base(&self, one: ObjectId, other: ObjectId) -> Result<Option<ObjectId>, Error> {
        let one = to_gix(self.find_commit(one)?.0);
        let other = to_gix(self.find_commit(other)?.0);
        let mut graph = gix::revwalk::Graph::new(&*self.layers, None);
        let bases = merge_base(one, &[other], &mut graph).map_err(|error| Error::Objects {
            path: self.layers.base.git_dir.clone(),
            source: Box::new(error),
        })?;
        Ok(bases.map(|bases| from_gix(bases.first())))
    }

    /// A commit, or the commit behind an annotated tag.
    pub(crate) fn find_commit(&self, id: ObjectId) -> Result<(ObjectId, LoadedObject), Error> {
        let (id, found) = peel(&self.layers, id, wrong)?;
        match found.kind {
            Kind::Commit => Ok((id, found)),
            Kind::Blob | Kind::Tree | Kind::Tag => Err(wrong(id)),
        }
    }

    /// Returns the message of an annotated tag, without a signature; none for an object that is no
    /// tag.
    pub fn tag_message(&self, id: ObjectId) -> Result<Option<String>, Error> {
        match self.layers.header(id)? {
            Some((Kind::Tag, size)) if size <= MAX_TAG_BYTES => {}
            Some(_) | None => return Ok(None),
        }
        let Some(found) = self.layers.find(id)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&found.data);
        let message = text.split_once("\n\n").map_or("", |(_, message)| message);
        let unsigned = message.split("-----BEGIN ").next().unwrap_or_default();
        Ok(Some(unsigned.trim_end().to_owned()))
    }

    /// The commit behind an object, if it is one or a tag of one.
    pub fn commit_behind(&self, id: ObjectId) -> Result<Option<ObjectId>, Error> {
        match self.layers.header(id)? {
            Some((Kind::Commit, _)) => Ok(Some(id)),
            Some((Kind::Tag, _)) => match self.find_commit(id) {
                Ok((id, _)) => Ok(Some(id)),
                Err(Error::BadObject { .. } | Error::NoObject(_)) => Ok(None),
                Err(error) => Err(error),
            },
            Some((Kind::Blob | Kind::Tree, _)) | None => Ok(None),
        }
    }

    /// The object that is not there: this one, or one that an annotated tag leads to.
    pub(crate) fn missing_behind(&self, id: ObjectId) -> Result<Option<ObjectId>, Error> {
        match self.layers.header(id)? {
            None => Ok(Some(id)),
            Some((Kind::Tag, _)) => match self.find_commit(id) {
                Err(Error::NoObject(missing)) => Ok(Some(missing)),
                Ok(_) | Err(Error::BadObject { .. }) => Ok(None),
                Err(error) => Err(error),
            },
            Some((Kind::Commit | Kind::Blob | Kind::Tree, _)) => Ok(None),
        }
    }

    /// Returns whether an object is a commit itself.
    pub(crate) fn is_commit(&self, id: ObjectId) -> Result<bool, Error> {
        let header = self.layers.header(id)?;
        Ok(header.is_some_and(|(kind, _)| kind == Kind::Commit))
    }

    /// The parents of a commit.
    pub(crate) fn parents(&self, id: ObjectId) -> Result<Vec<ObjectId>, Error> {
        Ok(self.step(id)?.parents)
    }

    fn step(&self, id: ObjectId) -> Result<Step, Error> {
        let (id, found) = self.find_commit(id)?;
        let commit = CommitRefIter::from_bytes(&found.data, gix::hash::Kind::Sha1);
        let parents = commit.parent_ids().map(|id| from_gix(&id));
        let parents = parents.collect();
        let committer = commit.committer().ok();
        Ok(Step {
            id,
            seconds: committer.map_or(0, |committer| committer.seconds()),
            parents,
        })
    }

    /// Every commit that led to one, newest first; of two of the same second, the one that was
    /// found first.
    fn walk(
        &self,
        from: ObjectId,
    ) -> Result<impl Iterator<Item = Result<Step, Error>> + '_, Error> {
        let first = self.step(from)?;
        let mut seen = HashSet::from([first.id]);
        let mut found = 0_u64;
        let mut queue = BinaryHeap::from([(first.seconds, Reverse(found), Queued(first))]);
        Ok(std::iter::from_fn(move || {
            let (_, _, Queued(step)) = queue.pop()?;
            for parent in &step.parents {
                if !seen.insert(*parent) {
                    continue;
                }
                found += 1;
                match self.step(*parent) {
                    Ok(step) => queue.push((step.seconds, Reverse(found), Queued(step))),
                    Err(error) => return Some(Err(error)),
                }
            }
            Some(Ok(step))
        }))
    }
}

/// A step in a queue, whose place there is decided before it is looked at.
struct Queued(Step);

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.id.cmp(&other.0.id)
    }
}

fn wrong(id: ObjectId) -> Error {
    Error::BadObject {
        id,
        wanted: "commit",
    }
}

fn decode(id: ObjectId, data: &[u8]) -> Option<CommitInfo> {
    let commit = CommitRef::from_bytes(data, gix::hash::Kind::Sha1).ok()?;
    let author = commit.author().ok()?;
    let committer = commit.committer().ok()?;
    let message = commit.message();
    Some(CommitInfo {
        id,
        tree: from_gix(&commit.tree()),
        parents: commit.parents().map(|id| from_gix(&id)).collect(),
        title: text(&message.summary()),
        body: message.body.map_or_else(String::new, text),
        author_name: text(author.name.trim().as_bstr()),
        author_email: text(author.email.trim().as_bstr()),
        authored: Timestamp::from_seconds(author.seconds()),
        committed: Timestamp::from_seconds(committer.seconds()),
    })
}

fn text(bytes: &BStr) -> String {
    bytes.to_str_lossy().trim_end().to_owned()
}
