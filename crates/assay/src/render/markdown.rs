//! Markdown set lightly for a terminal.

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// A page: as it is, or with bold headings and dim code when it is `styled`.
pub(crate) fn page(markdown: &str, styled: bool) -> String {
    if !styled {
        return markdown.to_owned();
    }
    let mut in_code = false;
    let lines = markdown.lines().filter_map(|line| {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            return None;
        }
        let heading = line.trim_start_matches('#');
        Some(if in_code {
            format!("    {DIM}{line}{PLAIN}\n")
        } else if heading.len() < line.len() {
            format!("{BOLD}{}{PLAIN}\n", heading.trim_start())
        } else {
            format!("{line}\n")
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: &str = "# AY1: title\n\ntext `code`\n\n```yaml\n# comment\na: 1\n```\n";

    #[test]
    fn a_file_gets_the_markdown_untouched() {
        assert_eq!(page(MARKDOWN, false), MARKDOWN);
    }

    #[test]
    fn a_terminal_gets_headings_and_code_without_their_marks() {
        assert_eq!(
            page(MARKDOWN, true),
            "\u{1b}[1mAY1: title\u{1b}[0m\n\ntext `code`\n\n    \u{1b}[2m# comment\u{1b}[0m\n    \u{1b}[2ma: 1\u{1b}[0m\n"
        );
    }
}
