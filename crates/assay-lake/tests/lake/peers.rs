//! Other programs read the tables of a lake as Delta tables: the Python packages `deltalake` and `polars`; on a disk, and in the S3
//! of `moto`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use assay_lake::{Lake, Storage, Table};

use crate::command::program;
use crate::support::{Run, World};

/// Prints rows of a table in order, a line a row. Arguments: the package, the address, the version, columns to print and to sort by.
const ROWS: &str = r"
import sys
package, address, version, columns = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4].split(',')
if package == 'deltalake':
    from deltalake import DeltaTable
    table = DeltaTable(address, version=version)
    rows = table.to_pyarrow_table(columns=columns).sort_by([(name, 'ascending') for name in columns]).to_pylist()
elif package == 'pandas':
    from deltalake import DeltaTable
    frame = DeltaTable(address, version=version).to_pandas(columns=columns).sort_values(columns)
    rows = frame.astype(object).where(frame.notna(), None).to_dict('records')
else:
    import polars
    frame = polars.read_delta(address, version=version).select(columns).sort(columns, nulls_last=True)
    rows = frame.to_dicts()
for row in rows:
    print(' | '.join('-' if row[name] is None else str(row[name]) for name in columns))
";

/// Serves S3 on a free port and prints its address.
const MOTO: &str = r"
import sys, time
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
import boto3
boto3.client('s3', endpoint_url=f'http://{host}:{port}', region_name='us-east-1', aws_access_key_id='k',
             aws_secret_access_key='s').create_bucket(Bucket='results')
print(f'http://{host}:{port}', flush=True)
sys.stdin.read()
";

/// Columns of tables that have a value in every row, or are compared as text.
const COMPARED: [(Table, &str); 5] = [
    (
        Table::Results,
        "record_id,position,benchmark,task,model,metric,score,evaluated_at",
    ),
    (
        Table::Records,
        "record_id,benchmark,model,results,instances,digest",
    ),
    (
        Table::Instances,
        "record_id,line,benchmark,task,model,metric,sample_id,score,is_correct",
    ),
    (Table::Messages, "record_id,line,position,part,content"),
    (Table::Metrics, "record_id,position,metric"),
];

/// A Python with the packages; none where there is no such thing.
#[expect(
    clippy::disallowed_methods,
    reason = "the test command says which Python has them, and it is run as a shell runs it"
)]
#[expect(clippy::print_stderr, reason = "a test that is passed over says so")]
fn python(packages: &str) -> Option<String> {
    let named = std::env::var("ASSAY_LAKE_PYTHON").ok();
    let python = named.unwrap_or_else(|| "python3".to_owned());
    let import = format!("import {packages}");
    let output = Command::new(&python).args(["-c", &import]).output();
    let has_them = output.is_ok_and(|output| output.status.success());
    if !has_them {
        eprintln!(
            "passed over: no Python has {packages}; install them and name it in ASSAY_LAKE_PYTHON"
        );
    }
    has_them.then_some(python)
}

#[expect(clippy::disallowed_methods, reason = "it is run as a shell runs it")]
fn rows(python: &str, arguments: &[&str], variables: &[(String, String)]) -> Vec<String> {
    let output = Command::new(python)
        .args(["-c", ROWS])
        .args(arguments)
        .envs(variables.iter().cloned())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    let answer = String::from_utf8(output.stdout).unwrap();
    // Python writes moments with a space, and truth with a capital.
    let lines = answer
        .lines()
        .map(|line| line.replace("True", "true").replace("False", "false"));
    lines.collect()
}

fn compare(python: &str, world: &World, lake: &Lake, variables: &[(String, String)]) {
    let snapshot = lake.read().unwrap();
    for (table, columns) in COMPARED {
        let version = snapshot.manifest.versions[&table].to_string();
        let address = snapshot.address_of(table);
        let name = table.as_str();
        // `reported` has all rows that the table of results has.
        let name = if table == Table::Results {
            "reported"
        } else {
            name
        };
        let asked = columns.replace(
            "evaluated_at",
            "replace(CAST(evaluated_at AS VARCHAR), 'T', ' ')",
        );
        let sql = format!("SELECT {asked} FROM {name} ORDER BY {columns}");
        let ours = answer(world, variables, lake, &sql);
        for package in ["deltalake", "pandas", "polars"] {
            let theirs = rows(python, &[package, &address, &version, columns], variables);

            assert_eq!(theirs, ours, "{package} {columns}");
        }
    }
}

/// The answer to a question, a line a row.
fn answer(world: &World, variables: &[(String, String)], lake: &Lake, sql: &str) -> Vec<String> {
    let lake = lake.directory().to_str().unwrap();
    let arguments = ["query", sql, "--lake", lake, "--format", "json"];
    let output = program(world, &arguments)
        .envs(variables.iter().cloned())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{sql}: {told}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = answer.as_array().unwrap().iter().map(|row| {
        let cells = row.as_object().unwrap().values().map(|cell| match cell {
            serde_json::Value::Null => "-".to_owned(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        cells.collect::<Vec<_>>().join(" | ")
    });
    lines.collect()
}

#[test]
fn the_tables_of_a_directory_are_read_as_delta_tables() {
    let Some(python) = python("deltalake, polars, pandas, pyarrow") else {
        return;
    };
    let world = World::ingested_apart();
    let changed = Run {
        score: 0.25,
        samples: vec![1.0, 0.0, 0.0, 0.0],
        ..Run::all()[0].clone()
    };
    changed.write(world.root.path());
    world.ingest();
    // Enough commits for a checkpoint.
    for number in 60..70 {
        let run = Run {
            number,
            ..Run::all()[0].clone()
        };
        let path = run.write(world.root.path());
        let path = path.strip_prefix(world.root.path()).unwrap();
        assert_eq!(world.ingest_paths(&[path.to_str().unwrap()]).added, 1);
    }

    compare(&python, &world, &world.lake, &[]);
}

/// An S3-compatible server that ends with the test.
struct Moto {
    process: Child,
    variables: Vec<(String, String)>,
}

impl Moto {
    #[expect(clippy::disallowed_methods, reason = "it is run as a shell runs it")]
    fn start(python: &str) -> Self {
        let mut process = Command::new(python)
            .args(["-c", MOTO])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut endpoint = String::new();
        let mut told = BufReader::new(process.stdout.take().unwrap());
        told.read_line(&mut endpoint).unwrap();
        let variables = [
            ("AWS_ENDPOINT", endpoint.trim()),
            ("AWS_ENDPOINT_URL", endpoint.trim()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "k"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
        ];
        let owned = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            process,
            variables: owned.into(),
        }
    }

    fn program(&self, world: &World, arguments: &[&str]) -> Command {
        let mut program = program(world, arguments);
        program.envs(self.variables.iter().cloned());
        program
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn succeeded(output: &Output) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
}

#[test]
fn a_lake_in_s3_has_several_writers_and_is_read_as_delta_tables() {
    let Some(python) = python("deltalake, polars, pandas, pyarrow, moto.server, boto3") else {
        return;
    };
    let world = World::new();
    let moto = Moto::start(&python);
    let address = "s3://results/lakes/main";
    let writers = ["data/arith", "data/prose", "data", "models"].map(|path| {
        let arguments = ["ingest", path, "--lake", address];
        moto.program(&world, &arguments).spawn().unwrap()
    });
    for writer in writers {
        succeeded(&writer.wait_with_output().unwrap());
    }
    let mut killed = moto
        .program(&world, &["ingest", "data", "--lake", address])
        .spawn()
        .unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();

    let checked = moto
        .program(&world, &["lake", "check", "--lake", address])
        .output();
    let compacted = moto
        .program(
            &world,
            &["lake", "compact", "--lake", address, "--keep-hours", "0"],
        )
        .output();

    succeeded(&checked.unwrap());
    succeeded(&compacted.unwrap());
    let storage = Storage::from_variables(moto.variables.iter().cloned());
    let lake = Lake::named(Path::new(address), &storage).unwrap();
    let count = answer(
        &world,
        &moto.variables,
        &lake,
        "SELECT count(*) AS n FROM instances",
    );
    assert_eq!(count, ["34"]);
    compare(&python, &world, &lake, &moto.variables);
}
