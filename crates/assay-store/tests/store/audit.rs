//! The audit log: what is appended stays as it is.

use assay_model::RepoKind;
use assay_store::testing::execute_raw;
use assay_store::{AuditAction, AuditActor, AuditFilter, AuditSubject, NewAuditRow};

use crate::support::{Hub, at};

fn row(when: i64, name: &str, action: AuditAction, subject: AuditSubject) -> NewAuditRow {
    NewAuditRow {
        at: at(when),
        actor: AuditActor::Account {
            name: name.to_owned(),
            token: Some(7),
        },
        action,
        subject,
        address: Some([192, 0, 2, 1].into()),
        request: Some("request-1".to_owned()),
    }
}

async fn append(hub: &Hub, rows: &[NewAuditRow]) {
    let mut tx = hub.store.begin().await.unwrap();
    for row in rows {
        tx.add_audit_row(row).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn actions(hub: &Hub, filter: &AuditFilter) -> Vec<String> {
    let rows = hub.store.audit_rows(filter, 10).await.unwrap();
    rows.into_iter().map(|row| row.action).collect()
}

#[tokio::test]
async fn rows_come_back_newest_first_as_they_were_written() {
    let hub = Hub::new().await;
    let token = AuditSubject::account("ada").with("token 3");
    let written = row(10, "ada", AuditAction::TokenCreated, token);
    append(&hub, std::slice::from_ref(&written)).await;
    let mut shell = row(20, "", AuditAction::IndexRebuilt, AuditSubject::hub());
    shell.actor = AuditActor::Shell("root".to_owned());
    shell.address = None;
    append(&hub, &[shell]).await;

    let generation = hub.store.generation().await.unwrap();
    append(&hub, std::slice::from_ref(&written)).await;
    let rows = hub
        .store
        .audit_rows(&AuditFilter::default(), 10)
        .await
        .unwrap();

    assert_eq!(rows.len(), 3);
    assert_eq!(
        (rows[0].at, rows[0].action.as_str()),
        (at(10), "token.created")
    );
    assert_eq!(rows[0].actor, written.actor);
    assert_eq!(rows[0].subject, written.subject);
    assert_eq!(rows[0].address.as_deref(), Some("192.0.2.1"));
    assert_eq!(rows[0].request.as_deref(), Some("request-1"));
    assert_eq!(rows[1].actor, AuditActor::Shell("root".to_owned()));
    assert_eq!(hub.store.audit_count().await.unwrap(), 3);
    assert_eq!(
        hub.store.generation().await.unwrap(),
        generation,
        "no page depends on it"
    );
}

#[tokio::test]
async fn a_row_of_a_change_that_is_given_up_is_not_there() {
    let hub = Hub::new().await;
    let subject = AuditSubject::account("ada");
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_audit_row(&row(10, "ada", AuditAction::PasswordSet, subject))
        .await
        .unwrap();

    tx.rollback().await.unwrap();

    assert_eq!(hub.store.audit_count().await.unwrap(), 0);
}

#[tokio::test]
async fn rows_are_found_by_time_account_repository_and_action() {
    let hub = Hub::new().await;
    let key = hub.model("ada/m").await;
    let id = "ada/m".parse().unwrap();
    let repo = AuditSubject::repo(RepoKind::Model, &id, key);
    let before = "ada/before".parse().unwrap();
    let former = AuditSubject::repo(RepoKind::Model, &before, key);
    append(
        &hub,
        &[
            row(10, "ada", AuditAction::RepoCreated, former.clone()),
            row(20, "Ada", AuditAction::RepoRenamed, former),
            row(30, "bob", AuditAction::RepoClosed, repo),
            row(
                40,
                "bob",
                AuditAction::AccountDisabled,
                AuditSubject::account("ada"),
            ),
            row(
                50,
                "bob",
                AuditAction::TokenRevoked,
                AuditSubject::account("bob"),
            ),
        ],
    )
    .await;
    let all = AuditFilter::default();

    let since = AuditFilter {
        since: Some(at(40)),
        ..all.clone()
    };
    assert_eq!(
        actions(&hub, &since).await,
        ["token.revoked", "account.disabled"]
    );
    let account = AuditFilter {
        account: Some("ADA".to_owned()),
        ..all.clone()
    };
    assert_eq!(
        actions(&hub, &account).await,
        ["account.disabled", "repo.renamed", "repo.created"]
    );
    let name = AuditFilter {
        repo: Some("Ada/M".to_owned()),
        ..all.clone()
    };
    assert_eq!(actions(&hub, &name).await, ["repo.closed"]);
    let name_or_key = AuditFilter {
        repo_keys: vec![key],
        ..name
    };
    assert_eq!(
        actions(&hub, &name_or_key).await,
        ["repo.closed", "repo.renamed", "repo.created"]
    );
    let group = AuditFilter {
        action: Some("repo".to_owned()),
        ..all.clone()
    };
    assert_eq!(actions(&hub, &group).await.len(), 3);
    let one = AuditFilter {
        action: Some("repo.closed".to_owned()),
        ..all.clone()
    };
    assert_eq!(actions(&hub, &one).await, ["repo.closed"]);
    let rows = hub.store.audit_rows(&all, 2).await.unwrap();
    let next = AuditFilter {
        before: rows.last().map(|row| row.id),
        ..all
    };
    assert_eq!(
        actions(&hub, &next).await,
        ["repo.closed", "repo.renamed", "repo.created"]
    );
}

#[tokio::test]
async fn the_database_refuses_to_change_rows_and_to_remove_those_that_are_kept() {
    let hub = Hub::new().await;
    let subject = || AuditSubject::account("ada");
    append(
        &hub,
        &[
            row(10, "ada", AuditAction::PasswordSet, subject()),
            row(1_000, "ada", AuditAction::PasswordSet, subject()),
        ],
    )
    .await;

    let changed = execute_raw(&hub.database, "UPDATE audit SET actor = 'bob'").await;
    let removed = execute_raw(&hub.database, "DELETE FROM audit").await;

    assert!(changed.unwrap_err().contains("never changed"));
    assert!(removed.unwrap_err().contains("retention is over"));
    assert_eq!(hub.store.audit_count().await.unwrap(), 2);
    let mut tx = hub.store.begin().await.unwrap();
    assert_eq!(tx.sweep_audit(at(1_000), 100).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert!(
        execute_raw(&hub.database, "DELETE FROM audit")
            .await
            .is_err()
    );
    assert_eq!(hub.store.audit_count().await.unwrap(), 1);
}
