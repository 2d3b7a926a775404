use assay_app::{Error, Hub, PurgeReport};
use assay_model::{RepoId, RepoKind};
use serde_json::json;

use super::Done;
use crate::commands::operate::args::PurgeAction;
use crate::plural::count;

/// Removes content for good.
pub(super) async fn run(hub: &Hub, action: &PurgeAction) -> Result<Done, Error> {
    let shell = hub.shell();
    let report = match action {
        PurgeAction::Pull {
            repo,
            number,
            reason,
        } => {
            let (kind, id) = parse_repository(repo)?;
            hub.operations()
                .purge_discussion(&shell, kind, &id, *number, reason)
                .await?
        }
        PurgeAction::Commits {
            repo,
            range,
            branch,
            reason,
        } => {
            let (kind, id) = parse_repository(repo)?;
            let range = range.split_once("..").ok_or_else(|| {
                Error::Invalid(format!(
                    "`{range}` is no range of commits: write `FROM..TO`"
                ))
            })?;
            hub.operations()
                .purge_commits(&shell, kind, &id, branch, range, reason)
                .await?
        }
        PurgeAction::Comment { id, reason } => {
            hub.operations().purge_comment(&shell, id, reason).await?
        }
        PurgeAction::Account { name, reason } => {
            hub.operations().purge_account(&shell, name, reason).await?
        }
    };
    Ok(done(&report))
}

fn done(report: &PurgeReport) -> Done {
    let PurgeReport {
        subject,
        commits,
        large_files,
        comments,
    } = report;
    let text = format!(
        "removed {subject} for good: {}, {}, {}\n",
        count(*commits, "commit", "commits"),
        count(*large_files, "large file", "large files"),
        count(*comments, "comment or event", "comments and events"),
    );
    let json = json!({
        "removed": subject,
        "commits": commits,
        "large_files": large_files,
        "comments": comments,
    });
    Done::new(text, json)
}

/// Reads `models/NAMESPACE/NAME` or `datasets/NAMESPACE/NAME`.
pub(super) fn parse_repository(text: &str) -> Result<(RepoKind, RepoId), Error> {
    let wrong = || {
        Error::Invalid(format!(
            "`{text}` is no repository: write `models/NAMESPACE/NAME` or `datasets/NAMESPACE/NAME`"
        ))
    };
    let (kind, id) = text.split_once('/').ok_or_else(wrong)?;
    let kind = match kind {
        "models" => RepoKind::Model,
        "datasets" => RepoKind::Dataset,
        _ => return Err(wrong()),
    };
    Ok((kind, id.parse().map_err(|_| wrong())?))
}
