//! The hub without HTTP, on a temporary directory and a clock that stands still.

#![cfg(test)]

mod accounts;
mod commits;
mod repositories;
mod support;
