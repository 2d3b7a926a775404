//! The published vector: two leaves, a checkpoint, a witness, a receipt. Every byte is compared.

use assay_tlog::{Receipt, ReceiptError, TreeHash, VerifierKey, WitnessKey};

use crate::support::{key, open};

const ISSUE: &str = r#"{"exp":1790000900,"iat":1790000000,"integration":"inspect-ai","iss":"https://issuer.example","jti":"AAAAAAAAAAAAAAAAAAAAAQ","kid":"UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4","t":"issue","token":"sha256:51862ad8a5cfcbb313ce664f4ff91a7d179d339dbbfb55ce217b47e9b695ed58","v":1}"#;
const DECIDE: &str = r#"{"entry":"sha256:3ab54fcec1dbb03338a827f073cc677f45396e6f421f52c5d73340c44b016d01","issue_index":0,"jti":"AAAAAAAAAAAAAAAAAAAAAQ","outcome":"admitted","received_at":1790000120,"repo_id":"018f6b7e2c4d7a10b3c5d7e9f1a2b3c4","t":"decide","token":"sha256:51862ad8a5cfcbb313ce664f4ff91a7d179d339dbbfb55ce217b47e9b695ed58","v":1}"#;
const VKEY: &str = "hub.example/log/results+28eeb5c9+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU";
const WITNESS: &str = "witness.example/w1+d9ed62c5+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR";
const COSIGNATURE: &str = "— witness.example/w1 2e1ixQAAAABqsTv44H6C52XQT6Z775OK48kS+fKGmqcctZ5IybiNLjRypJFfg358iBTiuM79rdMWjA2CL39gh7Cry0DGug/M80XaDQ==\n";
const RECEIPT: &str = "\
c2sp.org/tlog-proof@v1
extra eyJlbnRyeSI6InNoYTI1NjozYWI1NGZjZWMxZGJiMDMzMzhhODI3ZjA3M2NjNjc3ZjQ1Mzk2ZTZmNDIxZjUyYzVkNzMzNDBjNDRiMDE2ZDAxIiwiaXNzdWVfaW5kZXgiOjAsImp0aSI6IkFBQUFBQUFBQUFBQUFBQUFBQUFBQVEiLCJvdXRjb21lIjoiYWRtaXR0ZWQiLCJyZWNlaXZlZF9hdCI6MTc5MDAwMDEyMCwicmVwb19pZCI6IjAxOGY2YjdlMmM0ZDdhMTBiM2M1ZDdlOWYxYTJiM2M0IiwidCI6ImRlY2lkZSIsInRva2VuIjoic2hhMjU2OjUxODYyYWQ4YTVjZmNiYjMxM2NlNjY0ZjRmZjkxYTdkMTc5ZDMzOWRiYmZiNTVjZTIxN2I0N2U5YjY5NWVkNTgiLCJ2IjoxfQ==
index 1
rEcGNENnnSCcEDGnw0Xvc8mmN28ya+00mq5Ffhn1h5g=

hub.example/log/results
2
kRed4f+ZGkCCfsf3y2tnTa+1Sco7UNk4we/Kv1vFKyA=

— hub.example/log/results KO61yfRdV1ZF7uTYOu77u33EwoSa6S6zX0URoEPNKwYCSvcEFthytKGexLafWCd9DW8hkKjalo7+R2PBavAWfY+BUQ0=
";

#[test]
fn the_receipt_of_the_decision_is_that_of_the_vector() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    let first = log.append(ISSUE.into()).wait().unwrap();
    let second = log.append(DECIDE.into()).wait().unwrap();

    let receipt = log.receipt(second).unwrap();

    assert_eq!((first, second), (0, 1));
    assert_eq!(receipt.to_string(), RECEIPT);
    assert_eq!(key().verifier().to_string(), VKEY);
}

#[test]
fn the_receipt_of_the_vector_holds_and_tells_when_it_was_witnessed() {
    let receipt: Receipt = format!("{RECEIPT}{COSIGNATURE}").parse().unwrap();
    let witness: WitnessKey = WITNESS.parse().unwrap();
    let log: VerifierKey = VKEY.parse().unwrap();

    let checkpoint = receipt.verify(&log).unwrap();

    assert_eq!(checkpoint.size, 2);
    assert_eq!(receipt.leaf(), DECIDE.as_bytes());
    assert_eq!(receipt.to_string(), format!("{RECEIPT}{COSIGNATURE}"));
    let keys = [witness];
    let witnessed = receipt.checkpoint().witnesses(&keys);
    assert_eq!(witnessed, [(&keys[0], 1_790_000_120)]);
}

#[test]
fn any_changed_byte_of_a_receipt_fails() {
    let log: VerifierKey = VKEY.parse().unwrap();
    let holds = |text: &str| -> Result<(), ReceiptError> {
        text.parse::<Receipt>()?.verify(&log).map(drop)
    };
    assert_eq!(holds(RECEIPT), Ok(()));

    for at in 0..RECEIPT.len() {
        let mut bytes = RECEIPT.as_bytes().to_vec();
        bytes[at] ^= 1 << (at % 6);
        let changed = String::from_utf8_lossy(&bytes);

        assert!(holds(&changed).is_err(), "byte {at} as {:?}", bytes[at]);
        assert!(
            holds(&RECEIPT[..RECEIPT.floor_char_boundary(at)]).is_err(),
            "cut at {at}"
        );
    }
}

#[test]
fn a_witness_that_signed_another_time_is_left_out() {
    let changed = COSIGNATURE.replace("AAAABqsTv4", "AAAABqsTv5");
    let receipt: Receipt = format!("{RECEIPT}{changed}").parse().unwrap();
    let keys: [WitnessKey; 1] = [WITNESS.parse().unwrap()];

    assert_ne!(changed, COSIGNATURE);
    assert_eq!(receipt.checkpoint().witnesses(&keys), []);
}

#[test]
fn leaves_are_hashed_apart_from_nodes() {
    let hash = TreeHash::of_leaf(ISSUE.as_bytes());
    let digits = hash.as_bytes().map(|byte| format!("{byte:02x}")).concat();

    assert_eq!(
        digits,
        "ac47063443679d209c1031a7c345ef73c9a6376f326bed349aae457e19f58798"
    );
    let both = [&[1][..], hash.as_bytes(), hash.as_bytes()].concat();
    assert_ne!(TreeHash::of_leaf(&both), TreeHash::of_node(hash, hash));
}
