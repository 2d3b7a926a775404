use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// An entry declares its own standing
    ///
    /// Whether a result is verified is computed by the hub from the token, and whether it is a
    /// community result from where it lives. Nothing that the author of an entry writes can set it,
    /// so the key is ignored.
    ///
    /// ## What to do
    ///
    /// Remove the key. A result becomes verified by a `verify_token` that passes every check.
    DECLARED_PROVENANCE = (319, "declared-provenance", Warning)
}

/// The keys by which people try to set what only the hub can.
const KEYS: [&str; 7] = [
    "verified",
    "verification",
    "badge",
    "badges",
    "status",
    "provenance",
    "community",
];

/// Returns whether a key tries to set what only the hub can.
pub(crate) fn is_declared(key: Value<'_>) -> bool {
    KEYS.iter().any(|known| key.is_text(known))
}

pub(crate) fn report(key: Value<'_>, sink: &mut Sink<'_>) {
    sink.report(&DECLARED_PROVENANCE, key, || {
        let text = key.text().unwrap_or_default();
        Draft::new(format!(
            "{} is computed by the hub and ignored here",
            quote(&text)
        ))
        .help("remove the key; a `verify_token` is what makes a result verified")
    });
}
