use assay_formats::shape::Shape;
use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A value has the wrong type
    ///
    /// The format asks for another kind of value here: a string where a number stands, a list where
    /// there is one item, text in a field that must be text and was read as a number because it has
    /// no quotes.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// framework:
    ///   name: inspect-ai
    ///   version: 1.10       # read as the number 1.1
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the value as the message says. In YAML, text that looks like a number, a boolean or a
    /// date needs quotes; `assay validate --fix` adds them. In Every Eval Ever records, every value
    /// of a detail map is a string.
    WRONG_TYPE = (102, "wrong-type", Error)
}

pub(crate) fn report(at: Value<'_>, expected: &'static Shape, sink: &mut Sink<'_>) {
    sink.report(&WRONG_TYPE, at.head(), || {
        let found = match at.kind() {
            Kind::Null | Kind::List | Kind::Map => at.kind().words().to_owned(),
            Kind::Bool => format!("the boolean {}", quote(at.raw())),
            Kind::Number => format!("the number {}", quote(at.raw())),
            Kind::String => "a string".to_owned(),
        };
        let draft = Draft::new(format!(
            "`{}` must be {}, not {found}",
            at.path(),
            expected.words()
        ))
        .path_of(at);
        let scalar = matches!(at.kind(), Kind::Bool | Kind::Number);
        if scalar && expected.takes(Kind::String) {
            return draft
                .help("put it in quotes")
                .replace(at.range(), format!("\"{}\"", at.raw()));
        }
        let number = at
            .text()
            .is_some_and(|text| text.trim().parse().is_ok_and(f64::is_finite));
        match at.kind() {
            Kind::String if number && expected.takes(Kind::Number) => {
                draft.help("remove the quotes")
            }
            Kind::Null => draft.help("leave the key out, or give it a value"),
            Kind::Bool | Kind::Number | Kind::String | Kind::List | Kind::Map => {
                draft.help(format!("write {}", expected.words()))
            }
        }
    });
}
