//! Attacks on what a token says, under a signature that holds.

use assay_trust::{
    ControlLeaf, IssuerTrust, Json, KeyState, Reason, SigningKey, TrustState, UnverifiedToken,
    claims_of,
};

use crate::support::{
    AUDIENCE, ENTRY, Hub, ISSUER, MODEL, NOW, PATH, Repo, claims_for, is_verified, reason,
    token_key, with_token,
};
use crate::tokens::{claims_changed, payload, refusal, token_of};

#[test]
fn claims_must_be_jcs() {
    let good = payload();
    for (from, to) in [
        ("20.9", "20.90"),
        ("20.9", "2.09e1"),
        ("hosted", r"\u0068osted"),
        (r#""iat":"#, r#""iat": "#),
        (r#""ver":1"#, r#""ver":1.0"#),
        (
            r#""iat":1790000000"#,
            r#""iat":1790000000,"iat":1790000000"#,
        ),
        (
            r#""name":"inspect-ai""#,
            r#""name":"inspect-ai","name":"inspect-ai""#,
        ),
        (
            r#""version":"0.4.2"}"#,
            r#""version":"0.4.2","command":"x"}"#,
        ),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good);
        assert_eq!(
            refusal(&token_of(&changed)),
            Reason::ClaimsNotCanonical,
            "{to}"
        );
    }
    assert_eq!(
        refusal(&token_of(&format!("{good}\n"))),
        Reason::ClaimsNotCanonical
    );
    assert_eq!(refusal(&token_of("")), Reason::ClaimsNotCanonical);
}

#[test]
fn claims_unknown_member() {
    let json = Json::read(&payload()).unwrap();
    let with = |path: &[&str], key: &str| {
        let mut changed = json.clone();
        let mut place = &mut changed;
        for step in path {
            let Json::Map(members) = place else {
                panic!("{step}")
            };
            place = members.get_mut(*step).unwrap();
        }
        place.set(key, Some(Json::Bool(true)));
        token_of(&changed.to_jcs())
    };

    for token in [
        with(&[], "admin"),
        with(&[], "scope"),
        with(&["framework"], "trusted"),
        with(&["digests"], "sha1"),
    ] {
        assert_eq!(refusal(&token), Reason::ClaimsMalformed);
    }
    let metric = payload().replacen(r#""value":20.9"#, r#""value":20.9,"weight":2"#, 1);
    assert_eq!(refusal(&token_of(&metric)), Reason::ClaimsMalformed);
}

#[test]
fn claims_of_the_wrong_kind_are_refused() {
    let good = payload();
    for (from, to) in [
        (r#""ver":1"#, r#""ver":2"#),
        (r#""iat":1790000000"#, r#""iat":"1790000000""#),
        (r#""exp":1790000900"#, r#""exp":1790000900.5"#),
        (r#""sub":"integration:inspect-ai""#, r#""sub":"inspect-ai""#),
        (r#""assurance":"hosted""#, r#""assurance":"certain""#),
        (
            r#""jti":"AAAAAAAAAAAAAAAAAAAAAQ""#,
            r#""jti":"AAAAAAAAAAAAAAAAAAAAAR""#,
        ),
        (r#""task_id":"hle""#, r#""task_id":null"#),
        (
            "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6",
            "9f3c2c9a1c4e6d1e",
        ),
        (r#""assurance":"hosted","#, ""),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good);
        assert_eq!(
            refusal(&token_of(&changed)),
            Reason::ClaimsMalformed,
            "{to}"
        );
    }
}

#[test]
fn aud_exact_single() {
    for audience in [
        "https://other.example",
        "https://hub.example/",
        "https://HUB.example",
        "http://hub.example",
        "",
    ] {
        let token = token_of(&claims_changed(|claims| {
            audience.clone_into(&mut claims.aud);
        }));
        assert_eq!(refusal(&token), Reason::AudienceMismatch, "{audience}");
    }
    let list = payload().replacen(
        r#""aud":"https://hub.example""#,
        r#""aud":["https://hub.example","https://other.example"]"#,
        1,
    );
    assert_eq!(refusal(&token_of(&list)), Reason::ClaimsMalformed);
}

#[test]
fn iss_kid_pairing() {
    let mut hub = Hub::new();
    let other = "https://other.example";
    hub.log(&ControlLeaf::Issuer(IssuerTrust {
        issuer: other.to_owned(),
        audience: AUDIENCE.to_owned(),
        frameworks: None,
        must_be_logged: false,
        is_trusted: true,
    }));
    let key = SigningKey::from_seed([9; 32]);
    hub.log(&token_key(&key, other, KeyState::Active));
    let claims = claims_for(ENTRY, MODEL, 1);
    assert_eq!(claims.iss, ISSUER);

    let refused = claims_of(&key.sign_token(&claims), &hub.trust());

    assert_eq!(refused.unwrap_err().reason, Reason::IssuerUntrusted);
}

#[test]
fn an_issuer_counts_only_while_it_is_trusted_and_for_its_frameworks() {
    let mut hub = Hub::new();
    let other = "https://other.example";
    let trust = |frameworks: Option<Vec<String>>, is_trusted| {
        ControlLeaf::Issuer(IssuerTrust {
            issuer: other.to_owned(),
            audience: AUDIENCE.to_owned(),
            frameworks,
            must_be_logged: false,
            is_trusted,
        })
    };
    let key = SigningKey::from_seed([9; 32]);
    hub.log(&token_key(&key, other, KeyState::Active));
    let mut claims = claims_for(ENTRY, MODEL, 1);
    other.clone_into(&mut claims.iss);
    let token = key.sign_token(&claims);
    let refused = |hub: &Hub| {
        claims_of(&token, &hub.trust())
            .map(|_| ())
            .map_err(|no| no.reason)
    };

    assert_eq!(refused(&hub), Err(Reason::IssuerUntrusted));
    hub.log(&trust(Some(vec!["lighteval".to_owned()]), true));
    assert_eq!(refused(&hub), Err(Reason::FrameworkNotAllowed));
    hub.log(&trust(
        Some(vec!["lighteval".to_owned(), "inspect-ai".to_owned()]),
        true,
    ));
    assert_eq!(refused(&hub), Ok(()));
    hub.log(&trust(None, false));
    assert_eq!(refused(&hub), Err(Reason::IssuerUntrusted));
}

#[test]
fn late_push_expired_at_first_seen() {
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    let token = hub.issue(ENTRY, MODEL);
    let file = with_token(ENTRY, &token);

    let late = hub.push(&repo, PATH, &file, NOW + 900 + 61);
    assert_eq!(reason(&late), Reason::ExpiredAtFirstSeen);

    // The refusal is logged, so an honest clock afterwards, or a second try, changes nothing.
    let again = hub.push(&repo, PATH, &file, NOW + 10);
    assert_eq!(again, late);
}

/// A token stays valid when its key retires, if it was seen while the key was in use. A later one
/// may have been signed later, unless our own log says when it was issued.
#[test]
fn a_retired_key_signs_nothing_new() {
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    hub.log(&ControlLeaf::Issuer(IssuerTrust {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        frameworks: None,
        must_be_logged: false,
        is_trusted: true,
    }));
    let mut signed = |notes: &str| {
        let entry = ENTRY.replace("no-tools", notes);
        let claims = hub.claims(&entry, MODEL);
        with_token(&entry, &hub.key.sign_token(&claims))
    };
    let (seen, unseen) = (signed("one"), signed("two"));
    let logged = ENTRY.replace("no-tools", "three");
    let logged = with_token(&logged, &hub.issue(&logged, MODEL));
    let first = hub.push(&repo, PATH, &seen, NOW + 1);
    hub.log(&token_key(&hub.key, ISSUER, KeyState::Retired));

    let refused = hub.push(&repo, PATH, &unseen, NOW + 2);
    let kept = hub.push(&repo, PATH, &seen, NOW + 3);
    let proven = hub.push(&repo, PATH, &logged, NOW + 4);

    assert!(is_verified(&first[0]), "{first:?}");
    assert_eq!(reason(&refused), Reason::KeyRetired);
    assert!(is_verified(&kept[0]), "{kept:?}");
    assert!(is_verified(&proven[0]), "{proven:?}");
}

#[test]
fn future_iat_refused() {
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    for (ahead, expected) in [(61, false), (60, true)] {
        let mut claims = hub.claims(ENTRY, MODEL);
        (claims.iat, claims.nbf, claims.exp) = (NOW + ahead, NOW + ahead, NOW + ahead + 900);
        let token = hub.issue_claims(&claims);

        let verdicts = hub.push(&repo, PATH, &with_token(ENTRY, &token), NOW);

        assert_eq!(is_verified(&verdicts[0]), expected, "{ahead}");
        if !expected {
            assert_eq!(reason(&verdicts), Reason::NotYetValid);
        }
    }
    // An issue time after the time from which it holds would hide when it was really made.
    let early = token_of(&claims_changed(|claims| claims.nbf = claims.iat - 1));
    assert_eq!(refusal(&early), Reason::LifetimeInvalid);
}

#[test]
fn ttl_cap_enforced_by_verifier() {
    for lifetime in [3601, 10 * 365 * 86_400, 0, -1] {
        let token = token_of(&claims_changed(|claims| claims.exp = claims.iat + lifetime));
        assert_eq!(refusal(&token), Reason::LifetimeInvalid, "{lifetime}");
    }
    let hour = token_of(&claims_changed(|claims| claims.exp = claims.iat + 3600));
    assert!(claims_of(&hour, &Hub::new().trust()).is_ok());
}

#[test]
fn a_token_under_a_key_that_may_not_sign_yet_or_signs_a_log_is_refused() {
    let key = SigningKey::from_seed([1; 32]);
    let token = key.sign_token(&claims_for(ENTRY, MODEL, 1));
    let issuer = crate::support::own_issuer();
    let log_key = ControlLeaf::Key {
        issuer: "hub.example/log/results".to_owned(),
        key: key.public(),
        purpose: assay_trust::KeyPurpose::ResultsLog,
        state: KeyState::Active,
    };
    for leaf in [token_key(&key, ISSUER, KeyState::Pending), log_key] {
        let trust = TrustState::replay([issuer.to_json(), leaf.to_json()]).unwrap();

        let refused = claims_of(&token, &trust).unwrap_err();

        assert_eq!(refused.reason, Reason::UnknownKey);
    }
    assert_eq!(UnverifiedToken::read(&token).unwrap().kid(), key.kid());
}
