//! Accounts, members and tokens.

use assay_model::{RepoKind, Role, Timestamp};
use assay_store::{AccountKind, Error, NewToken, Rights, Sha256, SignIn, Taken};

use crate::support::{Hub, at, organisation, repository, user};

fn token(account: assay_store::AccountId, hash: u8) -> NewToken {
    NewToken {
        account,
        label: "laptop".to_owned(),
        hash: Sha256::from_bytes([hash; 32]),
        scope: Role::Write,
        only: Some(vec!["acme/*".to_owned(), "alice/small".to_owned()]),
        created: at(5),
        expires: Some(at(500)),
        parent: None,
    }
}

#[tokio::test]
async fn an_account_is_found_by_its_id_and_by_its_name_in_any_case() {
    let hub = Hub::new().await;
    let mut new = user("Alice");
    new.fullname = Some("Alice Example".to_owned());
    new.email = Some("alice@example.org".to_owned());
    new.operator = true;
    let mut tx = hub.store.begin().await.unwrap();
    let id = tx.add_account(&new).await.unwrap();
    tx.commit().await.unwrap();

    let by_id = hub.store.account(id).await.unwrap().unwrap();
    let by_name = hub.store.account_named("aLICE").await.unwrap().unwrap();

    assert_eq!(by_id, by_name);
    assert_eq!((by_id.id, by_id.name), (id, "Alice".to_owned()));
    assert_eq!((by_id.kind, by_id.created), (new.kind, new.created));
    assert_eq!((by_id.fullname, by_id.email), (new.fullname, new.email));
    assert_eq!((by_id.operator, by_id.disabled), (true, false));
    assert_eq!(hub.store.account_named("bob").await.unwrap(), None);
}

#[tokio::test]
async fn a_name_is_taken_in_every_case_and_by_users_and_organisations_alike() {
    let hub = Hub::new().await;
    hub.user("Acme").await;
    let mut tx = hub.store.begin().await.unwrap();

    let error = tx.add_account(&organisation("acme")).await.unwrap_err();

    let what = Taken::Account;
    assert!(matches!(error, Error::Taken { what: taken } if taken == what));
    assert_eq!(error.to_string(), "the account name is taken");
}

#[tokio::test]
async fn when_one_change_is_refused_none_is_made() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_account(&user("alice")).await.unwrap();
    tx.add_account(&user("Alice")).await.unwrap_err();

    let error = tx.commit().await.unwrap_err();

    assert!(matches!(error, Error::Refused));
    assert_eq!(hub.store.account_named("alice").await.unwrap(), None);
}

#[tokio::test]
async fn accounts_are_listed_by_name_from_any_place_on() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    for new in [
        user("bob"),
        organisation("Acme"),
        user("Carol"),
        organisation("delta"),
    ] {
        tx.add_account(&new).await.unwrap();
    }
    tx.commit().await.unwrap();
    let names = async |kind, after, limit| {
        let accounts = hub.store.accounts(kind, after, limit).await.unwrap();
        let names = accounts.into_iter().map(|account| account.name);
        names.collect::<Vec<_>>()
    };

    assert_eq!(names(None, None, 3).await, ["Acme", "bob", "Carol"]);
    assert_eq!(names(None, Some("BOB"), 9).await, ["Carol", "delta"]);
    assert_eq!(
        names(Some(AccountKind::User), None, 9).await,
        ["bob", "Carol"]
    );
    assert_eq!(
        names(Some(AccountKind::Organisation), Some("acme"), 9).await,
        ["delta"]
    );
}

#[tokio::test]
async fn an_account_is_changed_as_a_whole_but_not_into_another() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    hub.user("bob").await;
    let mut account = hub.store.account(alice).await.unwrap().unwrap();
    account.name = "Alicia".to_owned();
    account.disabled = true;
    account.operator = true;
    let mut tx = hub.store.begin().await.unwrap();

    assert!(tx.update_account(&account).await.unwrap());
    tx.commit().await.unwrap();
    let mut thief = account.clone();
    thief.name = "BOB".to_owned();
    let mut tx = hub.store.begin().await.unwrap();
    let error = tx.update_account(&thief).await.unwrap_err();

    assert!(matches!(
        error,
        Error::Taken {
            what: Taken::Account
        }
    ));
    assert_eq!(hub.store.account(alice).await.unwrap(), Some(account));
    assert_eq!(hub.store.account_named("alice").await.unwrap(), None);
}

#[tokio::test]
async fn an_account_that_owns_repositories_cannot_be_removed() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let bob = hub.user("bob").await;
    let mut tx = hub.store.begin().await.unwrap();
    let new = repository(assay_model::RepoKind::Model, "alice/small", alice);
    tx.add_repository(&new).await.unwrap();
    tx.add_token(&token(bob, 1)).await.unwrap();

    let removed = tx.remove_account(bob).await.unwrap();
    let again = tx.remove_account(bob).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    let error = tx.remove_account(alice).await.unwrap_err();

    assert!(matches!(
        error,
        Error::Related {
            doing: "remove_account",
            ..
        }
    ));
    assert_eq!((removed, again), (true, false));
    let hash = Sha256::from_bytes([1; 32]);
    assert_eq!(hub.store.credential(&hash).await.unwrap(), None);
}

#[tokio::test]
async fn a_membership_is_seen_from_both_sides_and_has_one_role() {
    let hub = Hub::new().await;
    let (alice, bob) = (hub.user("alice").await, hub.user("bob").await);
    let mut tx = hub.store.begin().await.unwrap();
    let acme = tx.add_account(&organisation("acme")).await.unwrap();
    tx.set_member(acme, bob, Role::Read).await.unwrap();
    tx.set_member(acme, alice, Role::Contribute).await.unwrap();
    tx.set_member(acme, alice, Role::Admin).await.unwrap();
    tx.commit().await.unwrap();

    let members = hub.store.members_of(acme).await.unwrap();
    let organisations = hub.store.organisations_of(alice).await.unwrap();

    let members: Vec<_> = members
        .iter()
        .map(|member| (member.account.id, member.role))
        .collect();
    assert_eq!(members, [(alice, Role::Admin), (bob, Role::Read)]);
    assert_eq!(organisations.len(), 1);
    assert_eq!(
        (organisations[0].account.id, organisations[0].role),
        (acme, Role::Admin)
    );
    assert_eq!(
        hub.store.role_in(acme, bob).await.unwrap(),
        Some(Role::Read)
    );
}

#[tokio::test]
async fn a_membership_ends_once() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut tx = hub.store.begin().await.unwrap();
    let acme = tx.add_account(&organisation("acme")).await.unwrap();
    tx.set_member(acme, alice, Role::Write).await.unwrap();

    let ended = tx.remove_member(acme, alice).await.unwrap();
    let again = tx.remove_member(acme, alice).await.unwrap();

    assert_eq!((ended, again), (true, false));
    assert_eq!(tx.role_in(acme, alice).await.unwrap(), None);
}

#[tokio::test]
async fn a_token_is_found_by_the_hash_of_its_secret_with_its_account() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let new = token(alice, 7);
    let mut tx = hub.store.begin().await.unwrap();
    let id = tx.add_token(&new).await.unwrap();
    tx.commit().await.unwrap();

    let found = hub.store.credential(&new.hash).await.unwrap().unwrap();

    assert_eq!((found.token.id, found.account.id), (id, alice));
    assert_eq!(
        (found.token.label, found.token.scope),
        (new.label, new.scope)
    );
    assert_eq!(
        (found.token.only, found.token.expires),
        (new.only, new.expires)
    );
    assert_eq!((found.token.last_used, found.token.revoked), (None, None));
    let other = Sha256::from_bytes([8; 32]);
    assert_eq!(hub.store.credential(&other).await.unwrap(), None);
}

#[tokio::test]
async fn a_token_is_revoked_once_and_stays_listed() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut tx = hub.store.begin().await.unwrap();
    let old = tx.add_token(&token(alice, 1)).await.unwrap();
    let new = tx.add_token(&token(alice, 2)).await.unwrap();

    let revoked = tx.revoke_token(old, at(9)).await.unwrap();
    let again = tx.revoke_token(old, at(10)).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!((revoked, again), (1, 0));
    let tokens = hub.store.tokens_of(alice).await.unwrap();
    let listed: Vec<_> = tokens
        .iter()
        .map(|token| (token.id, token.revoked))
        .collect();
    assert_eq!(listed, [(new, None), (old, Some(at(9)))]);
}

#[tokio::test]
async fn a_token_is_revoked_with_all_that_were_made_with_it() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut tx = hub.store.begin().await.unwrap();
    let first = tx.add_token(&token(alice, 1)).await.unwrap();
    let with = |parent, hash| NewToken {
        parent: Some(parent),
        ..token(alice, hash)
    };
    let child = tx.add_token(&with(first, 2)).await.unwrap();
    tx.add_token(&with(child, 3)).await.unwrap();
    let other = tx.add_token(&token(alice, 4)).await.unwrap();

    let revoked = tx.revoke_token(first, at(9)).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(revoked, 3);
    let tokens = hub.store.tokens_of(alice).await.unwrap();
    let good: Vec<_> = tokens
        .iter()
        .filter(|token| token.revoked.is_none())
        .map(|token| token.id)
        .collect();
    assert_eq!(good, [other]);
}

#[tokio::test]
async fn rights_are_what_the_records_say_at_the_moment() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut tx = hub.store.begin().await.unwrap();
    let acme = tx.add_account(&organisation("acme")).await.unwrap();
    let id = tx.add_token(&token(alice, 1)).await.unwrap();
    let small = repository(RepoKind::Model, "acme/small", acme);
    let key = tx.add_repository(&small).await.unwrap();
    tx.set_member(acme, alice, Role::Write).await.unwrap();
    tx.commit().await.unwrap();
    let sign_in = SignIn {
        account: alice,
        token: Some(id),
        session: None,
    };
    let before = hub.store.rights(sign_in, Some(key)).await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    tx.revoke_token(id, at(9)).await.unwrap();
    tx.remove_member(acme, alice).await.unwrap();
    let within = tx.rights(sign_in, Some(key)).await.unwrap();
    tx.rollback().await.unwrap();

    let revoked = |rights: &Rights| rights.token.as_ref().unwrap().revoked;
    assert_eq!((before.role, revoked(&before)), (Some(Role::Write), None));
    assert_eq!((within.role, revoked(&within)), (None, Some(at(9))));
    assert_eq!(hub.store.rights(sign_in, Some(key)).await.unwrap(), before);
}

#[tokio::test]
async fn wrong_passwords_are_counted_until_their_window_ends() {
    let hub = Hub::new().await;
    let subjects = ["account ada".to_owned(), "address 192.0.2.1".to_owned()];
    let mut tx = hub.store.begin().await.unwrap();
    for second in [100, 105] {
        tx.add_sign_in_failure(&subjects, at(second), at(0))
            .await
            .unwrap();
    }
    tx.take_back_sign_in_failure(&subjects[1]).await.unwrap();
    tx.commit().await.unwrap();

    let ada = hub.store.sign_in_failures(&subjects[0], at(0)).await;
    let address = hub.store.sign_in_failures(&subjects[1], at(0)).await;
    let over = hub.store.sign_in_failures(&subjects[0], at(101)).await;

    let ada = ada.unwrap().unwrap();
    assert_eq!((ada.failures, ada.first, ada.last), (2, at(100), at(105)));
    assert_eq!(address.unwrap().unwrap().failures, 1);
    assert_eq!(over.unwrap(), None);
    let mut tx = hub.store.begin().await.unwrap();
    tx.clear_sign_in_failures(&subjects[0]).await.unwrap();
    tx.commit().await.unwrap();
    let cleared = hub.store.sign_in_failures(&subjects[0], at(0)).await;
    assert_eq!(cleared.unwrap(), None);
}

#[tokio::test]
async fn an_account_is_found_by_a_name_that_looks_like_its_own() {
    let hub = Hub::new().await;
    hub.user("alice").await;
    hub.user("Meta-Llama").await;

    for (name, found) in [
        ("a1ice", Some("alice")),
        ("meta_llama", Some("Meta-Llama")),
        ("ALICE", None),
        ("bob", None),
    ] {
        let other = hub.store.account_that_looks_like(name).await.unwrap();
        assert_eq!(other.as_deref(), found, "{name}");
    }
}

#[tokio::test]
async fn the_use_of_a_token_is_noted_without_a_new_generation() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut tx = hub.store.begin().await.unwrap();
    let id = tx.add_token(&token(alice, 1)).await.unwrap();
    let before = tx.commit().await.unwrap();
    let used: Timestamp = at(77);

    let mut tx = hub.store.begin().await.unwrap();
    tx.touch_token(id, used).await.unwrap();
    let after = tx.commit().await.unwrap();

    assert_eq!(after, before);
    assert_eq!(hub.store.generation().await.unwrap(), before);
    let tokens = hub.store.tokens_of(alice).await.unwrap();
    assert_eq!(tokens[0].last_used, Some(used));
}

#[tokio::test]
async fn the_hash_of_a_token_is_its_own() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_token(&token(alice, 2)).await.unwrap();

    let error = tx.add_token(&token(alice, 2)).await.unwrap_err();

    assert!(matches!(error, Error::Taken { what: Taken::Token }));
}
