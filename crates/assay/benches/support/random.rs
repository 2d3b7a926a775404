//! Numbers and words, the same on every run.

const WORDS: &[&str] = &[
    "the",
    "model",
    "answer",
    "question",
    "of",
    "and",
    "function",
    "return",
    "value",
    "index",
    "error",
    "file",
    "because",
    "therefore",
    "compute",
    "integral",
    "matrix",
    "protein",
    "membrane",
    "statute",
    "evidence",
    "patient",
    "history",
    "empire",
    "treaty",
    "river",
    "café",
    "naïve",
    "東京",
    "データ",
    "модель",
    "π",
    "≈",
    "“quoted”",
    "🙂",
    "tab\\t",
    "line\\nfeed",
    "back\\\\slash",
    "\\\"quote\\\"",
];

/// Numbers that look random and are the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below another.
    pub(crate) fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    /// So many words, escaped as inside a JSON string.
    pub(crate) fn text(&mut self, words: u64) -> String {
        let mut text = String::new();
        for _ in 0..words {
            let word = usize::try_from(self.next(WORDS.len() as u64)).unwrap();
            text.push_str(WORDS[word]);
            text.push(' ');
        }
        text
    }
}
