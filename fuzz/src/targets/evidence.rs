//! What strangers sign, or say that they did.

use assay_tlog::Receipt;
use assay_trust::proof::{Proof, TrustNote};
use assay_trust::{
    Canonical, Claims, ControlLeaf, Json, ResultsLeaf, TrustState, UnverifiedToken, claims_of,
};

use crate::harness::fuzz;

/// An entry has one canonical form: writing it as YAML and reading that again leads back to it.
#[test]
fn canonical() {
    fuzz("canonical", |bytes| {
        let text = String::from_utf8_lossy(bytes);

        for entry in Canonical::read_file(&text).into_iter().flatten() {
            let written = entry.to_yaml(entry.token());
            let back = Canonical::read_file(&written).remove(0);
            assert_eq!(back.as_ref(), Ok(&entry), "{written}");
            assert!(Json::read_exact(entry.as_json()).is_ok());
        }
        if let Ok(entry) = Canonical::from_json(&text) {
            assert_eq!(
                Canonical::from_json(entry.as_json()).map(|again| again.digest()),
                Ok(entry.digest())
            );
        }
    });
}

/// No token is believed by a hub that trusts nobody, and one that is read has claims of one
/// spelling.
#[test]
fn token() {
    fuzz("token", |bytes| {
        let text = String::from_utf8_lossy(bytes);

        assert!(claims_of(&text, &TrustState::default()).is_err());
        if let Ok(claims) = UnverifiedToken::read(&text).and_then(|token| token.unverified_claims())
        {
            assert_eq!(Claims::read(&claims.to_jcs()), Ok(claims));
        }
        if let Ok(claims) = Claims::read(&text) {
            assert_eq!(claims.to_jcs(), text);
        }
    });
}

/// A leaf has one spelling.
#[test]
fn leaf() {
    fuzz("leaf", |bytes| {
        if let Ok(leaf) = ResultsLeaf::read(bytes) {
            assert_eq!(leaf.to_json().as_bytes(), bytes);
        }
        if let Ok(leaf) = ControlLeaf::read(bytes) {
            assert_eq!(leaf.to_json().as_bytes(), bytes);
        }
        let _ = TrustState::replay([bytes]);
    });
}

/// A proof, a receipt and a trust note have one spelling, and checking them never fails in any
/// other way than by saying no.
#[test]
fn proof() {
    fuzz("proof", |bytes| {
        let text = String::from_utf8_lossy(bytes);

        if let Ok(proof) = text.parse::<Proof>() {
            assert_eq!(proof.to_json(), text);
            let _ = proof.verify(None);
        }
        if let Ok(note) = text.parse::<TrustNote>() {
            assert_eq!(note.to_string(), text);
        }
        if let Ok(receipt) = text.parse::<Receipt>() {
            assert_eq!(receipt.to_string(), text);
        }
    });
}
