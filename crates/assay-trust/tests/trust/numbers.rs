//! Numbers: when two spellings are the same claim, and which spellings are none.

use assay_model::Number;
use assay_trust::{Canonical, Json, Reason};
use proptest::prelude::*;

use crate::support::{canonical, profile_reason};

/// The canonical number of a literal in a result file, or the reason why it has none.
fn read(literal: &str) -> Result<String, String> {
    let file = format!("- value: {literal}\n");
    match Canonical::read_file(&file).remove(0) {
        Ok(entry) => Ok(entry.as_json()["{\"value\":".len()..]
            .trim_end_matches('}')
            .to_owned()),
        Err(unverified) => Err(unverified.reason.code()),
    }
}

#[test]
fn number_equivalence_table() {
    for literal in ["20.90", "20.9", "2.09e+1", "20.900", "209.0e-1"] {
        assert_eq!(read(literal), Ok("20.9".to_owned()), "{literal}");
    }
    assert_eq!(read("20.900000001"), Ok("20.900000001".to_owned()));
    assert_eq!(read("4"), read("4.0"));
    assert_eq!(read("-0.0"), Ok("0".to_owned()));
}

#[test]
fn number_edge_vectors() {
    for (literal, expected) in [
        ("0.1", "0.1"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("1.0e-07", "1e-7"),
        ("1.0e+21", "1e+21"),
        ("1.0e+20", "100000000000000000000"),
        ("9007199254740991", "9007199254740991"),
        ("5.0e-324", "5e-324"),
    ] {
        assert_eq!(read(literal), Ok(expected.to_owned()), "{literal}");
    }
    for (literal, expected) in [
        ("9007199254740993", "number_unsafe_integer"),
        ("20.9000000000000000001", "number_excess_precision"),
        ("1.0e+400", "number_out_of_range"),
        ("1.0e-400", "number_underflow"),
        ("0.000000000000000000000000000000001", "number_too_long"),
    ] {
        assert_eq!(read(literal), Err(expected.to_owned()), "{literal}");
    }
    for literal in [
        "1e3", "+1.5", "01.5", ".5", "5.", "1_000", "0x1F", ".inf", ".nan",
    ] {
        assert_eq!(
            read(literal),
            Err("yaml_ambiguous_scalar".to_owned()),
            "{literal}"
        );
    }
}

#[test]
fn non_finite_never_ranks() {
    for literal in [".nan", ".inf", "-.inf", ".NaN", "-.INF"] {
        assert_eq!(
            profile_reason(&format!("- value: {literal}\n")),
            Reason::YamlAmbiguousScalar
        );
    }
    for literal in ["1e400", "-1e400"] {
        let entry = Canonical::from_json(&format!(r#"{{"value":{literal}}}"#));
        assert_eq!(entry.unwrap_err().reason.code(), "number_out_of_range");
    }
    assert_eq!(Number::new(f64::NAN), None);
    assert_eq!(Number::new(f64::INFINITY), None);
}

#[test]
fn a_request_may_spell_a_number_as_json_does_and_means_the_same() {
    let json = |literal: &str| {
        Canonical::from_json(&format!(r#"{{"value":{literal}}}"#))
            .map(|entry| entry.digest())
            .map_err(|unverified| unverified.reason.code())
    };
    let yaml = |literal: &str| canonical(&format!("- value: {literal}\n")).digest();

    assert_eq!(json("1e3"), Ok(yaml("1000")));
    assert_eq!(json("1E+3"), Ok(yaml("1.0e+3")));
    assert_eq!(json("2.09e1"), Ok(yaml("20.90")));
    assert_eq!(json("1e20"), Ok(yaml("1.0e+20")));
    for (literal, expected) in [
        ("9007199254740993", "number_unsafe_integer"),
        ("20.9000000000000000001", "number_excess_precision"),
        ("1e400", "number_out_of_range"),
        ("1e-400", "number_underflow"),
        ("1e-00000000000000000000000000000001", "number_too_long"),
    ] {
        assert_eq!(json(literal), Err(expected.to_owned()), "{literal}");
    }
}

/// The measured fault: a fast JSON reader gives another double for one in ten of these.
#[test]
fn rounding_differential() {
    let mut count = 0;
    for n in 1..=1000_u32 {
        for k in 0..=n {
            for value in [
                f64::from(k) / f64::from(n),
                100.0 * f64::from(k) / f64::from(n),
            ] {
                let literal = format!("{value}");
                let number = Number::from_json(&literal).unwrap();
                assert_eq!(number.get().to_bits(), value.to_bits(), "{literal}");
                if count % 10 == 0 {
                    // The reader of tokens, leaves and proofs.
                    assert_eq!(Json::read(&literal), Ok(Json::Number(number)), "{literal}");
                }
                count += 1;
            }
        }
    }
    assert_eq!(count, 1_003_000);
}

proptest! {
    #[test]
    fn the_canonical_number_is_that_of_rfc_8785_for_every_finite_double(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let number = Number::new(value).expect("the value is finite");

        let ours = Json::Number(number).to_jcs();

        let theirs = serde_json_canonicalizer::to_string(&value).expect("it is finite");
        prop_assert_eq!(&ours, &theirs);
        let back: f64 = ours.parse().expect("it is a number");
        prop_assert_eq!(back.to_bits(), (value + 0.0).to_bits());
    }

    #[test]
    fn canonical_json_is_that_of_rfc_8785(texts in proptest::collection::btree_map("[A-Za-z0-9_.-]{1,12}", ".*", 0..8)) {
        let json = Json::Map(texts.iter().map(|(key, text)| (key.clone(), Json::Text(text.clone()))).collect());

        let ours = json.to_jcs();

        let theirs = serde_json_canonicalizer::to_string(&texts).expect("texts can be written");
        prop_assert_eq!(&ours, &theirs);
        prop_assert_eq!(Json::read_exact(&ours), Ok(json));
    }
}
