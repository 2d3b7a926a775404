//! The answers of the hub, in the words of its clients. One function a shape, no decisions.

use assay_app::{
    Account, AccountKind, FileEntry, Identity, LastCommit, RefInfo, RefList, RepoInfo, Scope,
};
use assay_formats::rows::hex;
use assay_hub_api as hub_api;
use assay_model::{RepoKind, Standing};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use sha2::{Digest as _, Sha256};

mod audit;
mod board;
mod diff;
mod discussion;
mod result;

pub use audit::audit_page;
pub(crate) use board::{board_row, value_interval};
pub(crate) use diff::{board_diff, ranks as change_ranks};
pub(crate) use discussion::{details, discussion_page, event};
pub(crate) use result::eval_result;

/// The answer when there is nothing else to say.
pub(crate) const OK: &str = "OK";
/// The characters that are percent-encoded in a segment of a path.
pub(crate) const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Returns the standing of a result, with the next step of its author.
pub(crate) fn standing(standing: &Standing) -> hub_api::BoardStanding {
    let hint = standing.reason().and_then(assay_app::hint);
    hub_api::BoardStanding {
        hint: hint.map(str::to_owned),
        ..standing.into()
    }
}

/// Returns the id of an account, in the 24 digits that clients expect. It follows from the name.
pub(crate) fn account_id(name: &str) -> String {
    let digest = Sha256::digest(name.to_ascii_lowercase().as_bytes());
    hex(&digest[..12])
}

/// The picture of an account.
pub(crate) fn avatar(name: &str) -> String {
    format!("/avatars/{name}.svg")
}

pub(crate) fn account_type(kind: AccountKind) -> hub_api::AccountType {
    match kind {
        AccountKind::User => hub_api::AccountType::User,
        AccountKind::Organisation => hub_api::AccountType::Org,
    }
}

/// An account of which only the name is known.
pub(crate) fn account(name: &str, full_name: &str, kind: AccountKind) -> hub_api::Account {
    hub_api::Account {
        id: account_id(name),
        name: name.to_owned(),
        fullname: full_name.to_owned(),
        account_type: account_type(kind),
        avatar_url: avatar(name),
        is_pro: false,
        is_hf: false,
    }
}

pub(crate) fn who_am_i(identity: &Identity) -> hub_api::WhoAmI {
    let Identity {
        account,
        memberships,
        token,
    } = identity;
    let organisation = |account: &Account, role| hub_api::Membership {
        account_type: account_type(account.kind),
        id: account_id(&account.name),
        name: account.name.clone(),
        fullname: account.full_name.clone(),
        avatar_url: avatar(&account.name),
        role_in_org: role,
    };
    let orgs = memberships.iter();
    hub_api::WhoAmI {
        account_type: account_type(account.kind),
        id: account_id(&account.name),
        name: account.name.clone(),
        fullname: account.full_name.clone(),
        email: None,
        email_verified: false,
        is_pro: false,
        can_pay: false,
        avatar_url: avatar(&account.name),
        orgs: orgs
            .map(|own| organisation(&own.organisation, own.role))
            .collect(),
        auth: hub_api::Auth::by(hub_api::AccessToken {
            display_name: token.label.clone(),
            role: match token.scope {
                Scope::Read => hub_api::TokenRole::Read,
                Scope::Write | Scope::Admin => hub_api::TokenRole::Write,
                Scope::Fine(_) => hub_api::TokenRole::FineGrained,
            },
            created_at: token.created,
        }),
    }
}

/// Returns the facts of a repository, without its files and results.
pub(crate) fn repo_info(facts: &RepoInfo) -> hub_api::RepoInfo {
    let is_model = facts.kind == RepoKind::Model;
    hub_api::RepoInfo {
        model_id: is_model.then(|| facts.id.clone()),
        author: facts.id.namespace().map(str::to_owned),
        sha: Some(facts.sha),
        last_modified: Some(facts.updated),
        created_at: Some(facts.created),
        private: Some(facts.private),
        gated: Some(hub_api::Gated::Open),
        disabled: Some(false),
        downloads: Some(0),
        likes: Some(0),
        tags: Some(facts.tags.clone()),
        description: facts.description.clone(),
        pipeline_tag: facts.pipeline_tag.clone(),
        library_name: facts.library_name.clone(),
        card_data: facts.card.clone(),
        ..hub_api::RepoInfo::named(facts.stable_id.clone(), facts.id.clone())
    }
}

pub(crate) fn sibling(entry: &FileEntry, blobs: bool) -> hub_api::Sibling {
    let large = entry.large.as_ref().map(|large| hub_api::LargeSibling {
        sha256: large.sha256.clone(),
        size: entry.size,
        pointer_size: large.pointer_size,
    });
    hub_api::Sibling {
        rfilename: entry.path.to_string(),
        size: blobs.then_some(entry.size),
        blob_id: blobs.then_some(entry.oid),
        lfs: large.filter(|_| blobs),
    }
}

pub(crate) fn tree_entry(entry: &FileEntry) -> hub_api::TreeEntry {
    hub_api::TreeEntry {
        entry_type: if entry.is_folder {
            hub_api::EntryType::Directory
        } else {
            hub_api::EntryType::File
        },
        oid: entry.oid,
        size: entry.size,
        path: entry.path.clone(),
        lfs: entry.large.as_ref().map(|large| hub_api::LargeEntry {
            oid: large.sha256.clone(),
            size: entry.size,
            pointer_size: large.pointer_size,
        }),
        last_commit: entry
            .last_commit
            .as_ref()
            .map(|commit| hub_api::LastCommit {
                id: commit.id,
                title: commit.title.clone(),
                date: commit.date,
            }),
    }
}

pub(crate) fn commit_item(commit: &LastCommit) -> hub_api::CommitItem {
    hub_api::CommitItem {
        id: commit.id,
        title: commit.title.clone(),
        message: commit.body.clone(),
        authors: vec![hub_api::CommitAuthor {
            user: commit.author.clone(),
            avatar: avatar(&commit.author),
        }],
        date: commit.date,
        formatted: None,
    }
}

pub(crate) fn refs(list: &RefList, with_pulls: bool) -> hub_api::Refs {
    let wire = |refs: &[RefInfo]| -> Vec<hub_api::Ref> {
        let refs = refs.iter().map(|own| hub_api::Ref {
            name: own.name.clone(),
            full_name: own.full.clone(),
            target_commit: own.target,
            message: own.message.clone(),
        });
        refs.collect()
    };
    hub_api::Refs {
        branches: wire(&list.branches),
        converts: Vec::new(),
        tags: wire(&list.tags),
        pull_requests: with_pulls.then(|| wire(&list.pulls)),
    }
}
