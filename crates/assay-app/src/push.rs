mod outcome;

use std::fmt::Write as _;
use std::sync::Arc;

use assay_git::{
    Command, Expected, Objects, Push, ReceiveLimits, Received, RefChange, RefKind, RefName, Service,
};
use assay_model::{ObjectId, Timestamp};
use assay_render::visible;
use bytes::Bytes;
use tokio::io::AsyncRead;

pub use self::outcome::{PushOutcome, PushRejection};
use crate::access::{Caller, Need};
use crate::arriving::Arriving;
use crate::error::Error;
use crate::findings::findings;
use crate::hub::blocking;
use crate::publish::{ChangeContext, Published, PullEffect, publish};
use crate::push_turns;
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// The refs that open a pull request for `main`, and the beginning of those that name the branch.
const NEW_PULL: &str = "refs/pr/new";
const NEW_PULL_FOR: &str = "refs/for/";

/// The answer to a push, in git's own words: which refs moved, and what the person reads after
/// `remote:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushReply(pub Bytes, pub PushOutcome);

/// The ruling on one of the refs of a push.
enum Ruling {
    /// Move it, with what is said of that, by this right.
    Move(RefChange, PullEffect, Need),
    /// Leave it, for this reason.
    Refuse(String),
}

impl RepositoryService<'_> {
    /// Returns the first answer of a fetch or a push (`service` is `git-upload-pack` or
    /// `git-receive-pack`).
    pub async fn advertise(
        self,
        repo: &Repo,
        service: &str,
        protocol: Option<&str>,
    ) -> Result<Bytes, Error> {
        let service = match service {
            "git-upload-pack" => Service::UploadPack,
            "git-receive-pack" => Service::ReceivePack,
            _ => return Err(Error::Invalid("this is no service of git".to_owned())),
        };
        let git = self.hub.with_git(repo.key, |git| Ok(git.clone())).await?;
        Ok(git.advertise(service, protocol).await?.into())
    }

    /// Answers a fetch, as a stream.
    pub async fn fetch(
        self,
        repo: &Repo,
        protocol: Option<&str>,
        request: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<Box<dyn AsyncRead + Send + Unpin>, Error> {
        let git = self.hub.with_git(repo.key, |git| Ok(git.clone())).await?;
        let pack = git
            .upload_pack(request, protocol, &self.hub.fetches)
            .await?;
        Ok(Box::new(pack))
    }

    /// Takes a push: validated before any ref moves. `page` is the address of the repository, for
    /// what the person reads.
    pub async fn push(
        self,
        caller: &Caller,
        repo: &Repo,
        page: &str,
        request: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<PushReply, Error> {
        // Whoever may not even open a pull request need not send a pack.
        self.hub.check(caller, repo, Need::Discuss).await?;
        let allowed = &self.hub.config.limits;
        let account = caller.signed_in()?.account;
        let _turn = self
            .hub
            .push_turns
            .take(account, allowed.pushes_at_once, push_turns::PATIENCE)
            .await?;
        let limits = ReceiveLimits {
            pack_bytes: allowed.pack_bytes,
            object_bytes: allowed.file_bytes,
            unpacked_bytes: allowed.unpacked_bytes,
            objects: allowed.push_objects,
            time: self.hub.pushes.time(),
            ..ReceiveLimits::default()
        };
        let git = self.hub.with_git(repo.key, |git| Ok(git.clone())).await?;
        let turn = self.hub.pushes.turn().await?;
        let (request, arrival) = Arriving::new(request, Arc::clone(&self.hub.clock));
        let received = git.receive(request, &limits).await?;
        drop(turn);
        match received {
            Received::Push(push) => {
                let received_at = arrival.last();
                self.take(caller, repo, page, received_at, push).await
            }
            Received::Refused(reply) => {
                let outcome = PushOutcome::Rejected(PushRejection::Pack);
                Ok(PushReply(reply.into(), outcome))
            }
            Received::Probe => Ok(PushReply(Bytes::new(), PushOutcome::Accepted)),
        }
    }

    async fn take(
        self,
        caller: &Caller,
        repo: &Repo,
        page: &str,
        received_at: Timestamp,
        push: Push,
    ) -> Result<PushReply, Error> {
        let actor = caller.signed_in()?;
        let Push {
            commands,
            quarantine,
            atomic,
            reply,
        } = push;
        let locked = self.hub.lock(repo.key).await?;
        let mut results: Vec<(RefName, Result<(), String>)> = Vec::new();
        let mut moves = Vec::new();
        let mut effect = PullEffect::None;
        let mut need = Need::Discuss;
        let is_single = commands.len() == 1;
        let mut objects = quarantine.objects();
        for command in commands {
            let name = command.name.clone();
            let (ruling, returned) = self.rule(caller, repo, command, is_single, objects).await?;
            objects = returned;
            results.push(match ruling {
                Ruling::Refuse(why) => (name, Err(why)),
                Ruling::Move(change, own_note, own_need) => {
                    moves.push(change);
                    effect = own_note;
                    need = need.max(own_need);
                    (name, Ok(()))
                }
            });
        }
        drop(objects);
        let is_refused = results.iter().any(|(_, result)| result.is_err());
        if atomic && is_refused {
            refuse_all(&mut results, "another ref of this push was refused");
            moves.clear();
        }
        let mut outcome = if is_refused {
            PushOutcome::Rejected(PushRejection::Ref)
        } else {
            PushOutcome::Accepted
        };
        let mut text = String::new();
        if !moves.is_empty() {
            let context = ChangeContext {
                actor,
                repo,
                need,
                received_at,
            };
            match publish(self.hub, &locked, context, quarantine, moves, effect).await {
                Ok(published) => text = success(&published, page),
                Err(error) => {
                    outcome = PushOutcome::Rejected(PushRejection::of(&error));
                    text = failure(&error)?;
                    refuse_all(&mut results, short_reason(&error));
                }
            }
        }
        Ok(PushReply(reply.report(&results, &text).into(), outcome))
    }

    /// Decides about one ref of a push.
    async fn rule(
        self,
        caller: &Caller,
        repo: &Repo,
        command: Command,
        is_single: bool,
        objects: Objects,
    ) -> Result<(Ruling, Objects), Error> {
        let Command { name, old, new } = command;
        let (is_commit, objects) = is_commit(new, objects).await?;
        if !is_commit {
            let why = "a ref here names a commit, not a file or folder".to_owned();
            return Ok((Ruling::Refuse(why), objects));
        }
        if let Some(base) = new_pull(&name) {
            let (ruling, objects) = self
                .rule_new_pull(repo, base, new, is_single, objects)
                .await?;
            return Ok((ruling, objects));
        }
        let ruling = match RefKind::of(&name) {
            RefKind::Other => Ruling::Refuse(format!(
                "only branches, tags and pull requests are kept here; `{NEW_PULL}` opens a pull request"
            )),
            RefKind::Pull => {
                self.rule_pull(caller, repo, &name, old, new, is_single)
                    .await?
            }
            RefKind::Branch | RefKind::Tag => {
                let refused = refusal(self.hub.check(caller, repo, Need::Write).await)?;
                match refused {
                    Some(why) => Ruling::Refuse(why),
                    None => return rule_main(name, old, new, objects).await,
                }
            }
        };
        Ok((ruling, objects))
    }

    async fn rule_pull(
        self,
        caller: &Caller,
        repo: &Repo,
        name: &RefName,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        is_single: bool,
    ) -> Result<Ruling, Error> {
        let Some(num) = name.as_pull() else {
            return Ok(Ruling::Refuse("there is no such pull request".to_owned()));
        };
        let need = match self.check_pull_push(caller, repo, num).await {
            Ok(need) => need,
            Err(Error::NotFound(_)) => {
                return Ok(Ruling::Refuse(format!(
                    "there is no pull request {num}; `git push origin HEAD:{NEW_PULL}` opens one"
                )));
            }
            Err(error @ (Error::Denied(_) | Error::Conflict(_))) => {
                return Ok(Ruling::Refuse(error.to_string()));
            }
            Err(other) => return Err(other),
        };
        if new.is_none() {
            return Ok(Ruling::Refuse(
                "the ref of a pull request stays; close it instead".to_owned(),
            ));
        }
        if !is_single {
            return Ok(alone());
        }
        let change = ref_change(name.clone(), old, new);
        Ok(Ruling::Move(
            change,
            PullEffect::CommitsToPull { num },
            need,
        ))
    }

    async fn rule_new_pull(
        self,
        repo: &Repo,
        base: Result<RefName, String>,
        new: Option<ObjectId>,
        is_single: bool,
        objects: Objects,
    ) -> Result<(Ruling, Objects), Error> {
        let (base, new) = match (base, new) {
            (Ok(base), Some(new)) => (base, new),
            (Err(why), _) => return Ok((Ruling::Refuse(why), objects)),
            (Ok(_), None) => {
                let why = "there is nothing to delete".to_owned();
                return Ok((Ruling::Refuse(why), objects));
            }
        };
        if !is_single {
            return Ok((alone(), objects));
        }
        self.hub
            .with_git(repo.key, move |git| {
                let Some(head) = git.find_ref(&base)? else {
                    return Ok((Ruling::Refuse(format!("there is no `{base}`")), objects));
                };
                if objects.is_ancestor(new, head.target)? {
                    let why = format!("`{base}` has these commits already");
                    return Ok((Ruling::Refuse(why), objects));
                }
                let commit = objects.commit(new)?;
                let change = ref_change(RefName::pull(0), None, Some(commit.id));
                let effect = PullEffect::OpenPull {
                    title: commit.title,
                    description: commit.body,
                    base,
                };
                Ok((Ruling::Move(change, effect, Need::Discuss), objects))
            })
            .await
    }
}

/// Returns whether what a ref shall name is a commit, or a tag of one. A ref that goes names
/// nothing.
async fn is_commit(new: Option<ObjectId>, objects: Objects) -> Result<(bool, Objects), Error> {
    let Some(new) = new else {
        return Ok((true, objects));
    };
    blocking(move || match objects.commit(new) {
        Ok(_) => Ok((true, objects)),
        Err(assay_git::Error::BadObject { .. }) => Ok((false, objects)),
        Err(other) => Err(other.into()),
    })
    .await
}

/// Decides about a branch or tag that the caller may write to: `main` stays, and its history too.
async fn rule_main(
    name: RefName,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
    objects: Objects,
) -> Result<(Ruling, Objects), Error> {
    if name != RefName::main() {
        let change = ref_change(name, old, new);
        return Ok((Ruling::Move(change, PullEffect::None, Need::Write), objects));
    }
    blocking(move || {
        let ruling = match (old, new) {
            (_, None) => Ruling::Refuse("the branch `main` cannot be deleted".to_owned()),
            (Some(old), Some(new)) if !objects.is_ancestor(old, new)? => Ruling::Refuse(
                "the history of `main` cannot be replaced; fetch it and merge".to_owned(),
            ),
            (Some(_) | None, Some(_)) => {
                Ruling::Move(ref_change(name, old, new), PullEffect::None, Need::Write)
            }
        };
        Ok((ruling, objects))
    })
    .await
}

fn ref_change(name: RefName, old: Option<ObjectId>, new: Option<ObjectId>) -> RefChange {
    RefChange {
        name,
        expected: old.map_or(Expected::Absent, Expected::At),
        new,
    }
}

fn alone() -> Ruling {
    Ruling::Refuse("push a pull request by itself, without other refs".to_owned())
}

/// The branch that a push wants to open a pull request for, when that is what it wants.
fn new_pull(name: &RefName) -> Option<Result<RefName, String>> {
    if name.as_str() == NEW_PULL {
        return Some(Ok(RefName::main()));
    }
    let branch = name.as_str().strip_prefix(NEW_PULL_FOR)?;
    Some(RefName::branch(branch).map_err(|error| error.to_string()))
}

/// Returns the reason why a ref is refused, when a check gives one. An internal failure stays an
/// error.
fn refusal(checked: Result<(), Error>) -> Result<Option<String>, Error> {
    match checked {
        Ok(()) => Ok(None),
        Err(error @ (Error::Denied(_) | Error::Conflict(_))) => Ok(Some(error.to_string())),
        Err(other) => Err(other),
    }
}

fn refuse_all(results: &mut [(RefName, Result<(), String>)], why: &str) {
    for (_, result) in results {
        if result.is_ok() {
            *result = Err(why.to_owned());
        }
    }
}

/// Returns the text in parentheses behind a ref that did not move.
fn short_reason(error: &Error) -> &'static str {
    match error {
        Error::Refused(_) => "the files of this push have errors",
        Error::Stale => "somebody else moved it first; fetch and push again",
        Error::TooLarge(_) => "too large",
        Error::OverQuota(_) => "over quota",
        Error::NoSpace(_) => "the disk of the hub is full",
        Error::ReadOnly(_) => "the disk of the hub can only be read",
        Error::Damaged(_) => "the repository is damaged",
        _ => "refused",
    }
}

/// Returns the message of a push that went well.
fn success(published: &Published, page: &str) -> String {
    let mut text = findings(&published.warnings);
    if let Some(num) = published.pull {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "opened pull request {num}: {page}/discussions/{num}\npush more to it with `git push origin HEAD:refs/pr/{num}`"
        );
    }
    text
}

/// Returns the message when nothing moved. The details of an internal failure are not shown.
fn failure(error: &Error) -> Result<String, Error> {
    if let (Error::NoSpace(_) | Error::ReadOnly(_), Some(cause)) = (error, error.hidden_cause()) {
        tracing::error!(%cause, "a push was refused: {error}: {cause}");
    }
    match error {
        Error::Refused(diagnostics) => Ok(findings(diagnostics)),
        Error::Internal(source) => Err(Error::internal(source.to_string())),
        other => Ok(format!("{}\n", visible(&other.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_is_opened_for_main_or_for_the_branch_that_is_named() {
        let base = |text: &str| new_pull(&text.parse().unwrap());

        assert_eq!(base("refs/pr/new"), Some(Ok(RefName::main())));
        assert_eq!(
            base("refs/for/dev/x"),
            Some(Ok(RefName::branch("dev/x").unwrap()))
        );
        assert_eq!(base("refs/pr/7"), None);
        assert_eq!(base("refs/heads/new"), None);
        assert!(base("refs/for/-x").is_some_and(|base| base.is_err()));
    }
}
