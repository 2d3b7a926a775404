use std::time::Duration;

use assay_model::ObjectId;

use crate::command::Git;
use crate::{Diff, EntryKind, Error, Objects};

/// The largest number of files in a diff. Git compares each new one with each removed one, to find
/// renames.
const MAX_FILES: usize = 3_000;
/// Maximum number of bytes of they together, before and after.
const MAX_BYTES: u64 = 32 << 20;
/// The largest file whose lines are compared; of a larger one it is told that it differs. The work
/// grows with the lines of a file times the lines that differ.
const MAX_FILE_BYTES: &str = "1m";
/// The number of new files that are compared with removed ones.
const MAX_RENAMES: &str = "-l200";
/// Maximum duration of it.
const TIME_LIMIT: Duration = Duration::from_secs(5);

impl Objects {
    /// Returns the changes between two commits, as a unified diff of at most so many bytes; one
    /// that is too much work is not begun, or given up.
    pub fn diff(&self, base: ObjectId, tip: ObjectId, max_bytes: usize) -> Result<Diff, Error> {
        let changes = self.changes(Some(base), tip)?;
        let mut bytes = 0;
        for version in changes.iter().flat_map(|change| [change.old, change.new]) {
            if let Some(version) = version
                && matches!(version.kind, EntryKind::File(_))
            {
                bytes += self.size(version.oid)?;
            }
        }
        let too_much = Diff::TooMuch {
            files: changes.len(),
            bytes,
        };
        if changes.len() > MAX_FILES || bytes > MAX_BYTES {
            return Ok(too_much);
        }
        let output = self
            .git("diff-tree")?
            .config("core.bigFileThreshold", MAX_FILE_BYTES)
            .args(["-r", "-p", "-M", MAX_RENAMES, "--no-ext-diff"])
            .args(["--no-textconv", "--no-color", "--full-index"])
            .args([base.to_string(), tip.to_string()])
            .arg("--")
            .time_limit(TIME_LIMIT)
            .run(max_bytes)?;
        if output.is_late {
            return Ok(too_much);
        }
        let output = output.require("diff-tree")?;
        let mut bytes = output.stdout;
        if output.is_cut {
            let end = bytes.iter().rposition(|&byte| byte == b'\n');
            bytes.truncate(end.map_or(0, |end| end + 1));
        }
        Ok(Diff::Text {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            cut: output.is_cut,
        })
    }

    /// A `git` that sees what is seen here.
    pub(crate) fn git(&self, subcommand: &'static str) -> Result<Git, Error> {
        let base = &self.layers.base;
        let git = Git::new(subcommand).within(&base.git_dir);
        Ok(match &self.layers.shadow {
            Some(shadow) => git.quarantined(&shadow.on_disk()?, &base.objects_dir()),
            None => git,
        })
    }
}
