/// How many bytes at the front of `bytes` are ordinary text: no quote, backslash or control character.
///
/// Eight bytes at a time with plain integer arithmetic, which finds the end of a short key without a loop over bytes.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks::<8>();
    for (position, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (ONES * 0x22);
        let backslash = word ^ (ONES * 0x5c);
        // The classic test for a zero byte; the lowest flagged byte is always a true hit, and only that one is used.
        let hit = (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        let hit = hit & HIGHS;
        if hit != 0 {
            return position * 8 + (hit.trailing_zeros() / 8) as usize;
        }
    }
    let stop = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
    words.len() * 8 + rest.iter().position(stop).unwrap_or(rest.len())
}

/// The text that the inside of a JSON string stands for. What cannot be decoded becomes U+FFFD; the parser has
/// already reported it.
pub fn unescape(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    // Short stretches between escapes are the rule, and `str::find` takes long to get going.
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(letter) = rest.chars().next() else {
            break;
        };
        rest = &rest[letter.len_utf8()..];
        match letter {
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => {
                let (character, used) = unicode(rest);
                text.push(character);
                rest = &rest[used..];
            }
            other => text.push(other),
        }
    }
    text.push_str(rest);
    text
}

/// The character that `XXXX` or `XXXX\uXXXX` stands for and how many bytes that took.
fn unicode(rest: &str) -> (char, usize) {
    let Some(first) = hex4(rest.as_bytes()) else {
        return (char::REPLACEMENT_CHARACTER, 0);
    };
    if !(0xd800..0xdc00).contains(&first) {
        return (
            char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER),
            4,
        );
    }
    let low = rest
        .get(4..)
        .and_then(|tail| tail.strip_prefix("\\u"))
        .and_then(|tail| hex4(tail.as_bytes()));
    match low {
        Some(low @ 0xdc00..0xe000) => {
            let code = 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            (
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                10,
            )
        }
        _ => (char::REPLACEMENT_CHARACTER, 4),
    }
}

/// Four hexadecimal digits at the front.
pub(super) fn hex4(bytes: &[u8]) -> Option<u32> {
    bytes.get(..4)?.iter().try_fold(0, |code, &byte| {
        Some(code * 16 + char::from(byte).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_word_scan_agrees_with_a_byte_scan(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let slow = bytes.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(bytes.len());

            prop_assert_eq!(plain_length(&bytes), slow);
        }
    }

    #[test]
    fn surrogate_pairs_join_and_lone_ones_are_replaced() {
        assert_eq!(unescape(r"\ud83d\ude00"), "\u{1f600}");
        assert_eq!(unescape(r"a\ud83db"), "a\u{fffd}b");
        assert_eq!(unescape(r"\u00e9\n\/"), "\u{e9}\n/");
    }
}
