//! Files in memory, judged as a datastore would judge them.

use std::collections::BTreeMap;

use crate::judge::errors;

#[derive(Default)]
pub(crate) struct InMemory(pub(crate) BTreeMap<String, Vec<u8>>);

impl InMemory {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        Self(files.iter().map(file).collect())
    }

    /// Every error, as `file: message`.
    pub(crate) fn errors(&self) -> Vec<String> {
        errors(&self.0)
    }
}
