use std::fmt::Write as _;
use std::path::Path;

use assay_formats::eee::Version;

use crate::seeds::Format;

/// A version that we validate by another schema than the one published under its name, on purpose.
pub(crate) struct Difference {
    pub(crate) format: Format,
    pub(crate) version: Version,
    /// The version whose published schema we follow.
    pub(crate) instead: Version,
    reason: &'static str,
}

/// Every place where we depart from a published schema. Anything else is a bug.
const KNOWN: [Difference; 2] = [
    Difference {
        format: Format::Record,
        version: Version::V0_2_1,
        instead: Version::V0_2_2,
        reason: "`evaluation_result_id` and the `metric_*` keys were added while the version still read 0.2.1, so \
                 records of that version have them\n\
                 and mean them. The schema published as 0.2.1 is the one from before and lets anything stand behind \
                 these keys; the schema of 0.2.2\n\
                 is the same but for them.",
    },
    Difference {
        format: Format::Row,
        version: Version::V0_2_1,
        instead: Version::V0_2_2,
        reason: "`evaluation_result_id` was added while the version still read 0.2.1. Rows are closed, so the schema \
                 published as 0.2.1,\n\
                 which is the one from before, refuses rows that the tools of the day wrote.",
    },
];

const PAGE: &str = "schema-differences.md";

/// Returns the known differences of a format and version.
pub(crate) fn known(format: Format, version: Version) -> Option<&'static Difference> {
    KNOWN
        .iter()
        .find(|difference| difference.format == format && difference.version == version)
}

fn page() -> String {
    let mut page = String::from(
        "# Where Assay departs from the published schemas\n\n\
         Assay describes every version of the Every Eval Ever schemas once, as data. The validator walks that description\n\
         and the JSON Schemas in [`schemas/`](schemas) are printed from it. The conformance test\n\
         (`cargo test -p assay-formats --test conformance`) mutates documents and compares the validator, the printed schema\n\
         and the published schema on each of them. They agree, except for what this page lists. The page is made from\n\
         the list in that test: `ASSAY_UPDATE=1 cargo test -p assay-formats --test conformance`.\n",
    );
    for Difference {
        format,
        version,
        instead,
        reason,
    } in &KNOWN
    {
        write!(
            page,
            "\n## A {format} of {version} is validated as {instead}\n\n{reason}\n"
        )
        .expect("a string can always be written to");
    }
    page
}

#[test]
fn the_page_lists_every_known_difference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(PAGE);
    if std::env::var_os("ASSAY_UPDATE").is_some() {
        std::fs::write(&path, page()).unwrap();
    }

    let written = std::fs::read_to_string(&path).unwrap_or_default();

    assert!(
        written == page(),
        "`docs/{PAGE}` is stale; run the test again with ASSAY_UPDATE=1"
    );
}
