//! Faults of a machine: a disk that is full, a clock that jumps.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::kills::tell;

/// The largest piece with which a disk is filled, in bytes.
const PIECE: usize = 1 << 20;

/// A disk in memory, which can be filled. It goes when this is dropped.
pub(crate) struct SmallDisk {
    directory: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk; none without the right to.
    pub(crate) fn mount(directory: &Path, mebibytes: u64) -> Option<Self> {
        std::fs::create_dir_all(directory).unwrap();
        let size = format!("size={mebibytes}m,mode=0700");
        let target = directory.to_str().unwrap();
        if run("mount", &["-t", "tmpfs", "-o", &size, "assay-test", target]) {
            return Some(Self {
                directory: directory.to_owned(),
            });
        }
        tell("skipped: no right to mount a small disk, so none fills");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        &self.directory
    }

    /// Takes all space that is left, down to the last block.
    pub(crate) fn fill(&self) {
        let mut file = File::create(self.ballast()).unwrap();
        let bytes = vec![7; PIECE];
        let mut piece = PIECE;
        while piece > 0 {
            if file.write_all(&bytes[..piece]).is_err() {
                piece /= 2;
            }
        }
    }

    /// Gives the space back.
    pub(crate) fn relieve(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.directory.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a `git` that outlived its server may still be there.
        run("umount", &["--lazy", self.directory.to_str().unwrap()]);
    }
}

/// A clock that the programs of a test see, and that the test can set.
pub(crate) struct FakeClock {
    library: PathBuf,
    file: PathBuf,
}

impl FakeClock {
    /// A clock that is right; none where libfaketime is not installed.
    pub(crate) fn new(file: &Path) -> Option<Self> {
        let mut places = std::fs::read_dir("/usr/lib").ok()?.filter_map(Result::ok);
        let library = places.find_map(|place| {
            let library = place.path().join("faketime/libfaketime.so.1");
            library.is_file().then_some(library)
        });
        let Some(library) = library else {
            tell("skipped: libfaketime is not installed, so the clock never jumps");
            return None;
        };
        let clock = Self {
            library,
            file: file.to_owned(),
        };
        clock.set("+0");
        Some(clock)
    }

    /// Moves the clock away from the right time, such as `+30d` or `-1h`.
    pub(crate) fn set(&self, offset: &str) {
        let next = self.file.with_extension("next");
        std::fs::write(&next, format!("{offset}\n")).unwrap();
        std::fs::rename(next, &self.file).unwrap();
    }

    /// The variables that make a program see it.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.clone()),
            ("FAKETIME_NO_CACHE", "1".into()),
            ("DONT_FAKE_MONOTONIC", "1".into()),
        ]
    }
}

/// Runs a program of the system and tells whether it succeeded.
#[expect(
    clippy::disallowed_methods,
    reason = "a program of the system, run by the test and not by the hub"
)]
pub(crate) fn run(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
