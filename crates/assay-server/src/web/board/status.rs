use assay_app::EvalResult;
use assay_model::{Code, Evaluator, Framework, PullNumber, Relationship, RepoKind};

use crate::web::{links, show};

/// Number of characters that the name of a framework or a source may have.
const NAME: usize = 40;

/// The status of a result.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// True if its token was checked and holds.
    pub(crate) verified: bool,
    /// The reason why it is not verified, when it could have been.
    pub(crate) doubt: Option<String>,
    /// The pull request it lives in: number and address.
    pub(crate) pull: Option<(PullNumber, String)>,
    /// The source: name and address.
    pub(crate) source: Option<(String, String)>,
    /// The evaluator, when it was not the developer of the model.
    pub(crate) evaluator: Option<String>,
    /// The findings of the rules.
    pub(crate) findings: Option<FindingsMark>,
    /// The page with the evidence.
    pub(crate) evidence: String,
}

/// The findings of a result, in short.
#[derive(Debug)]
pub(crate) struct FindingsMark {
    /// The codes, as they are shown.
    pub(crate) codes: String,
    /// The text of the findings.
    pub(crate) says: String,
    /// True if one of them puts the value in doubt.
    pub(crate) doubts: bool,
}

/// Number of codes that a mark has.
const CODES: usize = 2;

impl Status {
    /// Returns whether there is nothing to show.
    pub(crate) fn is_bare(&self) -> bool {
        !self.verified
            && self.doubt.is_none()
            && self.pull.is_none()
            && self.source.is_none()
            && self.evaluator.is_none()
    }
}

/// Returns the status of a result.
pub(crate) fn status(result: &EvalResult) -> Status {
    let doubt = match result.standing.reason() {
        // Most results have no token, and nobody doubts them for it.
        Some("no_token") => None,
        Some(_) | None => result.standing.detail().map(str::to_owned),
    };
    Status {
        verified: result.standing.is_verified(),
        doubt,
        pull: result.pull.map(|number| {
            let address = links::discussion(RepoKind::Model, &result.model, number);
            (number, address)
        }),
        source: source(result),
        evaluator: result
            .entry
            .provenance
            .evaluator
            .as_ref()
            .and_then(evaluator),
        findings: findings_mark(result),
        evidence: links::result(result),
    }
}

/// The mark of a result in which the rules find something. Codes that put its value in doubt come
/// first.
fn findings_mark(result: &EvalResult) -> Option<FindingsMark> {
    let doubts = result.doubts();
    let mut codes: Vec<Code> = doubts.iter().copied().collect();
    for finding in &result.findings {
        if !codes.contains(&finding.code) {
            codes.push(finding.code);
        }
    }
    let shown: Vec<String> = codes.iter().take(CODES).map(Code::to_string).collect();
    let more = codes.len().checked_sub(CODES + 1).map(|more| more + 1);
    let says: Vec<&str> = result
        .findings
        .iter()
        .map(|own| own.message.as_str())
        .collect();
    (!codes.is_empty()).then(|| FindingsMark {
        codes: match more {
            Some(more) => format!("{} +{more}", shown.join(" ")),
            None => shown.join(" "),
        },
        says: says.join("; "),
        doubts: !doubts.is_empty(),
    })
}

/// Returns the evaluator in words, such as `Third party: Stanford CRFM`.
pub(crate) fn evaluator(evaluator: &Evaluator) -> Option<String> {
    let relationship = match evaluator.relationship {
        Relationship::FirstParty => return None,
        Relationship::ThirdParty => "Third party",
        Relationship::Collaborative => "Collaborative",
        Relationship::Other => "Other evaluator",
    };
    Some(match evaluator.name.as_deref() {
        Some(name) => format!("{relationship}: {}", show::shortened(name, NAME)),
        None => relationship.to_owned(),
    })
}

/// Returns the source of a result, when its address is safe to follow.
fn source(result: &EvalResult) -> Option<(String, String)> {
    let address = links::safe(result.source_url.as_deref()?)?;
    let name = result.source_name.as_deref().unwrap_or("Source");
    Some((show::shortened(name, NAME), address.to_owned()))
}

/// Returns the program that ran the evaluation, with its version.
pub(crate) fn framework(framework: Option<&Framework>) -> Option<String> {
    let framework = framework?;
    let name = framework.name.as_deref()?;
    let whole = match framework.version.as_deref() {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    };
    Some(show::shortened(&whole, NAME))
}
