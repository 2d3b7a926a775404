//! `assay.json` in each repository: what git does not tell and a lost database would take with it.

use assay_model::{Date, RepoId, RepoKey, RepoKind, Timestamp};
use assay_store::{AccountKind, Gate, RecordedRepository, Tx};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Missing};
use crate::hub::Hub;
use crate::repository::Visibility;

/// The version of the format.
const VERSION: u32 = 1;
/// The length of a repository's identity, in bytes.
const UID_BYTES: usize = 16;

/// The contents of `assay.json`: the record of a repository, copied beside git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoFacts {
    /// Its identity to the world outside.
    pub uid: [u8; UID_BYTES],
    /// Model or dataset.
    pub kind: RepoKind,
    /// Its name.
    pub id: RepoId,
    /// The name of its owner.
    pub owner: String,
    /// True when its owner is an organisation.
    pub owner_is_organisation: bool,
    /// The name of who made it.
    pub creator: Option<String>,
    /// The time of its creation.
    pub created: Timestamp,
    /// Public or private.
    pub visibility: Visibility,
    /// True when the operator has closed it.
    pub disabled: bool,
    /// The gate that readers pass.
    pub(crate) gate: Gate,
    /// A description, in a sentence.
    pub description: Option<String>,
}

/// The facts as they are written.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    version: u32,
    uid: String,
    kind: String,
    name: String,
    owner: String,
    owner_kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    creator: Option<String>,
    created: String,
    /// Private when it is absent: what nobody says is seen by nobody.
    #[serde(default = "private")]
    visibility: String,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    gate: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

const PUBLIC: &str = "public";
const PRIVATE: &str = "private";

fn private() -> String {
    PRIVATE.to_owned()
}

impl RepoFacts {
    /// Copies the record of a repository.
    pub(crate) fn of_record(recorded: &RecordedRepository) -> Self {
        let repository = &recorded.repository;
        let settings = &repository.settings;
        Self {
            uid: repository.uid,
            kind: repository.kind,
            id: repository.id.clone(),
            owner: recorded.owner_name.clone(),
            owner_is_organisation: recorded.owner_kind == AccountKind::Organisation,
            creator: recorded.creator_name.clone(),
            created: repository.created,
            visibility: if settings.private {
                Visibility::Private
            } else {
                Visibility::Public
            },
            disabled: settings.disabled,
            gate: settings.gate,
            description: settings.description.clone(),
        }
    }

    /// Reads what was written. None when it is not what this version writes.
    pub fn parse(text: &str) -> Option<Self> {
        let written: Written = serde_json::from_str(text).ok()?;
        if written.version != VERSION {
            return None;
        }
        let date: Date = written.created.parse().ok()?;
        Some(Self {
            uid: uid_of(&written.uid)?,
            kind: written.kind.parse().ok()?,
            id: written.name.parse().ok()?,
            owner: written.owner,
            owner_is_organisation: written.owner_kind == AccountKind::Organisation.as_str(),
            creator: written.creator,
            created: Timestamp::of_date(&date)?,
            visibility: if written.visibility == PUBLIC {
                Visibility::Public
            } else {
                Visibility::Private
            },
            disabled: written.disabled,
            gate: written
                .gate
                .and_then(|gate| gate.parse().ok())
                .unwrap_or_default(),
            description: written.description,
        })
    }

    /// The text that is written.
    pub(crate) fn to_json(&self) -> Result<String, Error> {
        let kind = if self.owner_is_organisation {
            AccountKind::Organisation
        } else {
            AccountKind::User
        };
        let written = Written {
            version: VERSION,
            uid: hex(&self.uid),
            kind: self.kind.to_string(),
            name: self.id.to_string(),
            owner: self.owner.clone(),
            owner_kind: kind.as_str().to_owned(),
            creator: self.creator.clone(),
            created: self.created.to_string(),
            visibility: match self.visibility {
                Visibility::Public => PUBLIC,
                Visibility::Private => PRIVATE,
            }
            .to_owned(),
            disabled: self.disabled,
            gate: Some(self.gate.as_str().to_owned()),
            description: self.description.clone(),
        };
        let mut text = serde_json::to_string_pretty(&written).map_err(Error::internal)?;
        text.push('\n');
        Ok(text)
    }
}

impl Hub {
    /// Returns the facts of a repository as a transaction sees them.
    pub(crate) async fn facts_in(&self, tx: &mut Tx, key: RepoKey) -> Result<RepoFacts, Error> {
        let recorded = tx.recorded_repository(key).await?;
        let recorded = recorded.ok_or(Error::NotFound(Missing::Repo))?;
        Ok(RepoFacts::of_record(&recorded))
    }

    /// Writes the facts of a repository before the change of them is committed: for one that hides
    /// it, so that the file never shows more than the records do.
    pub(crate) async fn note_facts_before(&self, tx: &mut Tx, key: RepoKey) -> Result<(), Error> {
        let facts = self.facts_in(tx, key).await?;
        self.write_facts(key, &facts).await
    }

    /// Writes the facts of a repository after a change of them was committed. What fails is made
    /// good at the next start.
    pub(crate) async fn note_facts(&self, key: RepoKey) {
        let noted = async {
            match self.store.recorded_repository(key).await? {
                Some(recorded) => {
                    self.write_facts(key, &RepoFacts::of_record(&recorded))
                        .await
                }
                None => Ok(()),
            }
        };
        if let Err(error) = noted.await {
            tracing::warn!(%key, ?error, "the facts of repository {key} are not written down until the next start");
        }
    }

    async fn write_facts(&self, key: RepoKey, facts: &RepoFacts) -> Result<(), Error> {
        let text = facts.to_json()?;
        self.with_git(key, move |git| Ok(git.write_facts(&text)?))
            .await
    }
}

/// The digits of an identity.
pub(crate) fn hex(uid: &[u8; UID_BYTES]) -> String {
    uid.iter().fold(String::new(), |digits, byte| {
        digits + &format!("{byte:02x}")
    })
}

fn uid_of(text: &str) -> Option<[u8; UID_BYTES]> {
    if text.len() != UID_BYTES * 2 || !text.is_ascii() {
        return None;
    }
    let mut uid = [0; UID_BYTES];
    for (position, byte) in uid.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[position * 2..position * 2 + 2], 16).ok()?;
    }
    Some(uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> RepoFacts {
        RepoFacts {
            uid: [0xa5; UID_BYTES],
            kind: RepoKind::Dataset,
            id: "Acme/sums".parse().unwrap(),
            owner: "Acme".to_owned(),
            owner_is_organisation: true,
            creator: Some("ada".to_owned()),
            created: Timestamp::from_millis(1_771_065_000_123),
            visibility: Visibility::Public,
            disabled: false,
            gate: Gate::Manual,
            description: Some("Sums \"and\" more".to_owned()),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let facts = facts();

        let read = RepoFacts::parse(&facts.to_json().unwrap());

        assert_eq!(read, Some(facts));
    }

    #[test]
    fn a_visibility_that_is_not_said_is_private() {
        let text = facts().to_json().unwrap();
        for (from, to) in [
            ("\"visibility\": \"public\",", ""),
            ("\"visibility\": \"public\"", "\"visibility\": \"somewhat\""),
        ] {
            let read = RepoFacts::parse(&text.replace(from, to)).unwrap();

            assert_eq!(read.visibility, Visibility::Private);
        }
    }

    #[test]
    fn what_another_version_wrote_is_not_guessed_at() {
        let text = facts().to_json().unwrap();

        let read = RepoFacts::parse(&text.replace("\"version\": 1", "\"version\": 2"));

        assert_eq!(read, None);
        assert_eq!(RepoFacts::parse(""), None);
    }
}
