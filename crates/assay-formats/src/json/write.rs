use super::scan::plain_length;
use super::{Map, Node};

/// The indentation of each level of a pretty document, in spaces.
const INDENT: usize = 2;

/// The layout of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One line without any space, as rows of a samples file are.
    Compact,
    /// A line for each value, indented by two spaces, and a line feed at the end, as records are.
    Pretty,
}

/// Writes a value as JSON. Only what must be escaped is: text outside ASCII stays readable.
pub fn write(node: &Node, layout: Layout) -> String {
    let mut writer = Writer {
        text: String::new(),
        layout,
        depth: 0,
    };
    writer.node(node);
    if layout == Layout::Pretty {
        writer.text.push('\n');
    }
    writer.text
}

struct Writer {
    text: String,
    layout: Layout,
    depth: usize,
}

impl Writer {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Null => self.text.push_str("null"),
            Node::Bool(true) => self.text.push_str("true"),
            Node::Bool(false) => self.text.push_str("false"),
            Node::Number(literal) => self.text.push_str(literal.as_str()),
            Node::String(text) => self.string(text),
            Node::List(items) => self.list(items),
            Node::Map(map) => self.map(map),
        }
    }

    fn list(&mut self, items: &[Node]) {
        self.text.push('[');
        self.depth += 1;
        for (position, item) in items.iter().enumerate() {
            self.next(position);
            self.node(item);
        }
        self.close(items.is_empty(), ']');
    }

    fn map(&mut self, map: &Map) {
        self.text.push('{');
        self.depth += 1;
        for (position, (key, value)) in map.entries().enumerate() {
            self.next(position);
            self.string(key);
            self.text.push_str(match self.layout {
                Layout::Compact => ":",
                Layout::Pretty => ": ",
            });
            self.node(value);
        }
        self.close(map.is_empty(), '}');
    }

    fn next(&mut self, position: usize) {
        if position > 0 {
            self.text.push(',');
        }
        self.line();
    }

    fn close(&mut self, empty: bool, bracket: char) {
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.text.push(bracket);
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.text.push('\n');
            let width = self.depth * INDENT;
            self.text.extend(std::iter::repeat_n(' ', width));
        }
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        escape(text, |piece| self.text.push_str(piece));
        self.text.push('"');
    }
}

/// Appends a text as a JSON string.
pub(crate) fn write_string(text: &str, to: &mut Vec<u8>) {
    to.push(b'"');
    escape(text, |piece| to.extend_from_slice(piece.as_bytes()));
    to.push(b'"');
}

/// Hands on what stands between the quotes of a JSON string, piece by piece.
#[inline]
fn escape(text: &str, mut push: impl FnMut(&str)) {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_length(rest.as_bytes()));
        push(plain);
        let Some(&byte) = special.as_bytes().first() else {
            return;
        };
        push(match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            control => CONTROLS
                .get(usize::from(control))
                .copied()
                .unwrap_or_default(),
        });
        rest = &special[1..];
    }
}

/// The escape of each control character.
const CONTROLS: [&str; 32] = [
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007", "\\b",
    "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011", "\\u0012",
    "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018", "\\u0019", "\\u001a",
    "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Tape;
    use crate::json::parse;

    fn read(source: &str) -> Node {
        let mut tape = Tape::new();
        assert_eq!(parse(source, &mut tape), []);
        Node::of(tape.root(source).unwrap())
    }

    fn any_node() -> impl Strategy<Value = Node> {
        let number = prop_oneof![
            any::<i64>().prop_map(|number| number.to_string()),
            proptest::num::f64::NORMAL.prop_map(|number| format!("{number:e}")),
            "-?(0|[1-9][0-9]{0,20})\\.[0-9]{1,20}([eE][+-]?[0-9]{1,2})?",
        ];
        let leaf = prop_oneof![
            Just(Node::Null),
            any::<bool>().prop_map(Node::Bool),
            number.prop_map(|text| Node::Number(text.parse().unwrap())),
            any::<String>().prop_map(Node::String),
            "[\"\\\\\\x00-\\x1f\u{2028}é]{0,8}".prop_map(Node::String),
        ];
        leaf.prop_recursive(5, 64, 8, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Node::List),
                proptest::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|entries| Node::Map(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_as_the_same_tree(node in any_node()) {
            for layout in [Layout::Compact, Layout::Pretty] {
                let text = write(&node, layout);

                prop_assert_eq!(&read(&text), &node);
            }
        }

        #[test]
        fn a_compact_document_is_one_line(node in any_node()) {
            let text = write(&node, Layout::Compact);

            prop_assert!(!text.contains('\n'));
        }
    }

    #[test]
    fn a_pretty_document_looks_like_one() {
        let node = read(r#"{"a":[1.0,2e3],"b":{},"c":[],"d":{"e":"caf\u00e9\u0001"}}"#);

        let text = write(&node, Layout::Pretty);

        let expected = "{\n  \"a\": [\n    1.0,\n    2e3\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": {\n    \"e\": \"café\\u0001\"\n  }\n}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_number_that_is_not_finite_becomes_its_letters() {
        let source = "[NaN, -Infinity, 1e999]";
        let mut tape = Tape::new();
        parse(source, &mut tape);

        let text = write(&Node::of(tape.root(source).unwrap()), Layout::Compact);

        assert_eq!(text, r#"["NaN","-Infinity","1e999"]"#);
    }
}
