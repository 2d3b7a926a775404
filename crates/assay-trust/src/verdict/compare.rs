//! The entry against what was signed: the first field that differs is named, with both values.

use std::fmt;

use assay_model::{RepoId, RepoPath, quote};

use crate::{Canonical, Claims, Digest, Field, MetricClaim, Reason, Subject, Unverified};

/// The directory of result files.
const DIRECTORY: &str = ".eval_results";

/// Returns whether the entry is the one that was signed.
pub(super) fn entry(
    canonical: &Canonical,
    digest: &Digest,
    claims: &Claims,
) -> Result<(), Unverified> {
    let signed = &claims.subject;
    if !canonical.is_claim(signed) {
        let subject = canonical.subject(&signed.model_repo)?;
        return Err(difference(&subject, signed));
    }
    if signed.digest() != claims.digests.subject {
        let detail = "the token carries another digest of its own claims";
        return Err(Unverified::new(Reason::SubjectDigestMismatch, detail));
    }
    if *digest != claims.digests.entry {
        let detail =
            "something beside the claims was changed: notes, source, date or another field";
        return Err(Unverified::new(Reason::EntryDigestMismatch, detail));
    }
    Ok(())
}

/// The file that an entry with these claims belongs in.
pub fn result_path(claims: &Claims) -> RepoPath {
    let name = claims.subject.benchmark_repo.result_file_name();
    format!("{DIRECTORY}/{name}")
        .parse()
        .expect("the name of a repository is safe in a path")
}

/// Returns whether this is the file of a benchmark, told without making its name.
fn is_result_file(path: &RepoPath, benchmark: &RepoId) -> bool {
    let name = path.as_str().strip_prefix(DIRECTORY);
    let name = name.and_then(|name| name.strip_prefix('/'));
    let Some(name) = name.and_then(|name| name.strip_suffix(".yaml")) else {
        return false;
    };
    let spelled = |byte: u8| match byte {
        b'-' => b'_',
        byte => byte.to_ascii_lowercase(),
    };
    name.bytes().eq(benchmark.name().bytes().map(spelled))
}

/// Returns whether the entry is in the file that its benchmark has.
pub(super) fn path(path: &RepoPath, claims: &Claims) -> Result<(), Unverified> {
    if is_result_file(path, &claims.subject.benchmark_repo) {
        return Ok(());
    }
    let expected = result_path(claims);
    let detail = format!(
        "the entry is in {} and belongs in `{expected}`",
        quote(path.as_str())
    );
    Err(Unverified::new(Reason::PathMismatch, detail))
}

/// The first field that differs.
fn difference(entry: &Subject, signed: &Subject) -> Unverified {
    let (own, other) = (&entry.framework, &signed.framework);
    let commands = [&own.command, &other.command].map(|command| Command(command.as_deref()));
    let fields = [
        field(
            Field::DatasetId,
            &entry.benchmark_repo,
            &signed.benchmark_repo,
        ),
        field(
            Field::DatasetRevision,
            &entry.benchmark_revision,
            &signed.benchmark_revision,
        ),
        field(Field::TaskId, &entry.task_id, &signed.task_id),
        field(
            Field::ModelRevision,
            &entry.model_revision,
            &signed.model_revision,
        ),
        field(Field::FrameworkName, &own.name, &other.name),
        field(Field::FrameworkVersion, &own.version, &other.version),
        field(Field::FrameworkCommand, &commands[0], &commands[1]),
    ];
    let first = fields.into_iter().flatten().next();
    first.unwrap_or_else(|| metrics(&entry.metrics, &signed.metrics))
}

fn field<T: PartialEq + fmt::Display>(field: Field, has: &T, signed: &T) -> Option<Unverified> {
    let [shown, expected] = [has, signed].map(|value| quote(&value.to_string()));
    let detail = format!("`{field}` is {shown}, and {expected} was signed");
    (has != signed).then(|| Unverified::new(Reason::ClaimMismatch(field), detail))
}

/// A command line, or that there is none: an empty one is something else.
#[derive(PartialEq)]
struct Command<'a>(Option<&'a str>);

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.unwrap_or("(absent)"))
    }
}

fn metrics(entry: &[MetricClaim], signed: &[MetricClaim]) -> Unverified {
    if is_same_set(entry, signed) {
        let detail = "the metrics are those that were signed, in another order";
        return Unverified::new(Reason::MetricsOrderMismatch, detail);
    }
    let differs = entry.iter().zip(signed).find(|(has, signed)| has != signed);
    let detail = match differs {
        Some((has, signed)) => format!(
            "`metrics` has {}, and {} was signed",
            words(has),
            words(signed)
        ),
        None => format!(
            "`metrics` has {} values, and {} were signed",
            entry.len(),
            signed.len()
        ),
    };
    Unverified::new(Reason::ClaimMismatch(Field::Metrics), detail)
}

fn is_same_set(entry: &[MetricClaim], signed: &[MetricClaim]) -> bool {
    entry.len() == signed.len() && entry.iter().all(|metric| signed.contains(metric))
}

fn words(metric: &MetricClaim) -> String {
    let slice = metric
        .slice
        .as_deref()
        .map(|slice| format!(" of {}", quote(slice)));
    format!(
        "{} = {}{}",
        quote(metric.metric_id.as_str()),
        metric.value,
        slice.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_file_of_a_benchmark_is_told_as_its_name_is_made(name in "[A-Za-z0-9._-]{1,8}", other in "[a-z0-9._-]{1,8}") {
            let Ok(benchmark) = format!("acme/{name}").parse::<RepoId>() else { return Ok(()); };
            let own = format!("{DIRECTORY}/{}", benchmark.result_file_name());

            for text in [own.clone(), format!("{DIRECTORY}/{other}.yaml"), format!("{DIRECTORY}/{name}.yaml")] {
                let Ok(path) = text.parse::<RepoPath>() else { continue; };
                prop_assert_eq!(is_result_file(&path, &benchmark), text == own);
            }
        }
    }
}
