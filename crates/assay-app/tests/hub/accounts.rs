use assay_app::{Error, Hub, HubConfig, Limits, NewToken, Scope, Visibility};
use assay_model::{RepoKind, Role, Timestamp};

use crate::support::TestHub;

fn write_token() -> NewToken {
    NewToken {
        label: "ci".to_owned(),
        scope: Scope::Write,
        expires: None,
    }
}

#[tokio::test]
async fn the_first_operator_is_made_once() {
    let test = TestHub::new().await;

    let (account, secret) = test.hub.first_operator().await.unwrap().unwrap();

    let caller = test
        .hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await
        .unwrap();
    let identity = test.hub.accounts().identity(&caller).await.unwrap();
    assert!(identity.account.operator);
    assert_eq!(identity.account.name, account.name);
    assert_eq!(identity.token.scope, Scope::Admin);
    assert!(test.hub.first_operator().await.unwrap().is_none());
}

#[tokio::test]
async fn a_secret_is_kept_nowhere_in_the_data_directory() {
    let test = TestHub::new().await;
    let (_, secret) = test.hub.first_operator().await.unwrap().unwrap();
    test.hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await
        .unwrap();

    let data = test.directory.path().join("data");
    let mut looked_at = 0;
    for entry in std::fs::read_dir(data).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(&secret.reveal()[3..]));
            looked_at += 1;
        }
    }
    assert!(looked_at > 0);
}

#[tokio::test]
async fn a_bad_token_is_refused_and_not_taken_for_nobody() {
    let test = TestHub::new().await;

    let bad = test.hub.accounts().authenticate(Some("hf_nobody")).await;
    let none = test.hub.accounts().authenticate(None).await;

    assert!(matches!(bad, Err(Error::BadCredentials)));
    assert!(none.unwrap().is_anonymous());
}

#[tokio::test]
async fn a_revoked_token_ends_at_once() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let (info, secret) = test
        .hub
        .accounts()
        .create_token(&ada, "ada", write_token())
        .await
        .unwrap();
    test.hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await
        .unwrap();

    test.hub
        .accounts()
        .revoke_token(&ada, "ada", info.id)
        .await
        .unwrap();

    let after = test
        .hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await;
    assert!(matches!(after, Err(Error::TokenEnded(ref ended)) if ended.is_revoked));
    let again = test.hub.accounts().revoke_token(&ada, "ada", info.id).await;
    assert!(matches!(again, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn a_token_that_another_process_revokes_ends_at_once() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let (info, secret) = test
        .hub
        .accounts()
        .create_token(&ada, "ada", write_token())
        .await
        .unwrap();
    test.hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await
        .unwrap();
    let config = HubConfig {
        data: test.directory.path().join("data"),
        database: None,
        large_files: None,
        storage: assay_app::StorageVariables::default(),
        limits: Limits::default(),
        durability: assay_model::Durability::Fast,
        trust: assay_app::TrustConfig::default(),
        shell_user: None,
    };
    let other = Hub::open(config, test.clock.clone()).await.unwrap();

    other
        .accounts()
        .revoke_token(&other.shell(), "ada", info.id)
        .await
        .unwrap();

    let after = test
        .hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await;
    assert!(matches!(after, Err(Error::TokenEnded(ref ended)) if ended.is_revoked));
}

#[tokio::test]
async fn a_token_ends_when_it_said_it_would() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let expires = Timestamp::from_millis(1_771_065_000_000 + 1_000);
    let token = NewToken {
        expires: Some(expires),
        ..write_token()
    };
    let (_, secret) = test
        .hub
        .accounts()
        .create_token(&ada, "ada", token)
        .await
        .unwrap();

    let before = test
        .hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await;
    test.clock.advance(1_000);
    let after = test
        .hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await;

    assert!(before.is_ok());
    assert!(matches!(after, Err(Error::TokenEnded(ref ended)) if !ended.is_revoked));
}

#[tokio::test]
async fn a_disabled_account_is_out() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let (_, secret) = test
        .hub
        .accounts()
        .create_token(&ada, "ada", write_token())
        .await
        .unwrap();

    let shell = test.hub.shell();
    test.hub
        .accounts()
        .disable_account(&shell, "ada")
        .await
        .unwrap();

    let after = test
        .hub
        .accounts()
        .authenticate(Some(secret.reveal()))
        .await;
    assert!(matches!(after, Err(Error::BadCredentials)));
}

#[tokio::test]
async fn a_token_makes_none_that_allows_more_and_none_for_others() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let reader = test.token("ada", Scope::Read).await;
    test.user("bob").await;
    let admin = NewToken {
        scope: Scope::Admin,
        ..write_token()
    };

    let more = test.hub.accounts().create_token(&ada, "ada", admin).await;
    let from_reader = test
        .hub
        .accounts()
        .create_token(&reader, "ada", write_token())
        .await;
    let for_bob = test
        .hub
        .accounts()
        .create_token(&ada, "bob", write_token())
        .await;

    for result in [more, from_reader, for_bob] {
        assert!(matches!(result, Err(Error::Denied(_))), "{result:?}");
    }
}

#[tokio::test]
async fn names_are_unique_in_any_case_and_some_are_reserved() {
    let test = TestHub::new().await;
    test.user("Ada").await;
    let shell = test.hub.shell();

    let taken = test
        .hub
        .accounts()
        .create_organisation(&shell, "ada", "")
        .await;
    let reserved = test
        .hub
        .accounts()
        .create_organisation(&shell, "datasets", "")
        .await;

    assert!(matches!(taken, Err(Error::Exists(_))));
    assert!(matches!(reserved, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn only_operators_make_users() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;

    let result = test
        .hub
        .accounts()
        .create_user(&ada, "eve", "", None, true)
        .await;

    assert!(matches!(result, Err(Error::Denied(_))));
}

#[tokio::test]
async fn members_of_an_organisation_write_as_their_role_says() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let bob = test.user("bob").await;
    test.hub
        .accounts()
        .create_organisation(&ada, "acme", "Acme")
        .await
        .unwrap();
    test.model(&ada, "acme/model").await;
    let create = async || {
        test.create(&bob, RepoKind::Model, "acme/bobs", Visibility::Public)
            .await
    };
    let write = async |id: &str| test.put(&bob, id, &[("a.txt", "a")]).await;

    assert!(matches!(create().await, Err(Error::Denied(_))));
    let role = |role| test.hub.accounts().set_member(&ada, "acme", "bob", role);
    role(Some(Role::Contribute)).await.unwrap();
    create().await.unwrap();
    write("acme/bobs").await.unwrap();
    assert!(matches!(write("acme/model").await, Err(Error::Denied(_))));
    role(Some(Role::Write)).await.unwrap();
    write("acme/model").await.unwrap();
    role(None).await.unwrap();
    assert!(matches!(write("acme/bobs").await, Err(Error::Denied(_))));
}

#[tokio::test]
async fn an_organisation_keeps_an_admin() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let organisation = test
        .hub
        .accounts()
        .create_organisation(&ada, "acme", "")
        .await;
    organisation.unwrap();

    let result = test
        .hub
        .accounts()
        .set_member(&ada, "acme", "ada", None)
        .await;

    assert!(matches!(result, Err(Error::Conflict(_))));
    let members = test.hub.accounts().members(&ada, "acme").await.unwrap();
    assert_eq!(members.len(), 1);
}
