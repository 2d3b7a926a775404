//! The same tests on a real server, each with a database of its own. Where none is installed they
//! say so, and run on files.

#![cfg(test)]

#[path = "../store/accounts.rs"]
mod accounts;
#[path = "../store/audit.rs"]
mod audit;
#[path = "../store/discussions.rs"]
mod discussions;
#[path = "../store/dump.rs"]
mod dump;
#[path = "../store/entries.rs"]
mod entries;
#[path = "../store/entry_properties.rs"]
mod entry_properties;
#[path = "../store/index.rs"]
mod index;
#[path = "../store/issuer.rs"]
mod issuer;
#[path = "../store/listing.rs"]
mod listing;
#[path = "../store/news.rs"]
mod news;
#[path = "../store/quota.rs"]
mod quota;
#[path = "../store/repositories.rs"]
mod repositories;
#[path = "../store/safety.rs"]
mod safety;
mod server;
#[path = "../store/support.rs"]
mod support;
#[path = "../store/transfer.rs"]
mod transfer;
#[path = "../store/trust.rs"]
mod trust;
#[path = "../store/web.rs"]
mod web;

use assay_store::Database;
use assay_store::testing::{PrivateServer, TestDatabase};
use tempfile::TempDir;

/// Keeps the database of a test for as long as the test.
type Kept = Option<TestDatabase>;

/// Makes the database of a test.
async fn new_database(directory: &TempDir) -> (Database, Kept) {
    match PrivateServer::get() {
        Some(server) => {
            let database = server.new_database().await;
            (database.address(), Some(database))
        }
        None => (Database::File(directory.path().join("hub.db")), None),
    }
}
