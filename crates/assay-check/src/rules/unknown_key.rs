use assay_formats::Value;
use assay_formats::shape::Object;

use super::missing_key::name_of;
use super::misspelt_key::unseen_key_like;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A key that the format does not allow
    ///
    /// A few mappings are closed: the root of an Every Eval Ever record, the root of a row since
    /// 0.2.1, and `generation_args` since 0.2.1. Anything else that needs saying goes into the
    /// detail map beside them.
    ///
    /// ## What to do
    ///
    /// Move the value into `additional_details` (of a record) or `metadata` (of a row), as a
    /// string. A misspelt key is corrected by `assay validate --fix`.
    UNKNOWN_KEY = (104, "unknown-key", Error)
}

pub(crate) fn report(key: Value<'_>, object: &'static Object, sink: &mut Sink<'_>) {
    sink.report(&UNKNOWN_KEY, key, || {
        let text = key.text().unwrap_or_default();
        let parent = name_of(key.parent(), object);
        let draft = Draft::new(format!("{} is not a key of {parent}", quote(&text)));
        match unseen_key_like(key, &text, object) {
            Some(name) => draft
                .help(format!("did you mean `{name}`?"))
                .replace(key.inside(), name),
            None if object.name == "row" => draft.help("move it into `metadata`, as a string"),
            None => draft.help("move it into the nearest `additional_details`, as a string"),
        }
    });
}
