use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Level, Origin, Renderer, Snippet};
use assay_model::{Diagnostic, Excerpt, Severity};

use crate::visible::visible;

/// The character that stands for text that was cut off.
pub const ELLIPSIS: char = '…';

/// Turns findings into text of one look.
#[derive(Debug, Clone)]
pub struct FindingRenderer(Renderer);

impl FindingRenderer {
    /// Without colours, for so many columns.
    pub fn plain(width: usize) -> Self {
        Self(Renderer::plain().term_width(width))
    }

    /// With colours, for so many columns.
    pub fn styled(width: usize) -> Self {
        Self(Renderer::styled().term_width(width))
    }

    /// A finding as text of several lines, without a line end after the last.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        finding(&self.0, diagnostic)
    }
}

fn finding(renderer: &Renderer, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let path = visible(&diagnostic.place.file);
    let title = level
        .primary_title(visible(&diagnostic.message))
        .id(diagnostic.code.to_string());
    let shown = diagnostic.excerpt.as_ref().map(Shown::of);
    let mut group = match &shown {
        Some(shown) => title.element(shown.snippet(&path, diagnostic.place.line)),
        None => title.element(Origin::path(path.as_str())),
    };
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    let text = renderer.render(&[group]);
    match &shown {
        Some(shown) => with_true_column(&text, shown, &path, diagnostic),
        None => text,
    }
}

/// The renderer counts columns in the line it is shown, which may be cut and have characters
/// spelled out. The place knows the column in the file.
fn with_true_column(text: &str, shown: &Shown, path: &str, diagnostic: &Diagnostic) -> String {
    let place = &diagnostic.place;
    let counted = shown.text[..shown.caret.start].chars().count() + 1;
    let wrong = format!("{path}:{}:{counted}", place.line);
    let right = format!("{path}:{}:{}", place.line, place.column);
    match text.split_once('\n') {
        Some((title, rest)) => format!("{title}\n{}", rest.replacen(&wrong, &right, 1)),
        None => text.to_owned(),
    }
}

/// An excerpt that is safe to print, and where its caret is.
struct Shown {
    text: String,
    caret: Range<usize>,
}

impl Shown {
    fn of(excerpt: &Excerpt) -> Self {
        let (before, marked, after) = parts(excerpt);
        let mut text = String::new();
        if excerpt.cut_left {
            text.push(ELLIPSIS);
        }
        text.push_str(&visible(before));
        let start = text.len();
        text.push_str(&visible(marked));
        let end = text.len();
        text.push_str(&visible(after));
        if excerpt.cut_right {
            text.push(ELLIPSIS);
        }
        Self {
            text,
            caret: start..end,
        }
    }

    fn snippet<'s>(&'s self, path: &'s str, line: u64) -> Snippet<'s, Annotation<'s>> {
        Snippet::source(self.text.as_str())
            .path(path)
            .line_start(usize::try_from(line).unwrap_or(usize::MAX))
            .fold(false)
            .annotation(AnnotationKind::Primary.span(self.caret.clone()))
    }
}

/// The excerpt before, under and after the caret.
fn parts(excerpt: &Excerpt) -> (&str, &str, &str) {
    let text = excerpt.text.as_str();
    let start = text.floor_char_boundary(excerpt.start);
    let end = text.floor_char_boundary(excerpt.end).max(start);
    (&text[..start], &text[start..end], &text[end..])
}

#[cfg(test)]
mod tests {
    use assay_model::{Place, Span};

    use super::*;

    #[test]
    fn the_column_is_that_of_the_file_and_the_caret_that_of_what_is_shown() {
        let diagnostic = Diagnostic {
            code: "AY101".parse().unwrap(),
            severity: Severity::Error,
            message: "`\u{1b}` is no number".to_owned(),
            place: Place {
                file: ".eval_results/a.yaml".into(),
                line: 3,
                column: 81,
                span: Span::new(100, 101),
            },
            path: "value".to_owned(),
            excerpt: Some(Excerpt {
                text: "value: \u{1b}".to_owned(),
                start: 7,
                end: 8,
                cut_left: true,
                cut_right: false,
            }),
            notes: vec!["a note".to_owned()],
            help: Some("write a number".to_owned()),
            fix: None,
        };

        let text = FindingRenderer::plain(80).render(&diagnostic);

        assert_eq!(
            text,
            r"error[AY101]: `\u{1b}` is no number
 --> .eval_results/a.yaml:3:81
  |
3 | …value: \u{1b}
  |         ^^^^^^
  |
  = note: a note
  = help: write a number"
        );
    }
}
