use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A file begins with a byte order mark
    ///
    /// The mark U+FEFF at the front of a file is invisible, and strict JSON parsers refuse it.
    /// Windows editors write it.
    ///
    /// ## What to do
    ///
    /// Save the file as UTF-8 without a mark. `assay validate --fix` removes it.
    BYTE_ORDER_MARK = (5, "byte-order-mark", Error)
}

pub(crate) fn document(source: &str, sink: &mut Sink<'_>) {
    if source.starts_with('\u{feff}') {
        let width = '\u{feff}'.len_utf8();
        sink.report(&BYTE_ORDER_MARK, 0..width, || {
            Draft::new("the file begins with a byte order mark")
                .help("save it as UTF-8 without a mark")
                .replace(0..width, "")
        });
    }
}
