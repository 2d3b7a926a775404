//! Upgrades judged by what comes out: by the published rules of the judge, by the published schema,
//! and by the account of what was changed.
#![cfg(test)]

mod corpus;
mod files;
mod fixture;
mod hostile;
#[path = "../convert/judge.rs"]
mod judge;
mod record;
mod refusals;
mod samples;
