//! Every rule, from a file to its exact findings.
#![cfg(test)]

mod benchmarks;
mod mutations;
mod results;
mod seeds;
mod support;
mod traps;
