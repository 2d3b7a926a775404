use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use assay_trust::{Assurance, Canonical, Claims, Digests, Jti, SigningKey};
use serde_json::json;

/// A file whose one entry can be signed.
pub(crate) const ENTRY: &str = "\
- dataset:
    id: cais/hle
    task_id: hle
    revision: \"5503434ddd753f426f4b38109466949a1217c2bb\"
  model_revision: \"9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6\"
  framework:
    name: inspect-ai
    version: \"0.4.2\"
    command: inspect eval hle.py
  metrics:
    - metric_id: accuracy
      value: 20.90
    - metric_id: stderr
      value: 0.81
  notes: no-tools
";
/// The model that it is about.
pub(crate) const MODEL: &str = "acme/awesome-model";

/// The key of an issuer.
pub(crate) fn key() -> SigningKey {
    SigningKey::from_seed([1; 32])
}

/// The key set of that issuer.
pub(crate) fn jwks() -> String {
    let mut jwk = key().public().to_jwk();
    jwk.set("use", Some(assay_trust::Json::Text("sig".to_owned())));
    format!("{{\"keys\":[{}]}}", jwk.to_jcs())
}

/// A token for the entry, issued so many seconds ago, for a quarter of an hour.
pub(crate) fn token(age: i64) -> String {
    let canonical = Canonical::read_file(ENTRY).remove(0).unwrap();
    let subject = canonical.subject(&MODEL.parse().unwrap()).unwrap();
    let issued = now() - age;
    key().sign_token(&Claims {
        iss: "https://issuer.example".to_owned(),
        aud: "https://hub.example".to_owned(),
        sub: "inspect-ai".parse().unwrap(),
        jti: "AAAAAAAAAAAAAAAAAAAAAQ".parse::<Jti>().unwrap(),
        iat: issued,
        nbf: issued,
        exp: issued + 900,
        digests: Digests {
            subject: subject.digest(),
            entry: canonical.digest(),
        },
        subject,
        assurance: Assurance::Hosted,
        policy: None,
        act: None,
        evidence: Vec::new(),
    })
}

/// The entry with a token behind it.
pub(crate) fn signed(age: i64) -> String {
    format!("{ENTRY}  verify_token: {}\n", json!(token(age)))
}

/// Writes a file and returns its path as text.
pub(crate) fn put(place: &Path, name: &str, text: &str) -> String {
    let path = place.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program under test asks the clock of the machine, so its tokens are of today"
)]
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(elapsed.as_secs()).unwrap()
}
