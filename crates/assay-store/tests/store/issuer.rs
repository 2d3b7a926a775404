//! Tests of the tables of the issuer.

use assay_store::{
    AccessToken, CredentialKind, Error, EventFilter, IssuerCredential, NewIssuerEvent, Quota,
    Repeated, Sha256,
};

use crate::support::{Hub, at};

const HASH: Sha256 = Sha256::from_bytes([7; 32]);

fn credential(id: &str) -> IssuerCredential {
    IssuerCredential {
        id: id.to_owned(),
        integration: "inspect-ai".to_owned(),
        name: "ci".to_owned(),
        kind: CredentialKind::Personal,
        label: "laptop".to_owned(),
        hash: Some(HASH),
        jwk: None,
        created: at(1),
        expires: at(1_000),
        last_used: None,
        revoked: None,
    }
}

#[tokio::test]
async fn integrations_that_look_alike_cannot_both_be_registered() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_integration("inspect-ai", "lnspectal", at(1))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    let refused = tx.add_integration("1nspect-ai", "lnspectal", at(2)).await;

    assert!(matches!(refused, Err(Error::Taken { .. })), "{refused:?}");
}

#[tokio::test]
async fn an_identity_of_the_policy_can_be_suspended_and_resumed_without_a_definition() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_integration("inspect-ai", "lnspectal", at(1))
        .await
        .unwrap();
    tx.suspend_identity("inspect-ai", "ci", "too fast", at(2))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let suspended = hub.store.issuer_identities().await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    let was = tx.resume_identity("inspect-ai", "ci").await.unwrap();
    let again = tx.resume_identity("inspect-ai", "ci").await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(suspended[0].suspended, Some((at(2), "too fast".to_owned())));
    assert_eq!(suspended[0].definition, None);
    assert_eq!((was, again), (true, false));
    assert_eq!(
        hub.store.issuer_identities().await.unwrap()[0].suspended,
        None
    );
}

#[tokio::test]
async fn a_credential_is_found_by_its_public_part_and_revoked_once() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_credential(&credential("a")).await.unwrap();
    tx.touch_credential("a", at(5)).await.unwrap();
    let first = tx.revoke_credential("a", at(9)).await.unwrap();
    let second = tx.revoke_credential("a", at(10)).await.unwrap();
    tx.commit().await.unwrap();

    let found = hub.store.issuer_credential("a").await.unwrap().unwrap();

    assert_eq!((first, second), (true, false));
    assert_eq!((found.last_used, found.revoked), (Some(at(5)), Some(at(9))));
    assert_eq!(found.hash, Some(HASH));
    assert_eq!(hub.store.issuer_credential("b").await.unwrap(), None);
}

#[tokio::test]
async fn access_tokens_are_forgotten_once_they_have_ended() {
    let hub = Hub::new().await;
    let token = |id: &str, expires| AccessToken {
        id: id.to_owned(),
        hash: HASH,
        integration: "inspect-ai".to_owned(),
        name: "ci".to_owned(),
        facts: "{}".to_owned(),
        expires: at(expires),
    };
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_access_token(&token("old", 10), at(1)).await.unwrap();
    tx.add_access_token(&token("new", 90), at(11))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    assert_eq!(hub.store.access_token("old").await.unwrap(), None);
    assert_eq!(
        hub.store.access_token("new").await.unwrap(),
        Some(token("new", 90))
    );
}

#[tokio::test]
async fn an_assertion_is_used_once_until_it_may_be_forgotten_and_issuers_do_not_share_names() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();

    let used = [
        tx.use_assertion("a", "1", at(100), at(1)).await.unwrap(),
        tx.use_assertion("a", "1", at(100), at(100)).await.unwrap(),
        tx.use_assertion("b", "1", at(100), at(1)).await.unwrap(),
        tx.use_assertion("a", "1", at(300), at(101)).await.unwrap(),
    ];

    assert_eq!(used, [true, false, true, true]);
}

#[tokio::test]
async fn a_request_is_made_once_and_answered_again() {
    let hub = Hub::new().await;
    let other = Sha256::from_bytes([8; 32]);
    let mut tx = hub.store.begin().await.unwrap();
    let first = tx
        .begin_once("i", "k", &HASH, at(10), at(0), at(0))
        .await
        .unwrap();
    let racing = tx
        .begin_once("i", "k", &HASH, at(11), at(0), at(0))
        .await
        .unwrap();
    let else_ = tx
        .begin_once("i", "k", &other, at(12), at(0), at(0))
        .await
        .unwrap();
    tx.answer_once("i", "k", "{}").await.unwrap();
    let again = tx
        .begin_once("i", "k", &HASH, at(13), at(12), at(0))
        .await
        .unwrap();
    let later = tx
        .begin_once("i", "k", &HASH, at(99), at(90), at(50))
        .await
        .unwrap();
    let stuck = tx
        .begin_once("i", "k", &HASH, at(200), at(190), at(50))
        .await
        .unwrap();

    assert_eq!(first, Repeated::No);
    assert_eq!(racing, Repeated::UnderWay);
    assert_eq!(else_, Repeated::Other);
    assert_eq!(again, Repeated::Answered("{}".to_owned()));
    assert_eq!((later, stuck), (Repeated::No, Repeated::No));
}

/// Row 75 of the threat table: two nodes share one count.
#[tokio::test]
async fn rate_limit_two_nodes() {
    let hub = Hub::new().await;
    let other = hub.other().await;
    let quotas = [Quota {
        key: "identity a".to_owned(),
        most: 3,
    }];
    let mut allowed = Vec::new();

    for turn in 0..6 {
        let store = if turn % 2 == 0 { &hub.store } else { &other };
        let mut tx = store.begin().await.unwrap();
        let beyond = tx.take_quotas(7, &quotas).await.unwrap();
        allowed.push(beyond.is_none());
        if beyond.is_none() {
            tx.commit().await.unwrap();
        } else {
            tx.rollback().await.unwrap();
        }
    }
    let mut tx = hub.store.begin().await.unwrap();
    let tomorrow = tx.take_quotas(8, &quotas).await.unwrap();

    assert_eq!(allowed, [true, true, true, false, false, false]);
    assert_eq!(tomorrow, None);
}

#[tokio::test]
async fn events_are_found_by_who_did_what_and_nothing_of_the_issuer_changes_the_generation() {
    let hub = Hub::new().await;
    let before = hub.store.generation().await.unwrap();
    let event = |identity: &str, outcome: &str, jti: Option<&str>| NewIssuerEvent {
        action: "issue".to_owned(),
        integration: Some("inspect-ai".to_owned()),
        identity: Some(identity.to_owned()),
        outcome: outcome.to_owned(),
        jti: jti.map(str::to_owned),
        leaf: jti.map(|_| 4),
        ..NewIssuerEvent::default()
    };
    let mut tx = hub.store.begin().await.unwrap();
    tx.note_issuer_event(at(1), &event("a", "done", Some("j")))
        .await
        .unwrap();
    tx.note_issuer_event(at(2), &event("b", "refused", None))
        .await
        .unwrap();
    tx.note_issuer_event(at(3), &event("a", "refused", None))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let filter = EventFilter {
        identity: Some("a".to_owned()),
        ..EventFilter::default()
    };
    let of_a = hub.store.issuer_events(&filter, 10).await.unwrap();
    let since = hub.store.issuer_events_since(at(2)).await.unwrap();

    assert_eq!(
        of_a.iter().map(|one| one.at).collect::<Vec<_>>(),
        [at(3), at(1)]
    );
    assert_eq!(since.len(), 2);
    assert_eq!(of_a[1].event.leaf, Some(4));
    assert_eq!(hub.store.generation().await.unwrap(), before);
}
