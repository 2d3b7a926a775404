//! Refs, found and moved.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_model::ObjectId;
use gix::lock::acquire::Fail;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use crate::id::{from_gix, to_gix};
use crate::scratch::LOCK;
use crate::sync::{self, Directories};
use crate::{Error, Expected, Objects, RefChange, RefKind, RefName, Reference, Repository};

/// The time that a lock file of git's may stand in the way. Git itself holds one for milliseconds.
const PATIENCE: Duration = Duration::from_millis(500);

impl Repository {
    /// Its refs, in the order of their names. What points at no commit, such as a tag of a tree, is
    /// left out; what points at an object that is not there is [`Error::BrokenRef`].
    pub fn refs(&self) -> Result<Vec<Reference>, Error> {
        let objects = self.objects();
        let mut references = Vec::new();
        for (name, value) in self.ref_values()? {
            if let Some(target) = self.target_of(&objects, &name, value)? {
                references.push(Reference {
                    kind: RefKind::of(&name),
                    name,
                    target,
                });
            }
        }
        Ok(references)
    }

    /// One of its refs. [`Error::BrokenRef`] when it points at an object that is not there.
    pub fn find_ref(&self, name: &RefName) -> Result<Option<Reference>, Error> {
        let Some(value) = self.ref_value(name)? else {
            return Ok(None);
        };
        let target = self.target_of(&self.objects(), name, value)?;
        Ok(target.map(|target| Reference {
            name: name.clone(),
            target,
            kind: RefKind::of(name),
        }))
    }

    /// The refs that point at objects that are not there, with the first object that is missing
    /// behind each.
    pub fn broken_refs(&self) -> Result<Vec<(RefName, ObjectId)>, Error> {
        let objects = self.objects();
        let mut broken = Vec::new();
        for (name, value) in self.ref_values()? {
            match self.target_of(&objects, &name, value) {
                Ok(_) => {}
                Err(Error::BrokenRef { name, missing, .. }) => broken.push((name, missing)),
                Err(error) => return Err(error),
            }
        }
        Ok(broken)
    }

    /// The commit behind the value of a ref; none when it is something else.
    fn target_of(
        &self,
        objects: &Objects,
        name: &RefName,
        value: ObjectId,
    ) -> Result<Option<ObjectId>, Error> {
        if let Some(target) = objects.commit_behind(value)? {
            return Ok(Some(target));
        }
        if objects.missing_behind(value)?.is_none() {
            return Ok(None);
        }
        // It may have come in a pack that was not there when the objects were opened.
        self.base.reopen()?;
        let objects = self.objects();
        match objects.missing_behind(value)? {
            None => objects.commit_behind(value),
            Some(missing) => Err(Error::BrokenRef {
                key: self.key(),
                name: name.clone(),
                missing,
            }),
        }
    }

    /// The object that a ref points at, which is the tag itself for an annotated tag: what
    /// [`Expected::At`] compares.
    pub fn ref_value(&self, name: &RefName) -> Result<Option<ObjectId>, Error> {
        let found = self.base.refs.try_find(name.as_str());
        let found = found.map_err(|error| self.refs_failed("read", error))?;
        // gix would also find `refs/tags/refs/heads/main` by the name of `refs/heads/main`.
        let found = found.filter(|found| found.name.as_bstr() == name.as_str());
        Ok(found.and_then(|found| value(&found.target)))
    }

    /// Its refs and the objects that they point at, in the order of their names.
    pub fn ref_values(&self) -> Result<Vec<(RefName, ObjectId)>, Error> {
        let platform = self.base.refs.iter();
        let platform = platform.map_err(|error| self.refs_failed("list", error))?;
        let all = platform
            .all()
            .map_err(|error| self.refs_failed("list", error))?;
        let mut values = Vec::new();
        for reference in all {
            let reference = reference.map_err(|error| self.refs_failed("list", error))?;
            let name = reference.name.as_bstr().to_string().parse();
            if let (Ok(name), Some(value)) = (name, value(&reference.target)) {
                values.push((name, value));
            }
        }
        values.sort();
        Ok(values)
    }

    /// Moves refs, all or none: a ref that is not where it is expected to be is
    /// [`Error::RefMoved`].
    ///
    /// What they move to must be there: [`Error::NoObject`] otherwise. Several processes may do
    /// this at once.
    pub fn update_refs(&self, changes: &[RefChange]) -> Result<(), Error> {
        let mut names = BTreeSet::new();
        for change in changes {
            if !names.insert(&change.name) {
                return Err(Error::RefTwice(change.name.clone()));
            }
        }
        self.check_targets(changes)?;
        // The system lets go of this lock when a process dies, which it does not do for git's lock
        // files.
        let lock = self.lock()?;
        self.check_expected(changes)?;
        self.check_neighbours(changes)?;
        let moved = self.apply(changes);
        drop(lock);
        moved
    }

    /// A branch or a pull request is a commit; a tag may be anything that is there.
    fn check_targets(&self, changes: &[RefChange]) -> Result<(), Error> {
        let objects = self.objects();
        for change in changes {
            let Some(id) = change.new else { continue };
            change.name.check_new()?;
            if !objects.contains(id)? {
                return Err(Error::NoObject(id));
            }
            let wanted = match RefKind::of(&change.name) {
                RefKind::Branch | RefKind::Pull => "commit",
                RefKind::Tag | RefKind::Other => continue,
            };
            if !objects.is_commit(id)? {
                return Err(Error::BadObject { id, wanted });
            }
        }
        Ok(())
    }

    fn check_expected(&self, changes: &[RefChange]) -> Result<(), Error> {
        for change in changes {
            let actual = self.ref_value(&change.name)?;
            let fits = match change.expected {
                Expected::Absent => actual.is_none(),
                Expected::At(id) => actual == Some(id),
                Expected::Any => true,
            };
            if !fits {
                return Err(Error::RefMoved {
                    name: change.name.clone(),
                    actual,
                });
            }
        }
        Ok(())
    }

    /// A ref is a file, so none can lie below another.
    fn check_neighbours(&self, changes: &[RefChange]) -> Result<(), Error> {
        let made: Vec<_> = changes
            .iter()
            .filter(|change| change.new.is_some())
            .collect();
        let mut is_new = false;
        for change in &made {
            is_new |= self.ref_value(&change.name)?.is_none();
        }
        if !is_new {
            return Ok(());
        }
        let existing = self.ref_values()?.into_iter().map(|(name, _)| name);
        let gone = |name: &RefName| {
            let change = changes.iter().find(|change| change.name == *name);
            change.is_some_and(|change| change.new.is_none())
        };
        let staying = existing.filter(|name| !gone(name));
        let others: Vec<_> = staying
            .chain(made.iter().map(|change| change.name.clone()))
            .collect();
        for change in &made {
            let clash =
                |other: &&RefName| is_below(other, &change.name) || is_below(&change.name, other);
            if let Some(existing) = others.iter().find(clash) {
                return Err(Error::RefConflict {
                    name: change.name.clone(),
                    existing: existing.clone(),
                });
            }
        }
        Ok(())
    }

    fn apply(&self, changes: &[RefChange]) -> Result<(), Error> {
        // Deletions come first: a ref may be made where a folder of refs was.
        let (gone, made): (Vec<_>, Vec<_>) =
            changes.iter().partition(|change| change.new.is_none());
        for changes in [gone, made] {
            if !changes.is_empty() {
                self.transact(&changes)?;
            }
        }
        Ok(())
    }

    fn transact(&self, changes: &[&RefChange]) -> Result<(), Error> {
        match self.attempt(changes) {
            Ok(()) => Ok(()),
            Err(error) => {
                // All of us have the lock of the repository while they hold one of git's. A lock
                // file that outlasts our patience is therefore of a process that was killed.
                if !self.break_locks(changes) {
                    return Err(self.refs_failed("move", error));
                }
                self.attempt(changes)
                    .map_err(|error| self.refs_failed("move", error))
            }
        }
    }

    fn attempt(&self, changes: &[&RefChange]) -> gix::Result<()> {
        let patience = Fail::AfterDurationWithBackoff(PATIENCE);
        let edits = changes
            .iter()
            .map(|change| edit(change))
            .collect::<gix::Result<Vec<_>>>()?;
        let transaction = self.base.refs.transaction();
        let prepared = transaction.prepare(edits, patience, patience)?;
        // The new values are in git's lock files now, and have to be on the disk before these take
        // the place of the old.
        let durability = self.base.durability;
        let mut directories = Directories::new(durability);
        for change in changes {
            let path = self.base.git_dir.join(change.name.as_str());
            if change.new.is_some() {
                let lock = self.base.git_dir.join(format!("{}.lock", change.name));
                sync::file(durability, &lock).map_err(gix::Error::from_error)?;
            }
            self.note_directories(&path, &mut directories);
        }
        prepared.commit(None)?;
        directories.sync().map_err(gix::Error::from_error)
    }

    /// Notes the directories from a ref up to the repository: each may be new, or have lost a name.
    fn note_directories(&self, path: &Path, directories: &mut Directories) {
        let mut at = path;
        while at != self.base.git_dir {
            directories.of(at);
            match at.parent() {
                Some(parent) => at = parent,
                None => return,
            }
        }
    }

    fn break_locks(&self, changes: &[&RefChange]) -> bool {
        let refs = changes.iter().map(|change| format!("{}.lock", change.name));
        let mut broken = false;
        for name in refs.chain(["packed-refs.lock".to_owned()]) {
            let path = self.base.git_dir.join(name);
            if std::fs::remove_file(&path).is_ok() {
                tracing::warn!(path = %path.display(), "removed the lock of a process that is gone");
                broken = true;
            }
        }
        broken
    }

    fn lock(&self) -> Result<File, Error> {
        let path: PathBuf = self.base.git_dir.join(LOCK);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::disk("open", &path))?;
        file.lock().map_err(Error::disk("lock", &path))?;
        Ok(file)
    }

    fn refs_failed(
        &self,
        action: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Refs {
            action,
            path: self.base.git_dir.clone(),
            source: source.into(),
        }
    }
}

fn edit(change: &RefChange) -> gix::Result<RefEdit> {
    let name = FullName::try_from(change.name.as_str()).map_err(gix::Error::from_error)?;
    let at = |id| Target::Object(to_gix(id));
    let change = match (change.new, change.expected) {
        (Some(new), expected) => Change::Update {
            log: LogChange::default(),
            expected: match expected {
                Expected::Absent => PreviousValue::MustNotExist,
                Expected::At(old) => PreviousValue::MustExistAndMatch(at(old)),
                Expected::Any => PreviousValue::Any,
            },
            new: at(new),
        },
        (None, expected) => Change::Delete {
            expected: match expected {
                Expected::At(old) => PreviousValue::MustExistAndMatch(at(old)),
                Expected::Absent | Expected::Any => PreviousValue::Any,
            },
            log: RefLog::AndReference,
        },
    };
    Ok(RefEdit::new(name, change))
}

fn value(target: &Target) -> Option<ObjectId> {
    match target {
        Target::Object(id) => Some(from_gix(id)),
        // We make none, and a client cannot.
        Target::Symbolic(_) => None,
    }
}

fn is_below(name: &RefName, folder: &RefName) -> bool {
    name.as_str()
        .strip_prefix(folder.as_str())
        .is_some_and(|rest| rest.starts_with('/'))
}
