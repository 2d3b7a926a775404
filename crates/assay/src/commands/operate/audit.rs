//! `assay admin audit`: who changed what, when and from where.

use std::fmt::Write as _;

use assay_app::{AuditActor, AuditPage, AuditQuery, AuditRow, Error, Hub};
use assay_model::{Clock as _, Date, RepoId, Timestamp};
use assay_server::{SystemClock, audit_page};
use clap::Args;
use serde_json::json;

use super::admin::Done;
use crate::table::table;

/// The units of an age, with their lengths in milliseconds.
const UNITS: [(char, i64); 3] = [('m', 60_000), ('h', 3_600_000), ('d', 86_400_000)];

/// A filter of rows.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// Only rows since this date or moment, or no older than this: `2026-11-01`, `7d`, `12h`
    #[arg(long, value_name = "WHEN", value_parser = parse_since)]
    pub(crate) since: Option<Timestamp>,

    /// Only what this account did, or what was done to it
    #[arg(long, value_name = "NAME")]
    pub(crate) account: Option<String>,

    /// Only what was done to this repository, also under former names and after it was deleted
    #[arg(long, value_name = "REPO")]
    pub(crate) repo: Option<RepoId>,

    /// Only this action, such as `repo.deleted`, or all of one subject, such as `repo`
    #[arg(long, value_name = "ACTION")]
    pub(crate) action: Option<String>,

    /// The most rows, up to 1,000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,

    /// Only rows with lower numbers than this: the page after the one whose last row has it
    #[arg(long, value_name = "NUMBER")]
    pub(crate) before: Option<i64>,
}

/// Reads rows of the audit log, newest first.
pub(super) async fn list(hub: &Hub, asked: &Audit) -> Result<Done, Error> {
    let query = AuditQuery {
        since: asked.since,
        account: asked.account.clone(),
        repo: asked.repo.clone(),
        action: asked.action.clone(),
        before: asked.before,
        limit: asked.limit,
    };
    let page = hub.operations().audit_page(&hub.shell(), &query).await?;
    let text = page_text(&page);
    let page = audit_page(page);
    let json = json!({ "version": 1, "rows": page.rows, "next": page.next });
    Ok(Done::new(text, json))
}

fn page_text(page: &AuditPage) -> String {
    let rows: Vec<Vec<String>> = page.rows.iter().map(line).collect();
    let mut text = table(
        &[
            "NUMBER", "WHEN", "ACTION", "SUBJECT", "BY", "FROM", "DETAIL",
        ],
        &rows,
    );
    if let Some(next) = page.next {
        let _ = writeln!(text, "older rows: --before {next}");
    }
    text
}

fn line(row: &AuditRow) -> Vec<String> {
    let by = match &row.actor {
        AuditActor::Account {
            name,
            token: Some(token),
        } => format!("{name} (token {token})"),
        AuditActor::Account { name, token: None } => name.clone(),
        AuditActor::Shell(user) => format!("shell: {user}"),
        AuditActor::Server | AuditActor::Anonymous => row.actor.kind().to_owned(),
    };
    vec![
        row.id.to_string(),
        row.at.to_string(),
        row.action.clone(),
        row.subject.name.clone(),
        by,
        row.address.clone().unwrap_or_default(),
        row.subject.detail.clone().unwrap_or_default(),
    ]
}

/// Reads a date, a moment, or an age such as `7d`.
fn parse_since(text: &str) -> Result<Timestamp, String> {
    let unit = text.chars().last();
    let unit = UNITS.iter().find(|(name, _)| Some(*name) == unit);
    if let Some((name, millis)) = unit
        && let Ok(count) = text.trim_end_matches(*name).parse::<u32>()
    {
        let now = SystemClock.now().millis();
        return Ok(Timestamp::from_millis(now - i64::from(count) * millis));
    }
    let date: Option<Date> = text.parse().ok();
    date.as_ref().and_then(Timestamp::of_date).ok_or_else(|| {
        "this is no date such as `2026-11-01` and no age such as `7d`, `12h` or `30m`".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_a_moment_and_an_age_are_read() {
        let day = parse_since("2026-11-01").unwrap();
        let moment = parse_since("2026-11-01T12:00:00Z").unwrap();
        let age = parse_since("2h").unwrap();

        assert_eq!(moment.millis() - day.millis(), 12 * 3_600_000);
        let now = SystemClock.now().millis();
        assert!((now - age.millis() - 7_200_000).abs() < 60_000);
        for wrong in ["", "d", "7w", "-3d", "yesterday"] {
            assert!(parse_since(wrong).is_err(), "{wrong}");
        }
    }
}
