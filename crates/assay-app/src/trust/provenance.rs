//! The provenance of one result: the claims of its token beside the text of the file, the key, the
//! log, and earlier versions.

use assay_model::{Entry, ObjectId, RepoId, Score, Standing, Timestamp};
use assay_store::{Branch, EntryPlace, IndexedEntry, NewEntry};
use assay_trust::{
    Claims, Digest, Kid, MetricClaim, Outcome, Scope, TrustState, UnverifiedToken, claims_of,
};

use super::proof::digest_of;
use crate::board::EvalResult;
use crate::error::{Error, Missing};
use crate::repo_lookup::Repo;
use crate::services::EvidenceService;

/// Number of versions of an entry a page that has.
const VERSIONS: u32 = 50;

/// The provenance of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// The trail of its token; none when it has none that can be read.
    pub token: Option<TokenTrail>,
    /// The versions of the entry, newest first: a page of them.
    pub history: Vec<EntryVersion>,
    /// The sizes of the results log and of the control log that were taken into account.
    pub as_of: (u64, u64),
}

/// The trail of the token of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenTrail {
    /// Its identity.
    pub jti: String,
    /// True if a key that this hub knows signed it. Without that, what it says is a claim of its
    /// own.
    pub is_genuine: bool,
    /// The issuer that it names.
    pub issuer: String,
    /// To which integration.
    pub integration: String,
    /// To which machine identity, when it says so.
    pub identity: Option<String>,
    /// The degree of control over the run.
    pub assurance: String,
    /// Time at which it was signed.
    pub signed: Timestamp,
    /// Until when it had to reach the hub.
    pub expires: Timestamp,
    /// The index of the decision in the results log and its time, when the token first came to this
    /// entry.
    pub decided: Option<(u64, Timestamp)>,
    /// The index of its issuance in the results log.
    pub issued: Option<u64>,
    /// The name of the key.
    pub kid: String,
    /// The state of the key in its life; none when this hub does not know it.
    pub key_state: Option<String>,
    /// From which index of the results log on what the key signed is revoked.
    pub key_revoked_from: Option<u64>,
    /// The signed claims beside the text of the file.
    pub claims: Vec<ClaimLine>,
}

/// A claim beside what the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimLine {
    /// The name of the claim.
    pub name: String,
    /// The signed value.
    pub signed: Option<String>,
    /// The value in the file.
    pub written: Option<String>,
    /// True if the two are the same claim.
    pub agrees: bool,
}

/// A version of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryVersion {
    /// Since when.
    pub since: Timestamp,
    /// Until when; none while it does.
    pub until: Option<Timestamp>,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// The author that the commit names.
    pub author: String,
    /// Its scores.
    pub scores: Vec<Score>,
    /// Its standing by all that is known now.
    pub standing: Standing,
}

impl Provenance {
    /// Number of versions of an entry a page that has.
    pub const PAGE: usize = VERSIONS as usize;
}

impl EvidenceService<'_> {
    /// Returns how many versions of a result of a model are kept.
    pub async fn count_versions(self, repo: &Repo, result: &EvalResult) -> Result<u64, Error> {
        let place = place_of(repo, result)?;
        Ok(self.hub.store.count_versions_at(&place).await?)
    }

    /// Returns where a result of a model comes from, with a page of its versions, for who may see
    /// the model.
    pub async fn provenance(
        self,
        repo: &Repo,
        result: &EvalResult,
        versions_before: u64,
    ) -> Result<Provenance, Error> {
        let state = self.trust_now().await?;
        let as_of = self.known_of_logs().await?;
        let place = place_of(repo, result)?;
        let newest = self.hub.store.versions_at(&place, 0, 1).await?;
        let current = newest
            .first()
            .filter(|own| own.until.is_none())
            .ok_or_else(no_such_result)?;
        let token = self.trail(repo, &current.version, &state, as_of.0).await?;
        let versions = self
            .hub
            .store
            .versions_at(&place, versions_before, VERSIONS);
        Ok(Provenance {
            token,
            history: versions.await?.into_iter().map(version).collect(),
            as_of,
        })
    }

    async fn trail(
        self,
        repo: &Repo,
        version: &NewEntry,
        state: &TrustState,
        results_size: u64,
    ) -> Result<Option<TokenTrail>, Error> {
        let Some(text) = version.entry.token.as_deref() else {
            return Ok(None);
        };
        let genuine = claims_of(text, state);
        let is_genuine = genuine.is_ok();
        let Some((claims, kid)) = genuine.ok().or_else(|| unverified(text)) else {
            return Ok(None);
        };
        let jti = claims.jti.to_string();
        let uid = self.uid(repo).await?;
        let digest = digest_of(version);
        let facts = self.logged(&jti).await?.facts(results_size, uid, digest);
        let is_bound = facts
            .decision
            .as_ref()
            .is_some_and(|(_, decide)| match decide.outcome {
                Outcome::Admitted { .. } => true,
                Outcome::Refused { .. } => false,
            });
        let decided = facts.decision.map(|(index, own)| (index, own.received_at));
        let revoked = state
            .revocations()
            .filter(|(_, own)| own.scope == Scope::Kid(kid))
            .map(|(_, own)| own.from_index);
        Ok(Some(TokenTrail {
            is_genuine,
            identity: claims
                .act
                .as_ref()
                .and_then(|act| act.get("identity").cloned()),
            assurance: claims.assurance.to_string(),
            signed: Timestamp::from_seconds(claims.iat),
            expires: Timestamp::from_seconds(claims.exp),
            decided,
            issued: facts.issue.map(|(index, _)| index),
            key_state: state.key(kid).map(|key| key.state.to_string()),
            key_revoked_from: revoked.min(),
            kid: kid.to_string(),
            claims: lines(&claims, repo.id(), is_bound, &version.entry, digest),
            issuer: claims.iss,
            integration: claims.sub.to_string(),
            jti,
        }))
    }
}

/// Returns the claims of a token that no known key has signed.
fn unverified(text: &str) -> Option<(Claims, Kid)> {
    let token = UnverifiedToken::read(text).ok()?;
    Some((token.unverified_claims().ok()?, token.kid()))
}

fn place_of(repo: &Repo, result: &EvalResult) -> Result<EntryPlace, Error> {
    Ok(EntryPlace {
        key: repo.key,
        branch: match result.pull {
            None => Branch::Main,
            Some(num) => Branch::Pull(num),
        },
        file: result.file.parse().map_err(|_| no_such_result())?,
        ordinal: result.ordinal,
        dataset: result.dataset.clone(),
        task: result.task.clone(),
    })
}

fn no_such_result() -> Error {
    Error::NotFound(Missing::Other(
        "this result is not there any more".to_owned(),
    ))
}

fn version(own: IndexedEntry) -> EntryVersion {
    EntryVersion {
        since: own.since,
        until: own.until,
        commit: own.version.commit,
        author: own.version.author,
        scores: own.version.entry.scores,
        standing: own.version.standing,
    }
}

/// Returns the signed claims beside the text of the file, claim by claim.
fn lines(
    claims: &Claims,
    model: &RepoId,
    is_bound: bool,
    entry: &Entry,
    digest: Option<Digest>,
) -> Vec<ClaimLine> {
    let signed = &claims.subject;
    let framework = entry.framework.as_ref();
    let mut lines = vec![ClaimLine {
        // A model that was renamed keeps what was bound to it.
        agrees: is_bound || signed.model_repo == *model,
        name: "model".to_owned(),
        signed: Some(signed.model_repo.to_string()),
        written: Some(model.to_string()),
    }];
    lines.extend([
        line(
            "model commit",
            Some(signed.model_revision.to_string()),
            entry.model_revision.as_ref().map(ToString::to_string),
        ),
        line(
            "benchmark",
            Some(signed.benchmark_repo.to_string()),
            Some(entry.dataset.to_string()),
        ),
        line(
            "benchmark commit",
            Some(signed.benchmark_revision.to_string()),
            entry.dataset_revision.as_ref().map(ToString::to_string),
        ),
        line(
            "task",
            Some(signed.task_id.to_string()),
            Some(entry.task.to_string()),
        ),
    ]);
    for place in 0..signed.metrics.len().max(entry.scores.len()) {
        lines.push(metric_line(
            signed.metrics.get(place),
            entry.scores.get(place),
        ));
    }
    lines.extend([
        line(
            "framework",
            Some(signed.framework.name.clone()),
            framework.and_then(|own| own.name.clone()),
        ),
        line(
            "framework version",
            Some(signed.framework.version.clone()),
            framework.and_then(|own| own.version.clone()),
        ),
        line(
            "command",
            signed.framework.command.clone(),
            framework.and_then(|own| own.command.clone()),
        ),
        line(
            "whole entry",
            Some(claims.digests.entry.to_string()),
            digest.map(|own| own.to_string()),
        ),
    ]);
    lines.retain(|line| line.signed.is_some() || line.written.is_some());
    lines
}

fn line(name: &str, signed: Option<String>, written: Option<String>) -> ClaimLine {
    ClaimLine {
        name: name.to_owned(),
        agrees: signed == written,
        signed,
        written,
    }
}

/// Metrics count in the order in which they are listed, each as metric, value and slice.
fn metric_line(signed: Option<&MetricClaim>, written: Option<&Score>) -> ClaimLine {
    let text = |metric: &str, value: String, slice: Option<&str>| match slice {
        Some(slice) => format!("{metric} ({slice}) = {value}"),
        None => format!("{metric} = {value}"),
    };
    line(
        "metric",
        signed.map(|own| {
            text(
                own.metric_id.as_str(),
                own.value.to_string(),
                own.slice.as_deref(),
            )
        }),
        written.map(|own| {
            let metric = own.metric.as_ref().map_or("value", |id| id.as_str());
            text(metric, own.value.to_string(), own.slice.as_deref())
        }),
    )
}
