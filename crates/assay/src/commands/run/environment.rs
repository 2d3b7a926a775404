//! A digest of the Python packages that a command runs with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use assay_formats::rows::sha256_of;

/// Returns the SHA-256 of the sorted names and versions of the packages beside the program, one to
/// a line, and their number. None when it is not in a Python environment.
pub(super) fn package_digest(
    program: &OsStr,
    search_path: Option<&OsStr>,
) -> Option<(String, usize)> {
    let program = find_program(program, search_path)?;
    let prefix = program.parent()?.parent()?;
    let mut names = Vec::new();
    for version in std::fs::read_dir(prefix.join("lib")).ok()?.flatten() {
        let packages = version.path().join("site-packages");
        for package in std::fs::read_dir(packages).into_iter().flatten().flatten() {
            let name = package.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".dist-info").map(str::to_owned));
        }
    }
    if names.is_empty() {
        return None;
    }
    names.sort_unstable();
    let (digest, _) = sha256_of(names.join("\n").as_bytes()).ok()?;
    Some((digest, names.len()))
}

/// Returns the path of a program as a shell would find it.
fn find_program(program: &OsStr, search_path: Option<&OsStr>) -> Option<PathBuf> {
    let named = Path::new(program);
    if named.components().count() > 1 {
        return Some(named.to_owned());
    }
    std::env::split_paths(search_path?)
        .map(|directory| directory.join(named))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_follows_from_names_and_versions_alone() {
        let digest_with = |packages: &[&str]| {
            let prefix = tempfile::tempdir().unwrap();
            let site = prefix.path().join("lib/python3.11/site-packages");
            std::fs::create_dir_all(prefix.path().join("bin")).unwrap();
            std::fs::write(prefix.path().join("bin/harness"), "").unwrap();
            for package in packages {
                std::fs::create_dir_all(site.join(package)).unwrap();
            }
            package_digest(prefix.path().join("bin/harness").as_os_str(), None)
        };

        let one = digest_with(&["a-1.0.dist-info", "b-2.0.dist-info", "a"]);

        assert_eq!(one.as_ref().map(|(_, count)| *count), Some(2));
        assert_eq!(one, digest_with(&["b-2.0.dist-info", "a-1.0.dist-info"]));
        assert_ne!(one, digest_with(&["b-2.1.dist-info", "a-1.0.dist-info"]));
        assert_eq!(digest_with(&[]), None);
    }
}
