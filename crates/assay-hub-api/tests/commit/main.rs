//! The body of a commit, read in pieces.

#![cfg(test)]

mod limits;
mod lines;
mod properties;
mod read;
