//! Rights: the scope of tokens, founders of organisations, and free names.

use assay_app::{
    AccountKind, Error, Founders, Limits, LookAlike, NewAccount, NewToken, Origin, Scope, TokenInfo,
};
use assay_model::Timestamp;

use crate::support::TestHub;

const BEGINNING: i64 = 1_771_065_000_000;
const DAY: i64 = 86_400_000;

fn new_token(expires: Option<i64>) -> NewToken {
    NewToken {
        label: "ci".to_owned(),
        scope: Scope::Write,
        expires: expires.map(|days| Timestamp::from_millis(BEGINNING + days * DAY)),
    }
}

/// A token of `ada` for a day, and its number.
async fn short_lived(test: &TestHub) -> (TokenInfo, String) {
    let shell = test.hub.shell();
    let made = test
        .hub
        .accounts()
        .create_token(&shell, "ada", new_token(Some(1)))
        .await;
    let (info, secret) = made.unwrap();
    (info, secret.reveal().to_owned())
}

#[tokio::test]
async fn a_token_that_is_made_with_another_one_lives_no_longer_and_ends_with_it() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let hub = &test.hub;
    let (parent, secret) = short_lived(&test).await;
    let by_api = hub.accounts().authenticate(Some(&secret)).await.unwrap();
    let session = hub
        .accounts()
        .sign_in_with_token(&secret, "", &Origin::default())
        .await
        .unwrap();
    let in_browser = hub
        .accounts()
        .visitor(session.reveal())
        .await
        .unwrap()
        .unwrap()
        .caller;

    for caller in [&by_api, &in_browser] {
        let longer = hub
            .accounts()
            .create_token(caller, "ada", new_token(Some(2)))
            .await;
        assert!(matches!(longer, Err(Error::Denied(_))), "{longer:?}");
        let more = NewToken {
            scope: Scope::Admin,
            ..new_token(None)
        };
        let more = hub.accounts().create_token(caller, "ada", more).await;
        assert!(matches!(more, Err(Error::Denied(_))), "{more:?}");
    }
    let (child, _) = hub
        .accounts()
        .create_token(&in_browser, "ada", new_token(None))
        .await
        .unwrap();
    let (_, grandchild) = {
        let (_, secret) = hub
            .accounts()
            .create_token(&by_api, "ada", new_token(None))
            .await
            .unwrap();
        let child = hub
            .accounts()
            .authenticate(Some(secret.reveal()))
            .await
            .unwrap();
        hub.accounts()
            .create_token(&child, "ada", new_token(None))
            .await
            .unwrap()
    };
    assert_eq!(child.expires, parent.expires);
    assert_eq!(child.parent, Some(parent.id));
    hub.accounts()
        .authenticate(Some(grandchild.reveal()))
        .await
        .unwrap();

    let ended = hub
        .accounts()
        .revoke_token(&hub.shell(), "ada", parent.id)
        .await;

    assert_eq!(ended.unwrap(), 4);
    let after = hub.accounts().authenticate(Some(grandchild.reveal())).await;
    assert!(
        matches!(after, Err(Error::TokenEnded(ref ended)) if ended.is_revoked),
        "{after:?}"
    );
    assert!(
        hub.accounts()
            .visitor(session.reveal())
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn a_sign_in_with_a_token_counts_as_its_use() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let hub = &test.hub;
    let (token, secret) = short_lived(&test).await;
    test.clock.advance(5_000);

    hub.accounts()
        .sign_in_with_token(&secret, "", &Origin::default())
        .await
        .unwrap();

    let tokens = hub.accounts().tokens(&hub.shell(), "ada").await.unwrap();
    let found = tokens.iter().find(|found| found.id == token.id).unwrap();
    let used = Timestamp::from_millis(BEGINNING + 5_000);
    assert_eq!(found.last_used, Some(used));
}

#[tokio::test]
async fn a_token_makes_none_once_it_is_revoked() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let hub = &test.hub;
    let (token, secret) = short_lived(&test).await;
    // Who was let in before holds on to that.
    let caller = hub.accounts().authenticate(Some(&secret)).await.unwrap();
    hub.accounts()
        .revoke_token(&hub.shell(), "ada", token.id)
        .await
        .unwrap();

    let made = hub
        .accounts()
        .create_token(&caller, "ada", new_token(None))
        .await;

    assert!(matches!(made, Err(Error::BadCredentials)), "{made:?}");
}

#[tokio::test]
async fn names_that_look_like_another_are_refused_unless_an_operator_wants_them() {
    let test = TestHub::new().await;
    let ada = test.user("alice").await;
    let hub = &test.hub;
    let shell = hub.shell();

    for name in ["a1ice", "AIice", "al-ice", "sett1ngs"] {
        let made = hub.accounts().create_organisation(&ada, name, "").await;
        assert!(matches!(made, Err(Error::Exists(_))), "{name} {made:?}");
        let made = hub
            .accounts()
            .create_user(&shell, name, "", None, false)
            .await;
        assert!(matches!(made, Err(Error::Exists(_))), "{name} {made:?}");
    }
    let wanted = NewAccount {
        name: "a1ice",
        full_name: "",
        email: None,
        operator: false,
        look_alike: LookAlike::Allowed,
    };
    let by_ada = hub
        .accounts()
        .create_account(&ada, AccountKind::Organisation, &wanted)
        .await;
    assert!(matches!(by_ada, Err(Error::Denied(_))), "{by_ada:?}");
    hub.accounts()
        .create_account(&shell, AccountKind::User, &wanted)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_user_makes_so_many_organisations_and_an_operator_more() {
    let limits = Limits {
        organizations: 2,
        ..Limits::default()
    };
    let test = TestHub::with_limits(limits).await;
    let hub = &test.hub;
    let ada = test.user("ada").await;
    hub.accounts()
        .create_user(&hub.shell(), "ops", "", None, true)
        .await
        .unwrap();
    let ops = test.token("ops", Scope::Admin).await;
    for name in ["acme", "beta"] {
        hub.accounts()
            .create_organisation(&ada, name, "")
            .await
            .unwrap();
    }
    // To leave one makes no room: the limit is on what an account has made.
    hub.accounts()
        .set_member(&ops, "acme", "ops", Some(assay_model::Role::Admin))
        .await
        .unwrap();
    hub.accounts()
        .set_member(&ops, "acme", "ada", None)
        .await
        .unwrap();

    let third = hub.accounts().create_organisation(&ada, "gamma", "").await;

    assert!(matches!(third, Err(Error::Denied(_))), "{third:?}");
    for name in ["delta", "epsilon", "zeta"] {
        hub.accounts()
            .create_organisation(&ops, name, "")
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn organisations_can_be_left_to_operators() {
    let limits = Limits {
        founders: Founders::Operators,
        ..Limits::default()
    };
    let test = TestHub::with_limits(limits).await;
    let hub = &test.hub;
    let ada = test.user("ada").await;
    hub.accounts()
        .create_user(&hub.shell(), "ops", "", None, true)
        .await
        .unwrap();
    let ops = test.token("ops", Scope::Admin).await;

    let by_ada = hub.accounts().create_organisation(&ada, "acme", "").await;
    let by_ops = hub.accounts().create_organisation(&ops, "acme", "").await;

    assert!(matches!(by_ada, Err(Error::Denied(_))), "{by_ada:?}");
    by_ops.unwrap();
}
