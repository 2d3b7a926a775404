use super::Visitor;

/// The outcome of a form, shown once on the page that it leads to: its kind, and its text.
pub(crate) type Notice = Option<(&'static str, &'static str)>;

/// Returns the notice that the address of a page names. Only these texts exist: an address cannot
/// make a page say anything else.
pub(crate) fn of(visitor: &Visitor) -> Notice {
    let text = match visitor.state.get("done")? {
        "revoked" => "The token is revoked. It opens nothing any more.",
        "ended" => "The session is over.",
        "commented" => "Your comment is here.",
        "merged" => "Merged: the results belong to the model now.",
        "closed" => "Closed. Its results have left the boards.",
        "reopened" => "Open again. Its results are back on the boards.",
        "opened" => {
            "The pull request is open. Its results are on the boards with the community badge."
        }
        "proposed" => "The pull request is open. Maintainers can merge it.",
        "registered" => {
            "The benchmark is registered. Its leaderboards are empty and open to everyone."
        }
        "created" => "Created.",
        "saved" => "Saved.",
        "removed" => "Removed.",
        "loaded" => "The file was read again; what is in force is below.",
        "queued" => "It is on its way; reload in a moment to see what became of it.",
        "withdrawn" => "Revoked. The results it covers are no longer verified.",
        "restored" => "The revocation is taken back. Its results count as before.",
        "hidden" => "The comment is hidden.",
        _ => return None,
    };
    Some(("good", text))
}
