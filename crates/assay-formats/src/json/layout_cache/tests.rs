use proptest::prelude::*;

use super::super::Parser;
use super::OFTEN;
use crate::Tape;

/// Everything that a reader knows of a document.
fn read(parser: &mut Parser, text: &str) -> String {
    let mut tape = Tape::new();
    let is_sound = parser.parse(text, &mut tape);
    format!("{is_sound} {:?} {:?}", tape.nodes, parser.take_faults())
}

/// A document that resembles others: few keys, scalars of every kind, some of them at fault.
fn any_document() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        8 => "\"[a-c\\u{e9} ]{0,9}\"",
        2 => r#""(\\n|\\u00e9|\\x|\\ud800|a|\u{1}){0,3}""#,
        6 => "-?[0-9]{1,3}(\\.[0-9]{1,2})?",
        3 => "true|false|null|NaN|-Infinity|01|tru|",
    ];
    let nested = scalar.prop_recursive(4, 24, 4, |inner| {
        let entry = ("[a-d]|\\\\u0061", inner.clone());
        let map = proptest::collection::vec(entry, 0..4).prop_map(|entries| {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("\"{key}\": {value}"))
                .collect();
            format!("{{{}}}", entries.join(", "))
        });
        let list = proptest::collection::vec(inner, 0..4)
            .prop_map(|items| format!("[{}]", items.join(",")));
        prop_oneof![map, list]
    });
    (nested, "|\n| x").prop_map(|(text, end)| text + &end)
}

/// Documents of which some repeat others but for their digits.
fn any_documents() -> impl Strategy<Value = Vec<String>> {
    let times = prop_oneof![4 => 1_usize..4, 1 => Just(usize::from(OFTEN) + 4)];
    let document = (any_document(), times, any::<u8>());
    proptest::collection::vec(document, 1..8).prop_map(|documents| {
        let changed = |text: &str, by: u8| -> String {
            let digit = |c: char| match c.to_digit(10) {
                Some(digit) if digit > 0 => char::from(b'1' + (by % 9)),
                Some(_) | None => c,
            };
            text.chars().map(digit).collect()
        };
        // All have the layout of the first or of their own, so that some return to what was
        // remembered.
        let first = documents.first().map(|document| document.0.clone());
        documents
            .iter()
            .flat_map(|(text, times, by)| {
                let text = first.as_ref().filter(|_| by % 2 == 0).unwrap_or(text);
                (0..*times).map(move |_| changed(text, *by))
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn a_reader_that_remembers_layouts_reads_what_a_new_one_reads(documents in any_documents()) {
        let mut parser = Parser::default();

        for text in documents {
            let known = read(&mut parser, &text);

            prop_assert_eq!(known, read(&mut Parser::default(), &text), "{}", text);
        }
    }

    #[test]
    fn a_cut_document_is_read_like_by_a_new_reader(text in any_document(), cut in any::<prop::sample::Index>()) {
        let mut parser = Parser::default();
        for _ in 0..3 {
            read(&mut parser, &text);
        }
        let ends: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();

        let cut = &text[..ends[cut.index(ends.len())]];

        prop_assert_eq!(read(&mut parser, cut), read(&mut Parser::default(), cut));
    }

    #[test]
    fn what_stands_behind_a_value_does_not_change_it(text in any_document(), behind in "[ ,x}\\]\"]{0,4}") {
        let (mut parser, mut tape) = (Parser::default(), Tape::new());
        let mut whole = Tape::new();
        let is_sound = Parser::default().parse(&text, &mut whole);
        let holds = text.starts_with(['{', '[']);

        for _ in 0..3 {
            let length = parser.parse_front(format!("{text}{behind}").as_bytes(), &mut tape);

            if is_sound && holds {
                prop_assert_eq!(length, Some(text.trim_end().len()));
                prop_assert_eq!(format!("{:?}", tape.nodes), format!("{:?}", whole.nodes));
            }
        }
    }
}

#[test]
fn a_scalar_that_stayed_the_same_for_long_may_change() {
    let mut parser = Parser::default();
    let row =
        |a: &str, b: u32| format!("{{\"a\": {a}, \"b\": [{b}, \"x\"], \"c\": {{\"d\": null}}}}");
    for number in 0..2 * u32::from(OFTEN) {
        read(&mut parser, &row("1", number));
    }
    assert!(
        parser
            .layouts
            .expected
            .gaps
            .iter()
            .any(|gap| gap.same == OFTEN)
    );

    for a in ["1", "10", "2", "\"1\"", "[1]", "1.5", "NaN", "1"] {
        let text = row(a, 7);

        let known = read(&mut parser, &text);

        assert_eq!(known, read(&mut Parser::default(), &text), "{text}");
    }
}

#[test]
fn rows_of_one_layout_are_poured_and_a_departure_is_read_from_where_it_begins() {
    let mut parser = Parser::default();
    let row = |number: u32, more: &str| {
        format!("{{\"id\": {number}, \"of\": {{\"a\": [\"x\", {{}}], \"b\": null}}{more}}}\n")
    };
    for number in 0..2 {
        read(&mut parser, &row(number, ""));
    }
    assert!(!parser.layouts.expected.gaps.is_empty());

    for more in [
        "",
        ", \"of\": 1",
        ", \"c\": [1, {\"d\": 2}]",
        ", \"c\": }",
        "]",
    ] {
        let text = row(7, more);

        let known = read(&mut parser, &text);

        assert_eq!(known, read(&mut Parser::default(), &text), "{text}");
    }
}
