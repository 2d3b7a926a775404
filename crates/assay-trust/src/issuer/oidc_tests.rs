use std::collections::BTreeMap;

use assay_model::Timestamp;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value as Json, json};

use super::*;
use crate::Assurance;

const RSA: &[u8] = include_bytes!("../../fixtures/provider-rs256.der");
const EC: &[u8] = include_bytes!("../../fixtures/provider-es256.der");
const CLIENT: &[u8] = include_bytes!("../../fixtures/client-es256.der");

const GITHUB: &str = "https://token.actions.githubusercontent.com";
const OURS: &str = "https://hub.example";
const NOW: i64 = 1_790_000_000;
const WORKFLOW: &str = "org/evals/.github/workflows/eval.yml@refs/tags/v3";

fn now() -> Timestamp {
    Timestamp::from_seconds(NOW)
}

fn rsa() -> EncodingKey {
    EncodingKey::from_rsa_der(RSA)
}

fn ec() -> EncodingKey {
    EncodingKey::from_ec_der(EC)
}

fn keys() -> KeySet {
    let key = |key: &EncodingKey, algorithm, kid: &str| {
        let mut jwk = Jwk::from_encoding_key(key, algorithm).unwrap();
        jwk.common.key_id = Some(kid.to_owned());
        serde_json::to_value(jwk).unwrap()
    };
    let document = json!({ "keys": [
        key(&rsa(), Algorithm::RS256, "rsa"),
        key(&ec(), Algorithm::ES256, "ec"),
    ]});
    KeySet::read(document.to_string().as_bytes()).unwrap()
}

fn claims() -> Json {
    json!({
        "iss": GITHUB, "aud": OURS, "sub": "repo:org/evals:ref:refs/heads/main", "jti": "one",
        "iat": NOW - 10, "nbf": NOW - 10, "exp": NOW + 300,
        "repository_owner_id": "1234", "repository_id": "5678", "repository": "org/evals",
        "job_workflow_ref": WORKFLOW, "event_name": "push", "runner_environment": "github-hosted",
        "run_id": "9981", "sha": "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6", "ref": "refs/tags/v3",
    })
}

fn with(name: &str, value: impl Into<Json>) -> Json {
    let mut claims = claims();
    claims[name] = value.into();
    claims
}

fn sign(claims: &Json, algorithm: Algorithm) -> String {
    let (key, kid) = match algorithm {
        Algorithm::ES256 => (ec(), "ec"),
        _ => (rsa(), "rsa"),
    };
    let mut header = Header::new(algorithm);
    header.kid = Some(kid.to_owned());
    encode(&header, claims, &key).unwrap()
}

fn providers() -> Vec<Provider> {
    let mut other = Provider::well_known(GITHUB).unwrap();
    other.issuer = "https://ci.example".to_owned();
    other.algorithms = vec!["ES256".to_owned()];
    vec![Provider::well_known(GITHUB).unwrap(), other]
}

fn verify(token: &str) -> Result<Assertion, AssertionError> {
    let providers = providers();
    let token = IdToken::read(token, &providers)?;
    token.verify(&keys(), OURS, now())
}

fn identity() -> Identity {
    let require = [
        ("repository_owner_id", "1234"),
        ("repository_id", "5678"),
        ("job_workflow_ref", WORKFLOW),
    ];
    Identity {
        key: "inspect-ai/ci".parse().unwrap(),
        kind: IdentityKind::Oidc {
            issuer: GITHUB.to_owned(),
            require: require
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
            events: vec!["push".to_owned(), "schedule".to_owned()],
        },
        assurance: Assurance::Hosted,
    }
}

fn matched(claims: &Json) -> Result<Match, AssertionError> {
    let assertion = verify(&sign(claims, Algorithm::RS256))?;
    let providers = providers();
    let provider = providers
        .iter()
        .find(|provider| provider.issuer == assertion.issuer())
        .unwrap();
    identity().matched(provider, &assertion)
}

#[test]
fn a_token_of_a_real_key_describes_its_identity() {
    let found = matched(&claims()).unwrap();

    assert_eq!(found.assurance, Assurance::Hosted);
    assert_eq!(found.owner, format!("{GITHUB} 1234"));
    assert_eq!(found.run["kind"], "github");
    assert_eq!(found.run["run_id"], "9981");
    assert_eq!(found.run["job_workflow_ref"], WORKFLOW);
}

#[test]
fn elliptic_keys_verify_where_the_provider_uses_them() {
    let mut claims = claims();
    claims["iss"] = json!("https://ci.example");

    assert!(verify(&sign(&claims, Algorithm::ES256)).is_ok());
    let told = verify(&sign(&claims, Algorithm::RS256)).unwrap_err();
    assert_eq!(told, AssertionError::Algorithm("RS256".to_owned()));
}

#[test]
fn the_key_record_says_which_algorithm_and_the_token_does_not() {
    // HS256 with the public key as secret, and `none`.
    let keys_text = String::from_utf8_lossy(RSA).into_owned();
    let hmac = EncodingKey::from_secret(keys_text.as_bytes());
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some("rsa".to_owned());
    let forged = encode(&header, &claims(), &hmac).unwrap();
    assert_eq!(
        verify(&forged),
        Err(AssertionError::Algorithm("HS256".to_owned()))
    );

    // The kid of the other key: the algorithm of the key decides.
    let mut header = Header::new(Algorithm::RS256);
    header.kid = Some("ec".to_owned());
    let crossed = encode(&header, &claims(), &rsa()).unwrap();
    assert_eq!(
        verify(&crossed),
        Err(AssertionError::Algorithm("RS256".to_owned()))
    );

    let mut header = Header::new(Algorithm::RS256);
    header.kid = Some("unknown".to_owned());
    let unknown = encode(&header, &claims(), &rsa()).unwrap();
    assert_eq!(verify(&unknown), Err(AssertionError::Key));
}

#[test]
fn any_changed_letter_of_a_signed_token_is_refused() {
    let token = sign(&claims(), Algorithm::RS256);
    let verified = |text: &str| verify(text).is_ok();
    assert!(verified(&token));

    for at in (0..token.len()).step_by(7) {
        let mut bytes = token.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert!(!verified(&changed), "{at}");
    }
}

/// Row 62 of the threat table.
#[test]
fn oidc_audience_confusion() {
    for audience in [
        json!("https://pypi.example"),
        json!("https://hub.example/"),
        json!("https://HUB.example"),
        json!([OURS]),
        json!([OURS, "https://pypi.example"]),
        json!(null),
        json!(""),
    ] {
        let told = verify(&sign(&with("aud", audience.clone()), Algorithm::RS256));
        assert_eq!(
            told,
            Err(AssertionError::Audience(OURS.to_owned())),
            "{audience}"
        );
    }
    let mut without = claims();
    without.as_object_mut().unwrap().remove("aud");
    assert!(verify(&sign(&without, Algorithm::RS256)).is_err());
}

/// Row 63: somebody who runs an issuer of their own cannot speak as GitHub.
#[test]
fn oidc_custom_issuer_cannot_match() {
    let mut forged = claims();
    forged["iss"] = json!("https://ci.example");
    let assertion = verify(&sign(&forged, Algorithm::ES256)).unwrap();
    let providers = providers();

    for provider in &providers {
        assert_eq!(
            identity().matched(provider, &assertion),
            Err(AssertionError::Nobody)
        );
    }
    let unknown = with("iss", "https://evil.example");
    let told = verify(&sign(&unknown, Algorithm::RS256));
    assert_eq!(
        told,
        Err(AssertionError::Issuer("https://evil.example".to_owned()))
    );
}

/// Row 67: names can be taken again, numbers cannot.
#[test]
fn repo_owner_id_mismatch() {
    for (name, value) in [
        ("repository_owner_id", json!("9999")),
        ("repository_id", json!("9999")),
        ("repository_owner_id", json!(1234)),
        ("repository_id", json!(null)),
    ] {
        let told = matched(&with(name, value));
        assert_eq!(told, Err(AssertionError::Claim(name.to_owned())));
    }
    assert!(matched(&with("repository", "renamed/elsewhere")).is_ok());
}

/// Row 68.
#[test]
fn event_not_allowed() {
    for event in [
        "pull_request_target",
        "workflow_run",
        "pull_request",
        "Push",
        "",
    ] {
        let told = matched(&with("event_name", event));
        assert_eq!(
            told,
            Err(AssertionError::Event(event.to_owned())),
            "{event}"
        );
    }
    let mut identity = identity();
    if let IdentityKind::Oidc { events, .. } = &mut identity.kind {
        events.push("pull_request_target".to_owned());
    }
    let assertion = verify(&sign(
        &with("event_name", "pull_request_target"),
        Algorithm::RS256,
    ));
    let told = identity.matched(&providers()[0], &assertion.unwrap());
    assert!(told.is_err(), "even when it were listed");
}

/// Row 69: a workflow is the whole text, and a part of it is another one.
#[test]
fn workflow_ref_vectors() {
    for text in [
        "org/evals/.github/workflows/eval.yml@refs/tags/v3/../../heads/main",
        "org/evals/.github/workflows/eval.yml@refs/heads/eval.yml@refs/tags/v3",
        "evil/evals/.github/workflows/eval.yml@refs/tags/v3",
        "org/evals/.github/workflows/eval.yml@refs/tags/v30",
        "org/evals/.github/workflows/eval.yml",
        "ORG/evals/.github/workflows/eval.yml@refs/tags/v3",
        "",
    ] {
        let told = matched(&with("job_workflow_ref", text));
        assert_eq!(
            told,
            Err(AssertionError::Claim("job_workflow_ref".to_owned())),
            "{text}"
        );
    }
    // The workflow is right and the caller is another repository that reuses it.
    assert!(matched(&with("repository_id", "666")).is_err());
}

/// Row 70.
#[test]
fn self_hosted_caps_assurance() {
    for runner in [
        json!("self-hosted"),
        json!("gitlab-hosted"),
        json!(null),
        json!(""),
    ] {
        let found = matched(&with("runner_environment", runner.clone())).unwrap();
        assert_eq!(found.assurance, Assurance::Attributed, "{runner}");
    }
    let mut without = claims();
    without
        .as_object_mut()
        .unwrap()
        .remove("runner_environment");
    assert_eq!(matched(&without).unwrap().assurance, Assurance::Attributed);
}

#[test]
fn a_token_without_a_jti_is_known_by_what_it_signed() {
    let mut without = claims();
    without.as_object_mut().unwrap().remove("jti");
    let (one, other) = (
        verify(&sign(&without, Algorithm::RS256)).unwrap(),
        verify(&sign(&with("jti", "sha256:0"), Algorithm::RS256)).unwrap(),
    );

    assert!(one.jti().starts_with("sha256:"));
    assert_eq!(other.jti(), "jti:sha256:0");
    assert_eq!(
        verify(&sign(&without, Algorithm::RS256)).unwrap().jti(),
        one.jti()
    );
}

fn client_key() -> ClientKey {
    let key = EncodingKey::from_ec_der(CLIENT);
    let jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).unwrap();
    ClientKey::read(&serde_json::to_string(&jwk).unwrap()).unwrap()
}

fn client_claims(audience: impl Into<Json>) -> Json {
    json!({
        "iss": "ins-prod", "sub": "ins-prod", "aud": audience.into(), "jti": "a1",
        "iat": NOW, "exp": NOW + 60,
    })
}

fn client(claims: &Json) -> Result<Assertion, AssertionError> {
    let key = EncodingKey::from_ec_der(CLIENT);
    let token = encode(&Header::new(Algorithm::ES256), claims, &key).unwrap();
    let assertion = ClientAssertion::read(&token)?;
    assertion.verify(&[client_key()], OURS, now())
}

/// Row 74: an assertion is for the issuer, not for one of its addresses.
#[test]
fn client_assertion_audience() {
    let verified = client(&client_claims(OURS)).unwrap();
    assert_eq!(
        (verified.issuer(), verified.jti()),
        ("client:ins-prod", "jti:a1")
    );

    for audience in [
        json!("https://hub.example/oauth/token"),
        json!("https://evil.example"),
        json!([OURS]),
        json!(null),
    ] {
        let told = client(&client_claims(audience.clone()));
        assert_eq!(
            told,
            Err(AssertionError::Audience(OURS.to_owned())),
            "{audience}"
        );
    }
}

#[test]
fn a_client_assertion_names_its_client_twice_has_a_jti_and_is_short() {
    let mut other = client_claims(OURS);
    other["sub"] = json!("somebody-else");
    let mut long = client_claims(OURS);
    long["exp"] = json!(NOW + 3_601);
    let mut nameless = client_claims(OURS);
    nameless.as_object_mut().unwrap().remove("jti");

    assert_eq!(client(&other), Err(AssertionError::Claim("sub".to_owned())));
    assert!(matches!(client(&long), Err(AssertionError::Time(_))));
    assert_eq!(
        client(&nameless),
        Err(AssertionError::Claim("jti".to_owned()))
    );
}

#[test]
fn a_client_key_that_is_private_shared_or_small_is_refused() {
    for text in [
        "{}".to_owned(),
        "not json".to_owned(),
        json!({ "kty": "oct", "k": "c2VjcmV0" }).to_string(),
        json!({ "kty": "OKP", "crv": "Ed25519", "x": "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w", "d": "AQ" }).to_string(),
        json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB" }).to_string(),
    ] {
        assert!(ClientKey::read(&text).is_err(), "{text}");
    }
}
