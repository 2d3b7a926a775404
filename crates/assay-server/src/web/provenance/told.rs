//! Texts of the page of a result.

use assay_app::{EntryVersion, EvalResult, Repo, TokenTrail, hint};
use assay_model::{Benchmark, Relationship, RepoKind, Score, Standing, Timestamp};

use crate::web::board::how::with_unit;
use crate::web::{Visitor, links, show};

/// The reason why a result is not verified, and the next step.
pub(super) struct Reason {
    /// The code.
    pub(super) code: String,
    /// The sentence on the case at hand.
    pub(super) detail: String,
    /// The next step of its author.
    pub(super) hint: Option<&'static str>,
}

/// The signer, the key and the time; with everything needed to check it elsewhere.
pub(super) struct Signed {
    /// The claims of the token and the leaves of the logs.
    pub(super) trail: TokenTrail,
    /// The same in a sentence.
    pub(super) key: String,
    /// The address of the proof, when there is one.
    pub(super) proof: Option<String>,
    /// The commands that fetch and check it.
    pub(super) commands: String,
}

/// Another report of the same value.
pub(super) struct Report {
    /// Its page.
    pub(super) to: String,
    /// Its values.
    pub(super) values: String,
    /// The standing.
    pub(super) state: &'static str,
    /// The place: the pull request, or main.
    pub(super) place: String,
    /// The pull request.
    pub(super) pull: Option<String>,
    /// Time at which it was made.
    pub(super) date: (String, String),
    /// The program that ran it.
    pub(super) framework: Option<String>,
}

/// A version of the entry.
pub(super) struct Version {
    /// Since when.
    pub(super) since: Timestamp,
    /// Until when.
    pub(super) until: Option<Timestamp>,
    /// The commit: short, and its page.
    pub(super) commit: (String, String),
    /// The author of the commit.
    pub(super) author: String,
    /// The values.
    pub(super) values: String,
    /// The standing.
    pub(super) state: &'static str,
}

impl Reason {
    pub(super) fn of(standing: &Standing) -> Option<Self> {
        let code = standing.reason()?;
        Some(Self {
            detail: standing.detail().unwrap_or_default().to_owned(),
            hint: hint(code),
            code: code.to_owned(),
        })
    }
}

impl Signed {
    pub(super) fn of(trail: TokenTrail, visitor: &Visitor, repo: &Repo) -> Self {
        let own = format!("{}/results/{}", links::model(repo.id()), trail.jti);
        // A proof is about a decision: a token that was never decided on here has none.
        let proof = trail.decided.map(|_| format!("{own}/row.proof"));
        Self {
            key: key_in_words(&trail),
            commands: commands(visitor, repo, &trail.jti),
            proof,
            trail,
        }
    }
}

impl Report {
    pub(super) fn of(result: &EvalResult) -> Self {
        let pull = |number| links::discussion(RepoKind::Model, &result.model, number);
        Self {
            to: links::result(result),
            values: values(&result.entry.scores),
            state: result.standing.state(),
            place: match result.pull {
                Some(number) => format!("pull request #{number}"),
                None => result.file.clone(),
            },
            pull: result.pull.map(pull),
            date: (result.date.clone(), show::day_of(&result.date).to_owned()),
            framework: crate::web::board::framework(result.entry.framework.as_ref()),
        }
    }
}

impl Version {
    pub(super) fn of(version: EntryVersion, repo: &Repo) -> Self {
        let commit = version.commit.to_string();
        let short = commit.chars().take(8).collect();
        Self {
            since: version.since,
            until: version.until,
            commit: (short, format!("/{}/commit/{commit}", repo.id())),
            author: version.author,
            values: values(&version.scores),
            state: version.standing.state(),
        }
    }
}

/// A result in a sentence.
pub(super) fn sentence(result: &EvalResult, definition: Option<&Benchmark>) -> String {
    let metric = result
        .value_metric
        .as_ref()
        .and_then(|id| definition?.metric(id.as_str()));
    let value = match metric {
        Some(metric) => with_unit(result.value, metric),
        None => show::number(result.value),
    };
    let of = match (metric, &result.value_metric) {
        (Some(metric), _) => format!(" {}", metric.display_name),
        (None, Some(id)) => format!(" {id}"),
        (None, None) => String::new(),
    };
    let board = definition.map_or_else(|| result.dataset.to_string(), |own| own.name.clone());
    let who = match (result.standing.attested(), &result.standing) {
        (Some(attested), _) => format!(
            "signed for {} by {}, and everything that was signed still matches the file",
            attested.integration, attested.issuer
        ),
        (None, Standing::Revoked { .. }) => "its signature was taken back".to_owned(),
        (None, Standing::Unverified { .. } | Standing::Verified(_)) => not_signed(result),
    };
    let (model, task) = (&result.model, &result.task);
    format!("{model} scored {value}{of} on {task} of {board}; {who}.")
}

/// Says who reports a result that nobody signed, and who submitted it when that is another.
fn not_signed(result: &EvalResult) -> String {
    let evaluator = result.entry.provenance.evaluator.as_ref();
    let third = evaluator.filter(|own| own.relationship == Relationship::ThirdParty);
    let third = third.and_then(|own| own.name.as_deref());
    match (third, result.submitter.as_deref()) {
        (Some(evaluator), Some(name)) => {
            format!("reported by {evaluator} (third party), submitted by {name}, not signed")
        }
        (Some(evaluator), None) => format!("reported by {evaluator} (third party), not signed"),
        (None, Some(name)) => format!("reported by {name}, not signed"),
        (None, None) => "not signed".to_owned(),
    }
}

/// Returns whether two results of a model report the same value: the same task, and a metric that
/// both have.
pub(super) fn same_cell(one: &EvalResult, other: &EvalResult) -> bool {
    let is_same = |text: &str| text.eq_ignore_ascii_case(other.dataset.as_str());
    is_same(one.dataset.as_str())
        && one.task == other.task
        && one.value_metric == other.value_metric
}

/// A score with its metric.
pub(super) fn value(score: &Score) -> String {
    let metric = score.metric.as_ref().map_or("value", |id| id.as_str());
    match &score.slice {
        Some(slice) => format!("{metric} ({slice}) {}", show::score(score)),
        None => format!("{metric} {}", show::score(score)),
    }
}

fn values(scores: &[Score]) -> String {
    let all: Vec<String> = scores.iter().map(value).collect();
    all.join(", ")
}

fn key_in_words(trail: &TokenTrail) -> String {
    let state = match &trail.key_state {
        Some(state) => state.as_str(),
        None => return "This hub does not know the key.".to_owned(),
    };
    match trail.key_revoked_from {
        Some(index) => format!("The key is {state}, and revoked from log position {index} on."),
        None => format!("The key is {state} and not revoked."),
    }
}

fn commands(visitor: &Visitor, repo: &Repo, jti: &str) -> String {
    let base = &visitor.base;
    let id = repo.id();
    format!(
        "curl -fsS -o hub.note {base}/.well-known/eval-trust\n\
         curl -fsS -o row.proof {base}/api/models/{id}/eval-results/{jti}/proof\n\
         assay verify row.proof --trust hub.note"
    )
}
