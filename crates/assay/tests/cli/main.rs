//! The command line as people and scripts meet it: the real binary, its exit code and what it
//! prints.

#![cfg(test)]

mod benchmarks;
mod convert;
#[cfg(unix)]
mod convert_interrupted;
mod find;
mod fix;
mod formats;
mod import;
mod issuer;
mod lake;
mod log_audit;
mod memory;
mod other_commands;
mod outbox;
mod support;
mod tables;
mod trust;
mod upgrade;
mod validate;
mod who;
