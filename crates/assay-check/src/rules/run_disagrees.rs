use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The run metadata contradict the entry
    ///
    /// `run.dataset_revision` repeats `dataset.revision`, and `run.framework_version` repeats
    /// `framework.version`, for tools that read only `run`. Here the two differ, so one of them is
    /// wrong. A token is bound to those outside `run`.
    ///
    /// ## What to do
    ///
    /// Correct the wrong one, or leave the one in `run` out.
    RUN_DISAGREES = (320, "run-disagrees", Warning)
}

pub(crate) fn check(entry: Value<'_>, sink: &mut Sink<'_>) {
    let pairs = [
        ("dataset_revision", "dataset", "revision"),
        ("framework_version", "framework", "version"),
    ];
    let Some(run) = entry.get("run") else { return };
    for (repeated, object, key) in pairs {
        let own = entry.get(object).and_then(|object| object.text_of(key));
        let (Some(at), Some(own)) = (run.get(repeated), own) else {
            continue;
        };
        let Some(text) = at.text() else { continue };
        // A hash that was cut short agrees with the full one.
        let is_cut = key == "revision"
            && !text.is_empty()
            && !own.is_empty()
            && (own.starts_with(text.as_ref()) || text.starts_with(own.as_ref()));
        if text == own || is_cut {
            continue;
        }
        sink.report(&RUN_DISAGREES, at, || {
            Draft::new(format!(
                "`run.{repeated}` is {}, but `{object}.{key}` is {}",
                quote(&text),
                quote(&own)
            ))
            .help("correct the wrong one, or leave the one in `run` out")
        });
    }
}
