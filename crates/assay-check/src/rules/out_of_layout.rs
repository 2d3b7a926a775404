use assay_formats::eee::LayoutFault;
use assay_model::Severity;

use crate::context::LayoutPolicy;
use crate::layout::Location;
use crate::pairing::quote_path;
use crate::rule::rule;
use crate::sink::{Draft, Sink, Target};
use crate::suggest::quote;

rule! {
    /// A record lies outside the datastore
    ///
    /// The datastore keeps records and samples below a directory `data`, and what a path says
    /// beyond it is taken for the benchmark, the developer and the model. Outside, the rest of the
    /// path is not validated. With `--layout strict` this is an error.
    ///
    /// ## What to do
    ///
    /// Nothing, while you are still working on the record. Before you submit it, put it at
    /// `data/{benchmark}/{developer}/{model}/{uuid}.json`.
    OUTSIDE_DATASTORE = (403, "outside-datastore", Warning)
}

rule! {
    /// A record lies too deep or not deep enough
    ///
    /// From the root of the datastore, a path has exactly five parts:
    /// `data/{benchmark}/{developer}/{model}/{file}`. Readers take the benchmark, the developer and
    /// the model from their positions.
    ///
    /// ## What to do
    ///
    /// Move the file. A `/` inside a model's name becomes `_`.
    WRONG_DEPTH = (404, "wrong-depth", Error)
}

rule! {
    /// A path is not written plainly
    ///
    /// The path has a backslash, an empty part, or a part `.` or `..`. Such paths name different
    /// files on different systems.
    ///
    /// ## What to do
    ///
    /// Write the path with single forward slashes and without detours.
    UNCLEAN_PATH = (405, "unclean-path", Error)
}

rule! {
    /// A directory below `data` is called `data`
    ///
    /// The directory `data` is the root of the datastore. A benchmark, developer or model of that
    /// name would make the path ambiguous.
    ///
    /// ## What to do
    ///
    /// Give the directory another name.
    RESERVED_NAME = (406, "reserved-name", Error)
}

rule! {
    /// A directory has a name that some systems cannot hold
    ///
    /// A name may not have `< > : " \ | ? *` or control characters, may not end in a dot or a
    /// space, and may not be one of the device names of Windows (`CON`, `NUL`, `COM1` and so on). A
    /// checkout of the datastore fails where the system refuses the name.
    ///
    /// ## What to do
    ///
    /// Rename the directory; by custom each of these characters becomes `_`.
    UNPORTABLE_NAME = (407, "unportable-name", Error)
}

rule! {
    /// A file is not named by a UUID
    ///
    /// A record is `{uuid}.json` and its samples are `{uuid}_samples.jsonl`, with the same random
    /// (version 4) UUID in lower case. The name is what ties the two together and keeps records of
    /// one model apart.
    ///
    /// ## What to do
    ///
    /// Rename the record and its samples file together, and correct
    /// `detailed_evaluation_results.file_path`.
    WRONG_FILE_NAME = (408, "wrong-file-name", Error)
}

const FORM: &str = "data/{benchmark}/{developer}/{model}/{uuid}.json";

/// Reports every departure from the layout, as far as the policy cares.
pub(crate) fn check(location: &Location<'_>, sink: &mut Sink<'_>) {
    let severity = match location.policy {
        LayoutPolicy::Off => return,
        LayoutPolicy::Auto if !location.in_datastore => Severity::Warning,
        LayoutPolicy::Auto | LayoutPolicy::Strict => Severity::Error,
    };
    // Outside of a datastore it makes no sense to count directories.
    let is_outside = severity == Severity::Warning;
    for fault in &location.faults {
        let (rule, draft): (_, Draft) = match fault {
            LayoutFault::Root => (&OUTSIDE_DATASTORE, outside(location)),
            LayoutFault::FileName(name) => (&WRONG_FILE_NAME, file_name(name)),
            LayoutFault::Depth(_)
            | LayoutFault::Unclean
            | LayoutFault::Reserved
            | LayoutFault::NotPortable(_)
                if is_outside =>
            {
                continue;
            }
            // These are detours, not names.
            LayoutFault::NotPortable("." | "..") => continue,
            LayoutFault::Depth(parts) => (&WRONG_DEPTH, depth(*parts)),
            LayoutFault::Unclean => (&UNCLEAN_PATH, unclean(location)),
            LayoutFault::Reserved => (&RESERVED_NAME, reserved()),
            LayoutFault::NotPortable(name) => (&UNPORTABLE_NAME, unportable(name)),
        };
        sink.report_as(severity, rule, Target::Whole, || draft);
    }
}

fn outside(location: &Location<'_>) -> Draft {
    let draft = Draft::new("the file does not lie below a directory `data`");
    match location.policy {
        LayoutPolicy::Strict => draft.help(format!("move it to `{FORM}`")),
        LayoutPolicy::Auto | LayoutPolicy::Off => {
            draft.help(format!("before you submit it, move it to `{FORM}`"))
        }
    }
}

fn depth(parts: usize) -> Draft {
    Draft::new(format!(
        "the path has {parts} part{} from the root of the datastore, not 5",
        if parts == 1 { "" } else { "s" }
    ))
    .help(format!("move the file to `{FORM}`"))
}

fn unclean(location: &Location<'_>) -> Draft {
    Draft::new(format!(
        "the path {} has a backslash, an empty part, `.` or `..`",
        quote_path(location.path)
    ))
    .help("write it with single forward slashes and without detours")
}

fn reserved() -> Draft {
    Draft::new("a directory below `data` is itself called `data`")
        .help("give the benchmark, developer or model directory another name")
}

fn unportable(name: &str) -> Draft {
    let trimmed = name.trim_end_matches(['.', ' ']);
    // A name that ends so was cut off for people to read, and what is left of it may be the same
    // for several models.
    let help = if name.ends_with("...") {
        "the name was cut off, it seems: write the whole name of the model".to_owned()
    } else if assay_formats::eee::is_portable(trimmed) && !trimmed.is_empty() {
        format!("rename it, for example to {}", quote(trimmed))
    } else {
        "rename it; by custom a forbidden character becomes `_`".to_owned()
    };
    Draft::new(format!(
        "some systems cannot hold a directory called {}",
        quote(name)
    ))
    .help(help)
}

fn file_name(name: &str) -> Draft {
    let draft = Draft::new(format!(
        "{} is not a version 4 UUID in lower case with `.json` or `_samples.jsonl`",
        quote(name)
    ));
    let lower = name.to_lowercase();
    if lower != name
        && assay_formats::eee::layout_of(&format!("data/b/d/m/{lower}"))
            .0
            .is_some()
    {
        return draft.help(format!("rename it to `{lower}`"));
    }
    draft.help("name the record by a new random UUID, and its samples by the same one")
}
