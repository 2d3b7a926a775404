use crate::record::RecordFacts;
use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{closest, quote};

rule! {
    /// A row counts for a result that its record does not have
    ///
    /// The `evaluation_result_id` of a row must be that of one result of the record; this one is
    /// not, so the row counts for nothing.
    ///
    /// ## What to do
    ///
    /// Correct the id in the row, or give the result that it is meant for this
    /// `evaluation_result_id`.
    UNKNOWN_RESULT = (509, "unknown-result", Error)
}

rule! {
    /// A row does not say which result it counts for
    ///
    /// The record has several results, and the row has no `evaluation_result_id`, so it cannot be
    /// told which score it is part of.
    ///
    /// ## What to do
    ///
    /// Write the id of the result. A sample that several metrics score has one row for each of
    /// them.
    NO_RESULT_NAMED = (510, "no-result-named", Warning)
}

pub(crate) fn check(
    row: &Row<'_>,
    facts: &RecordFacts,
    result: Option<usize>,
    sink: &mut Sink<'_>,
) {
    if result.is_some() {
        return;
    }
    match row.result_id {
        Some(id) => {
            let Some(text) = id.text() else { return };
            sink.report(&UNKNOWN_RESULT, id, || {
                let draft = Draft::new(format!(
                    "the record has no result with the id {}",
                    quote(&text)
                ));
                match closest(&text, facts.result_ids()) {
                    Some(id) => draft.help(format!("did you mean {}?", quote(id))),
                    None => draft.help("correct the id, or give the result that is meant this one"),
                }
            });
        }
        None if facts.results.len() > 1 => sink.report(&NO_RESULT_NAMED, row.root.head(), || {
            Draft::new(format!(
                "the record has {} results, and the row does not say which it counts for",
                facts.results.len()
            ))
            .help("write `evaluation_result_id`")
        }),
        None => {}
    }
}
