use std::io::{Read as _, Write};
use std::path::Path;
use std::time::Duration;

use assay_cli::{Exit, Printer};
use assay_lake::{Engine, Error, Limits, Table, VIEWS};
use assay_model::chain;
use assay_render::visible;

use crate::args::{AnswerFormat, Budget, Query};
use crate::config::Config;
use crate::output::{self, WrittenRows};
use crate::prompt::{Prompt, Typed};

/// The longest query that is read, in bytes.
const MAX_QUERY: u64 = 1 << 20;

/// Answers a question, or all that are asked at a prompt.
pub(super) fn run(command: &Query, config: &Config, printer: &mut Printer) -> Result<Exit, Error> {
    let snapshot = super::read(&command.place, config)?;
    let limits = limits(&command.budget, config);
    let sql = match (&command.sql, &command.file) {
        (Some(sql), _) => Some(sql.clone()),
        (None, Some(file)) => {
            let opened = std::fs::File::open(file);
            Some(read(file, opened)?)
        }
        (None, None) if !config.stdin_is_terminal => {
            let name = Path::new("standard input");
            Some(read(name, Ok(std::io::stdin()))?)
        }
        (None, None) => None,
    };
    super::block_on(limits.threads, async {
        let engine = match &command.cluster {
            None => Engine::open(snapshot, limits).await?,
            Some(cluster) => {
                let token = config.cluster_token()?;
                Engine::open_on(cluster, &token, snapshot, limits).await?
            }
        };
        match sql {
            Some(sql) => answer(&engine, &sql, command, printer).await,
            None => converse(&engine, command, printer).await,
        }
    })
}

/// What a query may cost.
pub(super) fn limits(budget: &Budget, config: &Config) -> Limits {
    Limits {
        memory: budget.memory.saturating_mul(1 << 20),
        timeout: budget.timeout.map(Duration::from_secs),
        threads: budget.jobs.map_or(config.cores, usize::from),
    }
}

async fn answer(
    engine: &Engine,
    sql: &str,
    command: &Query,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let sql = sql.trim().trim_end_matches(';');
    let mut answer = engine.ask(sql).await?;
    let told = match &command.out {
        None => output::write(&mut answer, command.format, &mut *printer).await?,
        Some(path) => {
            let failed = |source| Error::Io {
                doing: "write",
                path: path.clone(),
                source,
            };
            let file = std::fs::File::create(path).map_err(failed)?;
            let mut file = std::io::BufWriter::new(file);
            let written = output::write(&mut answer, command.format, &mut file).await;
            let told = match written {
                Ok(told) => told,
                Err(error) => {
                    // Half an answer must not be taken for one.
                    let _ = std::fs::remove_file(path);
                    return Err(error);
                }
            };
            file.flush().map_err(failed)?;
            told
        }
    };
    remark(told, command.format, printer);
    Ok(Exit::Clean)
}

fn remark(told: WrittenRows, format: AnswerFormat, printer: &mut Printer) {
    if told.cut && !printer.is_closed() {
        printer.aside(&format!(
            "only the first {} rows are shown; `--format csv` writes all of them",
            told.rows
        ));
    } else if format == AnswerFormat::Table && !printer.is_closed() {
        let rows = if told.rows == 1 { "row" } else { "rows" };
        printer.aside(&format!("{} {rows}", told.rows));
    }
}

/// Questions and answers until there are no more questions. A wrong question ends nothing.
async fn converse(engine: &Engine, command: &Query, printer: &mut Printer) -> Result<Exit, Error> {
    let failed = |error: rustyline::error::ReadlineError| Error::Io {
        doing: "read from",
        path: "the terminal".into(),
        source: std::io::Error::other(error),
    };
    let mut prompt = Prompt::new(names()).map_err(failed)?;
    loop {
        match prompt.read().map_err(failed)? {
            Typed::End => return Ok(Exit::Clean),
            Typed::Question(sql) => {
                if let Err(error) = answer(engine, &sql, command, printer).await {
                    printer.error(&visible(&chain(&error)));
                }
                printer.flush();
            }
        }
    }
}

/// The names that can be completed: tables and their columns.
fn names() -> Vec<String> {
    let tables = Table::ALL.iter().map(|table| table.as_str());
    let views = VIEWS.iter().map(|view| view.name);
    let columns = Table::ALL
        .iter()
        .flat_map(|table| table.columns())
        .map(|(name, ..)| *name);
    let mut names: Vec<String> = tables
        .chain(views)
        .chain(columns)
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn read(path: &Path, from: std::io::Result<impl std::io::Read>) -> Result<String, Error> {
    let failed = |source| Error::Io {
        doing: "read the query in",
        path: path.to_owned(),
        source,
    };
    let mut text = String::new();
    from.map_err(failed)?
        .take(MAX_QUERY + 1)
        .read_to_string(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > MAX_QUERY {
        let long = format!("it is longer than {MAX_QUERY} bytes");
        return Err(failed(std::io::Error::other(long)));
    }
    Ok(text)
}
