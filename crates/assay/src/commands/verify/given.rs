use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most that is read, in bytes: more than any result file, token or proof has.
const MAX_BYTES: u64 = 2 << 20;

/// The input to be verified.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// A result file, and where it lies.
    Results { text: String, path: Option<PathBuf> },
    /// A token.
    Token(String),
    /// The proof of a row.
    Proof(String),
}

/// The reason why the input cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GivenError {
    /// It is neither a file nor a token.
    #[error("`{0}` is no file, and it is not the text of a token")]
    Nothing(String),
    /// It cannot be read.
    #[error("`{shown}` cannot be read: {source}")]
    Read { shown: String, source: io::Error },
    /// The file has no such entry.
    #[error("there is no such entry in {0}")]
    NoEntry(String),
    /// It is too large to be any of them.
    #[error("`{0}` is larger than any result file, token or proof may be")]
    TooLarge(String),
}

impl Given {
    /// Reads a path, standard input, or the text of a token, and tells by its content what it is.
    pub(crate) fn read(what: &str) -> Result<Self, GivenError> {
        if what == "-" {
            let text = read_all("standard input", io::stdin())?;
            return Ok(Self::of(text, None));
        }
        let path = Path::new(what);
        if path.exists() {
            let failed = |source| GivenError::Read {
                shown: what.to_owned(),
                source,
            };
            let file = std::fs::File::open(path).map_err(failed)?;
            return Ok(Self::of(read_all(what, file)?, Some(path.to_owned())));
        }
        if is_token(what) {
            return Ok(Self::Token(what.to_owned()));
        }
        Err(GivenError::Nothing(short(what)))
    }

    fn of(text: String, path: Option<PathBuf>) -> Self {
        let trimmed = text.trim();
        if is_token(trimmed) {
            Self::Token(trimmed.to_owned())
        } else if trimmed.starts_with('{') {
            // A line end behind it is the doing of an editor or of a shell; anything else is a
            // change.
            let proof = text.strip_suffix('\n').unwrap_or(&text);
            Self::Proof(proof.strip_suffix('\r').unwrap_or(proof).to_owned())
        } else {
            Self::Results { text, path }
        }
    }
}

/// Returns whether a text has the shape of a token: three parts of base64url. What is in them is
/// for others.
fn is_token(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts[0].starts_with("ey") && parts.iter().all(|part| is_part(part))
}

fn read_all(shown: &str, reader: impl Read) -> Result<String, GivenError> {
    let mut text = String::new();
    reader
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|source| GivenError::Read {
            shown: shown.to_owned(),
            source,
        })?;
    if text.len() as u64 > MAX_BYTES {
        return Err(GivenError::TooLarge(shown.to_owned()));
    }
    Ok(text)
}

/// The beginning of a text that may be long.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let start: String = text.chars().take(MOST).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_is_is_told_by_its_content() {
        let of = |text: &str| Given::of(text.to_owned(), None);

        assert_eq!(
            of(" eyJh.eyJp.c2ln\n"),
            Given::Token("eyJh.eyJp.c2ln".to_owned())
        );
        assert_eq!(of("{\"v\":1}\n"), Given::Proof("{\"v\":1}".to_owned()));
        assert!(matches!(of("- dataset: {}\n"), Given::Results { .. }));
        assert!(matches!(of("eyJh.eyJp"), Given::Results { .. }));
    }

    #[test]
    fn what_is_neither_a_file_nor_a_token_is_told_in_short() {
        let long = "x".repeat(500);

        let error = Given::read(&long).unwrap_err().to_string();

        assert!(error.len() < 160, "{error}");
    }
}
