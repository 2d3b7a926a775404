use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor};

use assay_check::FileKind;
use assay_convert::convert::{LogFile, Logs};
use bytes::Bytes;

use super::BroughtFile;

/// Files in memory, by their paths.
#[derive(Debug, Default)]
pub(super) struct MemoryFiles {
    files: BTreeMap<String, Bytes>,
}

impl MemoryFiles {
    /// Takes files with whatever paths a browser gave them. Of two with one path the later one
    /// counts.
    pub(super) fn new(files: Vec<BroughtFile>) -> Self {
        let files = files.into_iter();
        Self {
            files: files
                .map(|file| (plain(&file.path), file.content))
                .collect(),
        }
    }

    /// Returns whether a path is that of a file.
    pub(super) fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns a file as text; none when it is not text.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.files.get(path)?.to_vec()).ok()
    }

    /// Returns the kind of a file by how it begins.
    pub(super) fn kind(&self, path: &str) -> Option<FileKind> {
        let content = self.files.get(path)?;
        let most = usize::try_from(FileKind::HEAD_BYTES).unwrap_or(usize::MAX);
        let head = &content[..content.len().min(most)];
        FileKind::of_content(path, &String::from_utf8_lossy(head))
    }
}

impl Logs for MemoryFiles {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        let content = self
            .files
            .get(&plain(path))
            .ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(content.clone())))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<String>> {
        let directory = plain(directory);
        let below = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let names: BTreeSet<&str> = self
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(&below)?.split('/').next())
            .collect();
        if names.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(names.into_iter().map(str::to_owned).collect())
    }
}

/// A path without what leads nowhere: a root, empty parts, `.` and `..`.
fn plain(path: &str) -> String {
    let path = path.replace('\\', "/");
    let parts = path.split('/');
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_nowhere_but_among_the_files() {
        let files = MemoryFiles::new(vec![
            BroughtFile {
                path: "/runs/../runs//a.json".to_owned(),
                content: Bytes::from_static(b"{}"),
            },
            BroughtFile {
                path: "C:\\runs\\b.json".to_owned(),
                content: Bytes::new(),
            },
        ]);

        assert_eq!(files.list("").unwrap(), ["C:", "runs"]);
        assert_eq!(files.list("./runs").unwrap(), ["runs"]);
        assert_eq!(files.text("runs/runs/a.json").as_deref(), Some("{}"));
        assert!(files.open("/etc/passwd").is_err());
        assert!(files.list("elsewhere").is_err());
    }
}
