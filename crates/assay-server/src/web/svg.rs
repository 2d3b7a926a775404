use std::fmt::{Display, Write as _};

use super::escape::escaped;

/// A drawing, written element by element. Every text and attribute is escaped, and there is no way
/// round that.
#[derive(Debug)]
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// A drawing of this size, with what it shows in a line and in a sentence for those who do not
    /// see it. The prefix tells its parts from those of other drawings of the page.
    pub(crate) fn new(prefix: &str, width: u32, height: u32, title: &str, about: &str) -> Self {
        let (prefix, title, about) = (escaped(prefix), escaped(title), escaped(about));
        Self {
            text: format!(
                "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
                 aria-labelledby=\"{prefix}-title {prefix}-about\"><title id=\"{prefix}-title\">{title}</title>\
                 <desc id=\"{prefix}-about\">{about}</desc>"
            ),
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let points = [number(from.0), number(from.1), number(to.0), number(to.1)];
        self.element(
            "line",
            &[
                ("class", class),
                ("x1", &points[0]),
                ("y1", &points[1]),
                ("x2", &points[2]),
                ("y2", &points[3]),
            ],
        );
    }

    /// A text.
    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let (class, text) = (escaped(class), escaped(text));
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
        ));
    }

    /// A line from point to point.
    pub(crate) fn path(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let mut steps = String::new();
        for (position, (x, y)) in points.into_iter().enumerate() {
            steps.push(if position == 0 { 'M' } else { 'L' });
            steps.push_str(&number(x));
            steps.push(' ');
            steps.push_str(&number(y));
        }
        self.element("path", &[("class", class), ("d", &steps)]);
    }

    /// Many points in one element: a line of no length with round ends.
    pub(crate) fn dots(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let mut steps = String::new();
        for (x, y) in points {
            steps.push('M');
            steps.push_str(&number(x));
            steps.push(' ');
            steps.push_str(&number(y));
            steps.push_str("h0");
        }
        if !steps.is_empty() {
            self.element("path", &[("class", class), ("d", &steps)]);
        }
    }

    /// A point that says what it is to who rests on it.
    pub(crate) fn point(&mut self, class: &str, at: (f64, f64), radius: f64, says: &str) {
        let (x, y, r) = (number(at.0), number(at.1), number(radius));
        let (class, says) = (escaped(class), escaped(says));
        self.push(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"><title>{says}</title></circle>"
        ));
    }

    /// The drawing.
    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>");
        self.text
    }

    fn element(&mut self, name: &'static str, attributes: &[(&'static str, &str)]) {
        self.push(format_args!("<{name}"));
        for (key, value) in attributes {
            let value = escaped(value);
            self.push(format_args!(" {key}=\"{value}\""));
        }
        self.text.push_str("/>");
    }

    fn push(&mut self, text: impl Display) {
        // A text can always be written to.
        let _ = write!(self.text, "{text}");
    }
}

/// A coordinate, to a tenth of a unit: nobody sees more.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    match text {
        "-0" | "NaN" | "inf" | "-inf" => "0".to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_drawing_is_markup_but_what_we_write() {
        let mut svg = Svg::new("a\"b", 10, 10, "<script>", "\"><script>alert(1)</script>");
        svg.text("x", (1.0, 2.0), "</text><script>");
        svg.point("p\" onload=\"x", (1.0, 2.0), 3.0, "<b>");

        let text = svg.finish();

        assert!(
            !text.contains("<script>") && !text.contains("<b>"),
            "{text}"
        );
        assert!(!text.contains("\" onload"), "{text}");
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>"));
    }

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        for (value, text) in [
            (1.0, "1"),
            (1.26, "1.3"),
            (-0.01, "0"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
