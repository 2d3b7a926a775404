//! The columns of an entry: how a version is written to its row and read again.

use assay_model::{
    Date, Entry, Finding, Provenance, RepoKey, Revision, Setup, Standing, Timestamp,
};

use crate::entries::Branch;
use crate::entry_json::{
    attested_to_json, codes_of, details_to_json, framework_to_json, read_attested, read_details,
    read_framework, read_scores, read_source, scores_to_json, setup_to_json, source_to_json,
};
use crate::row::{NamedColumns, to_json};
use crate::sql::Query;
use crate::{AccountId, Evidence, IndexedEntry, NewEntry};

/// The columns that [`bind_entry`] binds, in its order.
pub(crate) const WRITTEN: &str = "repo, pull, file, ordinal, since_ms, until_ms, dataset, dataset_lower, task, scores, \
    date, moment_ms, source, notes, framework, subset, sample_size, model_revision, dataset_revision, token, verified, \
    reason, detail, data, introduced_by, committed_ms, submitter, author, jti, form, repeated, revoked, attested, setup, \
    details, codes";
/// The number of columns that are written.
pub(crate) const WRITTEN_COUNT: usize = 36;

/// The columns that [`read_said`] reads, of a table called `e`.
macro_rules! said_columns {
    () => {
        "e.dataset AS dataset, e.task AS task, e.dataset_revision AS dataset_revision, \
         e.model_revision AS model_revision, e.scores AS scores, e.framework AS framework, \
         e.source AS source, e.date AS date, e.notes AS notes, e.subset AS subset, \
         e.sample_size AS sample_size, e.details AS details"
    };
}
pub(crate) use said_columns;

/// The columns that [`read_entry`] reads, of a table called `e`.
macro_rules! entry_columns {
    () => {
        concat!(
            "e.pull AS pull, e.since_ms AS since_ms, e.until_ms AS until_ms, e.file AS file, \
             e.ordinal AS ordinal, ",
            $crate::entry_row::said_columns!(),
            ", e.token AS token, e.moment_ms AS moment_ms, e.verified AS verified, e.reason AS reason, \
             e.detail AS detail, e.revoked AS revoked, e.attested AS attested, e.jti AS jti, \
             e.form AS form, e.repeated AS repeated, e.data AS data, e.introduced_by AS introduced_by, \
             e.committed_ms AS committed_ms, e.submitter AS submitter, e.author AS author"
        )
    };
}
pub(crate) use entry_columns;

/// A branch as its column holds it.
pub(crate) fn branch_number(branch: Branch) -> i64 {
    branch.pull().map_or(0, i64::from)
}

pub(crate) fn read_branch(columns: NamedColumns<'_>) -> sqlx::Result<Branch> {
    Ok(match columns.number("pull")? {
        0 => Branch::Main,
        num => Branch::Pull(num),
    })
}

pub(crate) fn bind_entry<'q>(
    query: Query<'q>,
    key: RepoKey,
    branch: Branch,
    indexed: &'q IndexedEntry,
) -> sqlx::Result<Query<'q>> {
    let version = &indexed.version;
    let entry = &version.entry;
    let standing = &version.standing;
    let evidence = version.evidence.as_ref();
    let query = query
        .bind(key.0)
        .bind(branch_number(branch))
        .bind(version.file.as_str())
        .bind(version.ordinal)
        .bind(indexed.since.millis())
        .bind(indexed.until.map(Timestamp::millis))
        .bind(entry.dataset.as_str())
        .bind(entry.dataset.as_str().to_ascii_lowercase())
        .bind(entry.task.as_str())
        .bind(scores_to_json(&entry.scores)?)
        .bind(entry.date.as_ref().map(Date::as_str))
        .bind(version.moment.millis())
        .bind(entry.source.as_ref().map(source_to_json).transpose()?)
        .bind(&entry.notes)
        .bind(
            entry
                .framework
                .as_ref()
                .map(framework_to_json)
                .transpose()?,
        )
        .bind(&entry.subset)
        // As text, because a file may claim more samples than a column can count.
        .bind(entry.sample_size.map(|size| size.to_string()))
        .bind(entry.model_revision.as_ref().map(Revision::as_str))
        .bind(entry.dataset_revision.as_ref().map(Revision::as_str))
        .bind(&entry.token)
        .bind(standing.is_verified())
        .bind(standing.reason())
        .bind(standing.detail())
        .bind(to_json(&version.data)?)
        .bind(version.commit.to_string())
        .bind(version.committed.millis())
        .bind(version.submitter.map(|submitter| submitter.0))
        .bind(&version.author)
        .bind(evidence.and_then(|evidence| evidence.jti.as_deref()))
        .bind(evidence.map(|evidence| evidence.form.as_str()))
        .bind(evidence.is_some_and(|evidence| evidence.repeated))
        .bind(is_revoked(standing))
        .bind(attested_to_json(standing)?)
        .bind(setup_to_json(&entry.full_setup())?)
        .bind(details_to_json(entry, &version.findings)?)
        .bind(codes_of(&version.findings));
    Ok(query)
}

/// Reads what an entry says, but for its token, and what was found in it.
pub(crate) fn read_said(columns: NamedColumns<'_>) -> sqlx::Result<(Entry, Vec<Finding>)> {
    let mut entry = Entry {
        dataset: columns.parse("dataset")?,
        task: columns.parse("task")?,
        dataset_revision: columns.parse_option("dataset_revision")?,
        model_revision: columns.parse_option("model_revision")?,
        scores: read_scores(columns)?,
        framework: read_framework(columns)?,
        token: None,
        source: read_source(columns)?,
        date: columns.parse_option("date")?,
        notes: columns.get("notes")?,
        subset: columns.get("subset")?,
        sample_size: columns.parse_option("sample_size")?,
        normalization: None,
        setup: Setup::default(),
        provenance: Provenance::default(),
    };
    let findings = read_details(columns, &mut entry)?;
    Ok((entry, findings))
}

pub(crate) fn read_entry(columns: NamedColumns<'_>) -> sqlx::Result<IndexedEntry> {
    let branch = read_branch(columns)?;
    let (mut entry, findings) = read_said(columns)?;
    entry.token = columns.get("token")?;
    Ok(IndexedEntry {
        branch,
        since: columns.time("since_ms")?,
        until: columns.time_option("until_ms")?,
        version: NewEntry {
            file: columns.parse("file")?,
            ordinal: columns.number("ordinal")?,
            entry,
            findings,
            moment: columns.time("moment_ms")?,
            standing: read_standing(columns)?,
            evidence: read_evidence(columns)?,
            data: columns.json("data")?,
            commit: columns.parse("introduced_by")?,
            committed: columns.time("committed_ms")?,
            submitter: columns.get::<Option<i64>>("submitter")?.map(AccountId),
            author: columns.get("author")?,
        },
    })
}

/// Returns whether a standing was taken back, as its column holds it.
pub(crate) fn is_revoked(standing: &Standing) -> bool {
    match standing {
        Standing::Revoked { .. } => true,
        Standing::Verified(_) | Standing::Unverified { .. } => false,
    }
}

/// Reads the standing from `reason`, `detail`, `revoked` and `attested`.
pub(crate) fn read_standing(columns: NamedColumns<'_>) -> sqlx::Result<Standing> {
    let reason: Option<String> = columns.get("reason")?;
    let detail: Option<String> = columns.get("detail")?;
    let revoked: bool = columns.get("revoked")?;
    if let Some(attested) = read_attested(columns)? {
        return Ok(Standing::Verified(Box::new(attested)));
    }
    let (reason, detail) = (reason.unwrap_or_default(), detail.unwrap_or_default());
    Ok(if revoked {
        Standing::Revoked { reason, detail }
    } else {
        Standing::Unverified { reason, detail }
    })
}

pub(crate) fn read_evidence(columns: NamedColumns<'_>) -> sqlx::Result<Option<Evidence>> {
    let jti: Option<String> = columns.get("jti")?;
    let form: Option<String> = columns.get("form")?;
    let repeated: bool = columns.get("repeated")?;
    Ok(form.map(|form| Evidence {
        jti,
        form,
        repeated,
    }))
}
