use assay_formats::Value;
use assay_model::Revision;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A revision is not a commit hash
    ///
    /// A revision pins the model or the dataset to one commit, by its hash in lower-case
    /// hexadecimal digits. The name of a branch or a tag does not: it can point elsewhere tomorrow.
    ///
    /// ## What to do
    ///
    /// Write the full hash, as `git rev-parse HEAD` prints it. `assay validate --fix` turns
    /// upper-case digits into lower case. Leave the key out if the commit is not known.
    BAD_REVISION = (312, "bad-revision", Error)
}

rule! {
    /// A revision is not a full commit hash
    ///
    /// A hash that was cut short names a commit today, but another commit may come to begin with
    /// the same digits. The result is shown with it, but it can never be verified.
    ///
    /// ## What to do
    ///
    /// Write all 40 digits (64 in a SHA-256 repository), as `git rev-parse HEAD` prints them.
    SHORT_REVISION = (313, "short-revision", Warning)
}

pub(crate) fn check(revision: Option<Value<'_>>, sink: &mut Sink<'_>) {
    let Some((at, text)) = revision.and_then(|value| Some((value, value.text()?))) else {
        return;
    };
    match text.parse::<Revision>() {
        Ok(revision) if revision.is_full() => {}
        Ok(_) => sink.report(&SHORT_REVISION, at, || {
            Draft::new(format!(
                "{} is a commit hash cut short to {} digits; it displays but cannot verify",
                quote(&text),
                text.len()
            ))
            .help(format!("write all {} digits", Revision::SHA1))
        }),
        Err(error) => sink.report(&BAD_REVISION, at, || {
            let draft = Draft::new(format!("{} is not a commit hash", quote(&text)));
            let lower = text.to_ascii_lowercase();
            let is_plain = at.source().get(at.inside()) == Some(text.as_ref());
            if is_plain && lower.parse::<Revision>().is_ok() {
                draft
                    .help("write its digits in lower case")
                    .replace(at.inside(), lower)
            } else {
                draft.help(error.to_string())
            }
        }),
    }
}
