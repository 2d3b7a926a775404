use saphyr_parser::Input;

/// The lookahead of the parser. Any number will do, since all of the text is at hand.
const LOOKAHEAD: usize = 128;

/// A text that is ASCII, for the parser: a character is a byte, and no character has to be put
/// together.
///
/// Most result files are, and the parser asks for every character several times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ascii<'a> {
    rest: &'a [u8],
    lookahead: usize,
}

impl<'a> Ascii<'a> {
    /// The text, if it is ASCII.
    pub(super) fn of(source: &'a str) -> Option<Self> {
        source.is_ascii().then_some(Self {
            rest: source.as_bytes(),
            lookahead: 0,
        })
    }
}

impl Input for Ascii<'_> {
    #[inline]
    fn lookahead(&mut self, count: usize) {
        self.lookahead = self.lookahead.max(count);
    }

    #[inline]
    fn buflen(&self) -> usize {
        self.lookahead
    }

    #[inline]
    fn bufmaxlen(&self) -> usize {
        LOOKAHEAD
    }

    #[inline]
    fn raw_read_ch(&mut self) -> char {
        let next = self.peek();
        self.skip();
        next
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        let next = self.peek_opt()?;
        if matches!(next, '\n' | '\r' | '\0') {
            return None;
        }
        self.skip();
        Some(next)
    }

    #[inline]
    fn skip(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    #[inline]
    fn peek(&self) -> char {
        self.peek_opt().unwrap_or('\0')
    }

    #[inline]
    fn peek_nth(&self, n: usize) -> char {
        self.rest.get(n).map_or('\0', |byte| char::from(*byte))
    }

    #[inline]
    fn peek_opt(&self) -> Option<char> {
        self.rest.first().map(|byte| char::from(*byte))
    }

    #[inline]
    fn next_is_blank_or_breakz(&self) -> bool {
        matches!(
            self.rest.first(),
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0)
        )
    }

    #[inline]
    fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool {
        let is_flow = |byte: &u8| matches!(byte, b',' | b'[' | b']' | b'{' | b'}');
        match self.rest.first() {
            Some(b':') => match self.rest.get(1) {
                None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0) => false,
                Some(next) => !(in_flow && is_flow(next)),
            },
            Some(byte) => !(in_flow && is_flow(byte)),
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use saphyr_parser::Parser;

    use super::*;

    /// Everything that the parser says of a text.
    fn events<T: Input>(mut parser: Parser<'_, T>) -> Vec<String> {
        let mut events = Vec::new();
        while let Some(event) = parser.next_event() {
            events.push(format!("{event:?}"));
            if event.is_err() {
                break;
            }
        }
        events
    }

    fn is_same(source: &str) -> bool {
        let ascii = Ascii::of(source).expect("the test writes ASCII");
        events(Parser::new(ascii)) == events(Parser::new_from_str(source))
    }

    #[test]
    fn files_are_read_as_the_parser_reads_them_by_itself() {
        for source in [
            "",
            "a",
            "- dataset: {id: cais/hle, task_id: hle}\n  notes: 'it''s' # c\n  value: 20.90\n",
            "a: |\n  text\n\n  more\nb: >-\n  folded\n  text\n...\n---\nc\n",
            "%YAML 1.2\n---\n&a [*a, !t x]\n",
            "a: \"x\\ty\\\n  z\"\r\nb:\tc\r",
            "a:\u{0}b",
            "[a:b, c: d, :e]",
            "--- a\n...",
            "- - -\n -",
        ] {
            assert!(is_same(source), "{source:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_text_is_read_as_the_parser_reads_it_by_itself(source in "[-a-c0-1&*!|>'\"%@`#:,\\[\\]{}?\\\\ .~\\n\\r\\t\\x00]{0,40}") {
            prop_assert!(is_same(&source));
        }
    }
}
