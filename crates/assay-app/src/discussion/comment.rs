//! Comments: written, edited, hidden.

use assay_model::PullNumber;
use assay_store::{AccountId, AuditAction, EventId, Tx};

use super::events::{self, DiscussionEvent, Scene};
use super::inbox::note_mentions;
use super::scene::no_such_comment;
use super::{Earlier, Event, EventData, limits};
use crate::access::{Caller, Need};
use crate::error::{Denied, Error};
use crate::repo_lookup::Repo;
use crate::services::DiscussionService;
use crate::webhook::tell_pull;

impl DiscussionService<'_> {
    /// Says something.
    pub async fn comment(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
        text: &str,
    ) -> Result<Event, Error> {
        self.hub.check(caller, repo, Need::Discuss).await?;
        limits::spoken(text)?;
        self.hub.count_write(caller.signed_in()?)?;
        let (held, scene) = self.scene(caller, repo, num).await?;
        let mut tx = self
            .hub
            .begin_change(caller, repo.key, Need::Discuss)
            .await?;
        limits::has_room(&mut tx, scene, text).await?;
        let id = scene.tell(&mut tx, &DiscussionEvent::Comment(text)).await?;
        let action = "commented";
        tell_pull(&mut tx, repo, scene.num, action, caller.name(), scene.now).await?;
        tx.commit().await?;
        drop(held);
        self.stored_event(&id).await
    }

    /// Changes what one has said.
    pub async fn edit_comment(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
        event: &str,
        text: &str,
    ) -> Result<Event, Error> {
        self.hub.check(caller, repo, Need::Discuss).await?;
        limits::spoken(text)?;
        let (_, scene) = self.scene(caller, repo, num).await?;
        let mut tx = self
            .hub
            .begin_change(caller, repo.key, Need::Discuss)
            .await?;
        let (id, said) = find_comment(&mut tx, scene, event).await?;
        if said.author != scene.actor {
            return Err(Error::Denied(Denied::CommentOfOthers));
        }
        if said.hidden {
            return Err(Error::Invalid("a hidden comment stays hidden".to_owned()));
        }
        limits::has_room(&mut tx, scene, text).await?;
        let data = events::comment(text, said.edits.saturating_add(1), scene.now, false);
        let data = events::with_history(data, &said.texts);
        tx.set_event(&id, &data).await?;
        note_mentions(&mut tx, scene, &id, text).await?;
        tx.commit().await?;
        self.stored_event(&id).await
    }

    /// Hides a comment, for ever.
    pub async fn hide_comment(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
        event: &str,
    ) -> Result<Event, Error> {
        self.hub.check(caller, repo, Need::Discuss).await?;
        let (_, scene) = self.scene(caller, repo, num).await?;
        let mut tx = self
            .hub
            .begin_change(caller, repo.key, Need::Discuss)
            .await?;
        let (id, said) = find_comment(&mut tx, scene, event).await?;
        if said.author != scene.actor {
            self.hub.check(caller, repo, Need::Write).await?;
        }
        // What was hidden is not kept: who asks for it to be gone means it.
        let data = events::comment("", said.edits, scene.now, true);
        tx.set_event(&id, &data).await?;
        tx.set_mentions(&id, &[], scene.now).await?;
        if said.author != scene.actor {
            let subject = repo
                .audited()
                .with(format!("comment {id} of discussion {num}"));
            self.hub
                .operations()
                .audit(&mut tx, caller, AuditAction::CommentHidden, subject)
                .await?;
        }
        tx.commit().await?;
        self.stored_event(&id).await
    }
}

/// A comment that is to be changed.
struct StoredComment {
    author: Option<AccountId>,
    edits: u32,
    hidden: bool,
    /// Its texts, the newest first.
    texts: Vec<Earlier>,
}

async fn find_comment(
    tx: &mut Tx,
    scene: Scene,
    event: &str,
) -> Result<(EventId, StoredComment), Error> {
    let id: EventId = event.parse().map_err(|_| no_such_comment())?;
    let held = tx.event(&id).await?;
    let held = held
        .filter(|event| event.key == scene.key && event.num == scene.num)
        .ok_or_else(no_such_comment)?;
    match events::read(&held).map(|event| event.data) {
        Some(EventData::Comment {
            text,
            edits,
            updated,
            hidden,
            mut history,
        }) => {
            let latest = Earlier {
                written: updated,
                text,
            };
            history.insert(0, latest);
            let said = StoredComment {
                author: held.author.map(|author| author.id),
                edits,
                hidden,
                texts: history,
            };
            Ok((id, said))
        }
        Some(EventData::Status(_) | EventData::Commit { .. } | EventData::Title { .. }) | None => {
            Err(no_such_comment())
        }
    }
}
