//! The index, boards, lists and discussions, through a hub on a temporary directory.
#![cfg(test)]

mod boards;
mod discussions;
mod interleaving;
mod legacy;
mod lists;
mod models;
mod pieces;
mod previews;
mod records;
mod recovery;
mod support;
mod webhooks;
