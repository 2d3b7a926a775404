//! Workflow commands of GitHub Actions, which show findings beside the lines of a pull request.

use assay_check::rules;
use assay_cli::Printer;
use assay_model::{Diagnostic, Severity};
use assay_render::visible;

use super::{Outcome, fixed_line};

/// Prints a command for each finding, and the summary.
pub(crate) fn print(outcome: &Outcome<'_>, quiet: bool, printer: &mut Printer) {
    if !quiet {
        for fixed in outcome.fixed {
            printer.line(&fixed_line(fixed));
        }
        for report in outcome.reports {
            for diagnostic in report.findings.diagnostics() {
                printer.line(&command(diagnostic));
            }
        }
    }
    printer.line(&outcome.summary.line());
}

fn command(diagnostic: &Diagnostic) -> String {
    let name = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let file = property(&file(&diagnostic.place.file));
    let place = if diagnostic.place.is_whole() {
        String::new()
    } else {
        let (line, column) = (diagnostic.place.line, diagnostic.place.column);
        format!(",line={line},col={column}")
    };
    let title = match rules::find(diagnostic.code) {
        Some(rule) => format!("{} {}", diagnostic.code, rule.name),
        None => diagnostic.code.to_string(),
    };
    let title = property(&title);
    let text = data(&text(diagnostic));
    format!("::{name} file={file}{place},title={title}::{text}")
}

/// The message, then the evidence and the next step on lines of their own.
fn text(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![visible(&diagnostic.message)];
    lines.extend(diagnostic.notes.iter().map(|note| visible(note)));
    lines.extend(diagnostic.help.iter().map(|help| visible(help)));
    lines.join("\n")
}

/// The name of a file with what a terminal would obey spelled out. Line ends have an escape of
/// their own.
fn file(name: &str) -> String {
    name.split_inclusive(['\r', '\n'])
        .map(|part| match part.strip_suffix(['\r', '\n']) {
            Some(rest) => format!("{}{}", visible(rest), &part[rest.len()..]),
            None => visible(part),
        })
        .collect()
}

/// Text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Text of a property, where a comma or colon would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
