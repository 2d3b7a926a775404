use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The name of a large file: the SHA-256 of its bytes.
///
/// ```
/// # use assay_git::LargeFileId;
/// let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// assert_eq!(text.parse::<LargeFileId>()?.to_string(), text);
/// assert!("E3B0".parse::<LargeFileId>().is_err());
/// # Ok::<(), assay_git::LargeFileIdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LargeFileId([u8; 32]);

/// The text is not the name of a large file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a large file is named by {} lower-case hexadecimal digits",
    LargeFileId::DIGITS
)]
pub struct LargeFileIdError;

/// A file that is not in git itself: git has a pointer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct LargeFile {
    /// Its name.
    pub oid: LargeFileId,
    /// Number of bytes that it has.
    pub size: u64,
    /// Number of bytes that the pointer has.
    pub pointer_size: u64,
}

impl LargeFileId {
    /// Number of digits that the text has.
    pub const DIGITS: usize = 64;

    /// The file of this hash.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl LargeFile {
    /// The largest blob that is looked at as a pointer; git-lfs looks no further either.
    pub const MAX_POINTER: u64 = 1024;

    const VERSION: &str = "https://git-lfs.github.com/spec/v1";

    /// The file of this name and size, with the pointer that we write.
    pub fn new(oid: LargeFileId, size: u64) -> Self {
        let mut file = Self {
            oid,
            size,
            pointer_size: 0,
        };
        file.pointer_size = file.pointer().len() as u64;
        file
    }

    /// The text that stands for the file in git.
    pub fn pointer(&self) -> String {
        format!(
            "version {}\noid sha256:{}\nsize {}\n",
            Self::VERSION,
            self.oid,
            self.size
        )
    }

    /// Reads a pointer; `None` when the bytes are none.
    ///
    /// Keys that we do not know are passed over, as git-lfs extensions add some.
    pub fn of_pointer(bytes: &[u8]) -> Option<Self> {
        let pointer_size = bytes.len() as u64;
        if pointer_size >= Self::MAX_POINTER {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        if lines.next()?.strip_prefix("version ")? != Self::VERSION {
            return None;
        }
        let (mut oid, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ')? {
                ("oid", value) => oid = value.strip_prefix("sha256:")?.parse().ok(),
                ("size", value) => size = value.parse().ok(),
                _ => {}
            }
        }
        Some(Self {
            oid: oid?,
            size: size?,
            pointer_size,
        })
    }
}

impl FromStr for LargeFileId {
    type Err = LargeFileIdError;

    fn from_str(text: &str) -> Result<Self, LargeFileIdError> {
        let digits = text.as_bytes();
        if digits.len() != Self::DIGITS {
            return Err(LargeFileIdError);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (nibble(pair[0])? << 4) | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, LargeFileIdError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(LargeFileIdError),
    }
}

impl fmt::Display for LargeFileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for LargeFileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for LargeFileId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_reads_back_as_the_file_it_was_written_for() {
        let file = LargeFile::new(LargeFileId::from_bytes([0xab; 32]), 12_345);

        let read = LargeFile::of_pointer(file.pointer().as_bytes());

        assert_eq!(read, Some(file));
    }

    #[test]
    fn what_only_looks_like_a_pointer_is_an_ordinary_file() {
        let pointer = LargeFile::new(LargeFileId::from_bytes([1; 32]), 5).pointer();
        for text in [
            String::new(),
            "version https://git-lfs.github.com/spec/v1\n".to_owned(),
            pointer.replace("spec/v1", "spec/v2"),
            pointer.replace("sha256", "sha512"),
            pointer.replace("size 5", "size -5"),
            pointer.replace("size 5", "size"),
            format!("{pointer}{}", "x y\n".repeat(256)),
        ] {
            assert_eq!(LargeFile::of_pointer(text.as_bytes()), None, "{text:?}");
        }
    }
}
