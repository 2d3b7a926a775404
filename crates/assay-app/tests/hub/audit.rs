//! The audit log: every change of rights and of what others see leaves a row, with its actor and
//! place.

use assay_app::{
    AuditActor, AuditPage, AuditQuery, AuditRow, Caller, Error, HookEvent, HookPlace, NewToken,
    Origin, Scope, Settings, Visibility,
};
use assay_model::{RepoKind, Role};

use crate::support::{TestHub, id_of};

const PASSWORD: &str = "correct horse battery";
const DAY: i64 = 24 * 60 * 60 * 1_000;

fn origin() -> Origin {
    Origin {
        address: Some([192, 0, 2, 7].into()),
        request_id: Some("request-7".into()),
    }
}

async fn page(test: &TestHub, query: AuditQuery) -> AuditPage {
    let query = AuditQuery {
        limit: 100,
        ..query
    };
    let page = test
        .hub
        .operations()
        .audit_page(&test.hub.shell(), &query)
        .await;
    page.unwrap()
}

/// The rows that a change left, oldest first.
async fn rows_after(test: &TestHub, last: Option<i64>) -> Vec<AuditRow> {
    let mut rows = page(test, AuditQuery::default()).await.rows;
    rows.retain(|row| last.is_none_or(|last| row.id > last));
    rows.reverse();
    rows
}

async fn last_number(test: &TestHub) -> Option<i64> {
    let rows = page(test, AuditQuery::default()).await.rows;
    rows.first().map(|row| row.id)
}

fn words(rows: &[AuditRow]) -> Vec<String> {
    let words = |row: &AuditRow| {
        let detail = row.subject.detail.as_deref().unwrap_or_default();
        let text = format!("{} {} {detail}", row.action, row.subject.name);
        text.trim_end().to_owned()
    };
    rows.iter().map(words).collect()
}

#[tokio::test]
async fn a_life_of_a_repository_is_recorded_with_who_and_from_where() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await.with_origin(origin());
    let hub = &test.hub;
    hub.accounts()
        .create_organisation(&ada, "acme", "Acme")
        .await
        .unwrap();
    let last = last_number(&test).await;

    test.create(&ada, RepoKind::Model, "ada/m", Visibility::Private)
        .await
        .unwrap();
    let public = Settings {
        visibility: Some(Visibility::Public),
        description: Some("a model".to_owned()),
    };
    for _ in 0..2 {
        hub.repositories()
            .change_settings(&ada, RepoKind::Model, &id_of("ada/m"), public.clone())
            .await
            .unwrap();
    }
    hub.repositories()
        .move_repository(&ada, RepoKind::Model, &id_of("ada/m"), &id_of("ada/n"))
        .await
        .unwrap();
    hub.repositories()
        .move_repository(&ada, RepoKind::Model, &id_of("ada/n"), &id_of("acme/n"))
        .await
        .unwrap();
    hub.accounts()
        .set_disabled(&hub.shell(), RepoKind::Model, &id_of("acme/n"), true)
        .await
        .unwrap();
    hub.accounts()
        .set_disabled(&hub.shell(), RepoKind::Model, &id_of("acme/n"), false)
        .await
        .unwrap();
    hub.repositories()
        .delete_repository(&ada, RepoKind::Model, &id_of("acme/n"))
        .await
        .unwrap();

    let rows = rows_after(&test, last).await;
    assert_eq!(
        words(&rows),
        [
            "repo.created ada/m private",
            "repo.visibility_changed ada/m public",
            "repo.renamed ada/m to ada/n",
            "repo.moved ada/n to acme/n",
            "repo.closed acme/n",
            "repo.opened acme/n",
            "repo.deleted acme/n",
        ]
    );
    let AuditActor::Account { name, token } = &rows[0].actor else {
        panic!("{:?}", rows[0].actor);
    };
    assert_eq!((name.as_str(), *token), ("ada", ada.token()));
    assert_eq!(rows[0].address.as_deref(), Some("192.0.2.7"));
    assert_eq!(rows[0].request.as_deref(), Some("request-7"));
    assert_eq!(rows[4].actor, AuditActor::Shell("tester".to_owned()));
    let of_repo = AuditQuery {
        repo: Some(id_of("acme/n")),
        ..AuditQuery::default()
    };
    assert_eq!(
        page(&test, of_repo).await.rows.len(),
        3,
        "it is gone, its rows are not"
    );
}

#[tokio::test]
async fn accounts_members_tokens_and_passwords_are_recorded_without_secrets() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    let shell = hub.shell();
    hub.accounts()
        .create_user(&shell, "root", "", None, true)
        .await
        .unwrap();
    let ada = test.user("ada").await;
    test.user("bob").await;
    let last = last_number(&test).await;

    hub.accounts()
        .create_organisation(&ada, "acme", "")
        .await
        .unwrap();
    for role in [Some(Role::Read), Some(Role::Write), Some(Role::Write), None] {
        hub.accounts()
            .set_member(&ada, "acme", "bob", role)
            .await
            .unwrap();
    }
    let new = NewToken {
        label: "ci".to_owned(),
        scope: Scope::Fine(vec!["ada/*".parse().unwrap()]),
        expires: None,
    };
    let (token, secret) = hub.accounts().create_token(&ada, "ada", new).await.unwrap();
    hub.accounts()
        .revoke_token(&ada, "ada", token.id)
        .await
        .unwrap();
    hub.accounts()
        .set_password(&shell, "bob", Some(PASSWORD))
        .await
        .unwrap();
    hub.accounts()
        .set_password(&shell, "bob", None)
        .await
        .unwrap();
    hub.accounts().disable_account(&shell, "bob").await.unwrap();
    hub.accounts().enable_account(&shell, "bob").await.unwrap();

    let rows = rows_after(&test, last).await;
    let number = token.id;
    assert_eq!(
        words(&rows),
        [
            "organisation.created acme".to_owned(),
            "member.added acme bob, read".to_owned(),
            "member.changed acme bob, from read to write".to_owned(),
            "member.removed acme bob, write".to_owned(),
            format!("token.created ada token {number} `ci`, scope write to ada/*, never expires"),
            format!("token.revoked ada token {number}"),
            "password.set bob".to_owned(),
            "password.removed bob".to_owned(),
            "account.disabled bob".to_owned(),
            "account.enabled bob".to_owned(),
        ]
    );
    let all = format!("{rows:?}");
    assert!(!all.contains(secret.reveal()) && !all.contains(PASSWORD));
}

#[tokio::test]
async fn sign_ins_are_recorded_and_failures_are_counted() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    test.user("ada").await;
    hub.accounts()
        .set_password(&hub.shell(), "ada", Some(PASSWORD))
        .await
        .unwrap();
    let new = NewToken {
        label: "laptop".to_owned(),
        scope: Scope::Write,
        expires: None,
    };
    let (token, secret) = hub
        .accounts()
        .create_token(&hub.shell(), "ada", new)
        .await
        .unwrap();
    let last = last_number(&test).await;

    for _ in 0..3 {
        let wrong = hub
            .accounts()
            .sign_in_with_password("ada", "wrong", "", None, &origin())
            .await;
        assert!(matches!(wrong, Err(Error::BadCredentials)));
    }
    let _ = hub
        .accounts()
        .sign_in_with_password(PASSWORD, "ada", "", None, &origin())
        .await;
    let _ = hub
        .accounts()
        .sign_in_with_token("hf_nobody", "", &origin())
        .await;
    // The next attempt for this account has to wait so long.
    test.clock.advance(1_000);
    hub.accounts()
        .sign_in_with_password("Ada", PASSWORD, "", None, &origin())
        .await
        .unwrap();
    hub.accounts()
        .sign_in_with_token(secret.reveal(), "", &origin())
        .await
        .unwrap();
    test.clock.advance(61_000);
    hub.operations().record_failed_sign_ins().await;

    let rows = rows_after(&test, last).await;
    assert_eq!(
        words(&rows),
        [
            "sign_in.failed ada by password",
            "sign_in.failed  by password",
            "sign_in.failed  by token",
            "sign_in.succeeded ada by password",
            "sign_in.succeeded ada by token",
            "sign_in.failed ada by password, 2 more within a minute",
        ]
    );
    assert!(
        rows.iter()
            .all(|row| row.address.as_deref() == Some("192.0.2.7"))
    );
    let AuditActor::Account { token: used, .. } = &rows[4].actor else {
        panic!("{:?}", rows[4].actor);
    };
    assert_eq!(*used, Some(token.id));
    assert!(
        !format!("{rows:?}").contains(PASSWORD),
        "a mistyped name may be a password"
    );
    assert_eq!(hub.operations().failed_sign_in_count(), 5);
}

#[tokio::test]
async fn webhooks_keys_and_official_marks_are_recorded() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/m").await;
    let last = last_number(&test).await;

    let place = HookPlace::Repository(RepoKind::Model, id_of("ada/m"));
    let url = "https://hooks.example.org/secret-path";
    let (hook, _) = hub
        .webhooks()
        .create_webhook(&ada, &place, url, &[HookEvent::Results])
        .await
        .unwrap();
    hub.webhooks()
        .remove_webhook(&ada, &place, hook.id)
        .await
        .unwrap();
    let key = hub.evidence().generate_key(&hub.shell()).await.unwrap();

    let rows = rows_after(&test, last).await;
    let number = hook.id;
    let kid = key.kid;
    let issuer = key.issuer;
    assert_eq!(
        words(&rows),
        [
            format!("webhook.created ada/m webhook {number} to hooks.example.org"),
            format!("webhook.deleted ada/m webhook {number} to hooks.example.org"),
            format!("key.changed {kid} token key of {issuer} is pending"),
        ]
    );
}

#[tokio::test]
async fn only_operators_read_the_audit_log_and_page_through_it() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    let ada = test.user("ada").await;
    let query = AuditQuery {
        limit: 1,
        ..AuditQuery::default()
    };

    let by_ada = hub.operations().audit_page(&ada, &query).await;
    let by_nobody = hub
        .operations()
        .audit_page(&Caller::anonymous(), &query)
        .await;
    let first = hub
        .operations()
        .audit_page(&hub.shell(), &query)
        .await
        .unwrap();
    let next = AuditQuery {
        before: first.next,
        ..query.clone()
    };
    let second = hub
        .operations()
        .audit_page(&hub.shell(), &next)
        .await
        .unwrap();
    let misspelled = AuditQuery {
        action: Some("repo.delete".to_owned()),
        ..query
    };
    let misspelled = hub.operations().audit_page(&hub.shell(), &misspelled).await;

    assert!(matches!(by_ada, Err(Error::Denied(_))));
    assert!(matches!(by_nobody, Err(Error::NotSignedIn)));
    assert_eq!(
        words(&first.rows)[0].split(' ').next(),
        Some("token.created")
    );
    assert_eq!(words(&second.rows), ["account.created ada"]);
    assert_eq!(second.next, None);
    assert!(matches!(misspelled, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn rows_go_when_their_retention_is_over_and_the_sweep_is_recorded() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    test.user("ada").await;
    test.clock.advance(10 * DAY);
    test.user("bob").await;
    test.clock.advance(5 * DAY);

    let kept = hub.operations().sweep_audit(0).await.unwrap();
    let young = hub.operations().sweep_audit(16).await.unwrap();
    let swept = hub.operations().sweep_audit(10).await.unwrap();

    assert_eq!((kept, young, swept), (0, 0, 2));
    let rows = rows_after(&test, None).await;
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0].subject.name, "bob");
    assert_eq!(
        (rows[2].action.as_str(), &rows[2].actor),
        ("audit.swept", &AuditActor::Server)
    );
}
