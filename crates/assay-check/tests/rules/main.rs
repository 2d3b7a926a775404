//! Every rule, from a file to its exact findings.
#![cfg(test)]

mod benchmarks;
mod fit;
mod mutations;
mod on_board;
mod results;
mod scores;
mod seeds;
mod support;
mod tokens;
mod traps;
