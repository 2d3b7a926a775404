use assay_model::RepoId;

use crate::parts::DataParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A dataset repository is not named by its id
    ///
    /// `hf_repo` is the id of a dataset repository, `namespace/name`, or a bare name as old
    /// datasets have. Not its address, and not a path on the machine that ran the evaluation:
    /// nobody else can find that.
    ///
    /// ## What to do
    ///
    /// Write the id. When the data is not in a repository, use the source type `other`.
    NOT_A_DATASET = (422, "not-a-dataset", Warning)
}

pub(crate) fn check(data: &DataParts<'_>, sink: &mut Sink<'_>) {
    let Some(repo) = data.repository else {
        return;
    };
    let Some(text) = repo.text() else { return };
    let Err(reason) = RepoId::check(&text) else {
        return;
    };
    sink.report(&NOT_A_DATASET, repo, || {
        let draft = Draft::new(format!(
            "{} is not the id of a dataset: {reason}",
            quote(&text)
        ));
        match id_in(&text) {
            Some(id) => draft.help(format!("write `{id}`")),
            None => draft.help("write `namespace/name`, or use the source type `other`"),
        }
    });
}

/// The id in the address of a dataset.
fn id_in(address: &str) -> Option<RepoId> {
    let (_, rest) = address.split_once("/datasets/")?;
    let mut parts = rest.split(['/', '?', '#']);
    format!("{}/{}", parts.next()?, parts.next()?).parse().ok()
}
