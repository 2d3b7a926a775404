//! Files in memory, judged as a datastore would judge them.

use std::collections::BTreeMap;
use std::io::{self, Read};

use assay_check::{Context, FileKind, FileReport, Files, Item, LayoutPolicy, Options, validate};
use assay_model::Severity;

#[derive(Default)]
pub(crate) struct InMemory(pub(crate) BTreeMap<String, Vec<u8>>);

impl Files for InMemory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.as_slice()))
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

impl InMemory {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        Self(files.iter().map(file).collect())
    }

    /// Judges every file by the rules that a push is judged by.
    pub(crate) fn judge(&self) -> Vec<FileReport> {
        let items: Vec<Item> = self
            .0
            .keys()
            .map(|path| Item {
                path: path.as_str().into(),
                kind: Some(if path.ends_with("_samples.jsonl") {
                    FileKind::Samples
                } else {
                    FileKind::Record
                }),
            })
            .collect();
        let context = Context {
            layout: LayoutPolicy::Strict,
            ..Context::default()
        };
        validate(self, &items, &context, &Options::default())
    }

    /// Every error, as `file: message`.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.judge()
            .iter()
            .flat_map(|report| {
                report
                    .findings
                    .diagnostics()
                    .iter()
                    .filter(|diagnostic| diagnostic.severity == Severity::Error)
                    .map(|diagnostic| {
                        format!(
                            "{}: {} {}",
                            report.path, diagnostic.path, diagnostic.message
                        )
                    })
            })
            .collect()
    }
}
