//! Attacks on the token itself. Each is refused by a rule that has no exceptions, and none reaches
//! a second one.

use std::net::TcpListener;

use assay_trust::{Claims, MAX_TOKEN, Reason, SigningKey, claims_of};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::Signer as _;

use crate::support::{ENTRY, Hub, MODEL, claims_for};

const KID: &str = "UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4";

/// The two headers that are read.
fn good_headers() -> [String; 2] {
    [
        format!(r#"{{"alg":"EdDSA","typ":"JWT","kid":"{KID}"}}"#),
        format!(r#"{{"alg":"EdDSA","kid":"{KID}","typ":"evalresult+jwt"}}"#),
    ]
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A token with any header and any payload under a good signature.
fn forge(header: &str, payload: &str) -> String {
    let signed = format!("{}.{}", encode(header), encode(payload));
    let key = ed25519_dalek::SigningKey::from_bytes(&[1; 32]);
    let signature = key.sign(signed.as_bytes());
    format!("{signed}.{}", encode(signature.to_bytes()))
}

pub(crate) fn payload() -> String {
    claims_for(ENTRY, MODEL, 1).to_jcs()
}

/// A token with a good header and these claims.
pub(crate) fn token_of(payload: &str) -> String {
    forge(&good_headers()[0], payload)
}

pub(crate) fn refusal(token: &str) -> Reason {
    claims_of(token, &Hub::new().trust())
        .expect_err("the token is refused")
        .reason
}

pub(crate) fn claims_changed(change: impl Fn(&mut Claims)) -> String {
    let mut claims = claims_for(ENTRY, MODEL, 1);
    change(&mut claims);
    claims.to_jcs()
}

#[test]
fn both_headers_are_read_and_lead_to_the_same_claims() {
    let trust = Hub::new().trust();

    let [ours, other] = good_headers().map(|header| claims_of(&forge(&header, &payload()), &trust));

    assert!(ours.is_ok());
    assert_eq!(ours, other);
}

#[test]
fn jose_alg_none_any_case() {
    for algorithm in ["none", "None", "NONE", "nOnE", ""] {
        let header = format!(r#"{{"alg":"{algorithm}","typ":"JWT","kid":"{KID}"}}"#);
        for signature in ["", "AA"] {
            let token = format!("{}.{}.{signature}", encode(&header), encode(payload()));
            assert_eq!(refusal(&token), Reason::TokenHeader, "{token}");
        }
        assert_eq!(refusal(&forge(&header, &payload())), Reason::TokenHeader);
    }
    let unsigned = format!("{}.{}.", encode(&good_headers()[0]), encode(payload()));
    assert_eq!(refusal(&unsigned), Reason::TokenMalformed);
}

#[test]
fn jose_hs256_public_key_as_secret() {
    let public = *SigningKey::from_seed([1; 32]).public().as_bytes();
    let claims: serde_json::Value = serde_json::from_str(&payload()).unwrap();
    for algorithm in [
        jsonwebtoken::Algorithm::HS256,
        jsonwebtoken::Algorithm::HS512,
    ] {
        let mut header = jsonwebtoken::Header::new(algorithm);
        header.kid = Some(KID.to_owned());
        let secret = jsonwebtoken::EncodingKey::from_secret(&public);

        let token = jsonwebtoken::encode(&header, &claims, &secret).unwrap();

        assert_eq!(refusal(&token), Reason::TokenHeader);
    }
}

#[test]
fn jose_header_smuggling() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let jwk = SigningKey::from_seed([9; 32]).public().to_jwk().to_jcs();
    for member in [
        format!(r#""jku":"{url}""#),
        format!(r#""x5u":"{url}""#),
        format!(r#""jwk":{jwk}"#),
        r#""x5c":["MIIB"]"#.to_owned(),
        r#""cty":"JWT""#.to_owned(),
        r#""zip":"DEF""#.to_owned(),
    ] {
        for header in [
            format!(r#"{{"alg":"EdDSA","typ":"JWT","kid":"{KID}",{member}}}"#),
            format!(r#"{{{member},"alg":"EdDSA","typ":"JWT","kid":"{KID}"}}"#),
        ] {
            assert_eq!(
                refusal(&forge(&header, &payload())),
                Reason::TokenHeader,
                "{header}"
            );
        }
    }
    assert_eq!(
        listener.accept().map(|_| ()).unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock
    );
}

#[test]
fn jose_kid_charset() {
    let long = "A".repeat(4000);
    for kid in [
        "../../etc/passwd",
        "' OR 1=1 --",
        "",
        &KID[..42],
        &format!("{KID}A"),
        &KID.replace('-', "+"),
        &KID.replace("6o4", "6o5"),
        "http://127.0.0.1/key",
        &long,
    ] {
        let header = format!(r#"{{"alg":"EdDSA","typ":"JWT","kid":"{kid}"}}"#);
        assert_eq!(
            refusal(&forge(&header, &payload())),
            Reason::TokenHeader,
            "{kid:.60}"
        );
    }
    let unknown = SigningKey::from_seed([9; 32]).sign_token(&claims_for(ENTRY, MODEL, 1));
    assert_eq!(refusal(&unknown), Reason::UnknownKey);
}

#[test]
fn jose_crit_b64_refused() {
    for members in [
        r#""crit":["b64"],"b64":false"#,
        r#""crit":["exp"]"#,
        r#""crit":[]"#,
        r#""b64":false"#,
    ] {
        let header = format!(r#"{{"alg":"EdDSA","typ":"JWT","kid":"{KID}",{members}}}"#);
        assert_eq!(
            refusal(&forge(&header, &payload())),
            Reason::TokenHeader,
            "{members}"
        );
    }
}

#[test]
fn a_header_in_any_other_spelling_is_refused() {
    let good = &good_headers()[0];
    for header in [
        good.replace(':', ": "),
        format!("{good}\n"),
        good.replace("EdDSA", "Ed25519"),
        good.replace("EdDSA", r"\u0045dDSA"),
        good.replace("JWT", "jwt"),
        good.replace("JWT", "evalresult+jwt"),
        good.replace(r#""typ":"JWT","#, ""),
        good.replace(r#""typ""#, r#""typ":"JWT","typ""#),
        format!(r#"{{"kid":"{KID}","alg":"EdDSA","typ":"JWT"}}"#),
    ] {
        assert_eq!(
            refusal(&forge(&header, &payload())),
            Reason::TokenHeader,
            "{header}"
        );
    }
}

#[test]
fn jose_cross_type_matrix() {
    // Tokens of other kinds, signed by our very key: an access token, a proof of possession, a CI
    // identity.
    for typ in [
        "at+jwt",
        "dpop+jwt",
        "evalresult",
        "application/evalresult+jwt",
        "JWS",
    ] {
        let header = format!(r#"{{"alg":"EdDSA","typ":"{typ}","kid":"{KID}"}}"#);
        assert_eq!(
            refusal(&forge(&header, &payload())),
            Reason::TokenHeader,
            "{typ}"
        );
    }
    let identity = r#"{"aud":"https://hub.example","exp":1790000900,"iat":1790000000,"iss":"https://issuer.example","jti":"AAAAAAAAAAAAAAAAAAAAAQ","sub":"repo:acme/evals:ref:refs/heads/main"}"#;
    assert_eq!(refusal(&token_of(identity)), Reason::ClaimsMalformed);
    // What the hub gives for an access token is no token of three parts at all.
    assert_eq!(refusal("eva_0123456789abcdef"), Reason::TokenMalformed);
    assert_eq!(refusal("evp_id_0123456789abcdef"), Reason::TokenMalformed);
}

#[test]
fn ed25519_malleability_vectors() {
    let token = token_of(&payload());
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let bytes: [u8; 64] = URL_SAFE_NO_PAD
        .decode(signature)
        .unwrap()
        .try_into()
        .unwrap();
    let mut plus_order = bytes;
    add_group_order(&mut plus_order[32..]);
    assert_ne!(plus_order, bytes);
    assert_eq!(
        refusal(&format!("{signed}.{}", encode(plus_order))),
        Reason::BadSignature
    );
    let small_order = [&[1_u8][..], &[0; 63]].concat();
    assert_eq!(
        refusal(&format!("{signed}.{}", encode(small_order))),
        Reason::BadSignature
    );

    // The last of the 86 characters has four bits that no byte uses.
    let last = signature.as_bytes()[85];
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let at = alphabet.find(char::from(last)).unwrap();
    let other = &alphabet[at + 1..at + 2];
    for changed in [
        format!("{signed}.{}{other}", &signature[..85]),
        format!("{token}="),
        format!("{token}=="),
        format!("{token}\n"),
        format!(" {token}"),
        format!("{token}."),
    ] {
        assert_eq!(refusal(&changed), Reason::TokenMalformed, "{changed}");
    }
}

/// Adds the order of the group to the second half of a signature: the same point, another text.
fn add_group_order(scalar: &mut [u8]) {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut carry = 0;
    for (byte, order) in scalar.iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        [*byte, _] = sum.to_le_bytes();
        carry = sum >> 8;
    }
}

#[test]
fn any_changed_byte_of_a_token_is_refused() {
    let trust = Hub::new().trust();
    let token = token_of(&payload());

    for at in (0..token.len()).step_by(7) {
        let mut bytes = token.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert!(claims_of(&changed, &trust).is_err(), "{at}");
    }
}

#[test]
fn token_limits() {
    let long = token_of(&claims_changed(|claims| {
        claims.subject.framework.command = Some("x".repeat(7000));
    }));
    assert!(long.len() > MAX_TOKEN);
    assert_eq!(refusal(&long), Reason::TokenMalformed);
    assert_eq!(refusal(&"a.".repeat(3 << 20)), Reason::TokenMalformed);

    let deep = format!("{}{}", "[".repeat(2000), "]".repeat(2000));
    assert!(token_of(&deep).len() < MAX_TOKEN);
    assert_eq!(refusal(&token_of(&deep)), Reason::ClaimsNotCanonical);
    let nested = format!(
        r#"{{"act":{}{}}}"#,
        r#"{"a":"#.repeat(20),
        "1".to_owned() + &"}".repeat(20)
    );
    assert_eq!(refusal(&token_of(&nested)), Reason::ClaimsNotCanonical);
}
