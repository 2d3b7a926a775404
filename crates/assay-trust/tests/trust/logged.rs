//! The leaves that the results log must have before a token counts, and those it must not have.

use assay_trust::{
    ControlLeaf, Decide, Digest, Issue, IssuerTrust, KeyState, Outcome, Reason, ResultsLeaf,
    SigningKey,
};

use crate::support::{
    AUDIENCE, ENTRY, Hub, MODEL, NOW, PATH, Repo, claims_for, is_verified, reason, token_key,
    with_token,
};

#[test]
fn stolen_key_off_log() {
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    // The thief has the very key and back-dates as he likes, but cannot write to the log.
    let token = hub.key.sign_token(&claims_for(ENTRY, MODEL, 7));

    let verdicts = hub.push(&repo, PATH, &with_token(ENTRY, &token), NOW + 10);

    assert_eq!(reason(&verdicts), Reason::NotInIssuanceLog);
}

#[test]
fn another_token_under_a_logged_identity_is_refused() {
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    hub.issue(ENTRY, MODEL);
    let size = hub.results.len();
    let better = ENTRY.replace("20.90", "99");
    let forged = hub.key.sign_token(&claims_for(&better, MODEL, 1));

    let verdicts = hub.push(&repo, PATH, &with_token(&better, &forged), NOW + 10);

    assert_eq!(reason(&verdicts), Reason::NotAdmitted);
    assert_eq!(
        hub.results.len(),
        size,
        "nothing is bound to a token that was not issued"
    );
}

/// An admission that somebody wrote into the log by other ways is held against the issuance and the
/// entry.
#[test]
fn an_admission_that_does_not_fit_is_not_believed() {
    let repo = Repo::new(1, MODEL);
    let forge = |change: fn(&mut Decide)| {
        let mut hub = Hub::new();
        let token = hub.issue(ENTRY, MODEL);
        let file = with_token(ENTRY, &token);
        hub.push(&repo, PATH, &file, NOW + 10);
        let Some(ResultsLeaf::Decide(mut decide)) = hub.results.pop() else {
            panic!("the push was decided on");
        };
        change(&mut decide);
        hub.results.push(ResultsLeaf::Decide(decide));
        reason(&hub.look(&repo, PATH, &file))
    };

    assert_eq!(
        forge(|decide| decide.token = Digest::of(b"other")),
        Reason::ReceiptMismatch
    );
    let other_issue = |decide: &mut Decide| {
        decide.outcome = Outcome::Admitted {
            issue_index: Some(5),
        };
    };
    assert_eq!(forge(other_issue), Reason::ReceiptMismatch);
    let no_issue = |decide: &mut Decide| decide.outcome = Outcome::Admitted { issue_index: None };
    assert_eq!(forge(no_issue), Reason::ReceiptMismatch);
    let late = |decide: &mut Decide| {
        decide.received_at = assay_model::Timestamp::from_seconds(NOW + 5000);
    };
    assert_eq!(forge(late), Reason::ExpiredAtFirstSeen);
}

#[test]
fn an_issuer_with_its_own_log_needs_no_leaf_of_ours() {
    let mut hub = Hub::new();
    let other = "https://other.example";
    let trust = |must_be_logged| {
        ControlLeaf::Issuer(IssuerTrust {
            issuer: other.to_owned(),
            audience: AUDIENCE.to_owned(),
            frameworks: Some(vec!["inspect-ai".to_owned()]),
            must_be_logged,
            is_trusted: true,
        })
    };
    let key = SigningKey::from_seed([9; 32]);
    hub.log(&trust(false));
    hub.log(&token_key(&key, other, KeyState::Active));
    let mut claims = claims_for(ENTRY, MODEL, 1);
    other.clone_into(&mut claims.iss);
    let file = with_token(ENTRY, &key.sign_token(&claims));
    let repo = Repo::new(1, MODEL);

    let verdicts = hub.push(&repo, PATH, &file, NOW + 10);

    assert!(is_verified(&verdicts[0]), "{verdicts:?}");
    // Had the operator asked for leaves from the start, there would be none.
    hub.log(&trust(true));
    assert_eq!(
        reason(&hub.look(&repo, PATH, &file)),
        Reason::NotInIssuanceLog
    );
}

#[test]
fn leaf_not_guessable() {
    let claims = claims_for(ENTRY, MODEL, 1);
    let key = SigningKey::from_seed([1; 32]);
    let issue = Issue::of(&claims, key.kid(), &key.sign_token(&claims)).to_json();

    // Whoever guesses every score still lacks the signature, which the digest of the token covers.
    for guessable in [claims.digests.subject, claims.digests.entry] {
        assert!(!issue.contains(&guessable.to_string()));
    }
    let payload = Digest::of(claims.to_jcs().as_bytes());
    assert!(!issue.contains(&payload.to_string()));
    assert!(!issue.contains("20.9"));
}

#[test]
fn leaves_hold_no_names_of_repositories() {
    let mut hub = Hub::new();
    let token = hub.issue(ENTRY, MODEL);
    hub.push(
        &Repo::new(1, MODEL),
        PATH,
        &with_token(ENTRY, &token),
        NOW + 10,
    );

    let log: String = hub.results.iter().map(ResultsLeaf::to_json).collect();

    for name in [MODEL, "acme", "awesome-model", "cais", "hle"] {
        assert!(!log.contains(name), "{name} is in {log}");
    }
}

#[test]
fn leaves_have_one_spelling_and_no_unknown_member() {
    let claims = claims_for(ENTRY, MODEL, 1);
    let key = SigningKey::from_seed([1; 32]);
    let good = Issue::of(&claims, key.kid(), "token").to_json();
    assert!(ResultsLeaf::read(good.as_bytes()).is_ok());

    for (from, to) in [
        (r#""v":1"#, r#""v":2"#),
        (r#""t":"issue""#, r#""t":"other""#),
        (r#""t":"issue""#, r#""t":"decide""#),
        (r#""v":1"#, r#""v":1,"w":1"#),
        (r#""v":1"#, r#""v": 1"#),
        (r#""iat":1790000000"#, r#""iat":1.79e9"#),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good);
        assert!(ResultsLeaf::read(changed.as_bytes()).is_err(), "{to}");
    }
    assert!(ResultsLeaf::read(b"\xff").is_err());
}
