use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// An address cannot be followed
    ///
    /// `source_organization_url`, `source_organization_logo_url` and the addresses in `source_data.url` are shown as links, so
    /// they must begin with `https://` or `http://` and name a host.
    ///
    /// ## What to do
    ///
    /// Write the whole address. Where there is none, leave the key out; data without an address has the source type `other`
    /// or `hf_dataset`.
    NOT_AN_ADDRESS = (421, "not-an-address", Warning)
}

/// Judges the addresses of the organisation.
pub(crate) fn organisation(source: Value<'_>, sink: &mut Sink<'_>) {
    for key in ["source_organization_url", "source_organization_logo_url"] {
        if let Some(address) = source.get(key) {
            check(address, sink);
        }
    }
}

/// Judges the addresses of the data.
pub(crate) fn data(source_data: Value<'_>, sink: &mut Sink<'_>) {
    for address in source_data.get("url").into_iter().flat_map(Value::items) {
        check(address, sink);
    }
}

fn check(address: Value<'_>, sink: &mut Sink<'_>) {
    let Some(text) = address.text() else { return };
    if is_address(&text) {
        return;
    }
    sink.report(&NOT_AN_ADDRESS, address, || {
        let draft = Draft::new(format!(
            "{} is not an address that begins with `https://` or `http://`",
            quote(&text)
        ));
        if is_address(&format!("https://{text}")) && text.contains('.') {
            draft.help(format!("write {}", quote(&format!("https://{text}"))))
        } else {
            draft.help("write the whole address, or leave the key out")
        }
    });
}

fn is_address(text: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| {
        // `get` refuses a cut inside a character, which no scheme has.
        let has_scheme = text
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        has_scheme
            && text[scheme.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '[')
            && !text.contains(char::is_whitespace)
    })
}
