//! A private `PostgreSQL` server for the tests of this crate and of others: on a socket in a
//! directory of its own, one a process, with a new database for whoever asks. It ends with the
//! process, however that ends.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot be set up has to stop, and one that is passed over says so"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use crate::Database;

/// Makes a cluster, starts it, says so, waits until its input ends, and clears everything away. It
/// does not run as root, which `PostgreSQL` refuses. The default order of text is that of a
/// language: what is to be ordered by bytes says so.
const SCRIPT: &str = r#"
set -eu
bin=$1 dir=$2 as=
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id -u "$user" >/dev/null 2>&1 || user=nobody
    chown "$user" "$dir"
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups --"
fi
cd "$dir"
make() { $as "$bin/initdb" -D "$dir/data" -U assay -A trust -E UTF8 --no-sync "$@" >"$dir/log" 2>&1; }
make --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US || { rm -rf "$dir/data"; make --locale=C.UTF-8; } || { cat "$dir/log" >&2; exit 1; }
start() {
    $as "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= -c fsync=off -c full_page_writes=off \
        -c max_connections=400 -c shared_buffers=64MB >"$dir/log" 2>&1 </dev/null &
    server=$!
    until "$bin/pg_isready" -q -h "$dir"; do
        kill -0 $server || { cat "$dir/log" >&2; exit 1; }
        sleep 0.05
    done
    echo ready
}
stop() { kill -QUIT $server 2>/dev/null; wait $server 2>/dev/null || true; }
trap 'stop; cd /; rm -rf "$dir"' EXIT
start
while read -r _; do stop; start; done
"#;

/// The server of this process, if there is one to be had.
static SERVER: OnceLock<Option<PrivateServer>> = OnceLock::new();

/// A server of our own.
#[derive(Debug)]
pub struct PrivateServer {
    directory: PathBuf,
    databases: AtomicU32,
    /// The databases whose tests are over.
    finished: Mutex<Vec<String>>,
    /// The script that runs the server. Its input ends with this process, and the server with it.
    script: Mutex<Script>,
}

/// The script that runs a server: a line of input restarts it, and `ready` is printed after each
/// start.
#[derive(Debug)]
struct Script {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _child: Child,
}

impl Script {
    fn wait_until_ready(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "PostgreSQL does not start");
    }
}

impl PrivateServer {
    /// The server of this process, which is started for who asks first. None where `PostgreSQL` is
    /// not installed, and then it says so.
    pub fn get() -> Option<&'static Self> {
        SERVER.get_or_init(start).as_ref()
    }

    /// Starts a server that no other test uses, so that it can be restarted.
    pub fn start_another() -> Option<&'static Self> {
        start().map(|server| &*Box::leak(Box::new(server)))
    }

    /// Stops the server as a crash would, without a checkpoint, and starts it again.
    pub fn restart_at_once(&self) {
        let mut script = self.script.lock();
        script.input.write_all(b"restart\n").unwrap();
        script.wait_until_ready();
    }

    /// A new database with nothing in it. Those of tests that are over are dropped first, so that
    /// there are never many.
    pub async fn new_database(&'static self) -> TestDatabase {
        let number = self.databases.fetch_add(1, Ordering::SeqCst);
        let name = format!("hub{number}");
        let mut connection = PgConnection::connect(&self.url("postgres")).await.unwrap();
        let finished = std::mem::take(&mut *self.finished.lock());
        for name in finished {
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            run(&mut connection, drop).await;
        }
        run(&mut connection, format!("CREATE DATABASE {name}")).await;
        connection.close().await.unwrap();
        TestDatabase { server: self, name }
    }

    /// The address of a database, as a text.
    pub fn url(&self, name: &str) -> String {
        let socket = self.directory.to_str().unwrap().replace('/', "%2F");
        format!("postgres://assay@{socket}/{name}")
    }
}

/// A database of a test, which goes some time after this is dropped.
#[derive(Debug)]
pub struct TestDatabase {
    server: &'static PrivateServer,
    name: String,
}

impl TestDatabase {
    /// Its address.
    pub fn address(&self) -> Database {
        self.url().parse().unwrap()
    }

    /// Its address, as a text.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        self.server.finished.lock().push(name);
    }
}

/// Runs a statement past the store, as somebody with a client of the database would. Returns what
/// the database says against it.
pub async fn execute_raw(database: &Database, statement: &str) -> Result<(), String> {
    let statement = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
    let done = match database {
        Database::File(path) => {
            let options = SqliteConnectOptions::new().filename(path);
            let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
            statement.execute(&mut connection).await.map(drop)
        }
        Database::Server(server) => {
            let mut connection = PgConnection::connect_with(server.options()).await.unwrap();
            statement.execute(&mut connection).await.map(drop)
        }
    };
    done.map_err(|error| error.to_string())
}

async fn run(connection: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(connection)
        .await
        .unwrap();
}

fn start() -> Option<PrivateServer> {
    let Some(programs) = find_programs() else {
        eprintln!("skipped: no PostgreSQL is installed, so the test runs on SQLite alone");
        return None;
    };
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("assay-pg");
    // A new database is some three hundred files: they need not reach a disk.
    let directory = builder
        .tempdir_in("/dev/shm")
        .or_else(|_| builder.tempdir());
    let directory = directory.unwrap().keep();
    let mut script = command("sh")
        .args(["-c", SCRIPT, "sh"])
        .arg(&programs)
        .arg(&directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut script = Script {
        input: script.stdin.take().unwrap(),
        output: BufReader::new(script.stdout.take().unwrap()),
        _child: script,
    };
    script.wait_until_ready();
    Some(PrivateServer {
        directory,
        databases: AtomicU32::new(0),
        finished: Mutex::default(),
        script: Mutex::new(script),
    })
}

/// The directory with `initdb` and `postgres`: that of Debian's newest, or the one that `pg_config`
/// or the path names.
fn find_programs() -> Option<PathBuf> {
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    versions.sort();
    let configured = command("pg_config").arg("--bindir").output().ok();
    let configured = configured
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| PathBuf::from(text.trim()));
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    versions
        .into_iter()
        .rev()
        .chain(configured)
        .chain(std::env::split_paths(&on_path))
        .find(|directory| has_programs(directory))
}

fn has_programs(directory: &Path) -> bool {
    ["initdb", "postgres", "pg_isready"]
        .iter()
        .all(|program| directory.join(program).is_file())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the tests run with the environment of who runs them"
)]
fn command(program: &str) -> Command {
    Command::new(program)
}
