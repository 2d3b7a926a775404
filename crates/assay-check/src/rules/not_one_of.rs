use assay_formats::Value;
use assay_formats::shape::{Object, one_of};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{closest, quote};

rule! {
    /// A text is not one of those allowed
    ///
    /// The field takes one of a few words, and this is none of them.
    ///
    /// ## What to do
    ///
    /// Use one of the words in the message. Where `unknown` is among them, it is the honest choice
    /// when you do not know.
    NOT_ONE_OF = (103, "not-one-of", Error)
}

pub(crate) fn report(at: Value<'_>, options: &[&'static str], sink: &mut Sink<'_>) {
    sink.report(&NOT_ONE_OF, at, || {
        let text = at.text().unwrap_or_default();
        let draft = Draft::new(format!(
            "`{}` is {}, which is not one of {}",
            at.path(),
            quote(&text),
            one_of(options)
        ));
        match old_word(&text).or_else(|| closest(&text, options.iter().copied())) {
            Some(word) if options.contains(&word) => draft.help(format!("did you mean `{word}`?")),
            Some(_) | None => draft.help(format!("use {}", one_of(options))),
        }
    });
}

pub(crate) fn variant(
    at: Value<'_>,
    tag: &'static str,
    variants: &'static [(&'static str, &'static Object)],
    sink: &mut Sink<'_>,
) {
    let options: Vec<&'static str> = variants.iter().map(|(name, _)| *name).collect();
    sink.report(&NOT_ONE_OF, at.head(), || {
        Draft::new(format!("`{tag}` must be {}", one_of(&options)))
            .help(format!("set `{tag}`"))
            .path_of(at)
    });
}

/// Words that older records and bots use for what is now called otherwise.
fn old_word(text: &str) -> Option<&'static str> {
    Some(
        match text.to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
            "self_hosted" | "local" | "on_premise" | "self_managed" => "self_deployed",
            "api" | "hosted" | "cloud" | "managed" | "third_party_api" | "proprietary_api" => {
                "externally_managed"
            }
            "open" | "open_source" | "open_weight" | "public" => "open_weights",
            "closed" | "closed_source" | "closed_weight" | "proprietary" | "private" => {
                "closed_weights"
            }
            "n/a" | "none" | "unspecified" | "" => "unknown",
            _ => return None,
        },
    )
}
