use assay_model::ObjectId;

use crate::command::Git;
use crate::{Diff, Error, Objects};

impl Objects {
    /// What changed between two commits, as a unified diff of at most so many bytes.
    pub fn diff(&self, base: ObjectId, tip: ObjectId, max_bytes: usize) -> Result<Diff, Error> {
        let git = self.git("diff-tree")?;
        let output = git
            .args(["-r", "-p", "-M", "--no-ext-diff", "--no-textconv"])
            .args(["--no-color", "--full-index"])
            .args([base.to_string(), tip.to_string()])
            .arg("--")
            .run(max_bytes)?
            .require("diff-tree")?;
        let mut bytes = output.stdout;
        if output.is_cut {
            let end = bytes.iter().rposition(|&byte| byte == b'\n');
            bytes.truncate(end.map_or(0, |end| end + 1));
        }
        Ok(Diff {
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
