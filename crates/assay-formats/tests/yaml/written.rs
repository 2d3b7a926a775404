//! Documents that are written here, with a note of where each value went, and must be read back
//! with the same places.

use std::fmt::Write;
use std::ops::Range;

use assay_formats::{Kind, Tape, yaml};
use proptest::prelude::*;

use super::flat;

#[derive(Debug, Clone)]
enum Tree {
    Scalar(Scalar),
    List(Layout, Vec<Tree>),
    Map(Layout, Vec<(Scalar, Tree)>),
}

#[derive(Debug, Clone)]
struct Scalar {
    style: Style,
    text: &'static str,
    kind: Kind,
    trivia: Trivia,
}

#[derive(Debug, Clone, Copy)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

#[derive(Debug, Clone, Copy)]
enum Layout {
    Flow(Trivia),
    Block(Trivia),
    /// As far to the left as is allowed.
    Tight(Trivia),
}

/// The text around a value.
#[derive(Debug, Clone, Copy)]
enum Trivia {
    Nothing,
    Blanks,
    Comment,
    Lines,
}

type Expected = (Kind, Range<usize>, Option<String>);

struct Writer {
    out: String,
    line_end: &'static str,
    expected: Vec<Expected>,
    /// The end of the last value.
    end: usize,
}

impl Writer {
    fn document(&mut self, tree: &Tree) {
        match tree {
            Tree::List(Layout::Block(trivia) | Layout::Tight(trivia), _)
            | Tree::Map(Layout::Block(trivia) | Layout::Tight(trivia), _) => {
                self.trivia_lines(*trivia);
                self.block(tree, 0);
            }
            Tree::Scalar(_) | Tree::List(Layout::Flow(_), _) | Tree::Map(Layout::Flow(_), _) => {
                self.out.push_str("---");
                self.value(tree, 0, false);
            }
        }
    }

    /// Writes a value behind `---`, `-` or `key:`, and the end of the line.
    fn value(&mut self, tree: &Tree, indent: usize, is_in_map: bool) {
        match tree {
            Tree::Scalar(scalar) => {
                self.out.push(' ');
                self.scalar(scalar, indent, scalar.kind);
                self.trivia(scalar.trivia);
            }
            Tree::List(Layout::Flow(trivia), _) | Tree::Map(Layout::Flow(trivia), _) => {
                self.out.push(' ');
                self.flow(tree);
                self.trivia(*trivia);
            }
            Tree::List(Layout::Tight(_), _) | Tree::Map(Layout::Tight(_), _) if !is_in_map => {
                self.out.push(' ');
                self.block(tree, indent + 2);
            }
            Tree::List(Layout::Tight(trivia), _) => {
                self.trivia(*trivia);
                self.out.push_str(&" ".repeat(indent));
                self.block(tree, indent);
            }
            Tree::List(Layout::Block(trivia), _)
            | Tree::Map(Layout::Block(trivia) | Layout::Tight(trivia), _) => {
                self.trivia(*trivia);
                self.out.push_str(&" ".repeat(indent + 3));
                self.block(tree, indent + 3);
            }
        }
    }

    /// Writes a list or map whose first line is already indented.
    fn block(&mut self, tree: &Tree, indent: usize) {
        let (index, start) = (self.expected.len(), self.out.len());
        match tree {
            Tree::Scalar(_) => unreachable!("a scalar is written as a value"),
            Tree::List(_, items) => {
                self.expect(Kind::List, None);
                for (position, item) in items.iter().enumerate() {
                    self.indent(position, indent);
                    self.out.push('-');
                    self.end = self.out.len();
                    self.value(item, indent, false);
                }
            }
            Tree::Map(_, entries) => {
                self.expect(Kind::Map, None);
                for (position, (key, value)) in entries.iter().enumerate() {
                    self.indent(position, indent);
                    self.scalar(key, indent, Kind::String);
                    self.out.push(':');
                    self.end = self.out.len();
                    self.value(value, indent, true);
                }
            }
        }
        self.expected[index].1 = start..self.end;
    }

    fn indent(&mut self, position: usize, indent: usize) {
        if position > 0 {
            self.out.push_str(&" ".repeat(indent));
        }
    }

    fn flow(&mut self, tree: &Tree) {
        let (index, start) = (self.expected.len(), self.out.len());
        match tree {
            Tree::Scalar(scalar) => {
                self.scalar(scalar, 0, scalar.kind);
                return;
            }
            Tree::List(_, items) => {
                self.expect(Kind::List, None);
                self.out.push('[');
                for item in items {
                    self.flow(item);
                    self.out.push_str(" , ");
                }
                self.out.push(']');
            }
            Tree::Map(_, entries) => {
                self.expect(Kind::Map, None);
                self.out.push('{');
                for (key, value) in entries {
                    self.scalar(key, 0, Kind::String);
                    self.out.push_str(" : ");
                    self.flow(value);
                    self.out.push_str(", ");
                }
                self.out.push('}');
            }
        }
        self.end = self.out.len();
        self.expected[index].1 = start..self.end;
    }

    fn scalar(&mut self, scalar: &Scalar, indent: usize, kind: Kind) {
        let text = (kind == Kind::String).then(|| match scalar.style {
            Style::Literal => format!("{}\n  é\n", scalar.text),
            Style::Folded => format!("{} é", scalar.text),
            Style::Plain | Style::Single | Style::Double => scalar.text.to_owned(),
        });
        let (index, start) = (self.expected.len(), self.out.len());
        self.expect(kind, text);
        let margin = format!("{}{}", self.line_end, " ".repeat(indent + 1));
        match scalar.style {
            Style::Plain => self.out.push_str(scalar.text),
            Style::Single => write!(self.out, "'{}'", scalar.text.replace('\'', "''")).unwrap(),
            Style::Double => write!(self.out, "{:?}", scalar.text).unwrap(),
            Style::Literal => write!(self.out, "|{margin}{}{margin}  é", scalar.text).unwrap(),
            Style::Folded => write!(self.out, ">-{margin}{}{margin}é", scalar.text).unwrap(),
        }
        self.end = self.out.len();
        self.expected[index].1 = start..self.end;
        if matches!(scalar.style, Style::Literal | Style::Folded) {
            self.out.push_str(self.line_end);
        }
    }

    /// Writes what stands behind a value, and the end of its line.
    fn trivia(&mut self, trivia: Trivia) {
        if !self.out.ends_with('\n') {
            self.out.push_str(match trivia {
                Trivia::Nothing | Trivia::Lines => "",
                Trivia::Blanks => " \t ",
                Trivia::Comment => "  # größer: [\"'",
            });
            self.out.push_str(self.line_end);
        }
        self.trivia_lines(trivia);
    }

    fn trivia_lines(&mut self, trivia: Trivia) {
        if matches!(trivia, Trivia::Lines) {
            write!(self.out, "{0}# größer{0}{0}", self.line_end).unwrap();
        }
    }

    fn expect(&mut self, kind: Kind, text: Option<String>) {
        self.expected.push((kind, 0..0, text));
    }
}

fn trivia() -> impl Strategy<Value = Trivia> {
    prop::sample::select(
        &[
            Trivia::Nothing,
            Trivia::Blanks,
            Trivia::Comment,
            Trivia::Lines,
        ][..],
    )
}

fn layout() -> impl Strategy<Value = Layout> {
    (
        trivia(),
        prop::sample::select(&[Layout::Flow, Layout::Block, Layout::Tight][..]),
    )
        .prop_map(|(trivia, layout)| layout(trivia))
}

fn plain() -> impl Strategy<Value = Scalar> {
    let texts = &[
        ("word", Kind::String),
        ("two  words", Kind::String),
        ("größe", Kind::String),
        ("x:y#z", Kind::String),
        ("it's", Kind::String),
        ("-x", Kind::String),
        ("2026-02-14", Kind::String),
        ("no", Kind::Bool),
        ("true", Kind::Bool),
        ("1.5", Kind::Number),
        ("017", Kind::Number),
        ("~", Kind::Null),
    ][..];
    (prop::sample::select(texts), trivia()).prop_map(|((text, kind), trivia)| Scalar {
        style: Style::Plain,
        text,
        kind,
        trivia,
    })
}

fn styled(
    styles: &'static [Style],
    texts: &'static [&'static str],
) -> impl Strategy<Value = Scalar> {
    (
        prop::sample::select(styles),
        prop::sample::select(texts),
        trivia(),
    )
        .prop_map(|(style, text, trivia)| Scalar {
            style,
            text,
            kind: Kind::String,
            trivia,
        })
}

fn quoted() -> impl Strategy<Value = Scalar> {
    styled(
        &[Style::Single, Style::Double],
        &[
            "",
            "word",
            "it's \"so\"",
            "# no, [comment]: {",
            "größe 日本",
            "a\\b",
            " ",
        ],
    )
}

/// Brackets may hold no text blocks and no lists with dashes.
fn flow_tree() -> impl Strategy<Value = Tree> {
    let scalar = prop_oneof![plain(), quoted()];
    let key = prop_oneof![plain(), quoted()].boxed();
    scalar
        .prop_map(Tree::Scalar)
        .prop_recursive(2, 8, 3, move |tree| {
            let list = (trivia(), prop::collection::vec(tree.clone(), 0..3))
                .prop_map(|(trivia, items)| Tree::List(Layout::Flow(trivia), items));
            let map = (trivia(), prop::collection::vec((key.clone(), tree), 0..3))
                .prop_map(|(trivia, entries)| Tree::Map(Layout::Flow(trivia), entries));
            prop_oneof![list, map]
        })
}

fn tree() -> impl Strategy<Value = Tree> {
    let text = styled(
        &[Style::Literal, Style::Folded],
        &["word", "a: b # c", "größe"],
    );
    let leaf = prop_oneof![flow_tree(), text.prop_map(Tree::Scalar)];
    let key = prop_oneof![plain(), quoted()].boxed();
    leaf.prop_recursive(4, 40, 4, move |tree| {
        let block = || {
            layout().prop_filter("brackets have their own trees", |layout| {
                !matches!(layout, Layout::Flow(_))
            })
        };
        let list = (block(), prop::collection::vec(tree.clone(), 1..4))
            .prop_map(|(layout, items)| Tree::List(layout, items));
        let map = (block(), prop::collection::vec((key.clone(), tree), 1..4))
            .prop_map(|(layout, entries)| Tree::Map(layout, entries));
        prop_oneof![list, map]
    })
}

proptest! {
    #[test]
    fn every_value_is_found_where_it_was_written(tree in tree(), line_end in prop::sample::select(&["\n", "\r\n"][..])) {
        let mut writer = Writer { out: String::new(), line_end, expected: Vec::new(), end: 0 };
        writer.document(&tree);
        let source = writer.out;

        let mut tape = Tape::new();
        let faults = yaml::parse(&source, &mut tape);

        prop_assert!(!faults.iter().any(|fault| fault.kind.is_fatal()), "{:?}\n{}", faults, source);
        let found: Vec<Expected> = flat(tape.root(&source).unwrap())
            .into_iter()
            .map(|value| (value.kind(), value.range(), value.text().map(String::from)))
            .collect();
        prop_assert_eq!(found, writer.expected, "\n{}", source);
    }
}
