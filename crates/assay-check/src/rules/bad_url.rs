use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;
use crate::web_address;

rule! {
    /// The address of a source is not a web address
    ///
    /// `source.url` becomes a link on the model page. It must begin with `https://` or `http://`
    /// and name a host. Addresses such as `javascript:` would run in the reader's browser, and one
    /// with a user name shows another host than it opens.
    ///
    /// ## What to do
    ///
    /// Write the full address as the browser shows it.
    BAD_URL = (311, "bad-url", Error)
}

pub(crate) fn check(entry: Value<'_>, sink: &mut Sink<'_>) {
    let url = entry.present("source").and_then(|source| source.get("url"));
    let Some((url, text)) = url.and_then(|url| Some((url, url.text()?))) else {
        return;
    };
    if let Some(why) = web_address::fault(&text) {
        sink.report(&BAD_URL, url, || {
            Draft::new(format!("{} is not a web address: {why}", quote(&text)))
                .help("write the full address, such as `https://example.org/results`")
        });
    }
}
