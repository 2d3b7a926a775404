use assay_formats::Value;

use crate::pairing::Pairing;
use crate::rule::rule;
use crate::samples::SamplesSummary;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The samples file is not the one the record was made with
    ///
    /// The digest of the samples file differs from the `checksum` in the record, so at least one
    /// byte of it has changed since. Git can be the cause: with `core.autocrlf` it rewrites line
    /// ends.
    ///
    /// ## What to do
    ///
    /// Restore the file. If the change is meant, correct `checksum` and `total_rows`.
    CHECKSUM_DIFFERS = (429, "checksum-differs", Error)
}

rule! {
    /// A checksum is not a digest of its algorithm
    ///
    /// A SHA-256 digest has 64 hexadecimal digits, an MD5 digest has 32. This text has another
    /// length or other characters, so it cannot be the digest of any file.
    ///
    /// ## What to do
    ///
    /// Write the digest alone, without a prefix such as `sha256:`, and name the right
    /// `hash_algorithm`.
    MALFORMED_CHECKSUM = (430, "malformed-checksum", Error)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let Some(at) = pairing
        .declared()
        .and_then(|declared| declared.get("checksum"))
    else {
        return;
    };
    let Some(text) = at.text() else { return };
    let digest = text.trim();
    let algorithm = pairing.facts.algorithm();
    let digits = algorithm.digits();
    let is_digest = digest.len() == digits && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        sink.report(&MALFORMED_CHECKSUM, at, || {
            Draft::new(format!(
                "{} is not a digest of {algorithm}, which has {digits} hexadecimal digits",
                quote(&text),
                algorithm = algorithm.as_str()
            ))
            .help(match pairing.summary {
                Some(summary) => format!("the digest of the samples file is `{}`", summary.digest),
                None => "write the digest alone, without a prefix".to_owned(),
            })
        });
    } else if let Some(summary) = pairing.summary {
        compare(digest, summary, at, sink);
    }
}

fn compare(digest: &str, summary: &SamplesSummary, at: Value<'_>, sink: &mut Sink<'_>) {
    if digest.eq_ignore_ascii_case(&summary.digest) {
        return;
    }
    sink.report(&CHECKSUM_DIFFERS, at, || {
        Draft::new("`checksum` is not the digest of the samples file")
            .note(format!("declared: {}", digest.to_ascii_lowercase()))
            .note(format!("computed: {}", summary.digest))
            .help("restore the file, or correct `checksum` if the change is meant")
    });
}
