//! Markdown set lightly for a terminal.

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// A page: as it is, or with bold headings and dim code when it is `styled`.
pub(crate) fn page(markdown: &str, styled: bool) -> String {
    if !styled {
        return markdown.to_owned();
    }
    let mut page = String::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let heading = line.trim_start_matches('#');
        if in_code {
            page.push_str(&format!("    {DIM}{line}{PLAIN}"));
        } else if heading.len() < line.len() {
            page.push_str(&format!("{BOLD}{}{PLAIN}", heading.trim_start()));
        } else {
            page.push_str(line);
        }
        page.push('\n');
    }
    page
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
