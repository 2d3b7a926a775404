use std::collections::BTreeSet;
use std::fmt::Write as _;

use assay_model::{Code, Diagnostic};
use assay_render::{ELLIPSIS, FindingRenderer};

/// Maximum number of columns that a finding may take: git puts `remote: ` before each line.
const WIDTH: usize = 110;
/// Number of findings that are shown.
const SHOWN: usize = 20;

/// Findings as the command line shows them, with file, line and caret, and where more is said of
/// each. It is what a person reads whose change is refused, whichever way it came.
pub fn findings(diagnostics: &[Diagnostic]) -> String {
    let renderer = FindingRenderer::plain(WIDTH);
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(SHOWN) {
        text.push_str(&renderer.render(diagnostic));
        text.push_str("\n\n");
    }
    if diagnostics.len() > SHOWN {
        let more = diagnostics.len() - SHOWN;
        let _ = writeln!(
            text,
            "{ELLIPSIS} and {more} more; `assay validate` shows all\n"
        );
    }
    let codes: BTreeSet<Code> = diagnostics.iter().map(|found| found.code).collect();
    for code in codes {
        let _ = writeln!(text, "`assay explain {code}` says more of {code}");
    }
    text
}
