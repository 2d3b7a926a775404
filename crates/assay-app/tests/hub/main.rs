//! The hub without HTTP, on a temporary directory and a clock that stands still.

#![cfg(test)]

mod accounts;
mod audit;
mod commits;
mod large_files;
mod large_storage;
mod pulls;
mod pushes;
mod read_once;
mod repositories;
mod rights;
mod support;
mod web_sessions;
mod xet;
