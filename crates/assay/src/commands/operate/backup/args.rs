use std::num::NonZero;

use clap::Args;

/// Back up a running hub to a directory or to object storage, and check the copy
#[derive(Debug, Args)]
#[command(
    long_about = "\
Back up a running hub to a directory or to S3-compatible object storage, and check the copy.

A backup has everything: the database, the repositories, large files, the logs and the keys. It is consistent although the \
hub goes on: every commit that was acknowledged before the backup began is in it, and every ref leads to objects that are in it. \
Each backup is a generation of its own; only what the place does not have yet is copied. What is written is read once more and \
compared, every ref is followed to the last file, the database and the logs are checked.

Whoever can read a backup can read private repositories and sign with the keys of the hub: keep it as private as the data \
directory. A passphrase of the keys that is kept outside of the data directory is not in the backup.

For object storage, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION are read from the environment, and AWS_ENDPOINT \
(with AWS_ALLOW_HTTP=true for http) for storage elsewhere than at Amazon.",
    after_help = "\
Examples:
  assay admin backup /backup/hub --data /srv/assay
  assay admin backup s3://backups/hub --keep 30      keep the newest 30 generations
  assay admin backup /backup/hub --list
  assay admin backup /backup/hub --verify            read all of the newest generation and check it

Exit codes:
  0  the backup is made and checked; with --verify: the generation is whole
  1  something is missing or damaged, and what; or it cannot be done, and why
  3  wrong usage, or the data directory or the place cannot be used"
)]
pub(crate) struct BackupArgs {
    /// The place of the backup: a directory, or `s3://BUCKET/PREFIX`
    pub(crate) place: String,

    /// Remove all but the newest N whole generations when this one is whole
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<NonZero<usize>>,

    /// Back up nothing: read a generation that is there, all of it, and check it
    #[arg(long, conflicts_with = "keep")]
    pub(crate) verify: bool,

    /// Back up nothing: list the generations that are there
    #[arg(long, conflicts_with_all = ["keep", "verify"])]
    pub(crate) list: bool,

    /// The generation that is verified, by the beginning of its name [default: the newest whole
    /// one]
    #[arg(long, value_name = "GENERATION", requires = "verify")]
    pub(crate) at: Option<String>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Restore a hub from a backup, to an empty data directory and an empty database
#[derive(Debug, Args)]
#[command(
    long_about = "\
Restore a hub from a backup, to a data directory and a database that have nothing yet.

A backup of a hub with its database in a file can be restored to PostgreSQL, and the other way round. Every file is compared with \
its digest, every ref is followed, and the index is brought up to the repositories, as at a start after a crash. A restore that \
was interrupted is begun anew in another directory.",
    after_help = "\
Examples:
  assay admin restore /backup/hub --data /srv/assay-new
  assay admin restore s3://backups/hub --data /srv/assay --database postgres://hub:secret@db/assay
  assay admin restore /backup/hub --data /tmp/drill --at 20260729T02
  assay reindex --check --data /srv/assay-new

Exit codes:
  0  restored
  1  it cannot be done, and why: the target is not empty, or the backup is damaged
  3  wrong usage, or the data directory, the database or the place cannot be used"
)]
pub(crate) struct RestoreArgs {
    /// The place of the backup: a directory, or `s3://BUCKET/PREFIX`
    pub(crate) place: String,

    /// The generation, by the beginning of its name [default: the newest whole one]
    #[arg(long, value_name = "GENERATION")]
    pub(crate) at: Option<String>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}
