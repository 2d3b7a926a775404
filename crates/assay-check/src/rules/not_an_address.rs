use assay_formats::Value;

use crate::parts::DataParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;
use crate::web_address;

rule! {
    /// An address cannot be followed
    ///
    /// `source_organization_url`, `source_organization_logo_url` and the addresses in
    /// `source_data.url` are shown as links, so they must begin with `https://` or `http://` and
    /// name a host.
    ///
    /// ## What to do
    ///
    /// Write the whole address. Where there is none, leave the key out; data without an address has
    /// the source type `other` or `hf_dataset`.
    NOT_AN_ADDRESS = (421, "not-an-address", Warning)
}

/// Validates the addresses of the organisation.
pub(crate) fn organisation(source: Value<'_>, sink: &mut Sink<'_>) {
    for key in ["source_organization_url", "source_organization_logo_url"] {
        if let Some(address) = source.get(key) {
            check(address, sink);
        }
    }
}

/// Validates the addresses of the data.
pub(crate) fn data(data: &DataParts<'_>, sink: &mut Sink<'_>) {
    for address in data.url.into_iter().flat_map(Value::items) {
        check(address, sink);
    }
}

fn check(address: Value<'_>, sink: &mut Sink<'_>) {
    let Some(text) = address.text() else { return };
    let Some(why) = web_address::fault(&text) else {
        return;
    };
    sink.report(&NOT_AN_ADDRESS, address, || {
        let draft = Draft::new(format!("{} is not a web address: {why}", quote(&text)));
        let whole = format!("https://{text}");
        if web_address::fault(&whole).is_none() && text.contains('.') {
            draft.help(format!("write {}", quote(&whole)))
        } else {
            draft.help("write the whole address, or leave the key out")
        }
    });
}
