use crate::tape::Form;

/// The number of bytes that are searched eight at a time, before the searches that are quicker only
/// over long stretches.
pub(super) const NEAR: usize = 64;
/// The number of bytes of a long text that are searched at a time. The search behind the end of
/// ordinary text is in vain, so this also bounds the cost of a text that is full of such ends.
const STRETCH: usize = 1024;

/// Returns the number of bytes at the front of `bytes` that are ordinary text: no quote, backslash
/// or control character.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    let length = near_length(near);
    if length < near.len() || far.is_empty() {
        return length;
    }
    length + far_length(far)
}

/// The same for a long text: one search for what ends a string, and a fold over all before it,
/// which has no branches.
fn far_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    for stretch in bytes.chunks(STRETCH) {
        let end = memchr::memchr2(b'"', b'\\', stretch).unwrap_or(stretch.len());
        let plain = &stretch[..end];
        if plain
            .iter()
            .fold(false, |any, byte| any | is_control(*byte))
        {
            return length + near_length(plain);
        }
        length += end;
        if end < stretch.len() {
            break;
        }
    }
    length
}

/// Returns the number of bytes `XXXX` or `XXXX\uXXXX` that takes, if it is a character.
fn unicode_length(bytes: &[u8]) -> Option<usize> {
    match hex4(bytes)? {
        0xd800..0xdc00 => {
            let low = hex4(bytes[4..].strip_prefix(b"\\u")?)?;
            (0xdc00..0xe000).contains(&low).then_some(10)
        }
        0xdc00..0xe000 => None,
        _ => Some(4),
    }
}

/// Returns the number of bytes that the rest of a string takes, its closing quote included, and how
/// it is spelled; `None` when it does not end or something about it needs a closer look. Quotes and
/// escapes are found first and control characters in a second pass, because both searches are quick
/// and what finds all of them at once is not.
pub(super) fn sound_length(bytes: &[u8]) -> Option<(usize, Form)> {
    let (mut at, mut form) = (0, Form::Plain);
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => break,
            (_, Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                at += 2;
                if form == Form::Plain {
                    form = Form::Spelled;
                }
            }
            (_, Some(b'u')) => {
                at += 2 + unicode_length(&bytes[at + 2..])?;
                form = Form::Escaped;
            }
            (_, Some(_) | None) => return None,
        }
    }
    let least = bytes[..at]
        .iter()
        .fold(u8::MAX, |least, byte| least.min(*byte));
    (!is_control(least)).then_some((at + 1, form))
}

fn is_control(byte: u8) -> bool {
    byte < 0x20
}

/// The same for a short text: eight bytes at a time with plain integer arithmetic, which finds the
/// end of a short key without a loop over bytes.
#[inline]
pub(super) fn near_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks::<8>();
    for (position, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (ONES * 0x22);
        let backslash = word ^ (ONES * 0x5c);
        // The classic test for a zero byte, three times over. Bytes outside ASCII are taken out at
        // the end, and they never borrow, so the lowest flagged byte is always a true hit, and only
        // that one is used.
        let hit = quote.wrapping_sub(ONES)
            | backslash.wrapping_sub(ONES)
            | word.wrapping_sub(ONES * 0x20);
        let hit = hit & !word & HIGHS;
        if hit != 0 {
            return position * 8 + (hit.trailing_zeros() / 8) as usize;
        }
    }
    let stop = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
    words.len() * 8 + rest.iter().position(stop).unwrap_or(rest.len())
}

/// The text that the inside of a JSON string stands for. What cannot be decoded becomes U+FFFD; the
/// parser has already reported it.
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

    fn slow_length(bytes: &[u8]) -> usize {
        let stop = |&b: &u8| b == b'"' || b == b'\\' || b < 0x20;
        bytes.iter().position(stop).unwrap_or(bytes.len())
    }

    proptest! {
        #[test]
        fn the_word_scan_agrees_with_a_byte_scan(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            prop_assert_eq!(plain_length(&bytes), slow_length(&bytes));
        }

        #[test]
        fn a_string_that_is_taken_at_once_is_one_that_nothing_is_wrong_with(
            inside in r#"([a-zé ]{1,9}|\\n|\\"|\\\\|\\/|\\u00e9|\\ud83d\\ude00|\\ud83d|\\x|\u{1}|\\u12){0,6}"#,
            behind in r#"|"|", 1"#,
        ) {
            let text = format!("\"{inside}{behind}");
            let mut tape = crate::Tape::new();
            let whole = sound_length(inside.as_bytes().iter().copied().chain(*b"\"").collect::<Vec<_>>().as_slice());
            let is_sound = super::super::parse(&format!("\"{inside}\""), &mut tape).is_empty();

            let length = sound_length(&text.as_bytes()[1..]);

            if let (true, Some((whole, _))) = (is_sound && !behind.is_empty(), whole) {
                prop_assert_eq!(length.map(|(length, _)| length), Some(whole));
            }
            prop_assert!(is_sound || whole.is_none());
        }

        #[test]
        fn the_long_scan_agrees_with_a_byte_scan(
            length in 0..3 * STRETCH,
            ends in proptest::collection::vec((0..3 * STRETCH, any::<u8>()), 0..4),
            text in any::<u8>(),
        ) {
            let mut bytes = vec![text.max(b'a'); length];
            for (at, end) in ends {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = end;
                }
            }

            prop_assert_eq!(plain_length(&bytes), slow_length(&bytes));
        }
    }

    #[test]
    fn surrogate_pairs_join_and_lone_ones_are_replaced() {
        assert_eq!(unescape(r"\ud83d\ude00"), "\u{1f600}");
        assert_eq!(unescape(r"a\ud83db"), "a\u{fffd}b");
        assert_eq!(unescape(r"\u00e9\n\/"), "\u{e9}\n/");
    }
}
