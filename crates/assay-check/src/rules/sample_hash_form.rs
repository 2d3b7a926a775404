use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A sample hash is not a SHA-256 digest
    ///
    /// `sample_hash` is there to find the same question in the results of different harnesses. It
    /// is a SHA-256 digest, 64 hexadecimal digits. Harnesses have computed it in different ways, so
    /// it is not computed again here.
    ///
    /// ## What to do
    ///
    /// Write the SHA-256 digest of the canonical JSON of `{"raw": …, "reference": […]}`, or leave
    /// the key out.
    SAMPLE_HASH_FORM = (522, "sample-hash-form", Warning)
}

/// Number of hexadecimal digits a SHA-256 digest that has.
const DIGITS: usize = 64;

pub(crate) fn check(hash: Value<'_>, sink: &mut Sink<'_>) {
    let Some(text) = hash.text() else { return };
    let is_digest = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        sink.report(&SAMPLE_HASH_FORM, hash, || {
            Draft::new(format!(
                "{} is not a SHA-256 digest of {DIGITS} hexadecimal digits",
                quote(&text)
            ))
            .help("write the digest of question and reference, or leave the key out")
        });
    }
}
