use crate::pairing::Pairing;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A checksum does not say by which algorithm
    ///
    /// The record has a `checksum` but no `hash_algorithm`. It is taken for MD5 when it has 32
    /// digits, else for SHA-256.
    ///
    /// ## What to do
    ///
    /// Add `"hash_algorithm": "sha256"`.
    CHECKSUM_WITHOUT_ALGORITHM = (431, "checksum-without-algorithm", Warning)
}

rule! {
    /// The samples file has no checksum
    ///
    /// Without `checksum` nobody can tell whether the samples are still those that the scores were
    /// computed from.
    ///
    /// ## What to do
    ///
    /// Add the digest that the finding gives, and `"hash_algorithm": "sha256"`.
    NO_CHECKSUM = (432, "no-checksum", Note)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let Some(declared) = pairing.declared() else {
        return;
    };
    match (declared.present("checksum"), pairing.summary) {
        (Some(checksum), _) => {
            if declared.present("hash_algorithm").is_none() {
                sink.report(&CHECKSUM_WITHOUT_ALGORITHM, checksum, || {
                    Draft::new("`checksum` is given without `hash_algorithm`").help(format!(
                        "add `\"hash_algorithm\": \"{}\"`",
                        pairing.facts.algorithm().as_str()
                    ))
                });
            }
        }
        (None, Some(summary)) => sink.report(&NO_CHECKSUM, declared.head(), || {
            Draft::new("the samples file has no `checksum`")
                .help(format!(
                    "add `\"hash_algorithm\": \"{}\", \"checksum\": \"{}\"`",
                    summary.algorithm.as_str(),
                    summary.digest
                ))
                .path_of(declared)
        }),
        (None, None) => {}
    }
}
