//! An identity provider on a port of this machine.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

const RSA: &[u8] = include_bytes!("../../../../assay-trust/fixtures/provider-rs256.der");
const EC: &[u8] = include_bytes!("../../../../assay-trust/fixtures/provider-es256.der");
const CLIENT: &[u8] = include_bytes!("../../../../assay-trust/fixtures/client-es256.der");

/// The provider: its address, and how often its keys were fetched.
pub(super) struct Provider {
    pub(super) url: String,
    pub(super) fetched: Arc<AtomicUsize>,
}

impl Provider {
    /// Begins to answer.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let fetched = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&fetched);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let mut request = [0; 2048];
                let _ = stream.read(&mut request);
                count.fetch_add(1, Ordering::SeqCst);
                let body = key_set();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { url, fetched }
    }

    /// Returns the number of times that its keys were fetched.
    pub(super) fn count(&self) -> usize {
        self.fetched.load(Ordering::SeqCst)
    }
}

/// Signs claims as the provider.
pub(super) fn sign(claims: &Value, algorithm: Algorithm) -> String {
    let (key, kid) = match algorithm {
        Algorithm::ES256 => (EncodingKey::from_ec_der(EC), "ec"),
        _ => (EncodingKey::from_rsa_der(RSA), "rsa"),
    };
    let mut header = Header::new(algorithm);
    header.kid = Some(kid.to_owned());
    encode(&header, claims, &key).unwrap()
}

/// Signs claims as the client.
pub(super) fn sign_as_client(claims: &Value) -> String {
    let key = EncodingKey::from_ec_der(CLIENT);
    encode(&Header::new(Algorithm::ES256), claims, &key).unwrap()
}

/// The public key of the client.
pub(super) fn client_key() -> String {
    let key = EncodingKey::from_ec_der(CLIENT);
    let jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).unwrap();
    serde_json::to_string(&jwk).unwrap()
}

fn key_set() -> String {
    let named = |key: &EncodingKey, algorithm, kid: &str| {
        let mut jwk = Jwk::from_encoding_key(key, algorithm).unwrap();
        jwk.common.key_id = Some(kid.to_owned());
        serde_json::to_value(jwk).unwrap()
    };
    let keys = [
        named(&EncodingKey::from_rsa_der(RSA), Algorithm::RS256, "rsa"),
        named(&EncodingKey::from_ec_der(EC), Algorithm::ES256, "ec"),
    ];
    json!({ "keys": keys }).to_string()
}
