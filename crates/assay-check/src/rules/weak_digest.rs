use crate::pairing::Pairing;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A samples file is protected by MD5 only
    ///
    /// MD5 tells accidents, but two different files with the same MD5 digest can be made on
    /// purpose. A result that should be verified needs SHA-256.
    ///
    /// ## What to do
    ///
    /// Write `"hash_algorithm": "sha256"` and the SHA-256 digest of the file.
    WEAK_DIGEST = (433, "weak-digest", Note)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    if let Some(algorithm) = pairing
        .declared()
        .and_then(|declared| declared.get("hash_algorithm"))
        .filter(|algorithm| algorithm.is_text("md5"))
    {
        sink.report(&WEAK_DIGEST, algorithm, || {
            Draft::new("`hash_algorithm` is `md5`, which tells accidents but not attacks")
                .help("use `sha256`")
        });
    }
}
