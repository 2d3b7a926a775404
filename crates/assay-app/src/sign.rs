use assay_store::Store;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::Error;
use crate::hub::Hub;
use crate::secret;

/// The setting that holds the key.
const SETTING: &str = "signing_key";

/// The key that signs links: drawn once for each hub, kept in its settings and never shown.
pub(crate) struct SigningKey([u8; 32]);

impl SigningKey {
    /// The key of this hub, drawn when it has none.
    pub(crate) async fn load(store: &Store) -> Result<Self, Error> {
        if let Some(text) = store.setting(SETTING).await? {
            return Self::of_text(&text);
        }
        let mut tx = store.begin().await?;
        // Another process may have drawn one while this one waited.
        if let Some(text) = tx.setting(SETTING).await? {
            return Self::of_text(&text);
        }
        let key = assay_store::Sha256::from_bytes(secret::bytes()?);
        tx.set_setting(SETTING, Some(&key.to_string())).await?;
        tx.commit().await?;
        Ok(Self(*key.as_bytes()))
    }

    fn of_text(text: &str) -> Result<Self, Error> {
        let key: assay_store::Sha256 = text.parse().map_err(Error::internal)?;
        Ok(Self(*key.as_bytes()))
    }

    fn mac(&self, text: &str) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(text.as_bytes());
        mac
    }

    fn sign(&self, text: &str) -> String {
        let bytes: [u8; 32] = self.mac(text).finalize().into_bytes().into();
        assay_store::Sha256::from_bytes(bytes).to_string()
    }

    fn verifies(&self, text: &str, signature: &str) -> bool {
        signature
            .parse::<assay_store::Sha256>()
            .is_ok_and(|bytes| self.mac(text).verify_slice(bytes.as_bytes()).is_ok())
    }
}

impl Hub {
    /// A signature over a text that only this hub can make, for links that carry their own
    /// permission until they expire.
    pub fn sign(&self, text: &str) -> String {
        self.signing_key.sign(text)
    }

    /// Returns whether a signature over a text was made by this hub. It takes the same time
    /// whichever digit is wrong.
    pub fn verifies(&self, text: &str, signature: &str) -> bool {
        self.signing_key.verifies(text, signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_standard() {
        // RFC 4231, test case 2, has the key `Jefe`; a key of this hub has 32 bytes, so it is
        // filled with zeros, which is what HMAC itself does with short keys.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");

        let signature = SigningKey(key).sign("what do ya want for nothing?");

        assert_eq!(
            signature,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn what_another_key_or_another_text_signed_is_refused() {
        let key = SigningKey([1; 32]);
        let signature = key.sign("put a 5");

        assert!(key.verifies("put a 5", &signature));
        assert!(!key.verifies("put a 6", &signature));
        assert!(!SigningKey([2; 32]).verifies("put a 5", &signature));
        assert!(!key.verifies("put a 5", &signature[..62]));
        assert!(!key.verifies("put a 5", ""));
    }
}
