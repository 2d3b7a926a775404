//! Moving the database of a hub to another place.

use std::path::Path;

use assay_model::{Durability, Timestamp};
use assay_store::{AuditAction, AuditActor, AuditSubject, Copied, Database, NewAuditRow, Store};

use crate::data_dir_lock::ServerMark;
use crate::error::Error;
use crate::hub_file::HubFile;

/// Copies everything from one database into another that has nothing yet, and says what. The first
/// stays as it is.
///
/// A hub that goes on meanwhile would change the first, and nobody would miss what is not in the
/// second; so a file next to which a server works is refused.
///
/// The audit log of the second names the operating system user who did it.
pub async fn copy_database(
    from: &Database,
    to: &Database,
    shell_user: &str,
    now: Timestamp,
) -> Result<Vec<Copied>, Error> {
    let _mark = match from {
        Database::Server(_) => None,
        Database::File(path) => {
            // Opening makes a file that is not there, and an empty hub is not what anybody wants to
            // move.
            if !path.is_file() {
                return Err(Error::Invalid(format!(
                    "there is no database in `{}`",
                    path.display()
                )));
            }
            ServerMark::beside(path)?
        }
    };
    let source = Store::connect(from, Durability::Fast).await?;
    let target = Store::connect(to, Durability::Full).await?;
    let copied = copy(&source, &target, from, shell_user, now).await;
    source.close().await;
    target.close().await;
    let copied = copied?;
    for data in [from, to].into_iter().filter_map(directory_of) {
        note_move(data, from, to)?;
    }
    Ok(copied)
}

/// Copies the rows, and records that in the audit log of the copy.
async fn copy(
    source: &Store,
    target: &Store,
    from: &Database,
    shell_user: &str,
    now: Timestamp,
) -> Result<Vec<Copied>, Error> {
    let copied = source.copy_into(target).await?;
    let mut tx = target.begin().await?;
    tx.add_audit_row(&NewAuditRow {
        at: now,
        actor: AuditActor::Shell(shell_user.to_owned()),
        action: AuditAction::DatabaseCopied,
        subject: AuditSubject::hub().with(format!("from {from}")),
        address: None,
        request: None,
    })
    .await?;
    tx.commit().await?;
    Ok(copied)
}

/// The directory that the file of a database is in, which may be the data directory of its hub.
fn directory_of(database: &Database) -> Option<&Path> {
    match database {
        Database::File(path) => path.parent(),
        Database::Server(_) => None,
    }
}

/// Lets the commands of a data directory find the database where it is now, when it was the one
/// that is moved.
fn note_move(data: &Path, from: &Database, to: &Database) -> Result<(), Error> {
    match HubFile::read(data)? {
        Some(mut file) if file.database == HubFile::address_of(data, from) => {
            file.database = HubFile::address_of(data, to);
            file.write(data)
        }
        Some(_) | None => Ok(()),
    }
}
