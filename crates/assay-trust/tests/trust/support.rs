//! A hub in memory: two logs, repositories that are nothing but a name and an identity, and the
//! rules of the crate.

use assay_model::{Benchmark, Direction, Metric, RepoId, RepoPath, Task, Timestamp};
use assay_trust::{
    Assurance, BenchmarkAt, Canonical, Claims, ControlLeaf, Decide, Digest, Digests, Facts, Issue,
    IssuerTrust, Jti, KeyPurpose, KeyState, Outcome, Reason, RepoUid, RepoView, ResultsLeaf,
    SigningKey, Submission, TrustState, UnverifiedToken, Verdict, World, admit, standing,
};

pub(crate) const ISSUER: &str = "https://issuer.example";
pub(crate) const AUDIENCE: &str = "https://hub.example";
pub(crate) const MODEL: &str = "acme/awesome-model";
pub(crate) const PATH: &str = ".eval_results/hle.yaml";
/// The time at which tokens of the tests are issued.
pub(crate) const NOW: i64 = 1_790_000_000;

/// The entry of the golden vector, without its token.
pub(crate) const ENTRY: &str = r#"- dataset:
    id: "cais/hle"
    task_id: "hle"
    revision: "5503434ddd753f426f4b38109466949a1217c2bb"
  framework:
    name: "inspect-ai"
    version: "0.4.2"
    command: "inspect eval hle.py --model hf/acme/awesome-model"
  model_revision: "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6"
  metrics:
    - metric_id: "accuracy"
      value: 20.90
    - metric_id: "stderr"
      value: 0.81
  notes: "no-tools"
"#;

/// A repository: its identity stays, its name may change.
#[derive(Debug, Clone)]
pub(crate) struct Repo {
    pub(crate) uid: RepoUid,
    pub(crate) name: RepoId,
}

impl Repo {
    pub(crate) fn new(number: u8, name: &str) -> Self {
        Self {
            uid: RepoUid::from_bytes([number; 16]),
            name: name.parse().unwrap(),
        }
    }

    fn view(&self) -> RepoView<'_> {
        RepoView {
            uid: self.uid,
            name: &self.name,
        }
    }
}

/// A hub, its issuer and its two logs.
pub(crate) struct Hub {
    pub(crate) key: SigningKey,
    pub(crate) results: Vec<ResultsLeaf>,
    pub(crate) control: Vec<String>,
    pub(crate) benchmark: Option<Benchmark>,
    pub(crate) model_revision_exists: bool,
    next: u8,
}

impl Hub {
    pub(crate) fn new() -> Self {
        let mut hub = Self {
            key: SigningKey::from_seed([1; 32]),
            results: Vec::new(),
            control: Vec::new(),
            benchmark: Some(benchmark()),
            model_revision_exists: true,
            next: 0,
        };
        hub.log(&own_issuer());
        hub.log(&token_key(&hub.key, ISSUER, KeyState::Active));
        hub
    }

    /// Appends a leaf to the control log.
    pub(crate) fn log(&mut self, leaf: &ControlLeaf) {
        self.control.push(leaf.to_json());
    }

    pub(crate) fn trust(&self) -> TrustState {
        TrustState::replay(&self.control).unwrap()
    }

    /// Claims for an entry, that nobody has signed yet.
    pub(crate) fn claims(&mut self, entry: &str, model: &str) -> Claims {
        self.next += 1;
        claims_for(entry, model, self.next)
    }

    /// Issues a token for an entry: signed, and logged.
    pub(crate) fn issue(&mut self, entry: &str, model: &str) -> String {
        let claims = self.claims(entry, model);
        self.issue_claims(&claims)
    }

    /// Issues a token that says this.
    pub(crate) fn issue_claims(&mut self, claims: &Claims) -> String {
        let token = self.key.sign_token(claims);
        let issue = Issue::of(claims, self.key.kid(), &token);
        self.results.push(ResultsLeaf::Issue(issue));
        token
    }

    /// Pushes a file: every token in it is decided on, and the verdict on each entry is returned.
    pub(crate) fn push(&mut self, repo: &Repo, path: &str, file: &str, at: i64) -> Vec<Verdict> {
        let path: RepoPath = path.parse().unwrap();
        let entries = Canonical::read_file(file);
        let repeats = Canonical::repeats(&entries);
        for (canonical, is_repeat) in entries.iter().zip(repeats) {
            let submission = Submission {
                path: &path,
                canonical: canonical.as_ref(),
                is_repeat,
            };
            let facts = self.facts(&submission, repo);
            let decide = admit(
                &submission,
                &repo.view(),
                &facts,
                &self.trust(),
                &self.world(at),
            );
            self.results.extend(decide.map(ResultsLeaf::Decide));
        }
        self.look(repo, path.as_str(), file)
    }

    /// The verdicts on the entries of a file, from the logs alone.
    pub(crate) fn look(&self, repo: &Repo, path: &str, file: &str) -> Vec<Verdict> {
        let path: RepoPath = path.parse().unwrap();
        let entries = Canonical::read_file(file);
        let repeats = Canonical::repeats(&entries);
        let trust = self.trust();
        let verdict = |(canonical, is_repeat): (&Result<Canonical, _>, bool)| {
            let submission = Submission {
                path: &path,
                canonical: canonical.as_ref(),
                is_repeat,
            };
            let facts = self.facts(&submission, repo);
            standing(&submission, &repo.view(), &facts, &trust)
        };
        entries.iter().zip(repeats).map(verdict).collect()
    }

    /// Returns the facts of the results log about the token of an entry in a repository.
    pub(crate) fn facts(&self, submission: &Submission<'_>, repo: &Repo) -> Facts {
        let size = self.results.len() as u64;
        let mut facts = Facts {
            results_size: size,
            ..Facts::default()
        };
        let Some((jti, entry)) = identity(submission) else {
            return facts;
        };
        for (index, leaf) in (0..).zip(&self.results) {
            match leaf {
                ResultsLeaf::Issue(issue) if issue.jti == jti => {
                    facts.issue.get_or_insert_with(|| (index, issue.clone()));
                }
                ResultsLeaf::Decide(decide) if decide.jti == jti => {
                    note(&mut facts, index, decide, repo.uid, entry);
                }
                ResultsLeaf::Issue(_) | ResultsLeaf::Decide(_) => {}
            }
        }
        facts
    }

    fn world(&self, at: i64) -> World<'_> {
        World {
            received_at: Timestamp::from_seconds(at),
            model_revision_exists: self.model_revision_exists,
            benchmark: self
                .benchmark
                .as_ref()
                .map_or(BenchmarkAt::Elsewhere, BenchmarkAt::Known),
        }
    }
}

fn identity(submission: &Submission<'_>) -> Option<(Jti, Digest)> {
    let canonical = submission.canonical.ok()?;
    let token = UnverifiedToken::read(canonical.token()?).ok()?;
    Some((token.unverified_claims().ok()?.jti, canonical.digest()))
}

fn note(facts: &mut Facts, index: u64, decide: &Decide, repo: RepoUid, entry: Digest) {
    if matches!(decide.outcome, Outcome::Admitted { .. }) {
        facts.owner.get_or_insert((decide.repo, decide.entry));
    }
    if decide.repo != repo || decide.entry != entry {
        return;
    }
    let replaces = |(_, earlier): &(u64, Decide)| decide.supersedes(earlier);
    if facts.decision.as_ref().is_none_or(replaces) {
        facts.decision = Some((index, decide.clone()));
    }
}

pub(crate) fn own_issuer() -> ControlLeaf {
    ControlLeaf::Issuer(IssuerTrust {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        frameworks: None,
        must_be_logged: true,
        is_trusted: true,
    })
}

pub(crate) fn token_key(key: &SigningKey, issuer: &str, state: KeyState) -> ControlLeaf {
    ControlLeaf::Key {
        issuer: issuer.to_owned(),
        key: key.public(),
        purpose: KeyPurpose::Token,
        state,
    }
}

/// Claims for the first entry of a file; the number makes their identity.
pub(crate) fn claims_for(entry: &str, model: &str, number: u8) -> Claims {
    let canonical = canonical(entry);
    let subject = canonical.subject(&model.parse().unwrap()).unwrap();
    let mut jti = [0; 16];
    jti[15] = number;
    Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: "inspect-ai".parse().unwrap(),
        jti: Jti::from_bytes(jti),
        iat: NOW,
        nbf: NOW,
        exp: NOW + 900,
        digests: Digests {
            subject: subject.digest(),
            entry: canonical.digest(),
        },
        subject,
        assurance: Assurance::Hosted,
        policy: None,
        act: None,
        evidence: Vec::new(),
    }
}

/// The canonical form of the first entry of a file.
pub(crate) fn canonical(file: &str) -> Canonical {
    Canonical::read_file(file).remove(0).unwrap()
}

/// An entry with a token behind it.
pub(crate) fn with_token(entry: &str, token: &str) -> String {
    format!("{entry}  verify_token: \"{token}\"\n")
}

/// The reason of an entry that is not verified.
pub(crate) fn reason(verdicts: &[Verdict]) -> Reason {
    reason_of(&verdicts[0])
}

pub(crate) fn reason_of(verdict: &Verdict) -> Reason {
    match verdict {
        Verdict::Verified(_) => panic!("the entry is verified"),
        Verdict::Unverified(unverified) | Verdict::Revoked(unverified) => unverified.reason,
    }
}

pub(crate) fn is_verified(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Verified(_))
}

/// The reason why the first entry of a file has no canonical form.
pub(crate) fn profile_reason(file: &str) -> Reason {
    match Canonical::read_file(file).remove(0) {
        Ok(canonical) => panic!("it has a canonical form: {}", canonical.as_json()),
        Err(unverified) => unverified.reason,
    }
}

fn benchmark() -> Benchmark {
    let metric = |id: &str, primary| Metric {
        id: id.parse().unwrap(),
        display_name: id.to_owned(),
        direction: Direction::HigherIsBetter,
        primary,
        unit: None,
        aggregation: None,
        slice: None,
        value_type: None,
        min: None,
        max: None,
    };
    Benchmark {
        name: "HLE".to_owned(),
        description: "Hard questions.".to_owned(),
        framework: None,
        metrics: vec![metric("accuracy", true), metric("stderr", false)],
        tasks: vec![Task {
            id: "hle".parse().unwrap(),
            display_name: None,
            config: None,
            split: None,
            dataset: None,
        }],
        comparable_by: Vec::new(),
    }
}
