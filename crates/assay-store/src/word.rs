/// The text is none of the words that a column or a client may use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct WordError {
    pub(crate) expected: &'static str,
}

/// Makes `FromStr` the inverse of `as_str`, and `Display` print it.
macro_rules! words {
    ($type:ty, $expected:literal) => {
        impl std::str::FromStr for $type {
            type Err = crate::WordError;

            fn from_str(text: &str) -> Result<Self, crate::WordError> {
                Self::ALL
                    .into_iter()
                    .find(|word| word.as_str() == text)
                    .ok_or(crate::WordError {
                        expected: $expected,
                    })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
