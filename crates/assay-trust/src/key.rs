use std::borrow::Borrow;
use std::fmt;

use assay_formats::Value;
use assay_tlog::NoteKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer as _};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::exact::Exact;
use crate::members::Members;
use crate::{Claims, Json, Kid, Malformed, token};

/// A private key. It signs tokens or the checkpoints of one log, never both: each purpose has a key
/// of its own.
///
/// ```
/// # use assay_trust::SigningKey;
/// let key = SigningKey::from_seed([1; 32]);
/// assert_eq!(key.kid().to_string(), "UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4");
/// ```
pub struct SigningKey {
    secret: ed25519_dalek::SigningKey,
    kid: Kid,
}

/// A public key that is safe to trust: a point of the curve, and not one under which anything
/// verifies.
#[derive(Clone)]
pub struct PublicKey {
    point: ed25519_dalek::VerifyingKey,
    kid: Kid,
}

/// The error of bytes that are no public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// They are no point of the curve, or not 32 bytes in base64url.
    #[error("it is not an Ed25519 public key")]
    Malformed,
    /// Under a key of small order a forger needs no secret.
    #[error("it is a weak key, under which signatures can be forged")]
    Weak,
}

impl SigningKey {
    /// A new key from the randomness of the system.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut())?;
        Ok(Self::from_seed(*seed))
    }

    /// The key of a seed.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let secret = ed25519_dalek::SigningKey::from_bytes(&seed);
        let kid = thumbprint(secret.verifying_key().as_bytes());
        Self { secret, kid }
    }

    /// Its name.
    pub fn kid(&self) -> Kid {
        self.kid
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        PublicKey {
            point: self.secret.verifying_key(),
            kid: self.kid,
        }
    }

    /// A token that says this.
    pub fn sign_token(&self, claims: &Claims) -> String {
        token::sign(self, claims)
    }

    /// The same secret as the key of a log, whose checkpoints it signs under this name.
    ///
    /// The text of a checkpoint has lines, and what is signed of a token has none; so no signature
    /// of one passes for the other, even if someone used one key for both.
    pub fn note_key(&self, origin: &str) -> Result<NoteKey, assay_tlog::KeyError> {
        NoteKey::from_seed(origin, &self.seed())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.secret.sign(message).to_bytes()
    }

    pub(crate) fn seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.secret.to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.kid)
    }
}

impl PublicKey {
    /// The key of 32 bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let point =
            ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::Malformed)?;
        if point.is_weak() {
            return Err(KeyError::Weak);
        }
        Ok(Self {
            point,
            kid: thumbprint(bytes),
        })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.point.as_bytes()
    }

    /// Its name: the RFC 7638 thumbprint.
    pub fn kid(&self) -> Kid {
        self.kid
    }

    /// Returns whether the signature is this key's over this message, by `verify_strict` of
    /// `ed25519-dalek`.
    ///
    /// That function refuses a second encoding of a valid signature, and signatures whose first
    /// half is a point of small order.
    pub fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        self.point.verify_strict(message, &signature).is_ok()
    }

    /// The key as a JWK of RFC 8037.
    pub fn to_jwk(&self) -> Json {
        Json::map([
            ("crv", Json::Text("Ed25519".to_owned())),
            ("kty", Json::Text("OKP".to_owned())),
            ("x", Json::Text(URL_SAFE_NO_PAD.encode(self.as_bytes()))),
        ])
    }

    /// Reads a JWK of RFC 8037 that says no more than which key it is.
    pub fn from_jwk(jwk: impl Borrow<Json>) -> Result<Self, KeyError> {
        let text = jwk.borrow().to_jcs();
        let exact = Exact::read(&text).map_err(|_| KeyError::Malformed)?;
        Self::of_jwk(exact.root())
    }

    pub(crate) fn of_jwk(jwk: Value<'_>) -> Result<Self, KeyError> {
        let x = read_jwk(jwk).map_err(|_| KeyError::Malformed)?;
        let bytes = token::decode(&x).ok_or(KeyError::Malformed)?;
        let bytes: &[u8; 32] = bytes
            .as_slice()
            .try_into()
            .map_err(|_| KeyError::Malformed)?;
        Self::from_bytes(bytes)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.point == other.point
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.kid)
    }
}

fn read_jwk(jwk: Value<'_>) -> Result<String, Malformed> {
    let mut members = Members::of(jwk)?;
    members.constant("crv", "Ed25519")?;
    members.constant("kty", "OKP")?;
    let x = members.text("x")?;
    members.finish().map(|()| x)
}

/// The SHA-256 of the JWK with its required members in order, as RFC 7638 has it.
fn thumbprint(bytes: &[u8; 32]) -> Kid {
    let x = URL_SAFE_NO_PAD.encode(bytes);
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    Kid::from_bytes(Sha256::digest(jwk).into())
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::Verifier as _;

    use super::*;
    use crate::id::unhex;

    /// The order of the group, from its lowest byte: 2^252 +
    /// 27742317777372353535851937790883648493.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    /// The public point of the seed `05…05` plus a point of order eight: no weak key, and outside
    /// the prime-order group.
    const MIXED_KEY: &str = "5e2633dded6c08346e0bc215ad4e4279fa8d3d0bde911580dc0501ff2f725ceb";

    /// Signatures of [`MIXED_KEY`] over a message of one byte, whose first half is each of the
    /// eight points of small order.
    ///
    /// The point is `-kT` and the scalar `ka` for the key `aB + T` and the challenge `k`; the
    /// message is the first byte whose challenge gives that point.
    const SMALL_ORDER: [(u8, &str, &str); 8] = [
        (
            2,
            "0100000000000000000000000000000000000000000000000000000000000000",
            "513356413c80ff373a7523d3af23bff3d5f91d55853dfdc36a9fb6481e6d160f",
        ),
        (
            3,
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "50b26d9c2f1a480808cdd544c17b76fe0549bb8d52750b0db071e57cee30e40d",
        ),
        (
            11,
            "0000000000000000000000000000000000000000000000000000000000000080",
            "d369886777653f71624566ea147724fb0a5451101bbe6cb69799e6a6e2fa1d0d",
        ),
        (
            5,
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "d5710caaad59395dcd85bafe71ebbdf4497889c057463d0c1715d57c353ae50a",
        ),
        (
            4,
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "b2b17580aa2a82031eee08985017ce5061032064d2463d19b0423aee86db3f08",
        ),
        (
            24,
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "052e92b8dd6fbd6b252c68f823088b418ffbe8d49b675354f0ec15bec7704805",
        ),
        (
            5,
            "0000000000000000000000000000000000000000000000000000000000000000",
            "c7d6c05764eb12a4bfc0e507af09a62016f994998007bca8cf4c68a9a6fea004",
        ),
        (
            10,
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "a66b05054dfeb7b75c46f88d603a1872cf05a75a039a38b4c06295a97b94c804",
        ),
    ];

    #[test]
    fn a_signature_of_small_order_fits_the_equation_and_is_refused() {
        let public = PublicKey::from_bytes(&unhex(MIXED_KEY).unwrap()).unwrap();

        for (message, point, scalar) in SMALL_ORDER {
            let signature: [u8; 64] = unhex(&format!("{point}{scalar}")).unwrap();
            let plain = Signature::from_bytes(&signature);

            assert!(public.point.verify(&[message], &plain).is_ok(), "{point}");
            assert!(!public.verifies(&[message], &signature), "{point}");
        }
    }

    #[test]
    fn every_point_of_small_order_is_a_weak_key() {
        for (_, point, _) in SMALL_ORDER {
            let refused = PublicKey::from_bytes(&unhex(point).unwrap());

            assert_eq!(refused, Err(KeyError::Weak), "{point}");
        }
    }

    #[test]
    fn a_second_half_above_the_order_of_the_group_is_refused() {
        let key = SigningKey::from_seed([6; 32]);
        let mut signature = key.sign(b"message");
        assert!(key.public().verifies(b"message", &signature));
        let mut carry = 0;
        for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
            let sum = u16::from(*byte) + u16::from(order) + carry;
            *byte = sum.to_le_bytes()[0];
            carry = sum >> 8;
        }

        assert_eq!(carry, 0);
        assert!(!key.public().verifies(b"message", &signature));
    }

    /// RFC 8037, appendix A.1 to A.3.
    #[test]
    fn the_thumbprint_is_that_of_the_standard() {
        let seed = token::decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
        let key = SigningKey::from_seed(seed.unwrap().try_into().unwrap());

        let public = key.public();

        assert_eq!(
            public.to_jwk().to_jcs(),
            r#"{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        );
        assert_eq!(
            public.kid().to_string(),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        );
        assert_eq!(PublicKey::from_jwk(public.to_jwk()), Ok(public));
    }
}
