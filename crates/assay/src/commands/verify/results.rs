//! The entries of a result file, each against its token.

use std::fmt::Write as _;
use std::path::Path;

use assay_cli::Exit;
use assay_model::RepoId;
use assay_trust::{Canonical, Claims, Reason, Unverified, matches, result_path};
use serde_json::{Value as Json, json};

use super::args::VerifyArgs;
use super::given::{Given, GivenError};
use super::token::{Signature, claims};
use super::trust::Trusted;
use super::{Report, VERSION, VerifyError, claims_in_words, reason_document, reason_in_words};

/// The directory whose files have to be called after their benchmark.
const DIRECTORY: &str = ".eval_results";

/// The verdict on one entry.
struct CheckedEntry {
    position: usize,
    canonical: Option<Canonical>,
    model: Option<RepoId>,
    outcome: Result<(Claims, Signature), Unverified>,
}

/// Compares every entry with its token.
pub(super) fn verify(
    args: &VerifyArgs,
    given: &Given,
    trusted: &Trusted,
) -> Result<Report, VerifyError> {
    let Given::Results { text, path } = given else {
        return Err(VerifyError::Trust("this is no result file".to_owned()));
    };
    let entries = chosen(args, text)?;
    let mut checked = Vec::new();
    for (position, entry) in entries {
        checked.push(check_entry(args, position, entry, path.as_deref(), trusted));
    }
    let text: String = checked.iter().map(in_words).collect();
    let signatures = checked.iter().filter_map(|one| one.outcome.as_ref().ok());
    let weakest = signatures
        .map(|(_, signature)| *signature)
        .find_map(Signature::doubt);
    let all_hold = checked.iter().all(|one| one.outcome.is_ok());
    let exit = match (all_hold, weakest) {
        (false, _) => Exit::Errors,
        (true, Some(_)) => Exit::Warnings,
        (true, None) => Exit::Clean,
    };
    Ok(Report {
        text,
        json: json!({
            "version": VERSION,
            "kind": "results",
            "state": if all_hold { "holds" } else { "unverified" },
            "entries": checked.iter().map(document).collect::<Vec<Json>>(),
        }),
        exit,
        doubts: weakest.map(str::to_owned).into_iter().collect(),
    })
}

/// Prints the canonical form of every entry, which is what is signed.
pub(super) fn canonical(args: &VerifyArgs, given: &Given) -> Result<Report, VerifyError> {
    let Given::Results { text, .. } = given else {
        return Err(VerifyError::Trust(
            "only result files have a canonical form".to_owned(),
        ));
    };
    let mut told = String::new();
    let mut documents = Vec::new();
    let mut exit = Exit::Clean;
    for (position, entry) in chosen(args, text)? {
        let entry = match entry {
            Ok(entry) => entry,
            Err(unverified) => {
                exit = Exit::Errors;
                let _ = writeln!(
                    told,
                    "entry {}: {}",
                    position + 1,
                    reason_in_words(&unverified)
                );
                documents
                    .push(json!({ "entry": position + 1, "why": reason_document(&unverified) }));
                continue;
            }
        };
        let model = model_of(args, &entry);
        let subject = model.as_ref().map(|model| entry.subject(model));
        let _ = writeln!(told, "{}", entry.as_json());
        let _ = writeln!(told, "# entry {}: {}", position + 1, entry.digest());
        if let Some(Ok(subject)) = &subject {
            let _ = writeln!(told, "# subject: {}", subject.digest());
        }
        documents.push(json!({
            "entry": position + 1,
            "canonical": entry.as_json(),
            "digests": digests(&entry, model.as_ref()),
            "why": subject.and_then(Result::err).map(|unverified| reason_document(&unverified)),
        }));
    }
    Ok(Report {
        text: told,
        json: json!({ "version": VERSION, "kind": "canonical", "entries": documents }),
        exit,
        doubts: Vec::new(),
    })
}

type Numbered = (usize, Result<Canonical, Unverified>);

/// The entries that were asked for.
fn chosen(args: &VerifyArgs, text: &str) -> Result<Vec<Numbered>, VerifyError> {
    let mut entries = Canonical::read_file(text);
    let count = entries.len();
    for (position, is_repeat) in Canonical::repeats(&entries).into_iter().enumerate() {
        if is_repeat {
            let detail = "the file has this token and this entry already";
            entries[position] = Err(Unverified::new(Reason::DuplicateTokenInTree, detail));
        }
    }
    let wanted = args.entry.map(usize::from);
    let entries: Vec<Numbered> = entries
        .into_iter()
        .enumerate()
        .filter(|(position, _)| wanted.is_none_or(|wanted| wanted == position + 1))
        .collect();
    if entries.is_empty() {
        let what = format!("{} (of {count} entries)", args.what);
        return Err(GivenError::NoEntry(what).into());
    }
    Ok(entries)
}

fn check_entry(
    args: &VerifyArgs,
    position: usize,
    entry: Result<Canonical, Unverified>,
    path: Option<&Path>,
    trusted: &Trusted,
) -> CheckedEntry {
    let canonical = match entry {
        Ok(canonical) => canonical,
        Err(unverified) => {
            return CheckedEntry {
                position,
                canonical: None,
                model: None,
                outcome: Err(unverified),
            };
        }
    };
    let outcome = held(args, &canonical, path, trusted);
    let model = model_of(args, &canonical);
    CheckedEntry {
        position,
        canonical: Some(canonical),
        model,
        outcome,
    }
}

/// Everything about an entry that can be told without the log of a hub.
fn held(
    args: &VerifyArgs,
    canonical: &Canonical,
    path: Option<&Path>,
    trusted: &Trusted,
) -> Result<(Claims, Signature), Unverified> {
    let Some(token) = canonical.token() else {
        return Err(Unverified::new(
            Reason::NoToken,
            "the entry carries no token",
        ));
    };
    let (claims, signature) = claims(token, trusted)?;
    let claimed = &claims.subject.model_repo;
    if let Some(model) = args.model.as_ref().filter(|model| *model != claimed) {
        let detail = format!("the token is for `{claimed}` and this is `{model}`");
        return Err(Unverified::new(Reason::ModelRepoMismatch, detail));
    }
    matches(canonical, &claims)?;
    let expected = result_path(&claims);
    if let Some(name) = path
        .and_then(name_in_results)
        .filter(|name| *name != expected.name())
    {
        let detail = format!("the entry is in `{DIRECTORY}/{name}` and belongs in `{expected}`");
        return Err(Unverified::new(Reason::PathMismatch, detail));
    }
    Ok((claims, signature))
}

/// The name of a file that lies in a directory of results; elsewhere files may be called as they
/// like.
fn name_in_results(path: &Path) -> Option<&str> {
    let whole = std::path::absolute(path).ok()?;
    let is_there = whole.parent()?.file_name()? == DIRECTORY;
    path.file_name()?.to_str().filter(|_| is_there)
}

/// The model that was named, else the one that the token names; that one is not believed, only
/// shown.
fn model_of(args: &VerifyArgs, canonical: &Canonical) -> Option<RepoId> {
    args.model.clone().or_else(|| {
        let token = assay_trust::UnverifiedToken::read(canonical.token()?).ok()?;
        Some(token.unverified_claims().ok()?.subject.model_repo)
    })
}

fn in_words(checked: &CheckedEntry) -> String {
    let number = checked.position + 1;
    let mut text = match &checked.outcome {
        Ok((claims, signature)) => {
            let word = match signature {
                Signature::Trusted => {
                    "signed by an issuer that the hub trusts, and unchanged since"
                }
                Signature::Holds => "signed, and unchanged since",
                Signature::Unchecked => "it says what its token says",
            };
            format!("entry {number}: {word}\n{}", claims_in_words(claims))
        }
        Err(unverified) => format!(
            "entry {number}: unverified\n  {}\n",
            reason_in_words(unverified)
        ),
    };
    if let (Some(canonical), Err(_)) = (&checked.canonical, &checked.outcome) {
        let _ = writeln!(text, "  entry        {}", canonical.digest());
        let subject = checked
            .model
            .as_ref()
            .and_then(|model| canonical.subject(model).ok());
        if let Some(subject) = subject {
            let _ = writeln!(text, "  subject      {}", subject.digest());
        }
    }
    text
}

fn document(checked: &CheckedEntry) -> Json {
    let canonical = checked.canonical.as_ref();
    let (state, signature, why) = match &checked.outcome {
        Ok((_, signature)) => ("holds", Some(signature.as_str()), None),
        Err(unverified) => ("unverified", None, Some(reason_document(unverified))),
    };
    json!({
        "entry": checked.position + 1,
        "state": state,
        "signature": signature,
        "why": why,
        "model": checked.model.as_ref().map(RepoId::as_str),
        "digests": canonical.map(|canonical| digests(canonical, checked.model.as_ref())),
        "claims": checked.outcome.as_ref().ok().map(|(claims, _)| super::claims_document(claims)),
    })
}

fn digests(canonical: &Canonical, model: Option<&RepoId>) -> Json {
    let subject = model.and_then(|model| canonical.subject(model).ok());
    json!({
        "entry": canonical.digest().to_string(),
        "subject": subject.map(|subject| subject.digest().to_string()),
    })
}
