//! Every Eval Ever records and samples, judged as a caller sees them.

#![cfg(test)]

mod companions;
mod corpus;
mod hostile;
mod layout;
mod parallel;
mod random;
mod records;
mod rows;
mod scores;
mod support;
mod traps;
