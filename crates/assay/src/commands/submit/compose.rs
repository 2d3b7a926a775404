//! The file that is committed, and what the pull request says.

use std::fmt::Write as _;

use assay_formats::eval_results::entries;

use super::{FilePlan, SubmitError};

/// The most names that a title lists.
const MAX_NAMED: usize = 3;

/// Returns the file with new entries behind what is there; not a byte of what is there changes.
pub(super) fn whole(path: &str, main: Option<&str>, added: &[&str]) -> Result<String, SubmitError> {
    entries::append(main, added)
        .map_err(|error| SubmitError::refused(format!("`{path}` on the hub: {error}")))
}

/// Returns the title of the pull request.
pub(super) fn title(plans: &[FilePlan]) -> String {
    let mut names: Vec<String> = plans
        .iter()
        .flat_map(|plan| &plan.drafts)
        .map(|(_, draft)| format!("{} ({})", draft.entry.dataset, draft.entry.task))
        .collect();
    names.dedup();
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let and_more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("Add results of {}{and_more}", names.join(", "))
}

/// Returns the description of the pull request.
pub(super) fn description(plans: &[FilePlan]) -> String {
    let mut text = String::new();
    for (_, draft) in plans.iter().flat_map(|plan| &plan.drafts) {
        let values: Vec<String> = super::outcome::values(&draft.entry);
        // A text can always be written to.
        let _ = writeln!(
            text,
            "- `{}`, task `{}`: {}",
            draft.entry.dataset,
            draft.entry.task,
            values.join(", ")
        );
    }
    text
}
