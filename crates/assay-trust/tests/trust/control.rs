//! The control log: what a leaf may say, and that a log with a bad leaf is not followed.

use assay_trust::{
    ControlFault, ControlLeaf, KeyError, KeyPurpose, KeyState, LeafError, PublicKey, Scope,
    SigningKey, TrustState,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::support::{Hub, ISSUER, own_issuer, token_key};

/// Points of small order, and encodings of them: under each of these, someone without any secret
/// can sign.
const WEAK: [[u8; 32]; 4] = {
    let mut identity = [0; 32];
    identity[0] = 1;
    let mut minus_one = [0xff; 32];
    minus_one[0] = 0xec;
    minus_one[31] = 0x7f;
    let mut signed_zero = [0; 32];
    signed_zero[31] = 0x80;
    [identity, minus_one, [0; 32], signed_zero]
};

#[test]
fn trust_rejects_small_order_keys() {
    for bytes in WEAK {
        assert_eq!(
            PublicKey::from_bytes(&bytes),
            Err(KeyError::Weak),
            "{bytes:?}"
        );
        let good = token_key(&SigningKey::from_seed([1; 32]), ISSUER, KeyState::Active).to_json();
        let x = URL_SAFE_NO_PAD.encode(SigningKey::from_seed([1; 32]).public().as_bytes());
        let leaf = good.replace(&x, &URL_SAFE_NO_PAD.encode(bytes));
        assert_ne!(leaf, good);

        let refused = TrustState::replay([own_issuer().to_json(), leaf]).unwrap_err();

        assert_eq!(refused.index, 1);
        assert_eq!(
            refused.fault,
            ControlFault::Leaf(LeafError::Key(KeyError::Weak))
        );
    }
}

#[test]
fn the_name_of_a_key_must_be_its_thumbprint() {
    let leaf = token_key(&SigningKey::from_seed([1; 32]), ISSUER, KeyState::Active).to_json();
    let own = SigningKey::from_seed([1; 32]).kid().to_string();
    let other = SigningKey::from_seed([2; 32]).kid().to_string();

    let changed = leaf.replace(&own, &other);

    assert!(ControlLeaf::read(leaf.as_bytes()).is_ok());
    assert!(ControlLeaf::read(changed.as_bytes()).is_err());
}

#[test]
fn every_leaf_is_read_as_it_was_written() {
    let key = SigningKey::from_seed([1; 32]);
    let revoke = |scope| ControlLeaf::Revoke {
        scope,
        from_index: 7,
        reason: "a reason with \"quotes\"".to_owned(),
        actor: "operator".to_owned(),
    };
    let framework = Scope::Framework {
        name: "inspect-ai".to_owned(),
        versions: ">=0.4.0, <0.4.3".parse().unwrap(),
    };
    let leaves = [
        own_issuer(),
        token_key(&key, ISSUER, KeyState::Retiring),
        ControlLeaf::Policy {
            sha256: assay_trust::Digest::of(b"policy"),
        },
        revoke(Scope::Kid(key.kid())),
        revoke(Scope::Issuer(ISSUER.to_owned())),
        revoke(Scope::Integration("inspect-ai".parse().unwrap())),
        revoke(Scope::Identity("ci".to_owned())),
        revoke(Scope::Jti("AAAAAAAAAAAAAAAAAAAAAQ".parse().unwrap())),
        revoke(framework),
        revoke(Scope::BenchmarkRevision(
            "5503434ddd753f426f4b38109466949a1217c2bb".parse().unwrap(),
        )),
        ControlLeaf::Unrevoke {
            revocation: 3,
            reason: "wrong key".to_owned(),
            actor: "operator".to_owned(),
        },
    ];

    for leaf in &leaves {
        assert_eq!(
            ControlLeaf::read(leaf.to_json().as_bytes()).as_ref(),
            Ok(leaf)
        );
    }
    let state = TrustState::replay(leaves.iter().map(ControlLeaf::to_json)).unwrap();
    assert_eq!(state.size(), 11);
    assert_eq!(state.revocations().count(), 6);
    assert_eq!(state.policies().len(), 1);
}

#[test]
fn a_leaf_with_two_scopes_is_refused() {
    let leaf = ControlLeaf::Revoke {
        scope: Scope::Identity("ci".to_owned()),
        from_index: 0,
        reason: String::new(),
        actor: String::new(),
    };
    let two = leaf
        .to_json()
        .replace(r#"{"identity":"ci"}"#, r#"{"identity":"ci","issuer":"x"}"#);

    assert_ne!(two, leaf.to_json());
    assert!(ControlLeaf::read(two.as_bytes()).is_err());
}

#[test]
fn versions_have_one_spelling_in_a_leaf() {
    let leaf = ControlLeaf::Revoke {
        scope: Scope::Framework {
            name: "inspect-ai".to_owned(),
            versions: ">=0.4.0, 80.4.3".parse().unwrap(),
        },
        from_index: 7,
        reason: String::new(),
        actor: String::new(),
    };
    let json = leaf.to_json();
    let other = json.replace("^80.4.3", "80.4.3");

    assert_ne!(other, json);
    assert_eq!(ControlLeaf::read(json.as_bytes()), Ok(leaf));
    assert!(ControlLeaf::read(other.as_bytes()).is_err());
}

#[test]
fn a_key_keeps_its_issuer_and_its_use_and_never_grows_younger() {
    let key = SigningKey::from_seed([1; 32]);
    let active = token_key(&key, ISSUER, KeyState::Active);
    let other = token_key(&key, "https://other.example", KeyState::Active);
    let log = ControlLeaf::Key {
        issuer: ISSUER.to_owned(),
        key: key.public(),
        purpose: KeyPurpose::ControlLog,
        state: KeyState::Active,
    };
    let pending = token_key(&key, ISSUER, KeyState::Pending);
    let fault = |leaf: &ControlLeaf| {
        TrustState::replay([active.to_json(), leaf.to_json()])
            .unwrap_err()
            .fault
    };

    assert_eq!(fault(&other), ControlFault::KeyReused(key.kid()));
    assert_eq!(fault(&log), ControlFault::KeyReused(key.kid()));
    assert_eq!(fault(&pending), ControlFault::KeyRevived(key.kid()));
}

#[test]
fn a_leaf_that_cannot_be_followed_changes_nothing() {
    let mut state = Hub::new().trust();
    let unrevoke = ControlLeaf::Unrevoke {
        revocation: 0,
        reason: String::new(),
        actor: String::new(),
    };

    let refused = state.apply(unrevoke.to_json().as_bytes()).unwrap_err();

    assert_eq!(refused.fault, ControlFault::NothingToUnrevoke(0));
    assert_eq!(state.size(), 2);
    assert!(state.apply(b"{}").is_err());
}

#[test]
fn the_key_set_shows_what_may_be_met_in_fresh_tokens() {
    let keys: Vec<SigningKey> = (1..=5)
        .map(|seed| SigningKey::from_seed([seed; 32]))
        .collect();
    let states = [
        KeyState::Pending,
        KeyState::Active,
        KeyState::Retiring,
        KeyState::Retired,
        KeyState::Active,
    ];
    let mut leaves: Vec<ControlLeaf> = keys
        .iter()
        .zip(states)
        .map(|(key, state)| token_key(key, ISSUER, state))
        .collect();
    leaves.push(ControlLeaf::Revoke {
        scope: Scope::Kid(keys[4].kid()),
        from_index: 3,
        reason: String::new(),
        actor: String::new(),
    });
    let state = TrustState::replay(leaves.iter().map(ControlLeaf::to_json)).unwrap();

    let set: serde_json::Value = serde_json::from_str(&state.jwks_json(ISSUER)).unwrap();

    let kids: Vec<&str> = set["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["kid"].as_str().unwrap())
        .collect();
    let mut expected: Vec<String> = keys[..3].iter().map(|key| key.kid().to_string()).collect();
    expected.sort_by_key(|kid| kid.parse::<assay_trust::Kid>().unwrap());
    assert_eq!(kids, expected);
    assert_eq!(state.jwks_json("https://other.example"), r#"{"keys":[]}"#);
}

#[test]
fn an_audience_that_was_ours_stays_ours() {
    let mut hub = Hub::new();
    let ControlLeaf::Issuer(mut trust) = own_issuer() else {
        panic!("it is an issuer");
    };
    "https://new.example".clone_into(&mut trust.audience);
    hub.log(&ControlLeaf::Issuer(trust));

    let state = hub.trust();

    let audiences = &state.issuer(ISSUER).unwrap().audiences;
    assert!(audiences.contains("https://hub.example") && audiences.contains("https://new.example"));
}
