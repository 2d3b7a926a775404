//! Files that others can take away and check for themselves: proofs of rows, files of the logs,
//! receipts, the trust note.

use std::sync::Arc;

use assay_git::Objects;
use assay_model::{ObjectId, PullNumber, RepoPath, Standing};
use assay_store::{Branch, TokenEntry};
use assay_tlog::LogPath;
use assay_trust::proof::{GitProof, MAX_PROOF, Proof, TrustNote};
use assay_trust::{Reason, RepoUid};

use super::evidence::form;
use super::standings::{OfToken, read_token};
use super::{Trust, Which, log_error};
use crate::error::{Error, Limit, Missing};
use crate::hub::blocking;
use crate::index::{MAX_BYTES, results_folder};
use crate::repo_lookup::Repo;
use crate::services::EvidenceService;

/// Maximum size of a commit or a tree that goes into a proof, in bytes.
const MAX_OBJECT: u64 = 256 << 10;
/// The folder of a model that holds its result files.
const FOLDER: &str = crate::index::RESULTS_FOLDER;

/// One of the two logs of a hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogName {
    /// Tokens that were issued, and what was decided about them.
    Results,
    /// Keys, issuers, policies and revocations.
    Control,
}

/// A file of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// True if it never changes.
    pub is_immutable: bool,
}

/// The status of a token in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenStatus {
    /// The identity of the token.
    pub jti: String,
    /// The standing that it came to here.
    pub standing: Standing,
    /// The pull request, when it is in one.
    pub pull: Option<PullNumber>,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// The sizes of the results log and of the control log that were taken into account.
    pub as_of: (u64, u64),
    /// The receipts of its leaves in the results log, as text.
    pub receipts: Vec<String>,
}

/// Returns the next step of the author of an entry for a reason.
pub fn hint(reason: &str) -> Option<&'static str> {
    Reason::from_code(reason).map(Reason::hint)
}

impl EvidenceService<'_> {
    /// Returns the facts of this hub that a stranger needs to check its proofs.
    pub fn trust_note(self) -> String {
        self.hub.trust.note().to_string()
    }

    /// A file of a log, by its name in tlog-tiles.
    pub async fn log_file(self, log: LogName, path: &str) -> Result<LogFile, Error> {
        let (trust, which) = (Arc::clone(&self.hub.trust), log.which());
        let path = path.to_owned();
        blocking(move || {
            let missing = || Error::NotFound(Missing::Other("the log has no such file".to_owned()));
            let name: LogPath = path.parse().map_err(|_| missing())?;
            let bytes = trust.file(which, name)?.ok_or_else(missing)?;
            Ok(LogFile {
                bytes,
                is_immutable: name.is_immutable(),
            })
        })
        .await
    }

    /// The receipt of a leaf, as `tlog-proof@v1`.
    pub async fn receipt(self, log: LogName, index: u64) -> Result<String, Error> {
        let (trust, which) = (Arc::clone(&self.hub.trust), log.which());
        blocking(move || {
            if index >= trust.log(which).size() {
                let text = format!("the log has no leaf {index}");
                return Err(Error::NotFound(Missing::Other(text)));
            }
            trust.receipt(which, index)
        })
        .await
    }

    /// Returns the status of a token in a repository, for callers who may see it.
    pub async fn token_status(self, repo: &Repo, jti: &str) -> Result<TokenStatus, Error> {
        let (entry, of_token) = self.row(repo, jti).await?;
        let as_of = self.known_of_logs().await?;
        let uid = self.uid(repo).await?;
        let version = entry.indexed.version;
        let trust = Arc::clone(&self.hub.trust);
        let digest = digest_of(&version);
        let facts = of_token.facts(as_of.0, uid, digest);
        let leaves: Vec<u64> = [
            facts.issue.map(|(index, _)| index),
            facts.decision.map(|(index, _)| index),
        ]
        .into_iter()
        .flatten()
        .collect();
        let receipts = blocking(move || {
            let receipt = |index: u64| trust.receipt(Which::Results, index);
            leaves
                .into_iter()
                .map(receipt)
                .collect::<Result<Vec<_>, Error>>()
        })
        .await?;
        Ok(TokenStatus {
            jti: jti.to_owned(),
            standing: version.standing,
            pull: entry.indexed.branch.pull(),
            file: version.file,
            ordinal: version.ordinal,
            commit: version.commit,
            as_of,
            receipts,
        })
    }

    /// The proof of a row, by the token that it brings: one small file that is checked without
    /// asking anyone. For who may see the repository.
    pub async fn proof(self, repo: &Repo, jti: &str) -> Result<String, Error> {
        let (entry, of_token) = self.row(repo, jti).await?;
        let uid = self.uid(repo).await?;
        let version = entry.indexed.version;
        let digest = digest_of(&version);
        let (results, _) = self.known_of_logs().await?;
        let facts = of_token.facts(results, uid, digest);
        let Some((decided, _)) = facts.decision else {
            let text = "nothing was decided about this token here, so there is nothing to prove";
            return Err(Error::NotFound(Missing::Other(text.to_owned())));
        };
        let issued = facts.issue.map(|(index, _)| index);
        let (file, commit) = (version.file, version.commit);
        let git = self
            .hub
            .with_git(repo.key, move |git| {
                git_proof(&git.objects(), commit, &file)
            })
            .await?;
        let trust = Arc::clone(&self.hub.trust);
        let proof = blocking(move || trust.prove(git, issued, decided)).await?;
        if proof.len() > MAX_PROOF {
            return Err(Error::TooLarge(Limit::Proof));
        }
        Ok(proof)
    }

    /// The current entry of a repository with a token: that of main before those of pull requests,
    /// one that is verified before one that is not.
    async fn row(self, repo: &Repo, jti: &str) -> Result<(TokenEntry, OfToken), Error> {
        let entries = self.hub.store.entries_with_jti(jti).await?;
        let rank = |entry: &TokenEntry| {
            (
                !entry.indexed.version.standing.is_verified(),
                entry.indexed.branch != Branch::Main,
            )
        };
        let found = entries
            .into_iter()
            .filter(|entry| entry.key == repo.key && entry.indexed.until.is_none())
            .min_by_key(rank);
        let found = found.ok_or_else(|| {
            Error::NotFound(Missing::Other("no result here has this token".to_owned()))
        })?;
        Ok((found, self.logged(jti).await?))
    }

    /// Returns the leaves of the results log about a token.
    pub(super) async fn logged(self, jti: &str) -> Result<OfToken, Error> {
        let issued = self.hub.store.issued(jti).await?.map(|issued| issued.index);
        let decided = self.hub.store.decisions(jti).await?;
        let decided: Vec<u64> = decided.into_iter().map(|decision| decision.index).collect();
        let (log, jti) = (self.hub.trust.results(), jti.to_owned());
        blocking(move || read_token(&log, &jti, issued, &decided)).await
    }

    pub(super) async fn uid(self, repo: &Repo) -> Result<RepoUid, Error> {
        let repository = self.hub.store.repository(repo.key).await?;
        let repository = repository.ok_or(Error::NotFound(Missing::Repo))?;
        Ok(RepoUid::from_bytes(repository.uid))
    }
}

/// The digest of an entry; none when it has no canonical form.
pub(super) fn digest_of(version: &assay_store::NewEntry) -> Option<assay_trust::Digest> {
    let evidence = version.evidence.as_ref()?;
    let canonical = form(evidence, version.entry.token.as_deref()).ok()?;
    Some(canonical.digest())
}

impl LogName {
    fn which(self) -> Which {
        match self {
            Self::Results => Which::Results,
            Self::Control => Which::Control,
        }
    }
}

impl Trust {
    /// The bytes of a file of a log. A checkpoint that witnesses have signed is given with what
    /// they signed.
    fn file(&self, which: Which, path: LogPath) -> Result<Option<Vec<u8>>, Error> {
        let signed = match path {
            LogPath::Witnessed => self.witnessed(which)?,
            LogPath::Checkpoint => {
                let size = self.log(which).size();
                Some(self.covering(which, size)?)
            }
            LogPath::Tile(_) | LogPath::Bundle(_) => {
                return self.log(which).file(&path.to_string()).map_err(log_error);
            }
        };
        Ok(signed.map(|signed| signed.to_string().into_bytes()))
    }

    fn note(&self) -> TrustNote {
        TrustNote {
            hub: self.audience.clone(),
            issuer: self.issuer.clone(),
            results: self.results().key().clone(),
            control: self.control().key().clone(),
            formerly: self.origin.former.clone(),
        }
    }

    fn prove(&self, git: GitProof, issued: Option<u64>, decided: u64) -> Result<String, Error> {
        let (results, control) = (self.results(), self.control());
        let checkpoint = self.covering(Which::Control, control.size())?;
        let mut leaves = Vec::new();
        for leaf in control.leaves(0..checkpoint.claimed().size) {
            let (_, leaf) = leaf.map_err(log_error)?;
            leaves.push(String::from_utf8(leaf).map_err(Error::internal)?);
        }
        // Both receipts are under one checkpoint.
        let under = self.covering(Which::Results, decided.max(issued.unwrap_or(0)) + 1)?;
        let receipt = |index| {
            let receipt = results.receipt_under(index, under.clone());
            receipt.map_err(log_error)
        };
        let proof = Proof {
            note: self.note(),
            git,
            issue: issued.map(receipt).transpose()?,
            decide: receipt(decided)?,
            control: leaves,
            control_checkpoint: checkpoint,
        };
        Ok(proof.to_json())
    }
}

/// The way from a result file to the commit that brought it.
fn git_proof(objects: &Objects, commit: ObjectId, file: &RepoPath) -> Result<GitProof, Error> {
    let info = objects.commit(commit)?;
    let missing = || Error::internal(format!("commit {commit} has no `{file}`"));
    let directory = results_folder(objects, commit)?.ok_or_else(missing)?;
    let entry = objects.entry(commit, file)?.ok_or_else(missing)?;
    let bytes = objects.read(entry.oid, MAX_BYTES)?;
    Ok(GitProof {
        id: info.id,
        commit: objects.raw(info.id, MAX_OBJECT)?,
        root: objects.raw(info.tree, MAX_OBJECT)?,
        directory: objects.raw(directory, MAX_OBJECT)?,
        file: String::from_utf8(bytes).map_err(Error::internal)?,
    })
}

impl EvidenceService<'_> {
    /// Returns the standings that the entries of a result file of a model would have if they were
    /// pushed now: nothing is decided.
    pub async fn preview_standings(
        self,
        repo: &Repo,
        path: &RepoPath,
        text: String,
    ) -> Result<Vec<Standing>, Error> {
        if !path.as_str().starts_with(FOLDER) || repo.kind != assay_model::RepoKind::Model {
            return Ok(Vec::new());
        }
        let received_at = self.hub.now();
        let path = path.clone();
        let (said, sightings) = self
            .hub
            .with_git(repo.key, move |git| {
                let objects = git.objects();
                let said = crate::index::submissions_of_text(text);
                let mut sightings = Vec::new();
                for one in &said {
                    sightings.extend(super::admission::sighting(&objects, &path, one)?);
                }
                Ok((said, sightings))
            })
            .await?;
        let mut standings = super::admission::preview(self.hub, repo, sightings, received_at)
            .await?
            .into_iter();
        let standing = |one: &crate::index::Submission| match one.evidence {
            Some(_) => standings.next().unwrap_or_else(Standing::no_token),
            None => Standing::no_token(),
        };
        Ok(said.iter().map(standing).collect())
    }
}
