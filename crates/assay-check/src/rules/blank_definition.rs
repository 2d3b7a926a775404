use assay_formats::Value;

use super::blank_name::is_blank;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The name or the description of a benchmark is blank
    ///
    /// `name` and `description` are required: boards, lists and search show the one as the title of
    /// the benchmark and the other below it. A text with nothing in it is as good as none.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// name: Humanity's Last Exam
    /// description: Questions at the frontier of human knowledge.
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the name of the benchmark, and a sentence on what it measures.
    BLANK_DEFINITION = (214, "blank-definition", Error)
}

pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    for (key, wanted) in [
        ("name", "the name of the benchmark"),
        ("description", "a sentence on what the benchmark measures"),
    ] {
        let Some(value) = root.get(key).filter(|value| is_blank(*value)) else {
            continue;
        };
        sink.report(&BLANK_DEFINITION, value, || {
            Draft::new(format!("`{key}` is blank")).help(format!("write {wanted}"))
        });
    }
}
