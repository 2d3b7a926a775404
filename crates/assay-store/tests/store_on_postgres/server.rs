//! Tests of a server alone.

use std::time::Duration;

use assay_model::{Durability, RepoKey, RepoKind};
use assay_store::testing::{PrivateServer, TestDatabase};
use assay_store::{Database, Error, Filter, Store};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tempfile::TempDir;

use crate::support::{add_repository, open};

/// The index that finds names by their parts.
const BY_PART: &str = "SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'repositories_by_part'";
/// The most connections of a store that are gone until it makes new ones.
const CONNECTIONS: usize = 16;

async fn run(database: &TestDatabase, statements: &str) {
    let mut connection = PgConnection::connect(&database.url()).await.unwrap();
    let statements = AssertSqlSafe(statements.to_owned());
    sqlx::raw_sql(statements)
        .execute(&mut connection)
        .await
        .unwrap();
}

async fn read(database: &TestDatabase, question: &'static str) -> i64 {
    let mut connection = PgConnection::connect(&database.url()).await.unwrap();
    let answer = sqlx::query_scalar(question);
    answer.fetch_one(&mut connection).await.unwrap()
}

/// The models whose names have a text in them.
async fn found(store: &Store, text: &str) -> Vec<String> {
    let mut filter = Filter::new(RepoKind::Model, 10);
    filter.search = vec![text.to_owned()];
    let page = store.repositories(&filter).await.unwrap();
    let names = page.items.iter();
    names.map(|item| item.repository.id.to_string()).collect()
}

async fn add_models(store: &Store) {
    let mut tx = store.begin().await.unwrap();
    for id in ["alice/one-model", "alice/another"] {
        add_repository(&mut tx, RepoKind::Model, id).await;
    }
    tx.commit().await.unwrap();
}

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

#[tokio::test]
async fn names_are_found_by_their_parts_through_an_index() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let available = "SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'pg_trgm'";
    let available = read(&database, available).await;

    let store = open(&database.address()).await;
    add_models(&store).await;

    assert_eq!(read(&database, BY_PART).await, available);
    assert_eq!(found(&store, "E-Mod").await, ["alice/one-model"]);
}

#[tokio::test]
async fn who_may_create_no_extension_has_a_hub_without_that_index() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    run(
        &database,
        "CREATE ROLE guest LOGIN; GRANT USAGE, CREATE ON SCHEMA public TO guest",
    )
    .await;
    let url = database.url().replace("assay@", "guest@");

    let store = open(&url.parse().unwrap()).await;
    add_models(&store).await;

    assert_eq!(read(&database, BY_PART).await, 0);
    assert_eq!(found(&store, "E-Mod").await, ["alice/one-model"]);
}

#[tokio::test]
async fn a_copy_is_counted_and_its_boards_are_put_together() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let (directory, database) = (TempDir::new().unwrap(), server.new_database().await);
    let file = open(&Database::File(directory.path().join("hub.db"))).await;
    add_models(&file).await;
    let target = open(&database.address()).await;

    file.copy_into(&target).await.unwrap();

    let counted =
        "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = 'repositories'::regclass";
    assert_eq!(read(&database, counted).await, 2);
    let together = "SELECT COUNT(*) FROM pg_index WHERE indexrelid = 'entries_by_board'::regclass AND indisclustered";
    assert_eq!(read(&database, together).await, 1);
}

#[tokio::test]
async fn connections_that_were_lost_are_made_anew() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let store = open(&database.address()).await;
    add_models(&store).await;

    run(
        &database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .await;

    let mut answered = false;
    for _ in 0..=CONNECTIONS {
        answered |= store.account_named("alice").await.is_ok();
    }
    assert!(answered);
    assert!(store.account_named("alice").await.unwrap().is_some());
}

#[tokio::test]
async fn a_writer_that_hangs_is_ended_and_the_others_write() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let (hung, other) = (
        open(&database.address()).await,
        open(&database.address()).await,
    );
    let mut held = hung.begin().await.unwrap();
    add_repository(&mut held, RepoKind::Model, "alice/lost").await;

    // It does nothing more, as a server that is stopped: the lock is its own until somebody takes
    // it away.
    let mut tx = other.begin().await.unwrap();
    add_repository(&mut tx, RepoKind::Model, "alice/small").await;
    tx.commit().await.unwrap();
    let late = held.commit().await;

    assert!(matches!(late, Err(Error::Away { .. })), "{late:?}");
    assert_eq!(found(&other, "alice").await, ["alice/small"]);
    let mut again = hung.begin().await.unwrap();
    add_repository(&mut again, RepoKind::Model, "alice/third").await;
    again.commit().await.unwrap();
}

#[tokio::test]
async fn a_transaction_that_gives_signs_of_life_may_take_long() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let store = open(&database.address()).await;
    let mut tx = store.begin().await.unwrap();
    add_repository(&mut tx, RepoKind::Model, "alice/small").await;

    // Longer than a transaction may do nothing.
    let waited = tokio::time::timeout(Duration::from_secs(6), tx.stay_alive()).await;

    assert!(waited.is_err(), "{waited:?}");
    tx.commit().await.unwrap();
    assert_eq!(found(&store, "alice").await, ["alice/small"]);
}

#[tokio::test]
async fn a_connection_that_the_server_ends_is_told_as_a_database_that_is_away() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let store = open(&database.address()).await;
    let mut tx = store.begin().await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    run(&database, end).await;

    let lost = tx.repository(RepoKey(1)).await;

    assert!(matches!(lost, Err(Error::Away { .. })), "{lost:?}");
}

/// Processes of a server that do nothing until this is dropped.
struct Frozen(Vec<i64>);

impl Frozen {
    /// Freezes the processes that answer the connections with a name. It is as if the network had
    /// forgotten these.
    async fn connections_named(database: &TestDatabase, name: &str) -> Self {
        let mut connection = PgConnection::connect(&database.url()).await.unwrap();
        let found = sqlx::query_scalar(
            "SELECT CAST(pid AS BIGINT) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
        );
        let found: Vec<i64> = found.bind(name).fetch_all(&mut connection).await.unwrap();
        assert!(!found.is_empty(), "there is a connection `{name}`");
        for process in &found {
            signal("-STOP", *process);
        }
        Self(found)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for process in &self.0 {
            signal("-CONT", *process);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the program is no git command")]
fn signal(signal: &str, process: i64) {
    let mut kill = std::process::Command::new("kill");
    let status = kill.args([signal, &process.to_string()]).status().unwrap();
    assert!(status.success());
}

/// Waits until a store knows a generation, for as long as a machine under load may need.
async fn knows(store: &Store, generation: u64) -> bool {
    for _ in 0..600 {
        if store.generation().await.is_ok_and(|own| own >= generation) {
            return true;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    false
}

#[tokio::test]
async fn a_change_is_noticed_when_the_connection_that_listens_hangs() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let (one, other) = (
        open(&database.address()).await,
        open(&database.address()).await,
    );
    let _frozen = Frozen::connections_named(&database, "assay listener").await;

    add_models(&one).await;
    let newest = one.seen_generation();

    assert!(knows(&other, newest).await, "nothing is heard of {newest}");
    assert_eq!(other.generation_of_others(), newest);
}

#[tokio::test]
async fn a_connection_that_hangs_is_given_up_and_another_one_listens() {
    let Some(server) = PrivateServer::get() else {
        return;
    };
    let database = server.new_database().await;
    let store = open(&database.address()).await;
    let _frozen = Frozen::connections_named(&database, "assay listener").await;
    let listeners = "SELECT COUNT(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'assay listener'";

    let mut count = 1;
    for _ in 0..600 {
        count = read(&database, listeners).await;
        if count > 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }

    assert_eq!(count, 2, "the one that hangs, and a new one");
    store.close().await;
}
