//! Sessions of the pages, and passwords.

use assay_app::{Caller, Error, NewToken, Origin, Scope};

use crate::support::TestHub;

const DAY: i64 = 86_400_000;
const PASSWORD: &str = "violet kettle orbit";
const OTHER: &str = "seven amber lanterns";

async fn token(test: &TestHub, name: &str, scope: Scope) -> (i64, String) {
    let new = NewToken {
        label: "browser".to_owned(),
        scope,
        expires: None,
    };
    let shell = test.hub.shell();
    let (info, secret) = test
        .hub
        .accounts()
        .create_token(&shell, name, new)
        .await
        .unwrap();
    (info.id, secret.reveal().to_owned())
}

async fn signed_in(test: &TestHub, name: &str) -> String {
    let (_, secret) = token(test, name, Scope::Write).await;
    let session = test
        .hub
        .accounts()
        .sign_in_with_token(&secret, "Test/1.0", &Origin::default())
        .await;
    session.unwrap().reveal().to_owned()
}

async fn name_of(test: &TestHub, session: &str) -> Option<String> {
    let visitor = test.hub.accounts().visitor(session).await.unwrap()?;
    visitor.caller.name().map(ToOwned::to_owned)
}

#[tokio::test]
async fn a_token_opens_a_session_that_opens_no_api() {
    let test = TestHub::new().await;
    test.user("ada").await;

    let session = signed_in(&test, "ada").await;

    assert_eq!(name_of(&test, &session).await.as_deref(), Some("ada"));
    let as_token = test.hub.accounts().authenticate(Some(&session)).await;
    assert!(matches!(as_token, Err(Error::BadCredentials)));
}

#[tokio::test]
async fn a_session_ends_after_two_weeks_with_its_token_and_with_its_account() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let shell = test.hub.shell();
    let (id, secret) = token(&test, "ada", Scope::Write).await;
    let of_token = test
        .hub
        .accounts()
        .sign_in_with_token(&secret, "", &Origin::default())
        .await
        .unwrap();
    let lasting = signed_in(&test, "ada").await;

    test.hub
        .accounts()
        .revoke_token(&shell, "ada", id)
        .await
        .unwrap();
    assert_eq!(name_of(&test, of_token.reveal()).await, None);
    test.clock.advance(14 * DAY - 1);
    assert!(name_of(&test, &lasting).await.is_some());
    test.clock.advance(1);
    assert_eq!(name_of(&test, &lasting).await, None);

    let again = signed_in(&test, "ada").await;
    test.hub
        .accounts()
        .disable_account(&shell, "ada")
        .await
        .unwrap();
    assert_eq!(name_of(&test, &again).await, None);
}

#[tokio::test]
async fn sessions_are_listed_for_their_owner_who_ends_them() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let bob = test.user("bob").await;
    let one = signed_in(&test, "ada").await;
    let other = signed_in(&test, "ada").await;
    let visitor = test.hub.accounts().visitor(&one).await.unwrap().unwrap();

    let sessions = test
        .hub
        .accounts()
        .web_sessions(&visitor.caller)
        .await
        .unwrap();
    let by_another = test
        .hub
        .accounts()
        .end_web_session(&bob, sessions[0].id)
        .await;
    let ended = test
        .hub
        .accounts()
        .end_other_web_sessions(&visitor)
        .await
        .unwrap();

    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[0].agent, "Test/1.0");
    assert!(matches!(by_another, Err(Error::NotFound(_))));
    assert_eq!(ended, 1);
    assert_eq!(name_of(&test, &other).await, None);
    assert!(name_of(&test, &one).await.is_some());
    let nobody = test.hub.accounts().web_sessions(&Caller::anonymous()).await;
    assert!(matches!(nobody, Err(Error::NotSignedIn)));
}

#[tokio::test]
async fn a_session_allows_what_its_token_allows() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let (_, secret) = token(&test, "ada", Scope::Read).await;
    let session = test
        .hub
        .accounts()
        .sign_in_with_token(&secret, "", &Origin::default())
        .await
        .unwrap();
    let visitor = test
        .hub
        .accounts()
        .visitor(session.reveal())
        .await
        .unwrap()
        .unwrap();

    let made = test
        .hub
        .accounts()
        .create_organisation(&visitor.caller, "acme", "Acme")
        .await;

    assert!(matches!(made, Err(Error::Denied(_))));
}

#[tokio::test]
async fn forms_of_two_sessions_carry_two_tokens() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let (one, other) = (signed_in(&test, "ada").await, signed_in(&test, "ada").await);

    let first = test.hub.accounts().visitor(&one).await.unwrap().unwrap();
    let again = test.hub.accounts().visitor(&one).await.unwrap().unwrap();
    let second = test.hub.accounts().visitor(&other).await.unwrap().unwrap();

    assert_eq!(first.form_token, again.form_token);
    assert_ne!(first.form_token, second.form_token);
}

/// Somebody who signed in with their password.
async fn with_password(test: &TestHub, name: &str, password: &str) -> Result<Caller, Error> {
    let session = test
        .hub
        .accounts()
        .sign_in_with_password(name, password, "", None, &Origin::default())
        .await?;
    let visitor = test.hub.accounts().visitor(session.reveal()).await?;
    Ok(visitor.unwrap().caller)
}

#[tokio::test]
async fn a_password_signs_in_and_changing_it_ends_every_session() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let hub = &test.hub;
    hub.accounts()
        .set_password(&hub.shell(), "ada", Some(PASSWORD))
        .await
        .unwrap();
    let session = hub
        .accounts()
        .sign_in_with_password("Ada", PASSWORD, "", None, &Origin::default())
        .await
        .unwrap();
    let ada = hub
        .accounts()
        .visitor(session.reveal())
        .await
        .unwrap()
        .unwrap()
        .caller;

    let wrong = with_password(&test, "ada", "wrong").await;
    let unknown = with_password(&test, "nobody", PASSWORD).await;
    let unproved = hub
        .accounts()
        .change_password(&ada, "wrong", Some(OTHER))
        .await;
    let proved = hub
        .accounts()
        .change_password(&ada, PASSWORD, Some(OTHER))
        .await;

    assert!(matches!(wrong, Err(Error::BadCredentials)));
    assert!(matches!(unknown, Err(Error::BadCredentials)));
    assert!(matches!(unproved, Err(Error::Denied(_))));
    proved.unwrap();
    assert_eq!(name_of(&test, session.reveal()).await, None);
    let old = with_password(&test, "ada", PASSWORD).await;
    assert!(matches!(old, Err(Error::BadCredentials)));
    assert!(hub.accounts().has_password(&ada).await.unwrap());
    with_password(&test, "ada", OTHER).await.unwrap();
}

#[tokio::test]
async fn a_token_sets_no_password() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    let ada = test.user("ada").await;
    hub.accounts()
        .create_user(&hub.shell(), "ops", "", None, true)
        .await
        .unwrap();
    let ops = test.token("ops", Scope::Write).await;
    let (_, secret) = token(&test, "ops", Scope::Write).await;
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

    for caller in [&ada, &ops, &in_browser] {
        let first = hub
            .accounts()
            .change_password(caller, "", Some(PASSWORD))
            .await;
        assert!(matches!(first, Err(Error::Denied(_))), "{first:?}");
    }
    hub.accounts()
        .set_password(&hub.shell(), "ops", Some(PASSWORD))
        .await
        .unwrap();
    let known = hub
        .accounts()
        .change_password(&ops, PASSWORD, Some(OTHER))
        .await;
    assert!(matches!(known, Err(Error::Denied(_))), "{known:?}");

    let admin = test.token("ops", Scope::Admin).await;
    hub.accounts()
        .change_password(&admin, PASSWORD, Some(OTHER))
        .await
        .unwrap();
    with_password(&test, "ops", OTHER).await.unwrap();
}

#[tokio::test]
async fn wrong_passwords_make_an_account_wait_ever_longer_whether_it_exists_or_not() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let hub = &test.hub;
    hub.accounts()
        .set_password(&hub.shell(), "ada", Some(PASSWORD))
        .await
        .unwrap();
    let answers = async |name: &str| {
        let mut answers = Vec::new();
        for _ in 0..4 {
            answers.push(match with_password(&test, name, "wrong").await {
                Err(Error::BadCredentials) => 0,
                Err(Error::RateLimited { after_seconds }) => after_seconds,
                other => panic!("{other:?}"),
            });
        }
        answers
    };

    let (ada, nobody) = (answers("ada").await, answers("nobody").await);

    assert_eq!(ada, [0, 0, 0, 1]);
    assert_eq!(nobody, ada);
    // The right password waits as well, and ends the count.
    let early = with_password(&test, "ada", PASSWORD).await;
    assert!(matches!(early, Err(Error::RateLimited { .. })));
    test.clock.advance(1_000);
    with_password(&test, "ada", PASSWORD).await.unwrap();
    assert_eq!(answers("ada").await, ada);
}

#[tokio::test]
async fn ten_wrong_passwords_close_an_account_for_the_rest_of_a_quarter_of_an_hour() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let hub = &test.hub;
    hub.accounts()
        .set_password(&hub.shell(), "ada", Some(PASSWORD))
        .await
        .unwrap();
    for _ in 0..10 {
        let wrong = with_password(&test, "ada", "wrong").await;
        assert!(matches!(wrong, Err(Error::BadCredentials)), "{wrong:?}");
        test.clock.advance(64_000);
    }

    let locked = with_password(&test, "ada", PASSWORD).await;

    let left = 15 * 60 - 10 * 64;
    assert!(
        matches!(locked, Err(Error::RateLimited { after_seconds }) if after_seconds == left),
        "{locked:?}"
    );
    test.clock.advance(left.cast_signed() * 1_000 + 1);
    with_password(&test, "ada", PASSWORD).await.unwrap();
}

#[tokio::test]
async fn wrong_passwords_from_one_address_are_counted_over_all_accounts() {
    let test = TestHub::new().await;
    let hub = &test.hub;
    let from = async |name: String, address: &str| {
        let origin = Origin::default();
        let begun =
            hub.accounts()
                .sign_in_with_password(&name, "wrong", "", Some(address), &origin);
        begun.await.map(|_| ())
    };
    for number in 0..50 {
        let wrong = from(format!("user-{number}"), "192.0.2.1").await;
        assert!(matches!(wrong, Err(Error::BadCredentials)), "{wrong:?}");
    }

    let same = from("another".to_owned(), "192.0.2.1").await;
    let other = from("another".to_owned(), "192.0.2.2").await;

    assert!(matches!(same, Err(Error::RateLimited { .. })), "{same:?}");
    assert!(matches!(other, Err(Error::BadCredentials)), "{other:?}");
}

#[tokio::test]
async fn only_the_operator_gives_others_a_password() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.user("bob").await;

    let given = test
        .hub
        .accounts()
        .set_password(&ada, "bob", Some(PASSWORD))
        .await;

    assert!(matches!(given, Err(Error::Denied(_))));
}
