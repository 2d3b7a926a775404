//! The assertion that an OAuth client sends in place of a secret (RFC 7523): it shows that the
//! client holds the key that the issuer knows it by.

use crate::{Json, KeyError, SigningKey, token};

/// The lifetime of an assertion, in seconds: as long as it takes to send it.
const LIFETIME: i64 = 60;

impl SigningKey {
    /// The key of a private JWK of RFC 8037.
    pub fn from_jwk(text: &str) -> Result<Self, KeyError> {
        let jwk = Json::read(text).map_err(|_| KeyError::Malformed)?;
        let is = |key: &str, word: &str| jwk.get(key).and_then(Json::text) == Some(word);
        if !is("kty", "OKP") || !is("crv", "Ed25519") {
            return Err(KeyError::Malformed);
        }
        let secret = jwk.get("d").and_then(Json::text);
        let seed = secret.and_then(token::decode).map(<[u8; 32]>::try_from);
        let Some(Ok(seed)) = seed else {
            return Err(KeyError::Malformed);
        };
        let key = Self::from_seed(seed);
        // A file whose halves do not belong together was put together wrongly, and would never be
        // believed.
        let public = key.public().to_jwk();
        match jwk.get("x") {
            Some(x) if Some(x) != public.get("x") => Err(KeyError::Malformed),
            Some(_) | None => Ok(key),
        }
    }

    /// Says that the holder of this key is the client, to one audience, once, for a minute.
    pub fn sign_client_assertion(
        &self,
        client_id: &str,
        audience: &str,
        now: i64,
    ) -> Result<String, getrandom::Error> {
        let mut identity = [0; 16];
        getrandom::fill(&mut identity)?;
        let header = Json::map([
            ("alg", Json::Text("EdDSA".to_owned())),
            ("kid", Json::shown(&self.kid())),
            ("typ", Json::Text("client-authentication+jwt".to_owned())),
        ]);
        let claims = Json::map([
            ("iss", Json::Text(client_id.to_owned())),
            ("sub", Json::Text(client_id.to_owned())),
            ("aud", Json::Text(audience.to_owned())),
            ("jti", Json::Text(token::encode(&identity))),
            ("iat", Json::integer(now)),
            ("exp", Json::integer(now + LIFETIME)),
        ]);
        let mut signed = token::encode(header.to_jcs().as_bytes());
        signed.push('.');
        signed.push_str(&token::encode(claims.to_jcs().as_bytes()));
        let signature = token::encode(&self.sign(signed.as_bytes()));
        Ok(format!("{signed}.{signature}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8037, appendix A.1.
    const JWK: &str = r#"{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

    #[test]
    fn an_assertion_is_signed_by_the_key_of_the_client_and_never_the_same_twice() {
        let key = SigningKey::from_jwk(JWK).unwrap();

        let one = key.sign_client_assertion("ins-prod", "https://hub.example", 1000);
        let other = key.sign_client_assertion("ins-prod", "https://hub.example", 1000);

        let (one, other) = (one.unwrap(), other.unwrap());
        assert_ne!(one, other);
        let (signed, signature) = one.rsplit_once('.').unwrap();
        let signature: [u8; 64] = token::decode(signature).unwrap().try_into().unwrap();
        assert!(key.public().verifies(signed.as_bytes(), &signature));
        let claims = token::decode(signed.split_once('.').unwrap().1).unwrap();
        let claims = Json::read(std::str::from_utf8(&claims).unwrap()).unwrap();
        assert_eq!(
            claims.get("aud"),
            Some(&Json::Text("https://hub.example".to_owned()))
        );
        assert_eq!(claims.get("exp"), Some(&Json::integer(1060)));
    }

    #[test]
    fn an_assertion_is_no_token() {
        let key = SigningKey::from_jwk(JWK).unwrap();
        let assertion = key.sign_client_assertion("a", "b", 0).unwrap();

        assert!(crate::UnverifiedToken::read(&assertion).is_err());
    }

    #[test]
    fn a_key_of_another_kind_or_with_halves_of_two_is_refused() {
        let other = JWK.replace("11qY", "21qY");
        let public = JWK.replace(r#""d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","#, "");
        for text in [&other, &public, &JWK.replace("Ed25519", "X25519"), "{}", ""] {
            assert_eq!(
                SigningKey::from_jwk(text).unwrap_err(),
                KeyError::Malformed,
                "{text}"
            );
        }
    }
}
