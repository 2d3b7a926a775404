use assay_formats::Value;
use assay_model::RepoId;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A dataset id cannot be one
    ///
    /// A dataset id is `namespace/name`, in ASCII letters, digits, `-`, `_` and `.`. Letters of
    /// other scripts are refused because they can pose as another organisation.
    ///
    /// ## What to do
    ///
    /// Copy the id from the page of the dataset; it is the part of the address after `datasets/`.
    BAD_REPO_ID = (316, "bad-repo-id", Error)
}

rule! {
    /// A dataset id has no namespace
    ///
    /// Datasets of the hub's early days have bare names, such as `squad`. All others are
    /// `namespace/name`, and without the namespace the benchmark is probably not found.
    ///
    /// ## What to do
    ///
    /// Write the id with its namespace, such as `cais/hle`, unless the dataset really has none.
    NO_NAMESPACE = (317, "no-namespace", Warning)
}

pub(crate) fn check(id: Option<Value<'_>>, sink: &mut Sink<'_>) {
    let Some((at, text)) = id.and_then(|id| Some((id, id.text()?))) else {
        return;
    };
    match text.parse::<RepoId>() {
        Ok(id) if id.namespace().is_some() => {}
        Ok(_) => sink.report(&NO_NAMESPACE, at, || {
            Draft::new(format!("the dataset id {} has no namespace", quote(&text)))
                .help("write it as `namespace/name`")
        }),
        Err(error) => sink.report(&BAD_REPO_ID, at, || {
            let draft = Draft::new(format!("{} is not a dataset id: {error}", quote(&text)));
            match id_in_address(&text) {
                Some(id) => draft.help(format!("write `{id}`")),
                None => draft.help("copy the id from the page of the dataset"),
            }
        }),
    }
}

/// The id inside the address of a dataset page, which people paste.
fn id_in_address(text: &str) -> Option<RepoId> {
    let (_, rest) = text.split_once("/datasets/")?;
    let mut parts = rest.split(['/', '?', '#']);
    let id = format!("{}/{}", parts.next()?, parts.next()?);
    id.parse().ok()
}
