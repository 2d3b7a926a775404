//! Files that were cut or changed: a refusal or a warning, and never a panic that leaves the
//! converter.

use assay_convert::convert::{Harness, detect};
use proptest::prelude::*;

use super::lighteval::{RESULTS, details, world};
use crate::kit::{Files as World, Output, fixture};

const BOARD: &str = "board.csv";

/// Checks that the output of a damaged log is sound, whatever it is.
fn is_sound(output: &Output) {
    assert_eq!(output.errors(), Vec::<String>::new());
}

fn flip(bytes: &mut [u8], flips: &[(prop::sample::Index, u8)]) {
    for (at, bits) in flips {
        let at = at.index(bytes.len());
        bytes[at] ^= bits;
    }
}

fn flips() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn details_with_bytes_flipped_cost_samples_at_most(
        flips in flips(),
        generation in any::<bool>(),
    ) {
        let (task, name) = if generation {
            ("toygen|0", "lighteval/generation.parquet")
        } else {
            ("toymc:law|1", "lighteval/choice.parquet")
        };
        let mut bytes = fixture(name);
        flip(&mut bytes, &flips);
        let world = world().with(&details(task), bytes);

        let output = world.convert(Harness::Lighteval, RESULTS).unwrap();

        prop_assert_eq!(output.converted.len(), 3);
        is_sound(&output);
    }

    #[test]
    fn details_cut_anywhere_cost_samples_and_are_reported(at in any::<prop::sample::Index>()) {
        let mut bytes = fixture("lighteval/choice.parquet");
        bytes.truncate(at.index(bytes.len()));
        let world = world().with(&details("toymc:law|1"), bytes);

        let output = world.convert(Harness::Lighteval, RESULTS).unwrap();

        prop_assert_eq!(output.converted[0].rows, 0);
        prop_assert!(output.warnings()[0].contains("is damaged"));
        is_sound(&output);
    }

    #[test]
    fn results_with_bytes_flipped_or_cut_are_refused_or_sound(
        flips in flips(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = fixture("lighteval/results.json");
        flip(&mut bytes, &flips);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let world = world().with(RESULTS, bytes);

        if let Ok(output) = world.convert(Harness::Lighteval, RESULTS) {
            is_sound(&output);
        }
        detect(&world, RESULTS);
    }

    #[test]
    fn a_leaderboard_with_bytes_flipped_or_cut_is_refused_or_sound(
        flips in flips(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fixture("alpaca_eval/v2.csv");
        flip(&mut bytes, &flips);
        bytes.truncate(cut.index(bytes.len()));
        let world = World::default().with(BOARD, bytes);

        if let Ok(output) = world.convert(Harness::AlpacaEval, BOARD) {
            is_sound(&output);
        }
        detect(&world, BOARD);
    }

    #[test]
    fn nothing_that_is_no_log_is_taken_for_one(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let world = World::default().with(BOARD, bytes);

        prop_assert_eq!(detect(&world, BOARD), None);
    }
}

/// A Parquet file without rows whose columns nest so deep.
fn nested(depth: usize) -> Vec<u8> {
    const ROOT: &[u8] = b"\x48\x01r\x15\x02\x00";
    const GROUP: &[u8] = b"\x35\x02\x18\x01a\x15\x02\x00";
    const LEAF: &[u8] = b"\x15\x02\x25\x02\x18\x01a\x00";
    let mut footer = b"\x15\x02\x19\xfc".to_vec();
    let mut count = depth + 2;
    while count >= 0x80 {
        footer.push(u8::try_from(count & 0x7f).unwrap() | 0x80);
        count >>= 7;
    }
    footer.push(u8::try_from(count).unwrap());
    footer.extend(ROOT);
    footer.extend(GROUP.repeat(depth));
    footer.extend(LEAF);
    footer.extend(b"\x16\x00\x19\x0c\x00");
    let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
    [b"PAR1", footer.as_slice(), &length, b"PAR1"].concat()
}

#[test]
fn columns_that_nest_without_end_are_refused_and_overflow_nothing() {
    let warning = |depth: usize| {
        let world = world().with(&details("toymc:law|1"), nested(depth));
        let output = world.convert(Harness::Lighteval, RESULTS).unwrap();
        output.warnings()[0].clone()
    };

    assert!(
        warning(8).contains("have no column `doc`"),
        "{}",
        warning(8)
    );
    assert!(
        warning(100_000).contains("nest deeper than 64"),
        "{}",
        warning(100_000)
    );
}
