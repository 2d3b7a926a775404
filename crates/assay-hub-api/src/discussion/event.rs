use assay_model::{ObjectId, Timestamp};
use serde::de::{Error as _, IgnoredAny};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::DiscussionStatus;
use crate::Account;

/// Something that happened in a discussion.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The id of the event: lower-case hexadecimal, because clients lower it.
    pub id: String,
    /// The author. Absent when the account is gone.
    pub author: Option<Account>,
    /// The time of the event.
    pub created_at: Timestamp,
    /// The data of the event.
    pub data: EventData,
}

/// The kind of an event of a discussion, with its data.
#[derive(Debug, Clone, PartialEq)]
pub enum EventData {
    /// Somebody said something.
    Comment(CommentData),
    /// It was opened, closed or merged.
    StatusChange {
        /// The new status.
        status: DiscussionStatus,
    },
    /// A commit was added.
    Commit {
        /// The first line of the commit.
        subject: String,
        /// The commit.
        oid: ObjectId,
    },
    /// It was renamed.
    TitleChange {
        /// The old title.
        from: String,
        /// The new title.
        to: String,
    },
}

/// A comment as it is and was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommentData {
    /// True if it was changed.
    pub edited: bool,
    /// True if it was hidden.
    pub hidden: bool,
    /// The text as it is.
    pub latest: CommentVersion,
    /// The texts it had, the newest first.
    pub history: Vec<CommentVersion>,
    /// The number of edits.
    pub num_edits: u64,
    /// Always empty; clients may read it.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    #[serde(deserialize_with = "nothing")]
    pub reactions: [(); 0],
}

/// One text of a comment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommentVersion {
    /// As it was written.
    pub raw: String,
    /// As a page shows it.
    pub html: String,
    /// Time at which it was written.
    pub updated_at: Timestamp,
    /// The author. Absent when the account is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Account>,
}

impl EventData {
    /// The word for what happened.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Comment(_) => "comment",
            Self::StatusChange { .. } => "status-change",
            Self::Commit { .. } => "commit",
            Self::TitleChange { .. } => "title-change",
        }
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = 4 + usize::from(self.author.is_some());
        let mut event = serializer.serialize_struct("Event", keys)?;
        event.serialize_field("id", &self.id)?;
        event.serialize_field("type", self.data.as_str())?;
        match &self.author {
            Some(author) => event.serialize_field("author", author)?,
            None => event.skip_field("author")?,
        }
        event.serialize_field("createdAt", &self.created_at)?;
        event.serialize_field("data", &self.data)?;
        event.end()
    }
}

impl Serialize for EventData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Comment(comment) => comment.serialize(serializer),
            Self::StatusChange { status } => fields(serializer, &[("status", status)]),
            Self::TitleChange { from, to } => fields(serializer, &[("from", from), ("to", to)]),
            Self::Commit { subject, oid } => {
                let mut data = serializer.serialize_struct("Commit", 2)?;
                data.serialize_field("subject", subject)?;
                data.serialize_field("oid", oid)?;
                data.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = RawEvent::deserialize(deserializer)?;
        let data = match event.kind.as_str() {
            "comment" => CommentData::deserialize(event.data).map(EventData::Comment),
            "status-change" => StatusData::deserialize(event.data)
                .map(|StatusData { status }| EventData::StatusChange { status }),
            "commit" => AddedCommit::deserialize(event.data)
                .map(|AddedCommit { subject, oid }| EventData::Commit { subject, oid }),
            "title-change" => Titles::deserialize(event.data)
                .map(|Titles { from, to }| EventData::TitleChange { from, to }),
            other => return Err(D::Error::unknown_variant(other, &EVENT_KINDS)),
        };
        Ok(Self {
            id: event.id,
            author: event.author,
            created_at: event.created_at,
            data: data.map_err(D::Error::custom)?,
        })
    }
}

/// The values of an event's `type`.
const EVENT_KINDS: [&str; 4] = ["comment", "status-change", "commit", "title-change"];

/// An event whose data is not read yet.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawEvent {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    author: Option<Account>,
    created_at: Timestamp,
    data: serde_json::Value,
}

/// The data of a change of status.
#[derive(Deserialize)]
struct StatusData {
    status: DiscussionStatus,
}

/// The data of a commit.
#[derive(Deserialize)]
struct AddedCommit {
    subject: String,
    oid: ObjectId,
}

/// The data of a change of title.
#[derive(Deserialize)]
struct Titles {
    from: String,
    to: String,
}

/// Passes over a value.
fn nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[(); 0], D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| [])
}

/// An object of values of one type.
fn fields<S: Serializer>(
    serializer: S,
    fields: &[(&'static str, &impl Serialize)],
) -> Result<S::Ok, S::Error> {
    let mut data = serializer.serialize_struct("EventData", fields.len())?;
    for (key, value) in fields {
        data.serialize_field(key, value)?;
    }
    data.end()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(data: EventData) -> Event {
        Event {
            id: "0a".to_owned(),
            author: None,
            created_at: Timestamp::from_seconds(0),
            data,
        }
    }

    #[test]
    fn events_have_the_type_and_data_that_clients_tell_them_by() {
        let oid = ObjectId::from_bytes([1; 20]);
        let latest = CommentVersion {
            raw: "Thanks".to_owned(),
            html: "<p>Thanks</p>".to_owned(),
            updated_at: Timestamp::from_seconds(0),
            author: None,
        };
        let comment = CommentData {
            edited: false,
            hidden: false,
            latest,
            history: Vec::new(),
            num_edits: 0,
            reactions: [],
        };
        for (data, name, expected) in [
            (
                EventData::StatusChange {
                    status: DiscussionStatus::Merged,
                },
                "status-change",
                json!({"status": "merged"}),
            ),
            (
                EventData::TitleChange {
                    from: "a".to_owned(),
                    to: "b".to_owned(),
                },
                "title-change",
                json!({"from": "a", "to": "b"}),
            ),
            (
                EventData::Commit {
                    subject: "s".to_owned(),
                    oid,
                },
                "commit",
                json!({"subject": "s", "oid": oid.to_string()}),
            ),
            (
                EventData::Comment(comment),
                "comment",
                json!({"edited": false, "hidden": false, "numEdits": 0, "reactions": [], "history": [],
                    "latest": {"raw": "Thanks", "html": "<p>Thanks</p>", "updatedAt": "1970-01-01T00:00:00.000Z"}}),
            ),
        ] {
            let event = event(data);

            let json = serde_json::to_value(&event).unwrap();

            assert_eq!(Event::deserialize(&json).unwrap(), event);
            assert_eq!(
                json,
                json!({"id": "0a", "type": name, "createdAt": "1970-01-01T00:00:00.000Z", "data": expected}),
                "an absent author has no key"
            );
        }
    }
}
