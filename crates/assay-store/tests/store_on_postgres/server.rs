//! What is true of a server alone.

use assay_model::Durability;
use assay_store::testing::PrivateServer;
use assay_store::{Database, Error, Store};

#[tokio::test]
async fn a_database_that_is_not_there_is_named_without_its_password() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let url = server.url("nowhere").replace("assay@", "assay:secret@");
    let database: Database = url.parse().unwrap();

    let error = Store::connect(&database, Durability::Full)
        .await
        .unwrap_err();

    assert!(matches!(error, Error::Reach { .. }), "{error:?}");
    let told = format!("{error} {database:?}");
    assert!(told.contains("/nowhere"), "{told}");
    assert!(!told.contains("secret"), "{told}");
}
