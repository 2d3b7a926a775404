//! Receipts in git: what the results log says of a model's tokens, in the model's own repository.
//!
//! Whoever has a clone can prove its results without this hub. The ref belongs to the hub: nobody
//! can push to it, it is no branch, and the index does not read it. A copy of it in another
//! repository proves nothing there, because each decision names the repository it was made for.

use std::collections::BTreeMap;

use assay_git::{Blob, CommitPlan, Expected, FileMode, RefChange, RefName, TreeEdit};
use assay_model::{RepoKey, Timestamp};
use assay_tlog::Log;
use assay_trust::{Outcome, ResultsLeaf};

use super::log_error;
use crate::commit::signature;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::EvidenceService;

/// The ref that holds them.
const RECEIPTS: &str = "refs/assay/receipts";
/// The setting that says up to which leaf receipts were written.
const WRITTEN: &str = "receipts_written";
/// Number of leaves that are looked at in one go.
const LEAVES: u64 = 1024;

/// A leaf that a repository gets a receipt of.
struct Due {
    index: u64,
    issue: Option<u64>,
    jti: String,
}

impl EvidenceService<'_> {
    /// Writes the receipts of what was admitted since the last time into the repositories that it
    /// was admitted in.
    pub(super) async fn write_receipts(self) -> Result<(), Error> {
        loop {
            let written = self.hub.store.setting(WRITTEN).await?;
            let written: u64 = written.and_then(|text| text.parse().ok()).unwrap_or(0);
            let log = self.hub.trust.results();
            let until = log.size().min(written + LEAVES);
            if until <= written {
                return Ok(());
            }
            let own = log.clone();
            let due = blocking(move || due(&own, written, until)).await?;
            for (uid, due) in due {
                // A repository that is gone needs none.
                if let Some(repository) = self.hub.store.repository_of_uid(&uid).await? {
                    self.add_receipts(repository.key, due, log.clone()).await?;
                }
            }
            let mut tx = self.hub.store.begin().await?;
            tx.set_setting(WRITTEN, Some(&until.to_string())).await?;
            tx.commit().await?;
        }
    }

    async fn add_receipts(self, key: RepoKey, due: Vec<Due>, log: Log) -> Result<(), Error> {
        let _locked = self.hub.lock(key).await?;
        let now = self.hub.now();
        self.hub
            .with_git(key, move |git| {
                let name: RefName = RECEIPTS.parse().map_err(Error::internal)?;
                let head = git.find_ref(&name)?.map(|head| head.target);
                let plan = CommitPlan {
                    parents: head.into_iter().collect(),
                    base: head,
                    operations: operations(&due, &log)?,
                    message: "receipts of the results log".to_owned(),
                    author: hub_signature(now),
                    committer: hub_signature(now),
                };
                let quarantine = git.quarantine();
                let commit = quarantine.write(&plan)?;
                let is_same = match head {
                    Some(head) => {
                        git.objects().commit(head)?.tree
                            == quarantine.objects().commit(commit)?.tree
                    }
                    None => false,
                };
                if is_same {
                    return Ok(());
                }
                quarantine.admit()?;
                git.update_refs(&[RefChange {
                    name,
                    expected: head.map_or(Expected::Absent, Expected::At),
                    new: Some(commit),
                }])?;
                Ok(())
            })
            .await
    }
}

fn hub_signature(now: Timestamp) -> assay_git::Signature {
    signature(None, now)
}

/// The admissions among some leaves, by repository.
fn due(log: &Log, from: u64, until: u64) -> Result<BTreeMap<[u8; 16], Vec<Due>>, Error> {
    let mut found: BTreeMap<[u8; 16], Vec<Due>> = BTreeMap::new();
    for leaf in log.leaves(from..until) {
        let (index, leaf) = leaf.map_err(log_error)?;
        let ResultsLeaf::Decide(decide) = ResultsLeaf::read(&leaf).map_err(Error::internal)? else {
            continue;
        };
        let Outcome::Admitted { issue_index } = decide.outcome else {
            continue;
        };
        found.entry(*decide.repo.as_bytes()).or_default().push(Due {
            index,
            issue: issue_index,
            jti: decide.jti.to_string(),
        });
    }
    Ok(found)
}

fn operations(due: &[Due], log: &Log) -> Result<Vec<TreeEdit>, Error> {
    let mut operations = Vec::new();
    for due in due {
        let leaves = [(Some(due.index), "decide"), (due.issue, "issue")];
        for (index, name) in leaves {
            let Some(index) = index else {
                continue;
            };
            let receipt = log.receipt(index).map_err(log_error)?.to_string();
            let path = format!("receipts/{}.{name}", due.jti);
            operations.push(TreeEdit::Put {
                path: path.parse().map_err(Error::internal)?,
                blob: Blob::Bytes(receipt.into_bytes()),
                mode: FileMode::Regular,
            });
        }
    }
    Ok(operations)
}
