//! Whatever is done to the bytes of a valid pair, validation answers, and points into the file.

use proptest::prelude::*;

use crate::support::Pair;

/// One thing that can happen to bytes.
#[derive(Debug, Clone)]
enum Harm {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index, usize),
    Swap(prop::sample::Index, prop::sample::Index),
    Insert(prop::sample::Index, &'static str),
}

fn harm() -> impl Strategy<Value = Harm> {
    let pieces = prop::sample::select(vec![
        "{", "}", "[", "]", "\"", ",", ":", "null", "-1", "1e999", "\\ud800", "\n", "\r",
        "\u{2028}", "\u{feff}", "é",
    ]);
    prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, bits)| Harm::Flip(at, bits)),
        (any::<prop::sample::Index>(), 1..40_usize).prop_map(|(at, length)| Harm::Cut(at, length)),
        (any::<prop::sample::Index>(), any::<prop::sample::Index>())
            .prop_map(|(a, b)| Harm::Swap(a, b)),
        (any::<prop::sample::Index>(), pieces).prop_map(|(at, piece)| Harm::Insert(at, piece)),
    ]
}

fn apply(bytes: &mut Vec<u8>, harm: &Harm) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match harm {
        Harm::Flip(at, bits) => bytes[at.index(length)] ^= bits,
        Harm::Cut(at, count) => {
            let at = at.index(length);
            bytes.drain(at..(at + count).min(length));
        }
        Harm::Swap(a, b) => bytes.swap(a.index(length), b.index(length)),
        Harm::Insert(at, piece) => {
            let at = at.index(length);
            bytes.splice(at..at, piece.bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_harmed_pair_is_judged_and_places_lie_inside_the_files(
        record in proptest::collection::vec(harm(), 0..6),
        samples in proptest::collection::vec(harm(), 0..6),
    ) {
        let pair = Pair::new();
        let mut files = pair.files();
        for (path, harms) in [(pair.record_path(), record), (pair.samples_path(), samples)] {
            let bytes = files.0.get_mut(&path).unwrap();
            for harm in &harms {
                apply(bytes, harm);
            }
        }

        let reports = files.judge();

        prop_assert_eq!(reports.len(), 2);
        for report in &reports {
            let bytes = &files.0[&*report.path];
            let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
            for found in report.findings.diagnostics() {
                prop_assert!(found.place.span.end <= bytes.len() as u64, "{:?}", found);
                prop_assert!(found.place.span.start <= found.place.span.end, "{:?}", found);
                prop_assert!(found.place.line <= lines, "{:?}", found);
                prop_assert!(!found.message.is_empty(), "{:?}", found);
                prop_assert!(found.help.as_ref().is_some_and(|help| !help.is_empty()), "{:?}", found);
            }
        }
    }
}
