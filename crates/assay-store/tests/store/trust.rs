//! Tests of the tables of logs and evidence.

use assay_model::Standing;
use assay_store::{Branch, Evidence, LogKind, LoggedDecision, LoggedIssue, NewEntry};

use crate::entries::{attested, replace};
use crate::support::{Hub, at, entry};

const JTI: &str = "AAAAAAAAAAAAAAAAAAAAAQ";

fn signed(ordinal: u32) -> NewEntry {
    let mut new = entry("a/b", "t", ordinal, 0.5);
    new.entry.token = Some("a.b.c".to_owned());
    new.evidence = Some(Evidence {
        jti: Some(JTI.to_owned()),
        form: "{}".to_owned(),
        repeated: false,
    });
    new
}

#[tokio::test]
async fn every_repository_has_an_identity_of_its_own_that_a_new_one_of_its_name_has_not() {
    let hub = Hub::new().await;
    let (one, two) = (hub.model("a/one").await, hub.model("a/two").await);
    let uid = async |key| hub.store.repository(key).await.unwrap().unwrap().uid;
    let before = uid(one).await;

    let mut tx = hub.store.begin().await.unwrap();
    tx.remove_repository(one).await.unwrap();
    tx.commit().await.unwrap();
    let again = hub.model("a/one").await;

    assert_ne!(before, uid(two).await);
    assert_ne!(before, uid(again).await);
}

#[tokio::test]
async fn what_a_log_says_of_a_token_is_found_in_the_order_of_the_log() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    let issue = |index| LoggedIssue {
        index,
        jti: JTI.to_owned(),
        kid: "k".to_owned(),
        integration: "inspect-ai".to_owned(),
        target: Some("sha256:aa".to_owned()),
    };
    let decision = |index, reason: Option<&str>| LoggedDecision {
        index,
        jti: JTI.to_owned(),
        uid: "00".to_owned(),
        entry: "sha256:bb".to_owned(),
        reason: reason.map(str::to_owned),
    };
    tx.add_issued(&issue(7)).await.unwrap();
    tx.add_issued(&issue(3)).await.unwrap();
    tx.add_decision(&decision(9, None)).await.unwrap();
    tx.add_decision(&decision(8, Some("not_in_issuance_log")))
        .await
        .unwrap();
    tx.set_log_cursor(LogKind::Results, 10).await.unwrap();
    tx.commit().await.unwrap();

    let issued = hub.store.issued(JTI).await.unwrap();
    let decided = hub.store.decisions(JTI).await.unwrap();

    assert_eq!(issued, Some(issue(3)));
    assert_eq!(
        decided,
        [decision(8, Some("not_in_issuance_log")), decision(9, None)]
    );
    assert_eq!(hub.store.log_cursor(LogKind::Results).await.unwrap(), 10);
    assert_eq!(hub.store.log_cursor(LogKind::Control).await.unwrap(), 0);
}

#[tokio::test]
async fn an_entry_is_found_by_its_token_and_takes_another_standing_without_another_version() {
    let hub = Hub::new().await;
    let key = hub.model("a/one").await;
    replace(
        &hub.store,
        key,
        Branch::Main,
        1,
        &[signed(0), entry("a/b", "t", 1, 0.1)],
    )
    .await;
    let found = hub.store.entries_with_jti(JTI).await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    let verified = Standing::Verified(Box::new(attested()));
    tx.set_standing(found[0].id, &verified).await.unwrap();
    tx.commit().await.unwrap();
    // The same files again: what was validated meanwhile is no other version.
    replace(
        &hub.store,
        key,
        Branch::Main,
        2,
        &[signed(0), entry("a/b", "t", 1, 0.1)],
    )
    .await;

    let history = hub.store.history_of(key, Branch::Main).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(history.len(), 2);
    assert_eq!(history[0].since, at(1));
    assert_eq!(history[0].version.standing, verified);
    let all = hub.store.token_entries(None, 0, 10).await.unwrap();
    let rest = hub
        .store
        .token_entries(Some(key), all[0].id, 10)
        .await
        .unwrap();
    assert_eq!((all.len(), rest.len()), (1, 0));
}

#[tokio::test]
async fn a_request_for_the_control_log_waits_until_it_is_answered() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    let one = tx
        .ask_log(LogKind::Control, "{\"t\":\"policy\"}", at(1))
        .await
        .unwrap();
    let two = tx.ask_log(LogKind::Results, "{}", at(2)).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    tx.answer_log(one, Ok(4)).await.unwrap();
    tx.answer_log(two, Err("no such key")).await.unwrap();
    tx.commit().await.unwrap();

    let answered = hub.store.log_request(one).await.unwrap().unwrap();
    let refused = hub.store.log_request(two).await.unwrap().unwrap();
    assert_eq!((answered.index, answered.fault), (Some(4), None));
    assert_eq!(refused.fault.as_deref(), Some("no such key"));
    assert_eq!(hub.store.open_log_requests(9).await.unwrap(), []);
}
