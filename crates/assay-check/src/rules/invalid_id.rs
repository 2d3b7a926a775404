use assay_formats::Value;
use assay_model::{MetricId, TaskId};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The id of a metric or task cannot be one
    ///
    /// Ids stand in addresses, in tokens and in the first column of tables. They hold no white
    /// space and no control characters and are not empty. The label for people is `display_name`.
    ///
    /// ## What to do
    ///
    /// Write the id without spaces, such as `top_1_accuracy`, in `eval.yaml` and in every result
    /// alike.
    INVALID_ID = (205, "invalid-id", Error)
}

pub(crate) fn metric(id: Option<Value<'_>>, sink: &mut Sink<'_>) {
    check_id(
        id,
        |text| text.parse::<MetricId>().err().map(|why| why.to_string()),
        sink,
    );
}

pub(crate) fn task(id: Option<Value<'_>>, sink: &mut Sink<'_>) {
    check_id(
        id,
        |text| text.parse::<TaskId>().err().map(|why| why.to_string()),
        sink,
    );
}

fn check_id(id: Option<Value<'_>>, why: impl Fn(&str) -> Option<String>, sink: &mut Sink<'_>) {
    let Some((id, text)) = id.and_then(|id| Some((id, id.text()?))) else {
        return;
    };
    if let Some(why) = why(&text) {
        sink.report(&INVALID_ID, id, || {
            let draft = Draft::new(format!("{} cannot be an id: {why}", quote(&text)));
            let joined = text.split_whitespace().collect::<Vec<_>>().join("_");
            match offered(&joined) {
                Some(joined) => draft.help(format!("write {}", quote(joined))),
                None => draft.help("give it a short name without spaces"),
            }
        });
    }
}

/// The id to offer, unless nothing is left of it or it is still too long.
fn offered(joined: &str) -> Option<&str> {
    joined.parse::<MetricId>().is_ok().then_some(joined)
}
