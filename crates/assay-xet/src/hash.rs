use std::fmt;
use std::str::FromStr;

/// The key of the hash of a chunk.
const CHUNK_KEY: [u8; 32] = [
    102, 151, 245, 119, 91, 149, 80, 222, 49, 53, 203, 172, 165, 151, 24, 28, 157, 228, 33, 16,
    155, 235, 43, 88, 180, 208, 176, 75, 147, 173, 242, 41,
];
/// The key of the hash of an inner node.
const NODE_KEY: [u8; 32] = [
    1, 126, 197, 199, 165, 71, 41, 150, 253, 148, 102, 102, 180, 138, 2, 230, 93, 221, 83, 111, 55,
    199, 109, 210, 248, 99, 82, 230, 74, 83, 113, 63,
];
/// The key of the hash of a range of chunks.
const RANGE_KEY: [u8; 32] = [
    127, 24, 87, 214, 206, 86, 237, 102, 18, 127, 249, 19, 231, 165, 195, 243, 164, 205, 38, 213,
    181, 219, 73, 230, 65, 36, 152, 127, 40, 251, 148, 195,
];
/// The fewest nodes below an inner one, while there are more.
const MIN_CHILDREN: usize = 2;
/// The most nodes below an inner one.
const MAX_CHILDREN: usize = 9;
/// One node of so many ends the children of its parent, on average.
const BRANCHING: u8 = 4;

/// A hash of the Xet protocol. Its text is that of four little-endian numbers, so it is not the
/// bytes in their order.
///
/// ```
/// # use assay_xet::{XetHash, chunk_hash};
/// let hash = chunk_hash(b"Hello World!");
/// assert_eq!(hash.to_string().parse::<XetHash>()?, hash);
/// # Ok::<(), assay_xet::ParseHashError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct XetHash([u8; 32]);

/// The text is no hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash of Xet has {} lower-case hexadecimal digits", XetHash::DIGITS)]
pub struct ParseHashError;

impl XetHash {
    /// The number of digits of the text.
    pub const DIGITS: usize = 64;

    /// Returns the hash with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn ends_group(&self) -> bool {
        self.0[24].is_multiple_of(BRANCHING)
    }
}

impl fmt::Display for XetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for word in self.0.chunks_exact(8) {
            for byte in word.iter().rev() {
                write!(f, "{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for XetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XetHash({self})")
    }
}

impl FromStr for XetHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let digits = text.as_bytes();
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != Self::DIGITS || !digits.iter().all(is_digit) {
            return Err(ParseHashError);
        }
        let value = |digit: u8| match digit {
            b'0'..=b'9' => digit - b'0',
            _ => digit - b'a' + 10,
        };
        let mut bytes = [0; 32];
        for (index, pair) in digits.chunks_exact(2).enumerate() {
            let place = index / 8 * 8 + 7 - index % 8;
            bytes[place] = value(pair[0]) << 4 | value(pair[1]);
        }
        Ok(Self(bytes))
    }
}

/// Returns the hash of a chunk.
pub fn chunk_hash(content: &[u8]) -> XetHash {
    keyed(&CHUNK_KEY, content)
}

/// Returns the hash of a xorb by the hashes and sizes of its chunks.
pub fn xorb_hash(chunks: &[(XetHash, u64)]) -> XetHash {
    let mut nodes = chunks.to_vec();
    while nodes.len() > 1 {
        let (mut written, mut read) = (0, 0);
        while read < nodes.len() {
            let end = read + group_length(&nodes[read..]);
            nodes[written] = parent(&nodes[read..end]);
            written += 1;
            read = end;
        }
        nodes.truncate(written);
    }
    nodes.first().map_or(XetHash([0; 32]), |(hash, _)| *hash)
}

/// Returns the hash of a file by the hashes and sizes of its chunks.
pub fn file_hash(chunks: &[(XetHash, u64)]) -> XetHash {
    if chunks.is_empty() {
        return XetHash([0; 32]);
    }
    keyed(&[0; 32], xorb_hash(chunks).as_bytes())
}

/// Returns the hash by which a client shows that it has the chunks of a range.
pub fn range_hash<'a>(chunks: impl IntoIterator<Item = &'a XetHash>) -> XetHash {
    let mut hasher = blake3::Hasher::new_keyed(&RANGE_KEY);
    for chunk in chunks {
        hasher.update(chunk.as_bytes());
    }
    XetHash(*hasher.finalize().as_bytes())
}

/// Returns how many of the next nodes have one parent.
fn group_length(nodes: &[(XetHash, u64)]) -> usize {
    let most = nodes.len().min(MAX_CHILDREN);
    if nodes.len() <= MIN_CHILDREN {
        return nodes.len();
    }
    let ends = |index: &usize| nodes[*index].0.ends_group();
    (MIN_CHILDREN..most)
        .find(ends)
        .map_or(most, |last| last + 1)
}

fn parent(children: &[(XetHash, u64)]) -> (XetHash, u64) {
    let mut text = String::new();
    let mut total = 0_u64;
    for (hash, size) in children {
        let line = format!("{hash} : {size}\n");
        text.push_str(&line);
        total = total.saturating_add(*size);
    }
    (keyed(&NODE_KEY, text.as_bytes()), total)
}

fn keyed(key: &[u8; 32], content: &[u8]) -> XetHash {
    XetHash(*blake3::keyed_hash(key, content).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "cfc5d07f6f03c29bbf424132963fe08d19a37d5757aaf520bf08119f05cd56d6";
    const TWO: &str = "c3e67584b5c4fc2a89837ec39e40f2c8a6bb0b2987ac94cd4b31e5fbdd210a72";
    const THREE: &str = "0d2beb91b9196929a5ddec9f6e306924ddf4a24268e3e59fd8464738d525af37";
    const FOUR: &str = "adf8773496a9b7319b2e50dc98093f344053b17d8ad37100b9c07d9805988784";

    fn chunks(list: &[(&str, u64)]) -> Vec<(XetHash, u64)> {
        let parsed = list
            .iter()
            .map(|(hash, size)| (hash.parse().unwrap(), *size));
        parsed.collect()
    }

    #[test]
    fn hashes_are_those_of_the_reference() {
        let cases = [
            (
                chunks(&[(ONE, 100)]),
                ONE,
                "8e16257caa3fe079d484d872a8975264b2ff683b0d6db9028cc7c0f968a45661",
            ),
            (
                chunks(&[(ONE, 100), (TWO, 200), (THREE, 300)]),
                "71ec1275fca074724e2dd666921b3277c7cee603e4d025bcab2d4050015be2bc",
                "54e55dccc6653c612bdb5576c5d3cb34bb31bc4e100248abccf4c908b3ef7715",
            ),
            (
                chunks(&[(ONE, 100); 4]),
                "89f2ada89ff8c96763c6b25010e6dd76a4c05b1466207633ea559acf2093211b",
                "2cdba690d0e09563596e0cda626d43eb4c96ef1e994fe72d9b2f5a83cfcd36dd",
            ),
            (
                chunks(&[
                    (ONE, 100),
                    (TWO, 200),
                    (ONE, 100),
                    (TWO, 200),
                    (THREE, 300),
                    (FOUR, 400),
                ]),
                "52c826f99507aa05d0b45e9837fa1709e0485425cfbcb1e80db3905cf98b3ee9",
                "91d21684db364c8883ab8209fa5eb2e781cf07f37e1fa43e731c30839afe422f",
            ),
        ];
        for (chunks, xorb, file) in cases {
            assert_eq!(xorb_hash(&chunks).to_string(), xorb);
            assert_eq!(file_hash(&chunks).to_string(), file);
        }
    }

    #[test]
    fn text_that_is_no_hash_is_refused() {
        for text in ["", "0", &ONE.to_uppercase(), &ONE[1..], &format!("{ONE}0")] {
            assert_eq!(text.parse::<XetHash>(), Err(ParseHashError), "{text}");
        }
    }
}
