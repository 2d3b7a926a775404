use assay_model::{RepoId, RepoKey, RepoKind};
use clap::Args;

/// Give repositories without a record one again, or make a lost database again
#[derive(Debug, Args)]
#[command(
    long_about = "\
Give a record to every repository that has none: those that were set aside because the database did not know them, and all \
of them when the database is lost. Names, owners and visibility come from the file `assay.json` in each repository, pull \
requests from their refs, results from git and the logs. What is lost with a database is listed.

A database that is lost is made again only while no server runs.",
    after_help = "\
Examples:
  assay admin adopt --dry-run
  assay admin adopt
  assay admin adopt --as 17=model:acme/model-x        a repository that does not say its name

Exit codes:
  0  every repository has a record
  1  some have none, and why
  3  wrong usage, or the data directory cannot be used"
)]
pub(crate) struct AdoptArgs {
    /// Tell what would be done and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Kind and name for a repository, by the number of its directory: `17=model:acme/model-x`
    #[arg(long = "as", value_name = "NUMBER=KIND:NAME")]
    pub(crate) names: Vec<NamedRepository>,
}

/// The number of a directory, and what the repository in it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedRepository {
    pub(crate) key: RepoKey,
    pub(crate) kind: RepoKind,
    pub(crate) id: RepoId,
}

impl std::str::FromStr for NamedRepository {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage =
            "write a number, `=`, `model` or `dataset`, `:` and a name: `17=model:acme/model-x`";
        let (number, rest) = text.split_once('=').ok_or(usage)?;
        let (kind, id) = rest.split_once(':').ok_or(usage)?;
        let key = number.parse().map_err(|_| usage)?;
        let id: RepoId = id
            .parse()
            .map_err(|error: assay_model::RepoIdError| error.to_string())?;
        if id.namespace().is_none() {
            return Err(usage.to_owned());
        }
        Ok(Self {
            key: RepoKey(key),
            kind: kind.parse().map_err(|_| usage)?,
            id,
        })
    }
}
