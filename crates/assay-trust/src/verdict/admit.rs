use assay_model::{Benchmark, Timestamp};

use super::{Facts, RepoView, SoundToken, Submission, check_fresh, check_name};
use crate::{Claims, Decide, KeyState, Kid, Outcome, Reason, TrustState, Unverified};

/// The facts that the hub sees at the moment of a push and cannot see later. The decision is
/// logged, so it is made once.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// The time of the push, before queues and locks.
    pub received_at: Timestamp,
    /// True if the model has the commit that the entry names.
    pub model_revision_exists: bool,
    /// The benchmark at the commit that the entry names.
    pub benchmark: BenchmarkAt<'a>,
}

/// A benchmark at one commit.
#[derive(Debug, Clone, Copy)]
pub enum BenchmarkAt<'a> {
    /// This hub does not have the benchmark, so it has no board that the entry could stand on.
    Elsewhere,
    /// The hub has the benchmark, but no such commit, or no readable definition at it.
    Missing,
    /// This is what the benchmark defines at that commit.
    Known(&'a Benchmark),
}

/// Decides on a token that is first seen in a repository with an entry. None when there is nothing
/// to log: what git and the logs tell by themselves, and what is decided already.
///
/// A token is bound only after everything else has passed, so nobody can use up the token of
/// another.
pub fn admit(
    submission: &Submission<'_>,
    repo: &RepoView<'_>,
    facts: &Facts,
    trust: &TrustState,
    world: &World<'_>,
) -> Option<Decide> {
    let held = SoundToken::of(submission, trust).ok()?;
    held.check_entry(submission).ok()?;
    if facts.owner.is_some_and(|(owner, _)| owner != repo.uid) {
        return None;
    }
    let outcome = match first_sight(&held, repo, facts, trust, world) {
        Ok(issue_index) => Outcome::Admitted { issue_index },
        // Which tokens the log has under one identity is in the log for all to see.
        Err(refusal) if refusal.reason == Reason::IssuanceRecordMismatch => return None,
        Err(refusal) => Outcome::Refused {
            reason: refusal.reason.code(),
        },
    };
    let decide = Decide {
        jti: held.claims.jti,
        token: held.token,
        repo: repo.uid,
        entry: held.entry,
        received_at: Timestamp::from_seconds(world.received_at.seconds()),
        outcome,
    };
    match &facts.decision {
        Some((_, earlier)) if !decide.supersedes(earlier) => None,
        Some(_) | None => Some(decide),
    }
}

fn first_sight(
    held: &SoundToken<'_>,
    repo: &RepoView<'_>,
    facts: &Facts,
    trust: &TrustState,
    world: &World<'_>,
) -> Result<Option<u64>, Unverified> {
    check_name(&held.claims, repo)?;
    let issue_index = held.issuance(facts, trust)?;
    check_fresh(&held.claims, world.received_at)?;
    if issue_index.is_none() {
        check_in_use(held.kid, trust)?;
    }
    if !world.model_revision_exists {
        let detail = "the model has no such commit";
        return Err(Unverified::new(Reason::ModelRevisionUnknown, detail));
    }
    check_benchmark(&held.claims, world.benchmark)?;
    Ok(issue_index)
}

/// A key that has retired is guarded less well and watched by nobody. Where no log says when a
/// token was issued, what is first seen after the key retired may have been signed after it did.
fn check_in_use(kid: Kid, trust: &TrustState) -> Result<(), Unverified> {
    let key = trust.key(kid);
    if key.is_some_and(|key| key.state == KeyState::Retired) {
        let detail = format!("key `{kid}` has retired");
        return Err(Unverified::new(Reason::KeyRetired, detail));
    }
    Ok(())
}

fn check_benchmark(claims: &Claims, benchmark: BenchmarkAt<'_>) -> Result<(), Unverified> {
    let refuse = |reason, detail: &str| Err(Unverified::new(reason, detail));
    let benchmark = match benchmark {
        BenchmarkAt::Elsewhere => return Ok(()),
        BenchmarkAt::Missing => {
            let detail = "the benchmark has no such commit, or no `eval.yaml` at it";
            return refuse(Reason::BenchmarkRevisionUnknown, detail);
        }
        BenchmarkAt::Known(benchmark) => benchmark,
    };
    if benchmark.task(claims.subject.task_id.as_str()).is_none() {
        return refuse(Reason::TaskUnknown, "the benchmark has no such task");
    }
    let is_known = |id: &str| benchmark.metric(id).is_some();
    let metrics = &claims.subject.metrics;
    if metrics
        .iter()
        .all(|metric| is_known(metric.metric_id.as_str()))
    {
        Ok(())
    } else {
        refuse(Reason::MetricUnknown, "the benchmark has no such metric")
    }
}
