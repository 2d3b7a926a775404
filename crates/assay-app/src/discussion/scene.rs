//! The actor of a discussion, and whether they may act.

use assay_model::PullNumber;
use assay_store::{AccountId, EventId};

use super::Event;
use super::events::{self, Scene};
use crate::access::{Caller, Need};
use crate::error::{Error, Missing};
use crate::repo_lookup::Repo;
use crate::services::DiscussionService;

impl DiscussionService<'_> {
    /// A discussion, and who acts in it.
    pub(super) async fn scene(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
    ) -> Result<(assay_store::Discussion, Scene), Error> {
        let actor = caller.signed_in()?.account;
        let held = self.stored_discussion(repo, num).await?;
        let scene = Scene {
            key: repo.key,
            num: held.num,
            actor: Some(actor),
            now: self.hub.now(),
        };
        Ok((held, scene))
    }

    /// The same, for who opened the discussion or may write to the repository.
    pub(super) async fn managed(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
    ) -> Result<(assay_store::Discussion, Scene), Error> {
        self.hub.check(caller, repo, Need::Discuss).await?;
        let (held, scene) = self.scene(caller, repo, num).await?;
        if author(&held) != scene.actor {
            self.hub.check(caller, repo, Need::Write).await?;
        }
        Ok((held, scene))
    }

    pub(super) async fn stored_discussion(
        self,
        repo: &Repo,
        num: PullNumber,
    ) -> Result<assay_store::Discussion, Error> {
        self.hub
            .store
            .discussion(repo.key, num)
            .await?
            .ok_or(Error::NotFound(Missing::Discussion(num)))
    }

    /// One thing that happened in a discussion.
    pub async fn discussion_event(
        self,
        repo: &Repo,
        num: PullNumber,
        event: &str,
    ) -> Result<Event, Error> {
        let id: EventId = event.parse().map_err(|_| no_such_comment())?;
        let held = self.hub.store.event(&id).await?;
        held.filter(|event| event.key == repo.key && event.num == num)
            .and_then(|event| events::read(&event))
            .ok_or_else(no_such_comment)
    }

    pub(super) async fn stored_event(self, id: &EventId) -> Result<Event, Error> {
        let event = self.hub.store.event(id).await?;
        event
            .as_ref()
            .and_then(events::read)
            .ok_or_else(no_such_comment)
    }
}

pub(super) fn no_such_comment() -> Error {
    Error::NotFound(Missing::Other("no such comment here".to_owned()))
}

fn author(held: &assay_store::Discussion) -> Option<AccountId> {
    held.author.as_ref().map(|author| author.id)
}
