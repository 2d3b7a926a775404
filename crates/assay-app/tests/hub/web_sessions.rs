//! Sessions of the pages, and passwords.

use assay_app::{Caller, Error, NewToken, Origin, Scope};

use crate::support::TestHub;

const DAY: i64 = 86_400_000;
const PASSWORD: &str = "a long enough password";

async fn token(test: &TestHub, name: &str, scope: Scope) -> (i64, String) {
    let new = NewToken {
        label: "browser".to_owned(),
        scope,
        expires: None,
    };
    let shell = test.hub.shell();
    let (info, secret) = test.hub.create_token(&shell, name, new).await.unwrap();
    (info.id, secret.reveal().to_owned())
}

async fn signed_in(test: &TestHub, name: &str) -> String {
    let (_, secret) = token(test, name, Scope::Write).await;
    let session = test
        .hub
        .sign_in_with_token(&secret, "Test/1.0", &Origin::default())
        .await;
    session.unwrap().reveal().to_owned()
}

async fn name_of(test: &TestHub, session: &str) -> Option<String> {
    let visitor = test.hub.visitor(session).await.unwrap()?;
    visitor.caller.name().map(ToOwned::to_owned)
}

#[tokio::test]
async fn a_token_opens_a_session_that_opens_no_api() {
    let test = TestHub::new().await;
    test.user("ada").await;

    let session = signed_in(&test, "ada").await;

    assert_eq!(name_of(&test, &session).await.as_deref(), Some("ada"));
    let as_token = test.hub.authenticate(Some(&session)).await;
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
        .sign_in_with_token(&secret, "", &Origin::default())
        .await
        .unwrap();
    let lasting = signed_in(&test, "ada").await;

    test.hub.revoke_token(&shell, "ada", id).await.unwrap();
    assert_eq!(name_of(&test, of_token.reveal()).await, None);
    test.clock.advance(14 * DAY - 1);
    assert!(name_of(&test, &lasting).await.is_some());
    test.clock.advance(1);
    assert_eq!(name_of(&test, &lasting).await, None);

    let again = signed_in(&test, "ada").await;
    test.hub.disable_account(&shell, "ada").await.unwrap();
    assert_eq!(name_of(&test, &again).await, None);
}

#[tokio::test]
async fn sessions_are_listed_for_their_owner_who_ends_them() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let bob = test.user("bob").await;
    let one = signed_in(&test, "ada").await;
    let other = signed_in(&test, "ada").await;
    let visitor = test.hub.visitor(&one).await.unwrap().unwrap();

    let sessions = test.hub.web_sessions(&visitor.caller).await.unwrap();
    let by_another = test.hub.end_web_session(&bob, sessions[0].id).await;
    let ended = test.hub.end_other_web_sessions(&visitor).await.unwrap();

    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[0].agent, "Test/1.0");
    assert!(matches!(by_another, Err(Error::NotFound(_))));
    assert_eq!(ended, 1);
    assert_eq!(name_of(&test, &other).await, None);
    assert!(name_of(&test, &one).await.is_some());
    let nobody = test.hub.web_sessions(&Caller::anonymous()).await;
    assert!(matches!(nobody, Err(Error::NeedsLogin(_))));
}

#[tokio::test]
async fn a_session_allows_what_its_token_allows() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let (_, secret) = token(&test, "ada", Scope::Read).await;
    let session = test
        .hub
        .sign_in_with_token(&secret, "", &Origin::default())
        .await
        .unwrap();
    let visitor = test.hub.visitor(session.reveal()).await.unwrap().unwrap();

    let made = test
        .hub
        .create_organisation(&visitor.caller, "acme", "Acme")
        .await;

    assert!(matches!(made, Err(Error::Forbidden(_))));
}

#[tokio::test]
async fn forms_of_two_sessions_carry_two_tokens() {
    let test = TestHub::new().await;
    test.user("ada").await;
    let (one, other) = (signed_in(&test, "ada").await, signed_in(&test, "ada").await);

    let first = test.hub.visitor(&one).await.unwrap().unwrap();
    let again = test.hub.visitor(&one).await.unwrap().unwrap();
    let second = test.hub.visitor(&other).await.unwrap().unwrap();

    assert_eq!(first.form_token, again.form_token);
    assert_ne!(first.form_token, second.form_token);
}

#[tokio::test]
async fn a_password_signs_in_and_changing_it_ends_every_session() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let shell = test.hub.shell();
    let hub = &test.hub;
    hub.set_password(&shell, "ada", Some(PASSWORD))
        .await
        .unwrap();
    let session = hub
        .sign_in_with_password("Ada", PASSWORD, "", &Origin::default())
        .await
        .unwrap();

    let wrong = hub
        .sign_in_with_password("ada", "wrong", "", &Origin::default())
        .await;
    let unknown = hub
        .sign_in_with_password("nobody", PASSWORD, "", &Origin::default())
        .await;
    let unproved = hub
        .change_password(&ada, "wrong", Some("another password"))
        .await;
    let proved = hub
        .change_password(&ada, PASSWORD, Some("another password"))
        .await;

    assert!(matches!(wrong, Err(Error::BadCredentials)));
    assert!(matches!(unknown, Err(Error::BadCredentials)));
    assert!(matches!(unproved, Err(Error::Forbidden(_))));
    proved.unwrap();
    assert_eq!(name_of(&test, session.reveal()).await, None);
    let old = hub
        .sign_in_with_password("ada", PASSWORD, "", &Origin::default())
        .await;
    assert!(matches!(old, Err(Error::BadCredentials)));
    let is_set = hub.has_password(&ada).await.unwrap();
    assert!(is_set);
}

#[tokio::test]
async fn only_the_operator_gives_others_a_password() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.user("bob").await;

    let given = test.hub.set_password(&ada, "bob", Some(PASSWORD)).await;

    assert!(matches!(given, Err(Error::Forbidden(_))));
}
