//! The index, boards, lists and discussions, through a hub on a temporary directory.
#![cfg(test)]

mod boards;
mod damage;
mod discussions;
mod findings;
mod interleaving;
mod keeping;
mod left;
mod legacy;
mod lists;
mod models;
mod on_boards;
mod pieces;
mod previews;
mod purging;
mod records;
mod recovery;
mod support;
mod webhooks;
