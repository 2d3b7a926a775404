//! The token: a JWS in compact form, of which there is one spelling for each meaning.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::{Claims, Kid, PublicKey, Reason, SigningKey, Unverified};

/// The longest that a token may be, in bytes.
pub const MAX_TOKEN: usize = 8 << 10;

/// The two headers that are read, before and after the name of the key. The first is the one that
/// is written.
const HEADERS: [(&str, &str); 2] = [
    (r#"{"alg":"EdDSA","typ":"JWT","kid":""#, r#""}"#),
    (r#"{"alg":"EdDSA","kid":""#, r#"","typ":"evalresult+jwt"}"#),
];

/// Number of characters that the name of a key has.
const KID_LENGTH: usize = 43;

/// A token that has its shape, and of which nothing is believed yet.
#[derive(Debug, Clone, Copy)]
pub struct UnverifiedToken<'t> {
    kid: Kid,
    payload: &'t str,
    signed: &'t str,
    signature: [u8; 64],
}

impl<'t> UnverifiedToken<'t> {
    /// Takes a token apart: its length, its three parts, its header byte for byte, its signature.
    pub fn read(token: &'t str) -> Result<Self, Unverified> {
        if token.len() > MAX_TOKEN {
            let detail = format!("the token has more than {MAX_TOKEN} bytes");
            return Err(Unverified::new(Reason::TokenMalformed, detail));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or_else(not_a_token)?;
        let (header, payload) = signed.split_once('.').ok_or_else(not_a_token)?;
        let kid = read_header(header)?;
        let signature = decode(signature).and_then(|bytes| bytes.try_into().ok());
        Ok(Self {
            kid,
            payload,
            signed,
            signature: signature.ok_or_else(not_a_token)?,
        })
    }

    /// The key that is said to have signed it.
    pub fn kid(&self) -> Kid {
        self.kid
    }

    /// Returns the claims, once the key has been found to have signed them.
    pub fn verify(&self, key: &PublicKey) -> Result<Claims, Unverified> {
        if key.kid() != self.kid || !key.verifies(self.signed.as_bytes(), &self.signature) {
            let detail = format!("the signature is not that of key `{}`", self.kid);
            return Err(Unverified::new(Reason::BadSignature, detail));
        }
        self.unverified_claims()
    }

    /// Returns the claims, whoever wrote them: for people who look at a token, never for a
    /// decision.
    pub fn unverified_claims(&self) -> Result<Claims, Unverified> {
        let bytes = decode(self.payload).ok_or_else(not_a_token)?;
        let payload = String::from_utf8(bytes).map_err(|_| not_a_token())?;
        Claims::read(&payload).map_err(|error| {
            let reason = match &error {
                crate::ClaimsError::Json(_) => Reason::ClaimsNotCanonical,
                crate::ClaimsError::Shape(_) => Reason::ClaimsMalformed,
            };
            Unverified::new(reason, error.to_string())
        })
    }
}

/// Signs claims.
pub(crate) fn sign(key: &SigningKey, claims: &Claims) -> String {
    let (before, after) = HEADERS[0];
    let header = format!("{before}{}{after}", key.kid());
    let mut token = encode(header.as_bytes());
    token.push('.');
    token.push_str(&encode(claims.to_jcs().as_bytes()));
    let signature = key.sign(token.as_bytes());
    token.push('.');
    token.push_str(&encode(&signature));
    token
}

/// The name of the key, if the header is one of the allowed byte for byte. So no algorithm, address
/// or extension that a token names is ever looked at.
fn read_header(header: &str) -> Result<Kid, Unverified> {
    let refuse = || {
        let detail = "the header is not `EdDSA` with the name of a key, in the one spelling";
        Unverified::new(Reason::TokenHeader, detail)
    };
    let bytes = decode(header).ok_or_else(not_a_token)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| refuse())?;
    HEADERS
        .iter()
        .find_map(|(before, after)| text.strip_prefix(before)?.strip_suffix(after))
        .filter(|kid| kid.len() == KID_LENGTH)
        .and_then(|kid| kid.parse().ok())
        .ok_or_else(refuse)
}

fn not_a_token() -> Unverified {
    let detail = "this is not three parts of base64url with dots between them";
    Unverified::new(Reason::TokenMalformed, detail)
}

/// Base64url without padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads base64url without padding, in the one spelling that its writer gives it: the library
/// refuses padding, and bits that no byte uses.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
