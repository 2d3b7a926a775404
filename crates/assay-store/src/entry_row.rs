//! The columns of an entry: how a version is written to its row and read again.

use assay_model::{
    Date, Entry, Finding, Provenance, RepoKey, Revision, Setup, Standing, Timestamp,
};

use crate::entries::Branch;
use crate::entry_json::{
    attested_to_json, codes_of, details_to_json, framework_to_json, read_attested, read_details,
    read_framework, read_scores, read_source, scores_to_json, setup_to_json, source_to_json,
};
use crate::row::{Cells, to_json};
use crate::sql::Query;
use crate::{AccountId, Evidence, IndexedEntry, NewEntry};

/// The columns that [`bind_entry`] binds, in its order.
pub(crate) const WRITTEN: &str = "repo, pull, file, ordinal, since_ms, until_ms, dataset, dataset_lower, task, scores, \
    date, moment_ms, source, notes, framework, subset, sample_size, model_revision, dataset_revision, token, verified, \
    reason, detail, data, introduced_by, committed_ms, submitter, author, jti, form, repeated, revoked, attested, setup, \
    details, codes";
/// How many they are.
pub(crate) const WRITTEN_COUNT: usize = 36;

/// The columns that [`read_said`] reads, of a table called `e`.
macro_rules! said_columns {
    () => {
        "e.dataset, e.task, e.dataset_revision, e.model_revision, e.scores, e.framework, e.source, e.date, e.notes, e.subset, \
         e.sample_size, e.details"
    };
}
pub(crate) use said_columns;

/// The columns that [`read_entry`] reads, of a table called `e`.
macro_rules! entry_columns {
    () => {
        concat!(
            "e.pull, e.since_ms, e.until_ms, e.file, e.ordinal, ",
            $crate::entry_row::said_columns!(),
            ", e.token, e.moment_ms, e.verified, e.reason, e.detail, e.revoked, e.attested, e.jti, e.form, e.repeated, \
             e.data, e.introduced_by, e.committed_ms, e.submitter, e.author"
        )
    };
}
pub(crate) use entry_columns;

/// A branch as its column holds it.
pub(crate) fn branch_number(branch: Branch) -> i64 {
    branch.pull().map_or(0, i64::from)
}

pub(crate) fn read_branch(cells: &mut Cells<'_>) -> sqlx::Result<Branch> {
    Ok(match cells.number()? {
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
pub(crate) fn read_said(cells: &mut Cells<'_>) -> sqlx::Result<(Entry, Vec<Finding>)> {
    let mut entry = Entry {
        dataset: cells.parse()?,
        task: cells.parse()?,
        dataset_revision: cells.parse_option()?,
        model_revision: cells.parse_option()?,
        scores: read_scores(cells)?,
        framework: read_framework(cells)?,
        token: None,
        source: read_source(cells)?,
        date: cells.parse_option()?,
        notes: cells.get()?,
        subset: cells.get()?,
        sample_size: cells.parse_option()?,
        normalization: None,
        setup: Setup::default(),
        provenance: Provenance::default(),
    };
    let findings = read_details(cells, &mut entry)?;
    Ok((entry, findings))
}

pub(crate) fn read_entry(cells: &mut Cells<'_>) -> sqlx::Result<IndexedEntry> {
    let branch = read_branch(cells)?;
    let (since, until) = (cells.time()?, cells.time_option()?);
    let (file, ordinal) = (cells.parse()?, cells.number()?);
    let (mut entry, findings) = read_said(cells)?;
    entry.token = cells.get()?;
    Ok(IndexedEntry {
        branch,
        since,
        until,
        version: NewEntry {
            file,
            ordinal,
            entry,
            findings,
            moment: cells.time()?,
            standing: read_standing(cells)?,
            evidence: read_evidence(cells)?,
            data: cells.json()?,
            commit: cells.parse()?,
            committed: cells.time()?,
            submitter: cells.get::<Option<i64>>()?.map(AccountId),
            author: cells.get()?,
        },
    })
}

/// Whether a standing was taken back, as its column holds it.
pub(crate) fn is_revoked(standing: &Standing) -> bool {
    match standing {
        Standing::Revoked { .. } => true,
        Standing::Verified(_) | Standing::Unverified { .. } => false,
    }
}

/// The columns that [`read_standing`] reads, in its order.
pub(crate) fn read_standing(cells: &mut Cells<'_>) -> sqlx::Result<Standing> {
    let _verified: bool = cells.get()?;
    let reason: Option<String> = cells.get()?;
    let detail: Option<String> = cells.get()?;
    let revoked: bool = cells.get()?;
    if let Some(attested) = read_attested(cells)? {
        return Ok(Standing::Verified(Box::new(attested)));
    }
    let (reason, detail) = (reason.unwrap_or_default(), detail.unwrap_or_default());
    Ok(if revoked {
        Standing::Revoked { reason, detail }
    } else {
        Standing::Unverified { reason, detail }
    })
}

pub(crate) fn read_evidence(cells: &mut Cells<'_>) -> sqlx::Result<Option<Evidence>> {
    let jti: Option<String> = cells.get()?;
    let form: Option<String> = cells.get()?;
    let repeated: bool = cells.get()?;
    Ok(form.map(|form| Evidence {
        jti,
        form,
        repeated,
    }))
}
