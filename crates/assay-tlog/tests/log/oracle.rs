//! The same trees and proofs as another implementation of RFC 6962 makes them.

use std::sync::LazyLock;

use assay_tlog::{ConsistencyProof, InclusionProof, Log, ProofError, TreeHash};
use ct_merkle::mem_backed_tree::MemoryBackedTree;
use proptest::prelude::*;
use sha2::Sha256;
use tempfile::TempDir;

use crate::support::{grow, leaf, open};

/// More than one tile of tiles.
const SIZE: u64 = 66_100;

/// One log for all cases, with trees of three levels.
static LOG: LazyLock<(Log, TempDir)> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, SIZE);
    (log, directory)
});

/// Sizes near which something begins or ends, and others.
fn sizes() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 1..600_u64,
        1 => 65_530..SIZE,
        1 => 1..SIZE,
    ]
}

/// Sizes of trees that are quickly made again.
fn small_sizes() -> impl Strategy<Value = u64> {
    prop_oneof![
        1 => 1..600_u64,
        1 => 1..2000_u64,
    ]
}

fn tree(size: u64) -> MemoryBackedTree<Sha256, Vec<u8>> {
    let mut tree = MemoryBackedTree::new();
    (0..size).for_each(|number| tree.push(leaf(number)));
    tree
}

fn bytes(hashes: &[TreeHash]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
}

fn root(size: u64) -> TreeHash {
    LOG.0.root(size).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn roots_and_proofs_are_those_of_the_oracle((size, index) in small_sizes().prop_flat_map(|size| (Just(size), 0..size))) {
        let oracle = tree(size);
        let index_there = usize::try_from(index).unwrap();

        let proof = LOG.0.prove(index, size).unwrap();
        let consistency = LOG.0.consistency(index + 1, size).unwrap();

        prop_assert_eq!(root(size).as_bytes().to_vec(), oracle.root().as_bytes().to_vec());
        let inclusion_there = oracle.prove_inclusion(index_there);
        prop_assert_eq!(bytes(&proof.hashes), inclusion_there.as_bytes());
        let added = usize::try_from(size - index - 1).unwrap();
        if added > 0 {
            let consistency_there = oracle.prove_consistency(added);
            prop_assert_eq!(bytes(&consistency.hashes), consistency_there.as_bytes());
        }
        prop_assert_eq!(proof.verify(TreeHash::of_leaf(&leaf(index)), root(size)), Ok(()));
        prop_assert_eq!(consistency.verify(root(index + 1), root(size)), Ok(()));
    }

    #[test]
    fn a_proof_for_one_thing_proves_no_other(
        (size, index, at, bit) in sizes().prop_flat_map(|size| (Just(size), 0..size, any::<prop::sample::Index>(), 0..8_u8)),
    ) {
        let proof = LOG.0.prove(index, size).unwrap();
        let own = TreeHash::of_leaf(&leaf(index));
        let holds = |proof: &InclusionProof| proof.verify(own, root(size)) == Ok(());

        for (other_index, other_size) in [(index + 1, size), (index.wrapping_sub(1), size), (index ^ 1, size)] {
            let other = InclusionProof { index: other_index, size: other_size, hashes: proof.hashes.clone() };
            prop_assert!(other_index == index || !holds(&other));
        }
        let longer = InclusionProof { hashes: [&proof.hashes[..], &[own]].concat(), ..proof };
        prop_assert!(!holds(&longer));
        prop_assert_eq!(proof.verify(TreeHash::of_leaf(b"other"), root(size)), Err(ProofError::Root));
        if !proof.hashes.is_empty() {
            let mut changed = proof.clone();
            let which = at.index(changed.hashes.len());
            let mut bytes = *changed.hashes[which].as_bytes();
            bytes[which % 32] ^= 1_u8 << bit;
            changed.hashes[which] = TreeHash::from_bytes(bytes);
            prop_assert!(!holds(&changed));
            changed.hashes.pop();
            prop_assert!(!holds(&changed));
        }
    }

    #[test]
    fn a_consistency_proof_holds_for_its_own_trees_only(
        (new, old, at) in sizes().prop_flat_map(|new| (Just(new), 1..=new, any::<prop::sample::Index>())),
    ) {
        let proof = LOG.0.consistency(old, new).unwrap();
        let other_root = TreeHash::of_leaf(b"other");

        prop_assert!(proof.verify(other_root, root(new)).is_err());
        prop_assert!(proof.verify(root(old), other_root).is_err());
        let swapped = ConsistencyProof { old: new, new: old, hashes: proof.hashes.clone() };
        prop_assert!(old == new || swapped.verify(root(new), root(old)).is_err());
        if !proof.hashes.is_empty() {
            let mut changed = proof.clone();
            let which = at.index(changed.hashes.len());
            changed.hashes[which] = other_root;
            prop_assert!(changed.verify(root(old), root(new)).is_err());
            changed.hashes.remove(which);
            prop_assert!(changed.verify(root(old), root(new)).is_err());
        }
    }
}

#[test]
fn every_small_tree_is_that_of_the_oracle() {
    let mut oracle = MemoryBackedTree::<Sha256, Vec<u8>>::new();
    for size in 1..=70 {
        oracle.push(leaf(size - 1));
        assert_eq!(
            root(size).as_bytes()[..],
            *oracle.root().as_bytes().as_slice()
        );
        for index in 0..size {
            let ours = LOG.0.prove(index, size).unwrap();
            let there = oracle.prove_inclusion(usize::try_from(index).unwrap());
            assert_eq!(bytes(&ours.hashes), there.as_bytes(), "{index} of {size}");

            let ours = LOG.0.consistency(index, size).unwrap();
            assert_eq!(
                ours.verify(root(index), root(size)),
                Ok(()),
                "{index} to {size}"
            );
        }
    }
}

#[test]
fn trees_of_three_levels_are_those_of_the_oracle() {
    let mut oracle = tree(65_534);
    for size in 65_535..=65_538 {
        oracle.push(leaf(size - 1));
        assert_eq!(
            root(size).as_bytes()[..],
            *oracle.root().as_bytes().as_slice()
        );
        for index in [0, 1, 255, 256, 40_000, 65_279, 65_280, size - 2, size - 1] {
            let ours = LOG.0.prove(index, size).unwrap();
            let there = oracle.prove_inclusion(usize::try_from(index).unwrap());
            assert_eq!(bytes(&ours.hashes), there.as_bytes(), "{index} of {size}");

            let added = usize::try_from(size - index).unwrap();
            if index > 0 {
                let ours = LOG.0.consistency(index, size).unwrap();
                let there = oracle.prove_consistency(added);
                assert_eq!(bytes(&ours.hashes), there.as_bytes(), "{index} to {size}");
            }
        }
    }
}

#[test]
fn the_empty_tree_begins_every_tree() {
    let proof = LOG.0.consistency(0, 300).unwrap();

    assert_eq!(proof.hashes, []);
    assert_eq!(proof.verify(TreeHash::of_nothing(), root(300)), Ok(()));
    assert_eq!(proof.verify(root(1), root(300)), Err(ProofError::Root));
}
