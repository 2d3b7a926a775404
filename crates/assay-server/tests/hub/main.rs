//! The hub through its router, one file a subject.

#![cfg(test)]

mod accounts;
mod commits;
mod downloads;
mod files;
mod limits;
mod listing;
mod observability;
mod refs;
mod repositories;
mod serving;
mod tolerated;
