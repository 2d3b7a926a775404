//! The request to sign an entry. Numbers are read from their letters, so the request is read from
//! its text and never through a number of the machine.

use assay_formats::{Kind, Tape, Value, json};
use assay_model::RepoId;
use assay_trust::issuer::find_credential;
use assay_trust::{Assurance, Canonical, Claims, Digest, Evidence, Json, Subject};

use super::{Refusal, RefusalCode};

/// The largest request, in bytes.
pub(super) const MAX_REQUEST: usize = 256 * 1024;
/// The deepest that a request nests.
const MAX_DEPTH: usize = 20;
/// The longest name of an artefact, in bytes.
const MAX_EVIDENCE_NAME: usize = 64;

/// A request that makes sense.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) canonical: Canonical,
    pub(super) subject: Subject,
    pub(super) evidence: Vec<Evidence>,
    pub(super) assurance: Option<Assurance>,
}

/// The digests that the caller expects.
struct Expected {
    entry: Option<Digest>,
    subject: Option<Digest>,
}

impl Request {
    /// Reads a request.
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        if text.len() > MAX_REQUEST {
            let detail = format!("a request has at most {MAX_REQUEST} bytes");
            return Err(Refusal::new(RefusalCode::TooLarge, detail));
        }
        let mut tape = Tape::new();
        let mut parser = json::Parser::with_depth(MAX_DEPTH);
        let is_whole = parser.parse(text, &mut tape);
        let faults = parser.take_faults();
        let root = tape
            .root(text)
            .filter(|root| is_whole && faults.is_empty() && root.kind() == Kind::Map);
        let Some(root) = root else {
            return Err(malformed(
                "",
                "the body is one JSON object, with nothing in it twice",
            ));
        };
        closed(
            root,
            "",
            &["model_repo", "entry", "evidence", "expect", "assurance"],
        )?;
        let model = text_of(root, "", "model_repo")?;
        let model: RepoId = model.parse().map_err(|error: assay_model::RepoIdError| {
            malformed("/model_repo", &error.to_string())
        })?;
        if model.namespace().is_none() {
            return Err(malformed(
                "/model_repo",
                "a model is named `namespace/name`",
            ));
        }
        let entry = root
            .get("entry")
            .ok_or_else(|| malformed("/entry", "the entry is missing"))?;
        let canonical = Canonical::of_json(entry)?;
        if canonical.token().is_some() {
            return Err(malformed(
                "/entry/verify_token",
                "the entry has a token already",
            ));
        }
        scan(canonical.as_json())?;
        let subject = canonical.subject(&model)?;
        let expected = expected(root)?;
        check_digest("entry", expected.entry, canonical.digest())?;
        check_digest("subject", expected.subject, subject.digest())?;
        Ok(Self {
            evidence: evidence(root)?,
            assurance: assurance(root)?,
            canonical,
            subject,
        })
    }
}

/// Looks for credentials in every text of an entry: the whole of it is public for ever.
fn scan(entry: &str) -> Result<(), Refusal> {
    let Ok(tree) = Json::read(entry) else {
        return Ok(());
    };
    let mut places = vec![("/entry".to_owned(), &tree)];
    while let Some((place, node)) = places.pop() {
        match node {
            Json::Text(text) => {
                if let Some(what) = find_credential(text) {
                    let detail = format!("this looks like {what}; a token is public for ever");
                    return Err(Refusal::new(RefusalCode::SecretDetected, detail).at(place));
                }
            }
            Json::List(items) => {
                let items = items.iter().enumerate();
                places.extend(items.map(|(at, item)| (format!("{place}/{at}"), item)));
            }
            Json::Map(members) => {
                let members = members.iter();
                places.extend(members.map(|(key, value)| (format!("{place}/{key}"), value)));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    Ok(())
}

fn expected(root: Value<'_>) -> Result<Expected, Refusal> {
    let Some(expect) = root.get("expect") else {
        return Ok(Expected {
            entry: None,
            subject: None,
        });
    };
    if expect.kind() != Kind::Map {
        return Err(malformed(
            "/expect",
            "what is expected is an object of digests",
        ));
    }
    closed(expect, "/expect", &["entry", "subject"])?;
    Ok(Expected {
        entry: digest_of(expect, "entry")?,
        subject: digest_of(expect, "subject")?,
    })
}

fn digest_of(expect: Value<'_>, key: &str) -> Result<Option<Digest>, Refusal> {
    if expect.get(key).is_none() {
        return Ok(None);
    }
    let text = text_of(expect, "/expect", key)?;
    let parsed = text.parse().map_err(|error: assay_trust::DigestError| {
        malformed(&format!("/expect/{key}"), &error.to_string())
    })?;
    Ok(Some(parsed))
}

fn check_digest(which: &str, expected: Option<Digest>, found: Digest) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != found => {
            let detail =
                format!("the {which} has the digest `{found}`, and you expect `{expected}`");
            let refusal = Refusal::new(RefusalCode::DigestDisagreement, detail);
            Err(refusal.at(format!("/expect/{which}")))
        }
        Some(_) | None => Ok(()),
    }
}

fn evidence(root: Value<'_>) -> Result<Vec<Evidence>, Refusal> {
    let Some(list) = root.get("evidence") else {
        return Ok(Vec::new());
    };
    if list.kind() != Kind::List || list.items().count() > Claims::MAX_EVIDENCE {
        let detail = format!(
            "evidence is a list of at most {} artefacts",
            Claims::MAX_EVIDENCE
        );
        return Err(malformed("/evidence", &detail));
    }
    let mut evidence = Vec::new();
    for (place, item) in list.items().enumerate() {
        evidence.push(artefact(item, &format!("/evidence/{place}"))?);
    }
    Ok(evidence)
}

fn artefact(item: Value<'_>, place: &str) -> Result<Evidence, Refusal> {
    if item.kind() != Kind::Map {
        return Err(malformed(
            place,
            "an artefact has `name`, `sha256` and `size`",
        ));
    }
    closed(item, place, &["name", "sha256", "size"])?;
    let name = text_of(item, place, "name")?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_. /".contains(&byte);
    if name.is_empty() || name.len() > MAX_EVIDENCE_NAME || !name.bytes().all(is_plain) {
        let place = format!("{place}/name");
        return Err(malformed(
            &place,
            "a name has letters, digits, `-`, `_`, `.` and `/`",
        ));
    }
    let hex = text_of(item, place, "sha256")?;
    let sha256 = format!("sha256:{hex}").parse().map_err(|_| {
        malformed(
            &format!("{place}/sha256"),
            "64 lower-case hexadecimal digits",
        )
    })?;
    let size = item
        .get("size")
        .and_then(Value::integer)
        .and_then(|size| u64::try_from(size).ok())
        .ok_or_else(|| malformed(&format!("{place}/size"), "the size in bytes is a number"))?;
    Ok(Evidence { name, sha256, size })
}

fn assurance(root: Value<'_>) -> Result<Option<Assurance>, Refusal> {
    if root.get("assurance").is_none() {
        return Ok(None);
    }
    let word = text_of(root, "", "assurance")?;
    let parsed = word.parse().map_err(|error: assay_trust::AssuranceError| {
        malformed("/assurance", &error.to_string())
    })?;
    Ok(Some(parsed))
}

fn closed(map: Value<'_>, place: &str, known: &[&str]) -> Result<(), Refusal> {
    for (key, _) in map.entries() {
        let key = key.text().unwrap_or_default();
        if !known.contains(&key.as_ref()) {
            let detail = format!("`{key}` is not known here");
            let refusal = Refusal::new(RefusalCode::UnknownMember, detail);
            return Err(refusal.at(format!("{place}/{key}")));
        }
    }
    Ok(())
}

fn text_of(map: Value<'_>, place: &str, key: &str) -> Result<String, Refusal> {
    map.get(key)
        .and_then(Value::text)
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(|| malformed(&format!("{place}/{key}"), &format!("`{key}` is a text")))
}

fn malformed(pointer: &str, detail: &str) -> Refusal {
    Refusal::new(RefusalCode::Malformed, detail).at(pointer)
}
