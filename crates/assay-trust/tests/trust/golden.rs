//! The published vectors, byte for byte. Other languages check themselves against the same ones.

use assay_model::Timestamp;
use assay_tlog::{Receipt, VerifierKey};
use assay_trust::{
    ControlLeaf, Decide, Digest, Issue, Outcome, ResultsLeaf, SigningKey, TrustState,
    UnverifiedToken, claims_of,
};

use crate::support::{ENTRY, ISSUER, MODEL, canonical, claims_for, own_issuer, token_key};

const SUBJECT_JCS: &str = r#"{"benchmark_repo":"cais/hle","benchmark_revision":"5503434ddd753f426f4b38109466949a1217c2bb","framework":{"command":"inspect eval hle.py --model hf/acme/awesome-model","name":"inspect-ai","version":"0.4.2"},"metrics":[{"metric_id":"accuracy","value":20.9},{"metric_id":"stderr","value":0.81}],"model_repo":"acme/awesome-model","model_revision":"9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6","task_id":"hle"}"#;
const SUBJECT: &str = "sha256:2e129b4f240e71a8508c0ec33f9eaec1a585d28a40a731ebfef8238d52a6c63e";
const ENTRY_JCS: &str = r#"{"dataset":{"id":"cais/hle","revision":"5503434ddd753f426f4b38109466949a1217c2bb","task_id":"hle"},"framework":{"command":"inspect eval hle.py --model hf/acme/awesome-model","name":"inspect-ai","version":"0.4.2"},"metrics":[{"metric_id":"accuracy","value":20.9},{"metric_id":"stderr","value":0.81}],"model_revision":"9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6","notes":"no-tools"}"#;
const ENTRY_DIGEST: &str =
    "sha256:3ab54fcec1dbb03338a827f073cc677f45396e6f421f52c5d73340c44b016d01";
const KID: &str = "UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4";
const POLICY: &str = "sha256:1f0c3d7a9b5e2c4d6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6";
const TOKEN: &str = "eyJhbGciOiJFZERTQSIsImtpZCI6IlVERFJlT1psMWlwWEFmcDl3WXNtMTNzREJNSzVvZy0tUVdkQmp6dWY2bzQiLCJ0eXAiOiJldmFscmVzdWx0K2p3dCJ9.eyJhc3N1cmFuY2UiOiJob3N0ZWQiLCJhdWQiOiJodHRwczovL2h1Yi5leGFtcGxlIiwiYmVuY2htYXJrX3JlcG8iOiJjYWlzL2hsZSIsImJlbmNobWFya19yZXZpc2lvbiI6IjU1MDM0MzRkZGQ3NTNmNDI2ZjRiMzgxMDk0NjY5NDlhMTIxN2MyYmIiLCJkaWdlc3RzIjp7ImVudHJ5Ijoic2hhMjU2OjNhYjU0ZmNlYzFkYmIwMzMzOGE4MjdmMDczY2M2NzdmNDUzOTZlNmY0MjFmNTJjNWQ3MzM0MGM0NGIwMTZkMDEiLCJzdWJqZWN0Ijoic2hhMjU2OjJlMTI5YjRmMjQwZTcxYTg1MDhjMGVjMzNmOWVhZWMxYTU4NWQyOGE0MGE3MzFlYmZlZjgyMzhkNTJhNmM2M2UifSwiZXhwIjoxNzkwMDAwOTAwLCJmcmFtZXdvcmsiOnsiY29tbWFuZCI6Imluc3BlY3QgZXZhbCBobGUucHkgLS1tb2RlbCBoZi9hY21lL2F3ZXNvbWUtbW9kZWwiLCJuYW1lIjoiaW5zcGVjdC1haSIsInZlcnNpb24iOiIwLjQuMiJ9LCJpYXQiOjE3OTAwMDAwMDAsImlzcyI6Imh0dHBzOi8vaXNzdWVyLmV4YW1wbGUiLCJqdGkiOiJBQUFBQUFBQUFBQUFBQUFBQUFBQUFRIiwibWV0cmljcyI6W3sibWV0cmljX2lkIjoiYWNjdXJhY3kiLCJ2YWx1ZSI6MjAuOX0seyJtZXRyaWNfaWQiOiJzdGRlcnIiLCJ2YWx1ZSI6MC44MX1dLCJtb2RlbF9yZXBvIjoiYWNtZS9hd2Vzb21lLW1vZGVsIiwibW9kZWxfcmV2aXNpb24iOiI5ZjNjMmM5YTFjNGU2ZDFlOGI3YTZmNWU0ZDNjMmIxYTA5ZjhlN2Q2IiwibmJmIjoxNzkwMDAwMDAwLCJwb2xpY3kiOiJzaGEyNTY6MWYwYzNkN2E5YjVlMmM0ZDZmODA5MWEyYjNjNGQ1ZTZmNzA4MTkyYTNiNGM1ZDZlN2Y4MDkxYTJiM2M0ZDVlNiIsInN1YiI6ImludGVncmF0aW9uOmluc3BlY3QtYWkiLCJ0YXNrX2lkIjoiaGxlIiwidmVyIjoxfQ.zUyMsmDw3jXJ3BiKGZuZxmpnRRQ1CeYef_oZibMiBv0DnnTk8cqncRRbI1fW_zlxcyclcqd8fYoUTxEdzgVzBQ";
const TOKEN_DIGEST: &str =
    "sha256:51862ad8a5cfcbb313ce664f4ff91a7d179d339dbbfb55ce217b47e9b695ed58";
const ISSUE_LEAF: &str = r#"{"exp":1790000900,"iat":1790000000,"integration":"inspect-ai","iss":"https://issuer.example","jti":"AAAAAAAAAAAAAAAAAAAAAQ","kid":"UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4","t":"issue","token":"sha256:51862ad8a5cfcbb313ce664f4ff91a7d179d339dbbfb55ce217b47e9b695ed58","v":1}"#;
const DECIDE_LEAF: &str = r#"{"entry":"sha256:3ab54fcec1dbb03338a827f073cc677f45396e6f421f52c5d73340c44b016d01","issue_index":0,"jti":"AAAAAAAAAAAAAAAAAAAAAQ","outcome":"admitted","received_at":1790000120,"repo_id":"018f6b7e2c4d7a10b3c5d7e9f1a2b3c4","t":"decide","token":"sha256:51862ad8a5cfcbb313ce664f4ff91a7d179d339dbbfb55ce217b47e9b695ed58","v":1}"#;
const LOG_KEY: &str =
    "hub.example/log/results+28eeb5c9+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU";
const RECEIPT: &str = "c2sp.org/tlog-proof@v1
extra eyJlbnRyeSI6InNoYTI1NjozYWI1NGZjZWMxZGJiMDMzMzhhODI3ZjA3M2NjNjc3ZjQ1Mzk2ZTZmNDIxZjUyYzVkNzMzNDBjNDRiMDE2ZDAxIiwiaXNzdWVfaW5kZXgiOjAsImp0aSI6IkFBQUFBQUFBQUFBQUFBQUFBQUFBQVEiLCJvdXRjb21lIjoiYWRtaXR0ZWQiLCJyZWNlaXZlZF9hdCI6MTc5MDAwMDEyMCwicmVwb19pZCI6IjAxOGY2YjdlMmM0ZDdhMTBiM2M1ZDdlOWYxYTJiM2M0IiwidCI6ImRlY2lkZSIsInRva2VuIjoic2hhMjU2OjUxODYyYWQ4YTVjZmNiYjMxM2NlNjY0ZjRmZjkxYTdkMTc5ZDMzOWRiYmZiNTVjZTIxN2I0N2U5YjY5NWVkNTgiLCJ2IjoxfQ==
index 1
rEcGNENnnSCcEDGnw0Xvc8mmN28ya+00mq5Ffhn1h5g=

hub.example/log/results
2
kRed4f+ZGkCCfsf3y2tnTa+1Sco7UNk4we/Kv1vFKyA=

— hub.example/log/results KO61yfRdV1ZF7uTYOu77u33EwoSa6S6zX0URoEPNKwYCSvcEFthytKGexLafWCd9DW8hkKjalo7+R2PBavAWfY+BUQ0=
— witness.example/w1 2e1ixQAAAABqsTv44H6C52XQT6Z775OK48kS+fKGmqcctZ5IybiNLjRypJFfg358iBTiuM79rdMWjA2CL39gh7Cry0DGug/M80XaDQ==
";

#[test]
fn the_canonical_entry_and_its_digest_are_those_of_the_vector() {
    let entry = canonical(ENTRY);

    assert_eq!(entry.as_json(), ENTRY_JCS);
    assert_eq!(entry.digest().to_string(), ENTRY_DIGEST);
}

#[test]
fn the_canonical_subject_and_its_digest_are_those_of_the_vector() {
    let subject = canonical(ENTRY).subject(&MODEL.parse().unwrap()).unwrap();

    assert_eq!(subject.to_jcs(), SUBJECT_JCS);
    assert_eq!(subject.digest().to_string(), SUBJECT);
}

#[test]
fn the_token_of_the_vector_is_read_and_its_claims_are_written_as_they_were_signed() {
    let key = SigningKey::from_seed([1; 32]);
    let mut expected = claims_for(ENTRY, MODEL, 1);
    expected.policy = Some(POLICY.parse().unwrap());
    let control: [ControlLeaf; 2] = [
        own_issuer(),
        token_key(&key, ISSUER, assay_trust::KeyState::Active),
    ];
    let trust = TrustState::replay(control.iter().map(ControlLeaf::to_json)).unwrap();

    let (claims, kid) = claims_of(TOKEN, &trust).unwrap();

    assert_eq!(key.kid().to_string(), KID);
    assert_eq!(kid, key.kid());
    assert_eq!(claims, expected);
    assert_eq!(TOKEN.len(), 1362);
    assert_eq!(Digest::of(TOKEN.as_bytes()).to_string(), TOKEN_DIGEST);
    let payload = |token: &str| token.split('.').nth(1).unwrap().to_owned();
    assert_eq!(payload(&key.sign_token(&claims)), payload(TOKEN));
}

#[test]
fn our_own_header_is_the_other_one_that_is_read() {
    let key = SigningKey::from_seed([1; 32]);

    let token = key.sign_token(&claims_for(ENTRY, MODEL, 1));

    // {"alg":"EdDSA","typ":"JWT","kid":"UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4"}
    assert!(token.starts_with("eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6IlVERFJlT1psMWlwWEFmcDl3WXNtMTNzREJNSzVvZy0tUVdkQmp6dWY2bzQifQ."));
    assert_eq!(UnverifiedToken::read(&token).unwrap().kid(), key.kid());
}

#[test]
fn the_leaves_of_the_vector_are_written_and_read() {
    let claims = claims_for(ENTRY, MODEL, 1);
    let key = SigningKey::from_seed([1; 32]);
    let issue = Issue::of(&claims, key.kid(), TOKEN);
    let decide = Decide {
        jti: claims.jti,
        token: Digest::of(TOKEN.as_bytes()),
        repo: "018f6b7e2c4d7a10b3c5d7e9f1a2b3c4".parse().unwrap(),
        entry: ENTRY_DIGEST.parse().unwrap(),
        received_at: Timestamp::from_seconds(1_790_000_120),
        outcome: Outcome::Admitted {
            issue_index: Some(0),
        },
    };

    assert_eq!(issue.to_json(), ISSUE_LEAF);
    assert_eq!(decide.to_json(), DECIDE_LEAF);
    assert_eq!(
        ResultsLeaf::read(ISSUE_LEAF.as_bytes()),
        Ok(ResultsLeaf::Issue(issue))
    );
    assert_eq!(
        ResultsLeaf::read(DECIDE_LEAF.as_bytes()),
        Ok(ResultsLeaf::Decide(decide))
    );
}

#[test]
fn the_receipt_of_the_vector_holds_and_has_the_leaf() {
    let key: VerifierKey = LOG_KEY.parse().unwrap();
    let receipt: Receipt = RECEIPT.parse().unwrap();

    let checkpoint = receipt.verify(&key).unwrap();

    assert_eq!(checkpoint.size, 2);
    assert_eq!(receipt.leaf(), DECIDE_LEAF.as_bytes());
    assert_eq!(receipt.to_string(), RECEIPT);
}
