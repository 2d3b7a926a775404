//! Signed tokens of others, taken apart strictly. The signature is checked by `jsonwebtoken`; what
//! it lets pass and we do not (unknown header members, `crit`, members that are there twice) is
//! refused here, before it is asked.

use assay_formats::{Kind, Tape, json};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use serde_json::{Map, Value as Json};

use super::assertion::AssertionError;

/// The longest token of somebody else, in bytes.
const MAX_BYTES: usize = 16 * 1024;
/// The deepest that its claims nest.
const MAX_DEPTH: usize = 16;
/// The longest name of a key, in bytes.
const MAX_KID: usize = 256;
/// The header members that are known. Everything else could change what a token means.
const HEADER: [&str; 5] = ["alg", "kid", "typ", "x5t", "x5t#S256"];

/// A token that nobody has checked yet.
#[derive(Debug, Clone)]
pub(super) struct Unchecked<'t> {
    signed: &'t str,
    signature: &'t str,
    /// The algorithm that it claims.
    pub(super) algorithm: String,
    /// The key that it claims.
    pub(super) kid: Option<String>,
    /// The type that it claims.
    pub(super) typ: Option<String>,
    /// The claims of the token.
    pub(super) claims: Map<String, Json>,
}

impl<'t> Unchecked<'t> {
    /// Takes a token apart.
    pub(super) fn read(token: &'t str) -> Result<Self, AssertionError> {
        if token.len() > MAX_BYTES {
            return Err(AssertionError::Malformed("it is too long"));
        }
        let mut parts = token.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(AssertionError::Malformed("it has not three parts"));
        };
        let mut header = object(header)?;
        if let Some(name) = header.keys().find(|name| !HEADER.contains(&name.as_str())) {
            return Err(AssertionError::Header(name.chars().take(40).collect()));
        }
        let mut member = |name: &str| match header.remove(name) {
            None => Ok(None),
            Some(Json::String(text)) if text.len() <= MAX_KID => Ok(Some(text)),
            Some(_) => Err(AssertionError::Header(name.to_owned())),
        };
        Ok(Self {
            algorithm: member("alg")?.ok_or(AssertionError::Malformed("it has no `alg`"))?,
            kid: member("kid")?,
            typ: member("typ")?,
            claims: object(claims)?,
            signed: &token[..token.len() - signature.len() - 1],
            signature,
        })
    }

    /// Returns the signed text: the header and the claims. It tells tokens apart whose signatures
    /// could be spelled otherwise.
    pub(super) fn signed(&self) -> &str {
        self.signed
    }

    /// Returns whether a key made the signature.
    pub(super) fn is_signed_by(&self, key: &PublicKey) -> Result<(), AssertionError> {
        if self.algorithm != key.name() {
            return Err(AssertionError::Algorithm(
                self.algorithm.chars().take(40).collect(),
            ));
        }
        let signed = self.signed.as_bytes();
        let held = jsonwebtoken::crypto::verify(self.signature, signed, &key.key, key.algorithm);
        match held {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(AssertionError::Signature),
        }
    }
}

/// A public key and the one algorithm that it is used with.
#[derive(Clone)]
pub(super) struct PublicKey {
    algorithm: Algorithm,
    key: jsonwebtoken::DecodingKey,
}

/// The smallest modulus of an RSA key, in bytes.
const MIN_MODULUS: usize = 256;

impl PublicKey {
    /// A key of one of the algorithms that are known here: `RS256`, `ES256` and `EdDSA`.
    pub(super) fn of(jwk: &Jwk) -> Option<Self> {
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::RSA(parameters) => {
                let modulus = URL_SAFE_NO_PAD.decode(&parameters.n).ok()?;
                let length = modulus.iter().skip_while(|byte| **byte == 0).count();
                (length >= MIN_MODULUS).then_some(Algorithm::RS256)?
            }
            AlgorithmParameters::EllipticCurve(parameters) => {
                (parameters.curve == EllipticCurve::P256).then_some(Algorithm::ES256)?
            }
            AlgorithmParameters::OctetKeyPair(parameters) => {
                (parameters.curve == EllipticCurve::Ed25519).then_some(Algorithm::EdDSA)?
            }
            // A shared secret in a public set would let anyone sign.
            _ => return None,
        };
        let named = jwk.common.key_algorithm.map(|named| named.to_string());
        if named.is_some_and(|named| named != name_of(algorithm)) {
            return None;
        }
        let key = jsonwebtoken::DecodingKey::from_jwk(jwk).ok()?;
        Some(Self { algorithm, key })
    }

    /// The name of its algorithm.
    pub(super) fn name(&self) -> &'static str {
        name_of(self.algorithm)
    }
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PublicKey({})", self.name())
    }
}

fn name_of(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::RS256 => "RS256",
        Algorithm::ES256 => "ES256",
        Algorithm::EdDSA => "EdDSA",
        _ => "none",
    }
}

/// A part that is a JSON object in base64url, as one reader reads it and as every other does:
/// nothing twice, nothing loose.
fn object(part: &str) -> Result<Map<String, Json>, AssertionError> {
    let malformed = AssertionError::Malformed;
    let bytes = URL_SAFE_NO_PAD
        .decode(part)
        .map_err(|_| malformed("a part is not base64url"))?;
    let text = String::from_utf8(bytes).map_err(|_| malformed("a part is not UTF-8"))?;
    let mut tape = Tape::new();
    let mut parser = json::Parser::with_depth(MAX_DEPTH);
    let is_whole = parser.parse(&text, &mut tape);
    if !is_whole || !parser.take_faults().is_empty() {
        return Err(malformed("a part is not strict JSON"));
    }
    let is_map = tape
        .root(&text)
        .is_some_and(|root| root.kind() == Kind::Map);
    match serde_json::from_str(&text) {
        Ok(Json::Object(map)) if is_map => Ok(map),
        Ok(_) | Err(_) => Err(malformed("a part is no JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str, claims: &str) -> String {
        let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.c2ln", part(header), part(claims))
    }

    #[test]
    fn a_header_with_anything_unknown_is_refused_before_a_key_is_looked_for() {
        for member in [
            r#""crit":["b64"]"#,
            r#""b64":false"#,
            r#""jku":"https://evil.example/keys""#,
            r#""jwk":{}"#,
            r#""x5u":"https://evil.example""#,
            r#""x5c":[]"#,
            r#""cty":"JWT""#,
            r#""zip":"DEF""#,
        ] {
            let token = token(&format!(r#"{{"alg":"RS256",{member}}}"#), "{}");

            let told = Unchecked::read(&token).unwrap_err();

            assert!(
                matches!(told, AssertionError::Header(_)),
                "{member}: {told}"
            );
        }
    }

    #[test]
    fn a_member_that_is_there_twice_is_refused_at_any_depth() {
        for claims in [
            r#"{"iss":"a","iss":"b"}"#,
            r#"{"iss":"a","i\u0073s":"b"}"#,
            r#"{"a":{"b":1,"b":2}}"#,
            r#"{"a":[{"b":1,"b":2}]}"#,
            "[]",
            "1",
            r#"{"a":1} x"#,
        ] {
            let token = token(r#"{"alg":"RS256"}"#, claims);

            assert!(
                matches!(Unchecked::read(&token), Err(AssertionError::Malformed(_))),
                "{claims}"
            );
        }
    }

    #[test]
    fn what_is_no_token_is_told_apart_without_a_panic() {
        let deep = token(
            r#"{"alg":"RS256"}"#,
            &format!("{}1{}", "{\"a\":".repeat(20), "}".repeat(20)),
        );
        for text in [
            "",
            ".",
            "..",
            "a.b.c",
            "a.b.c.d",
            "====",
            &"a".repeat(MAX_BYTES + 1),
            &deep,
        ] {
            assert!(Unchecked::read(text).is_err(), "{text:.20}");
        }
        for header in [
            r#"{"alg":1}"#,
            r#"{"kid":"x"}"#,
            r#"{"alg":"RS256","kid":7}"#,
        ] {
            assert!(Unchecked::read(&token(header, "{}")).is_err(), "{header}");
        }
    }
}
