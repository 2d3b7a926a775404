//! The meaning of "verified", one file a subject. Names of tests that are no sentences are those of
//! the threat table.

#![cfg(test)]

mod binding;
mod claims;
mod control;
mod golden;
mod independent;
mod logged;
mod metrics;
mod numbers;
mod proofs;
mod replay;
mod revocation;
mod support;
mod text;
mod tokens;
