//! Tokens on their way through a hub: what is decided, what that makes of entries, and that a
//! rebuilt index agrees.

mod control;
mod edits;
mod freshness;
mod replay;
mod threats;
mod witnesses;

#[path = "../../tests/index/support.rs"]
mod support;

use std::collections::BTreeMap;

use assay_model::{ObjectId, RepoKind, Standing};
use assay_trust::{Assurance, Canonical, Claims, Digests, Issue, Jti, ResultsLeaf, SigningKey};

use self::support::{START, World, repo_id};
use crate::Hub;

/// The path of the results for `ada/sums`.
const FILE: &str = support::RESULTS;
/// The time at which the first token is issued, in seconds since 1970.
const NOW: i64 = START / 1000;

/// A hub with a benchmark, and the commits that tokens name.
struct Scene {
    world: World,
    /// The commit of `ada/sums` with its definition.
    benchmark: ObjectId,
    /// A commit of `ada/small`.
    model: ObjectId,
    jti: std::cell::Cell<u8>,
}

/// An entry as a framework writes it before it is signed.
#[derive(Clone)]
struct Draft {
    model: String,
    text: String,
}

impl Scene {
    async fn new() -> Self {
        let world = World::with_benchmark().await;
        let benchmark = world
            .hub
            .repositories()
            .refs(&dataset(&world).await)
            .await
            .unwrap();
        let benchmark = benchmark.branches[0].target;
        let model = world
            .put(&world.ada, RepoKind::Model, "ada/small", "weights.txt", "1")
            .await
            .commit;
        Self {
            world,
            benchmark,
            model,
            jti: std::cell::Cell::new(0),
        }
    }

    /// An entry of `ada/small` for the task `words`.
    fn draft(&self, value: &str) -> Draft {
        let (benchmark, model) = (self.benchmark, self.model);
        Draft {
            model: "ada/small".to_owned(),
            text: format!(
                "- dataset:\n    id: ada/sums\n    task_id: words\n    revision: \"{benchmark}\"\n  framework:\n    name: inspect-ai\n    version: \"0.4.2\"\n    command: inspect eval sums.py\n  model_revision: \"{model}\"\n  metrics:\n    - metric_id: accuracy\n      value: {value}\n    - metric_id: wer\n      value: 0.25\n  notes: no tools\n"
            ),
        }
    }

    /// The claims for an entry, as they would be issued now.
    fn claims(&self, draft: &Draft) -> Claims {
        let canonical = canonical(&draft.text);
        let subject = canonical.subject(&repo_id(&draft.model)).unwrap();
        self.jti.set(self.jti.get() + 1);
        let now = self.now();
        Claims {
            iss: self.world.hub.trust.issuer().to_owned(),
            aud: self.world.hub.trust.audience.clone(),
            sub: "inspect-ai".parse().unwrap(),
            jti: Jti::from_bytes([self.jti.get(); 16]),
            iat: now,
            nbf: now,
            exp: now + 900,
            digests: Digests {
                subject: subject.digest(),
                entry: canonical.digest(),
            },
            subject,
            assurance: Assurance::Hosted,
            policy: None,
            act: Some(BTreeMap::from([("identity".to_owned(), "ci".to_owned())])),
            evidence: Vec::new(),
        }
    }

    /// Signs with the key of the hub and logs that, as its issuer does.
    async fn issue(&self, claims: &Claims) -> String {
        let key = self.world.hub.trust.token_key().unwrap();
        let token = key.sign_token(claims);
        log(&self.world.hub, claims, &key, &token).await;
        token
    }

    /// Returns the leaf that the issuer logs when it signs an entry.
    fn leaf(&self) -> String {
        let key = self.world.hub.trust.token_key().unwrap();
        let claims = self.claims(&self.draft("0.5"));
        let token = key.sign_token(&claims);
        ResultsLeaf::Issue(Issue::of(&claims, key.kid(), &token)).to_json()
    }

    /// An entry with a token that was issued for it.
    async fn signed(&self, draft: &Draft) -> String {
        let token = self.issue(&self.claims(draft)).await;
        with_token(&draft.text, &token)
    }

    /// Returns the standings of the results of a model, in the order of branch, file and place.
    async fn standings(&self, model: &str) -> Vec<Standing> {
        let repo = self.world.model(model).await;
        let rows = self.world.hub.store.entries_of_model(repo.key, None).await;
        let standing = |row: assay_store::IndexedEntry| row.version.standing;
        rows.unwrap().into_iter().map(standing).collect()
    }

    /// The same in a word each: `verified`, or the reason.
    async fn words(&self, model: &str) -> Vec<String> {
        let standings = self.standings(model).await;
        standings.iter().map(word).collect()
    }

    fn now(&self) -> i64 {
        self.world.hub.now().seconds()
    }
}

fn word(standing: &Standing) -> String {
    standing.reason().unwrap_or("verified").to_owned()
}

async fn dataset(world: &World) -> crate::Repo {
    world.repo(&world.ada, RepoKind::Dataset, "ada/sums").await
}

async fn log(hub: &Hub, claims: &Claims, key: &SigningKey, token: &str) -> u64 {
    let leaf = ResultsLeaf::Issue(Issue::of(claims, key.kid(), token));
    let appended = hub.trust.results().append(leaf.to_json().into_bytes());
    appended.await.unwrap()
}

fn canonical(text: &str) -> Canonical {
    Canonical::read_file(text).remove(0).unwrap()
}

fn with_token(text: &str, token: &str) -> String {
    format!("{text}  verify_token: {token}\n")
}
