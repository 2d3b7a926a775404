//! The store on real files.

#![cfg(test)]

mod accounts;
mod audit;
mod discussions;
mod dump;
mod entries;
mod entry_properties;
mod file;
mod index;
mod issuer;
mod listing;
mod news;
mod quota;
mod repositories;
mod safety;
mod support;
mod transfer;
mod trust;
mod web;

use assay_store::Database;
use tempfile::TempDir;

/// Keeps the database of a test for as long as the test, which its directory does.
type Kept = ();

/// Returns the database of a test.
#[expect(
    clippy::unused_async,
    reason = "a database of a server is made over a connection, and the tests are the same"
)]
async fn new_database(directory: &TempDir) -> (Database, Kept) {
    (Database::File(directory.path().join("hub.db")), ())
}
