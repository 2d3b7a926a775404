use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use assay_formats::Value;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer as _, Verifier as _};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::exact::Exact;
use crate::log::{self, NoteKey};
use crate::members::Members;
use crate::{Claims, Json, Kid, Malformed, token};

mod multiples;

use multiples::Multiples;

/// A private key. It signs tokens or the checkpoints of one log, never both: each purpose has a key of its own.
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

/// A public key that is safe to trust: a point of the curve, and not one under which anything verifies.
#[derive(Clone)]
pub struct PublicKey {
    point: ed25519_dalek::VerifyingKey,
    kid: Kid,
    /// What its copies share, because it is the same for all of them.
    multiples: Arc<Multiples>,
}

/// The eight points of small order, as they are spelled.
const SMALL_ORDER: [[u8; 32]; 8] = {
    const EIGHTH: [u8; 32] = [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ];
    const OTHER_EIGHTH: [u8; 32] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ];
    const fn negated(mut point: [u8; 32]) -> [u8; 32] {
        point[31] |= 0x80;
        point
    }
    let (mut one, mut minus_one) = ([0; 32], [0xff; 32]);
    one[0] = 1;
    minus_one[0] = 0xec;
    minus_one[31] = 0x7f;
    [
        one,
        minus_one,
        [0; 32],
        negated([0; 32]),
        EIGHTH,
        negated(EIGHTH),
        OTHER_EIGHTH,
        negated(OTHER_EIGHTH),
    ]
};

/// Why bytes are no public key.
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
            multiples: Arc::default(),
        }
    }

    /// A token that says this.
    pub fn sign_token(&self, claims: &Claims) -> String {
        token::sign(self, claims)
    }

    /// The same secret as the key of a log, whose checkpoints it signs under this name.
    ///
    /// The text of a checkpoint has lines, and what is signed of a token has none; so no signature of one passes for the
    /// other, even if someone used one key for both.
    pub fn note_key(&self, origin: &str) -> Result<NoteKey, log::KeyError> {
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
            multiples: Arc::default(),
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

    /// Whether the signature is this key's, under this message, in the one encoding that it has: what `verify_strict` of
    /// the library says.
    ///
    /// That function takes the first half of the signature apart, which is a fifth of its time, to see whether it is a point
    /// of small order. The equation gives that half in its canonical spelling, so a list of eight spellings tells the same.
    /// The key is never weak, or it would not be one.
    pub fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let is_weak = SMALL_ORDER.iter().any(|point| signature.starts_with(point));
        !is_weak && self.fits(message, signature)
    }

    /// Whether the equation holds: what `verify` of the library says.
    fn fits(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        if let Some(table) = self.multiples.of(|| self.point.to_edwards()) {
            return table.fits(self.as_bytes(), message, signature);
        }
        let signature = Signature::from_bytes(signature);
        self.point.verify(message, &signature).is_ok()
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
    use std::sync::LazyLock;

    use curve25519_dalek::constants::EIGHT_TORSION;
    use curve25519_dalek::scalar::Scalar;
    use proptest::prelude::*;

    use super::*;

    /// The order of the group, from its lowest byte: 2^252 + 27742317777372353535851937790883648493.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    /// A signature that only the owner of the key can make, with a first half of small order.
    fn signature_of_small_order(seed: [u8; 32], point: [u8; 32], message: &[u8]) -> [u8; 64] {
        let secret = ed25519_dalek::SigningKey::from_bytes(&seed);
        let mut hasher = sha2::Sha512::new();
        hasher.update(point);
        hasher.update(secret.verifying_key().as_bytes());
        hasher.update(message);
        let challenge = Scalar::from_bytes_mod_order_wide(&hasher.finalize().into());
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&point);
        signature[32..].copy_from_slice((challenge * secret.to_scalar()).as_bytes());
        signature
    }

    /// Keys whose multiples are made once for many tests, since that takes a while.
    static WELL_KNOWN: LazyLock<[(SigningKey, PublicKey); 4]> = LazyLock::new(|| {
        [11, 12, 13, 14].map(|seed| {
            let key = SigningKey::from_seed([seed; 32]);
            let public = well_known(&key);
            (key, public)
        })
    });

    #[test]
    fn the_list_has_the_points_of_small_order_and_all_of_them() {
        let known = EIGHT_TORSION.map(|point| point.compress().to_bytes());

        assert!(known.iter().all(|point| SMALL_ORDER.contains(point)));
        assert_eq!(known.len(), SMALL_ORDER.len());
        for point in SMALL_ORDER {
            assert_eq!(PublicKey::from_bytes(&point), Err(KeyError::Weak));
        }
    }

    /// The public half of a key that has its multiples.
    fn well_known(key: &SigningKey) -> PublicKey {
        PublicKey {
            multiples: Arc::new(Multiples::of_a_well_known_key()),
            ..key.public()
        }
    }

    #[test]
    fn a_signature_of_small_order_fits_the_equation_and_is_refused() {
        let (seed, message) = ([5; 32], b"message");
        let key = SigningKey::from_seed(seed);
        let signature = signature_of_small_order(seed, SMALL_ORDER[0], message);
        let plain = Signature::from_bytes(&signature);

        for public in [key.public(), well_known(&key)] {
            assert!(public.point.verify(message, &plain).is_ok());
            assert!(public.point.verify_strict(message, &plain).is_err());
            assert!(public.fits(message, &signature));
            assert!(!public.verifies(message, &signature));
        }
    }

    #[test]
    fn a_second_half_above_the_order_of_the_group_is_refused() {
        let key = SigningKey::from_seed([6; 32]);
        let mut signature = key.sign(b"message");
        let mut carry = 0;
        for (byte, order) in signature[32..].iter_mut().zip(ORDER) {
            let sum = u16::from(*byte) + u16::from(order) + carry;
            *byte = sum.to_le_bytes()[0];
            carry = sum >> 8;
        }

        assert_eq!(carry, 0);
        for public in [key.public(), well_known(&key)] {
            assert!(!public.verifies(b"message", &signature));
        }
    }

    #[test]
    fn a_key_that_is_asked_often_gets_its_multiples_and_its_copies_share_them() {
        let key = SigningKey::from_seed([7; 32]);
        let (public, signature) = (key.public(), key.sign(b"message"));
        let copy = public.clone();
        let is_made = |key: &PublicKey| {
            let mut point = None;
            let has = key.multiples.of(|| *point.insert(key.point.to_edwards()));
            has.is_some() && point.is_none()
        };

        let answers = (0..multiples::WORTHWHILE).map(|_| public.verifies(b"message", &signature));

        assert!(answers.into_iter().all(|answer| answer));
        assert!(is_made(&copy));
        assert!(!is_made(&key.public()));
        assert!(copy.verifies(b"message", &signature));
        assert!(!copy.verifies(b"another", &signature));
    }

    proptest! {
        #[test]
        fn the_answer_is_always_that_of_the_strict_function(
            seed in any::<[u8; 32]>(),
            message in proptest::collection::vec(any::<u8>(), 0..40),
            place in 0..80_usize,
            bit in 0..8_u32,
            point in 0..8_usize,
        ) {
            let key = SigningKey::from_seed(seed);
            let mut changed = key.sign(&message);
            if let Some(byte) = changed.get_mut(place) {
                *byte ^= 1 << bit;
            }
            let small = signature_of_small_order(seed, SMALL_ORDER[point], &message);

            for signature in [key.sign(&message), changed, small] {
                let strict = key.public().point.verify_strict(&message, &Signature::from_bytes(&signature));
                prop_assert_eq!(key.public().verifies(&message, &signature), strict.is_ok());
            }
        }

        #[test]
        fn the_answer_is_the_same_with_multiples(
            seed in 0..4_usize,
            message in proptest::collection::vec(any::<u8>(), 0..40),
            place in 0..80_usize,
            bit in 0..8_u32,
            point in 0..8_usize,
            noise in any::<[u8; 32]>(),
        ) {
            let (key, known) = &WELL_KNOWN[seed];
            let mut changed = key.sign(&message);
            if let Some(byte) = changed.get_mut(place) {
                *byte ^= 1 << bit;
            }
            let small = signature_of_small_order(*key.seed(), SMALL_ORDER[point], &message);
            let mut invented = key.sign(&message);
            invented[32..].copy_from_slice(&noise);

            for signature in [key.sign(&message), changed, small, invented] {
                let strict = known.point.verify_strict(&message, &Signature::from_bytes(&signature));
                prop_assert_eq!(known.verifies(&message, &signature), strict.is_ok());
            }
        }
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
