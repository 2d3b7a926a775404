//! The stored form of events: one JSON object each, read and written here alone.

use assay_git::RefName;
use assay_model::{ObjectId, PullNumber, RepoKey, Timestamp};
use assay_store::{AccountId, EventId, EventKind, NewEvent, Tx};
use serde_json::{Value as Json, json};

use super::inbox::note_mentions;
use super::{Earlier, Event, EventData, Status};
use crate::error::Error;
use crate::secret;

/// Number of texts of a comment that are kept beside the last.
const MAX_HISTORY: usize = 20;

/// The repository, the discussion, the actor and the time of an act.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    pub(super) key: RepoKey,
    pub(super) num: PullNumber,
    /// None when a crash took the name with it.
    pub(super) actor: Option<AccountId>,
    pub(super) now: Timestamp,
}

/// An event of a discussion that is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DiscussionEvent<'t> {
    /// Someone says something.
    Comment(&'t str),
    /// The status changes.
    Status(Status),
    /// A commit comes in.
    Commit {
        /// Its first line.
        subject: &'t str,
        /// The commit.
        oid: ObjectId,
    },
    /// The title changes.
    Title {
        /// Before.
        from: &'t str,
        /// After.
        to: &'t str,
    },
}

impl Scene {
    /// Notes that the index does not know yet what becomes of a pull request whose ref stays where
    /// it is.
    pub(super) async fn forget_index(self, tx: &mut Tx) -> Result<(), Error> {
        let name = RefName::pull(self.num);
        tx.set_indexed_ref(self.key, name.as_str(), None).await?;
        Ok(())
    }

    /// Adds an event; the answer is what it is known by.
    pub(super) async fn tell(
        self,
        tx: &mut Tx,
        told: &DiscussionEvent<'_>,
    ) -> Result<EventId, Error> {
        let (kind, data) = match told {
            DiscussionEvent::Comment(text) => {
                (EventKind::Comment, comment(text, 0, self.now, false))
            }
            DiscussionEvent::Status(status) => (
                EventKind::StatusChange,
                json!({"status": status.stored().as_str()}),
            ),
            DiscussionEvent::Commit { subject, oid } => (
                EventKind::Commit,
                json!({"subject": subject, "oid": oid.to_string()}),
            ),
            DiscussionEvent::Title { from, to } => {
                (EventKind::TitleChange, json!({"from": from, "to": to}))
            }
        };
        let id = secret::event_id()?;
        tx.add_event(&NewEvent {
            id: id.clone(),
            key: self.key,
            num: self.num,
            kind,
            author: self.actor,
            created: self.now,
            data,
        })
        .await?;
        if let DiscussionEvent::Comment(text) = told {
            note_mentions(tx, self, &id, text).await?;
        }
        tx.touch_discussion(self.key, self.num, self.now).await?;
        Ok(id)
    }
}

/// A comment as it is kept.
pub(super) fn comment(text: &str, edits: u32, updated: Timestamp, hidden: bool) -> Json {
    json!({"text": text, "edits": edits, "updated": updated.millis(), "hidden": hidden})
}

/// Returns a comment without its text and former texts, as an operator leaves it.
pub(crate) fn removed_comment(at: Timestamp) -> Json {
    comment("", 0, at, true)
}

/// Adds the texts that a comment had to what is kept of it, the newest first.
pub(super) fn with_history(mut comment: Json, history: &[Earlier]) -> Json {
    let texts = history.iter().take(MAX_HISTORY);
    let texts = texts.map(|earlier| json!([earlier.written.millis(), earlier.text]));
    comment["history"] = texts.collect();
    comment
}

/// The texts that a comment had. Comments that were never changed have no list.
fn history(event: &assay_store::Event) -> Vec<Earlier> {
    let texts = event.data.get("history").and_then(Json::as_array);
    let texts = texts.into_iter().flatten().filter_map(|pair| {
        Some(Earlier {
            written: Timestamp::from_millis(pair.get(0)?.as_i64()?),
            text: pair.get(1)?.as_str()?.to_owned(),
        })
    });
    texts.collect()
}

/// An event as the hub tells it; none when it was written by a later version of this program.
pub(super) fn read(event: &assay_store::Event) -> Option<Event> {
    Some(Event {
        id: event.id.as_str().to_owned(),
        author: event.author.as_ref().map(|author| author.name.clone()),
        created: event.created,
        data: data(event)?,
    })
}

/// Returns the length of the text of an event, in bytes.
pub(super) fn length(event: &assay_store::Event) -> u64 {
    fn texts(value: &Json) -> u64 {
        match value {
            Json::String(text) => text.len() as u64,
            Json::Array(items) => items.iter().map(texts).sum(),
            Json::Object(map) => map.values().map(texts).sum(),
            Json::Null | Json::Bool(_) | Json::Number(_) => 0,
        }
    }
    texts(&event.data)
}

/// The commit that an event tells of.
pub(super) fn commit_of(event: &assay_store::Event) -> Option<ObjectId> {
    match data(event)? {
        EventData::Commit { oid, .. } => Some(oid),
        EventData::Comment { .. } | EventData::Status(_) | EventData::Title { .. } => None,
    }
}

fn data(event: &assay_store::Event) -> Option<EventData> {
    let text = |key: &str| Some(event.data.get(key)?.as_str()?.to_owned());
    Some(match event.kind {
        EventKind::Comment => EventData::Comment {
            text: text("text")?,
            edits: u32::try_from(event.data.get("edits")?.as_u64()?).ok()?,
            updated: Timestamp::from_millis(event.data.get("updated")?.as_i64()?),
            hidden: event.data.get("hidden")?.as_bool()?,
            history: history(event),
        },
        EventKind::StatusChange => EventData::Status(Status::of(&text("status")?)?),
        EventKind::Commit => EventData::Commit {
            subject: text("subject")?,
            oid: text("oid")?.parse().ok()?,
        },
        EventKind::TitleChange => EventData::Title {
            from: text("from")?,
            to: text("to")?,
        },
    })
}
