use std::io;
use std::path::PathBuf;

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use deltalake_core::DeltaTableError;
use parquet::errors::ParquetError;

/// What an operation on a lake returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong with a lake: the operation that failed, and on what.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to read.
    #[error("there is no lake at `{}`; `assay ingest PATHS --lake {}` makes one", .0.display(), .0.display())]
    NoLake(PathBuf),
    /// The directory has other things in it.
    #[error("`{}` is a directory with other files and no lake; name an empty one", .0.display())]
    NotALake(PathBuf),
    /// The layout is newer than this program.
    #[error(
        "the lake has layout {found} and this program reads layout {known}; use a newer `assay-lake`"
    )]
    Version {
        /// The version that the lake names.
        found: u32,
        /// The version that this program knows.
        known: u32,
    },
    /// The layout is older than this program.
    #[error(
        "the lake at `{}` has layout {found}, which this program does not read any more; make it again with `assay ingest PATHS --lake NEW_DIRECTORY`",
        address.display()
    )]
    OldVersion {
        /// The lake.
        address: PathBuf,
        /// The version that it names.
        found: u32,
    },
    /// Other writers were faster every time.
    #[error("other writers changed the lake again and again; repeat the command")]
    Contended,
    /// A file of the lake could not be read or written.
    #[error("failed to {doing} `{}`", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file or an entry of a log says what no lake says.
    #[error("`{}` does not belong to a lake: {why}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A Parquet file could not be read or written.
    #[error("failed to {doing} `{}`", path.display())]
    Parquet {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: ParquetError,
    },
    /// Columns could not be put together.
    #[error("failed to put columns together")]
    Arrow(#[from] ArrowError),
    /// The engine refused or failed.
    #[error("{}", told(.0))]
    Query(#[source] DataFusionError),
    /// Somebody asked to change something.
    #[error(
        "only questions can be asked here, not {0}: use SELECT, WITH, VALUES, EXPLAIN, SHOW or DESCRIBE"
    )]
    NotAQuestion(String),
    /// Somebody who cannot read the files asked how they are read.
    #[error(
        "plans are not told here, because they name files; ask with `assay query` where the lake lies"
    )]
    NotForStrangers,
    /// Somebody who cannot read the files asked how the engine is set.
    #[error("the settings of the engine are not told here")]
    Settings,
    /// The question has too many levels.
    #[error("the query is nested more than {0} levels deep; divide it")]
    TooDeep(usize),
    /// The question says too much.
    #[error(
        "the query has more than {0} operators and keywords; divide it, or use a list of values with IN"
    )]
    TooLong(usize),
    /// The answer took too long.
    #[error("the query was stopped after {0} seconds; `--timeout` gives it more")]
    Timeout(u64),
    /// The engine ended without saying that the answer is whole.
    #[error("the engine broke off in the middle of the answer: {0}")]
    BrokenOff(String),
    /// Whoever asked does not want the answer any more.
    #[error("interrupted; the cluster was told to stop")]
    Interrupted,
    /// An address of a lake that nobody can follow.
    #[error(
        "`{0}` is no address of a lake: name a directory, `file:///DIRECTORY` or `s3://BUCKET/PREFIX`"
    )]
    NoAddress(String),
    /// The log of a table could not be read or written.
    #[error("failed to {doing} the table at `{at}`")]
    Delta {
        /// What was tried.
        doing: &'static str,
        /// On which table.
        at: String,
        /// Why not.
        source: Box<DeltaTableError>,
    },
    /// A file of a lake could not be read or written where the lake lies.
    #[error("failed to {doing} `{at}`")]
    Bucket {
        /// What was tried.
        doing: &'static str,
        /// On which object.
        at: String,
        /// Why not.
        source: object_store::Error,
    },
    /// A machine of a cluster cannot be reached, or does not do its work.
    #[error("failed to {doing} `{at}`: {why}")]
    Cluster {
        /// What was tried.
        doing: &'static str,
        /// With which machine.
        at: String,
        /// Why not.
        why: String,
    },
    /// A machine of a cluster was lost while it worked on a query.
    #[error("a machine of the cluster was lost while it worked on the query; ask it again")]
    ExecutorLost(#[source] Box<DataFusionError>),
    /// Two runs cannot be compared.
    #[error("{0}")]
    Compare(String),
}

impl Error {
    /// An operation on a file that failed.
    pub(crate) fn io(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }

    /// An operation on a Parquet file that failed.
    pub(crate) fn parquet(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(ParquetError) -> Self {
        let path = path.into();
        move |source| Self::Parquet {
            doing,
            path,
            source,
        }
    }
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        Self::Query(error)
    }
}

/// What the engine says, in one line and without its word for the kind of error, which tells a user nothing.
fn told(error: &DataFusionError) -> String {
    const KINDS: [&str; 6] = [
        "Error during planning: ",
        "SQL error: ",
        "Schema error: ",
        "Execution error: ",
        "Invalid or Unsupported Configuration: ",
        "This feature is not implemented: ",
    ];
    let text = error.strip_backtrace();
    let bare = KINDS
        .iter()
        .find_map(|kind| text.strip_prefix(kind))
        .unwrap_or(&text);
    let bare = bare
        .strip_prefix("ParserError(\"")
        .and_then(|rest| rest.strip_suffix("\")"))
        .unwrap_or(bare);
    let line = bare.replace('\n', " ");
    let line = line.trim().trim_end_matches('.');
    let mut characters = line.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}
