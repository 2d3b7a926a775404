//! One shape, three judges: our evaluator, the JSON Schema that we print and the schemas that Every
//! Eval Ever published must accept and refuse the same documents. Seeds are mutated one change at a
//! time, all of them, and then several changes at once, by chance from a fixed seed.
//!
//! The published schemas are not ours to carry along: they are read from `schemas/` of the corpus,
//! and left out with a message when there is none.

#![cfg(test)]

mod differences;
mod judges;
mod mutate;
mod random;
mod seeds;
mod tree;
mod vocabulary;

use std::rc::Rc;

use assay_formats::eee::Version;

use crate::judges::{Judges, Tally};
use crate::mutate::{Donors, Mutated};
use crate::seeds::Format;

/// Number of documents with several changes that are made of each seed.
const STACKED_PER_SEED: usize = 150;
/// The most changes in one document.
const MOST_CHANGES: usize = 4;

#[test]
fn records_of_0_2_0_are_judged_alike() {
    judge_alike(Format::Record, Version::V0_2_0);
}

#[test]
fn records_of_0_2_1_are_judged_alike() {
    judge_alike(Format::Record, Version::V0_2_1);
}

#[test]
fn records_of_0_2_2_are_judged_alike() {
    judge_alike(Format::Record, Version::V0_2_2);
}

#[test]
fn records_of_0_2_3_are_judged_alike() {
    judge_alike(Format::Record, Version::V0_2_3);
}

#[test]
fn records_of_0_3_0_are_judged_alike() {
    judge_alike(Format::Record, Version::V0_3_0);
}

#[test]
fn rows_of_0_2_0_are_judged_alike() {
    judge_alike(Format::Row, Version::V0_2_0);
}

#[test]
fn rows_of_0_2_1_are_judged_alike() {
    judge_alike(Format::Row, Version::V0_2_1);
}

#[test]
fn rows_of_0_2_2_are_judged_alike() {
    judge_alike(Format::Row, Version::V0_2_2);
}

#[test]
fn rows_of_0_3_0_are_judged_alike() {
    judge_alike(Format::Row, Version::V0_3_0);
}

/// Judges the seeds of one format and version and what becomes of them, and fails on any verdict
/// that stands alone.
fn judge_alike(format: Format, version: Version) {
    let judges = Judges::of(format, version);
    let mut tally = Tally::default();
    let seeds = seeds::of(format, version);
    let donors = Rc::new(Donors::of(&seeds));
    for seed in seeds {
        assert!(
            judges.judge(&seed.text()).all_accept(),
            "a seed of {format} {version} is refused: {seed:#?}",
        );
        let mut mutations = Mutated::of(seed, format.shape(version), &donors);
        while let Some((text, changes)) = mutations.next_single() {
            tally.add(&judges, &text, &changes);
        }
        for _ in 0..STACKED_PER_SEED {
            let (text, changes) = mutations.stacked(MOST_CHANGES);
            tally.add(&judges, &text, &changes);
        }
    }
    tally.conclude(&judges);
}
