//! Keys of maps, looked up by number before letters.

use std::borrow::Cow;

use super::{Node, Value};
use crate::Kind;

impl<'d> Value<'d> {
    /// The value behind a key of a map.
    #[inline]
    pub fn get(self, key: &str) -> Option<Self> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The values behind several keys of a map, found in one walk.
    ///
    /// ```
    /// # use assay_formats::{Tape, Value, json};
    /// let (source, mut tape) = (r#"{"b": 2, "a": 1}"#, Tape::new());
    /// json::parse(source, &mut tape);
    /// let [a, c] = tape.root(source).unwrap().parts(["a", "c"]);
    /// assert_eq!((a.and_then(Value::integer), c), (Some(1), None));
    /// ```
    #[inline]
    pub fn parts<const N: usize>(self, keys: [&str; N]) -> [Option<Self>; N] {
        let prints = keys.map(|key| fingerprint(key.as_bytes()));
        let mut parts = [None; N];
        // Writers keep to an order, so the key after the last one is most likely the next.
        let mut guess = 0;
        for (index, key, _) in self.pairs() {
            let print = key.print();
            let fits = |position: &usize| {
                print.is_none_or(|print| prints[*position] == print)
                    && parts[*position].is_none()
                    && self.at(index).is_text(keys[*position])
            };
            let guessed = Some(guess).filter(|guess| *guess < N && fits(guess));
            if let Some(position) = guessed.or_else(|| (0..N).find(fits)) {
                parts[position] = Some(self.at(index + 1));
                guess = position + 1;
            }
        }
        parts
    }

    /// The value behind a key of a map, unless it is null: for formats in which null means absent.
    pub fn present(self, key: &str) -> Option<Self> {
        self.get(key).filter(|value| value.kind() != Kind::Null)
    }

    /// The text behind a key of a map.
    pub fn text_of(self, key: &str) -> Option<Cow<'d, str>> {
        self.get(key)?.text()
    }

    /// The number behind a key of a map.
    pub fn number_of(self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// The key and the value behind it.
    #[inline]
    pub fn entry(self, key: &str) -> Option<(Self, Self)> {
        // Rules ask for keys all the time, mostly by name: the fingerprint of a name is computed by
        // the compiler.
        self.find(key, fingerprint(key.as_bytes()))
    }

    /// Only the fingerprints of other keys are looked at.
    fn find(self, key: &str, print: u32) -> Option<(Self, Self)> {
        let is_key = |(index, own, _): &(u32, Node, Node)| {
            own.print().is_none_or(|own| own == print) && self.at(*index).is_text(key)
        };
        let (index, ..) = self.pairs().find(is_key)?;
        Some((self.at(index), self.at(index + 1)))
    }
}

/// Enough of a key to tell most keys apart in one comparison; never 0, and the high bits are well
/// mixed.
#[inline]
pub(crate) const fn fingerprint(key: &[u8]) -> u32 {
    let (front, back) = match (key.first_chunk::<4>(), key.last_chunk::<4>()) {
        (Some(front), Some(back)) => (u32::from_le_bytes(*front), u32::from_le_bytes(*back)),
        _ => match *key {
            [] => (0, 0),
            [one] => (one as u32, 0),
            [one, two] => (u32::from_le_bytes([one, two, 0, 0]), 0),
            [one, two, three, ..] => (u32::from_le_bytes([one, two, three, 0]), 0),
        },
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a document is shorter than u32, and a fingerprint may lose what it likes"
    )]
    let length = key.len() as u32;
    (front ^ back.rotate_left(15) ^ length.rotate_left(27)).wrapping_mul(0x9e37_79b1) | 1
}

/// Returns whether two texts are the same. Every key is compared with its name, and for those few
/// bytes calling the comparison of the system takes longer than comparing.
#[inline]
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (words, rest) = one.as_chunks::<8>();
    let (other_words, other_rest) = other.as_chunks::<8>();
    match (one.last_chunk::<8>(), other.last_chunk::<8>()) {
        // The last eight bytes overlap with the word before, so that there is no rest.
        (Some(end), Some(other_end)) => {
            end == other_end
                && words
                    .iter()
                    .zip(other_words)
                    .all(|(own, other)| own == other)
        }
        _ => rest.iter().zip(other_rest).all(|(own, other)| own == other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_are_told_apart() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        for length in 0..text.len() {
            let own = &text.as_bytes()[..length];

            assert!(is_same(own, own));
            for changed in 0..length {
                let mut other = own.to_vec();
                other[changed] ^= 1;
                assert!(!is_same(own, &other), "{length} {changed}");
            }
        }
    }
}
