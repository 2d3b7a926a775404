use std::sync::Arc;

use crate::rule::rule;
use crate::sink::{Draft, Findings, Sink};

rule! {
    /// A file is not UTF-8 text
    ///
    /// JSON and YAML files are UTF-8. This file holds bytes that are not, most often because it was
    /// saved as UTF-16 or in an old code page, or because it was compressed.
    ///
    /// ## What to do
    ///
    /// Save the file as UTF-8, for example with `iconv -f UTF-16 -t UTF-8 old.json > new.json`.
    NOT_UTF8 = (4, "not-utf8", Error)
}

/// The number of bytes by which the encoding is guessed.
const GUESS: usize = 4;

/// Reports the first byte of a document that is not UTF-8.
pub(crate) fn document(file: &Arc<str>, bytes: &[u8], limit: u64, findings: &mut Findings) {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let text = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
    let mut sink = Sink::new(file, text, limit, findings);
    report(bytes, at, &mut sink);
}

/// Reports the byte at `at`, of which the text in the sink holds everything before.
pub(crate) fn report(bytes: &[u8], at: usize, sink: &mut Sink<'_>) {
    let byte = bytes.get(at).copied().unwrap_or_default();
    sink.report(&NOT_UTF8, at..at, || {
        let draft = Draft::new(format!("byte 0x{byte:02x} is not UTF-8"));
        match bytes.get(..GUESS) {
            Some([0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => {
                draft.help("the file is UTF-16; save it as UTF-8")
            }
            Some([0x1f, 0x8b, ..]) => {
                draft.help("the file is compressed with gzip; unpack it first")
            }
            Some([b'P', b'K', 3, 4]) => {
                draft.help("the file is a zip archive; unpack or convert it first")
            }
            Some(_) | None => draft.help("save the file as UTF-8"),
        }
    });
}
