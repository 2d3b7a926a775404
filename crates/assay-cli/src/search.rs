//! From the paths that were typed to the files that are meant.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use walkdir::{DirEntry, WalkDir};

/// The one hidden directory that is searched.
const RESULTS_DIRECTORY: &str = ".eval_results";
/// The characters that make a path a pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// The kinds of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// A file.
    File,
    /// Standard input, a pipe or a device.
    Stream,
    /// A directory.
    Directory,
    /// A pattern that matched something.
    Pattern,
    /// Nothing is there. The visitor knows why.
    Absent,
}

/// The way a directory is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descent {
    /// Its entries are visited one by one.
    Inside,
    /// It is one thing.
    Whole,
}

/// Receives what a search finds. Paths have no `.` parts, so that `./a` and `a` are one file.
pub trait Visitor {
    /// A file that was named: it is meant, whatever it is.
    fn named(&mut self, path: &Path);

    /// Standard input, for which there is no path, or a pipe or device, such as a shell gives for
    /// `<(…)`. It can be read only once.
    fn stream(&mut self, path: Option<&Path>);

    /// A file that lies in a directory. Its directory is read to its end.
    fn in_directory(&mut self, path: &Path);

    /// A file that matches a pattern.
    fn matched(&mut self, path: &Path);

    /// Decides how a directory is searched.
    fn enter(&mut self, _directory: &Path) -> Descent {
        Descent::Inside
    }

    /// Decides whether a hidden directory is searched; usually none is but the one of result files.
    fn enters_hidden(&mut self, directory: &Path) -> bool {
        directory.file_name() == Some(OsStr::new(RESULTS_DIRECTORY))
    }

    /// A directory that is one thing, as [`Self::enter`] decided.
    fn whole(&mut self, _directory: &Path) {}

    /// A path where nothing is, or that cannot be read.
    fn absent(&mut self, path: &Path, why: String);

    /// A directory that could not be read, or not to its end.
    fn unreadable(&mut self, path: &Path, why: String) {
        self.absent(path, why);
    }
}

/// Searches for what one argument means.
///
/// `-` is standard input. A path that exists means itself, even if it looks like a pattern.
/// Directories are searched in the order of names, without hidden directories unless the visitor
/// enters them; links to directories are not followed, so that a link to `/` cannot make the search
/// endless; links to files are files. A directory that a pattern matches is searched whole.
pub fn search(argument: &Path, visitor: &mut dyn Visitor) -> Argument {
    if argument == Path::new("-") {
        visitor.stream(None);
        return Argument::Stream;
    }
    let path = &clean(argument);
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            directory(path, visitor);
            Argument::Directory
        }
        Ok(metadata) if metadata.is_file() => {
            visitor.named(path);
            Argument::File
        }
        Ok(_) => {
            visitor.stream(Some(path));
            Argument::Stream
        }
        Err(_) => pattern(path, visitor),
    }
}

/// Returns whether a file has one of some endings, in upper or lower case.
pub fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|own| {
        endings
            .iter()
            .any(|ending| own.eq_ignore_ascii_case(ending))
    })
}

fn directory(root: &Path, visitor: &mut dyn Visitor) {
    let mut entries = walk(root);
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                unreadable(root, &error, visitor);
                continue;
            }
        };
        // The root is clean, so only one that is `.` leaves a part to be cut off.
        let path = entry.path();
        let path = match path.strip_prefix(Component::CurDir) {
            Ok(rest) if !rest.as_os_str().is_empty() => rest,
            Ok(_) | Err(_) => path,
        };
        if entry.file_type().is_dir() {
            if is_hidden(&entry) && !visitor.enters_hidden(path) {
                entries.skip_current_dir();
            } else if visitor.enter(path) == Descent::Whole {
                visitor.whole(path);
                entries.skip_current_dir();
            }
        } else if is_file(&entry) {
            visitor.in_directory(path);
        }
    }
}

/// A path where nothing is: perhaps it is a pattern.
fn pattern(path: &Path, visitor: &mut dyn Visitor) -> Argument {
    let text = path.to_str().unwrap_or_default();
    if !text.contains(WILDCARDS) {
        visitor.absent(path, "there is no such file or directory".to_owned());
        return Argument::Absent;
    }
    let matched = match GlobBuilder::new(text).literal_separator(true).build() {
        Ok(glob) => matches(&fixed_part(path), &glob.compile_matcher(), visitor),
        Err(error) => {
            let kind = error.kind();
            let why = format!("there is no such file, and it is no pattern: {kind}");
            visitor.absent(path, why);
            return Argument::Absent;
        }
    };
    if matched {
        return Argument::Pattern;
    }
    let why = "no file has this name or matches this pattern";
    visitor.absent(path, why.to_owned());
    Argument::Absent
}

/// Visits what a pattern matches below a directory; whether there is anything.
fn matches(base: &Path, glob: &GlobMatcher, visitor: &mut dyn Visitor) -> bool {
    let mut matched = false;
    let mut entries = walk(base);
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            // Where the search begins may not exist: then nothing matches.
            Err(error) if error.depth() == 0 => continue,
            Err(error) => {
                unreadable(base, &error, visitor);
                continue;
            }
        };
        let path = clean(entry.path());
        let is_match = glob.is_match(&path);
        if entry.file_type().is_dir() {
            if is_hidden(&entry) && !visitor.enters_hidden(&path) {
                entries.skip_current_dir();
            } else if is_match {
                matched = true;
                directory(&path, visitor);
                entries.skip_current_dir();
            } else if visitor.enter(&path) == Descent::Whole {
                entries.skip_current_dir();
            }
        } else if is_match && is_file(&entry) {
            matched = true;
            visitor.matched(&path);
        }
    }
    matched
}

fn unreadable(root: &Path, error: &walkdir::Error, visitor: &mut dyn Visitor) {
    let path = clean(error.path().unwrap_or(root));
    let why = error
        .io_error()
        .map_or_else(|| error.to_string(), ToString::to_string);
    visitor.unreadable(&path, why);
}

/// Everything below a directory, sorted.
fn walk(root: &Path) -> walkdir::IntoIter {
    // Within a directory the order of paths is that of names, which would have to be cut out of
    // them for each comparison.
    let by_path = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
    WalkDir::new(root).sort_by(by_path).into_iter()
}

/// Returns whether a directory is hidden; one that was named is not.
fn is_hidden(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn is_file(entry: &DirEntry) -> bool {
    let file_type = entry.file_type();
    let is_link_to_file =
        || std::fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file());
    file_type.is_file() || (file_type.is_symlink() && is_link_to_file())
}

/// The path without `.` parts.
fn clean(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let clean: PathBuf = parts.collect();
    if clean.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        clean
    }
}

/// The directory that all matches of a pattern lie in.
fn fixed_part(pattern: &Path) -> PathBuf {
    let has_wildcard = |part: &Component<'_>| {
        part.as_os_str()
            .to_str()
            .is_some_and(|text| text.contains(WILDCARDS))
    };
    let fixed: PathBuf = pattern
        .components()
        .take_while(|part| !has_wildcard(part))
        .collect();
    clean(&fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes what it is told, in a word and a path each. A directory called `run` is one thing.
    #[derive(Default)]
    struct Notes {
        root: PathBuf,
        lines: Vec<String>,
    }

    impl Notes {
        fn add(&mut self, word: &str, path: &Path) {
            let path = path.strip_prefix(&self.root).unwrap_or(path);
            self.lines.push(format!("{word} {}", path.display()));
        }
    }

    impl Visitor for Notes {
        fn named(&mut self, path: &Path) {
            self.add("named", path);
        }

        fn stream(&mut self, path: Option<&Path>) {
            self.add("stream", path.unwrap_or(Path::new("-")));
        }

        fn in_directory(&mut self, path: &Path) {
            self.add("in", path);
        }

        fn matched(&mut self, path: &Path) {
            self.add("matched", path);
        }

        fn enter(&mut self, directory: &Path) -> Descent {
            if directory.ends_with("run") {
                Descent::Whole
            } else {
                Descent::Inside
            }
        }

        fn whole(&mut self, directory: &Path) {
            self.add("whole", directory);
        }

        fn absent(&mut self, path: &Path, _why: String) {
            self.add("absent", path);
        }
    }

    fn files() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for path in [
            "b/x.json",
            "a/Y.JSON",
            ".hidden/z.json",
            ".eval_results/r.yaml",
            "c/run/part.json",
            "c/other/part.json",
            "[odd].json",
        ] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        root
    }

    fn found(root: &Path, argument: &str) -> (Argument, Vec<String>) {
        let mut notes = Notes {
            root: root.to_owned(),
            lines: Vec::new(),
        };
        let argument = search(&root.join(argument), &mut notes);
        (argument, notes.lines)
    }

    #[test]
    fn a_directory_is_searched_in_order_and_hidden_ones_are_not() {
        let root = files();

        let (argument, lines) = found(root.path(), ".");

        assert_eq!(argument, Argument::Directory);
        assert_eq!(
            lines,
            [
                "in .eval_results/r.yaml",
                "in [odd].json",
                "in a/Y.JSON",
                "in b/x.json",
                "in c/other/part.json",
                "whole c/run"
            ]
        );
    }

    #[test]
    fn a_pattern_matches_files_and_whole_directories_and_never_inside_one_thing() {
        let root = files();

        assert_eq!(found(root.path(), "*/x.*").1, ["matched b/x.json"]);
        assert_eq!(
            found(root.path(), "c/*").1,
            ["in c/other/part.json", "whole c/run"]
        );
        assert_eq!(
            found(root.path(), "c/*/part.json").1,
            ["matched c/other/part.json"]
        );
    }

    #[test]
    fn a_file_whose_name_looks_like_a_pattern_is_meant_as_itself() {
        let root = files();

        let (argument, lines) = found(root.path(), "./[odd].json");

        assert_eq!(argument, Argument::File);
        assert_eq!(lines, ["named [odd].json"]);
    }

    #[test]
    fn what_is_not_there_is_absent() {
        let root = files();

        for argument in ["no.json", "no/*.json", "b/["] {
            let (kind, lines) = found(root.path(), argument);

            assert_eq!(kind, Argument::Absent, "{argument}");
            assert_eq!(lines, [format!("absent {argument}")]);
        }
    }

    #[test]
    fn a_dash_and_a_device_are_streams() {
        let mut notes = Notes::default();

        assert_eq!(search(Path::new("-"), &mut notes), Argument::Stream);
        assert_eq!(search(Path::new("/dev/null"), &mut notes), Argument::Stream);
        assert_eq!(notes.lines, ["stream -", "stream /dev/null"]);
    }

    #[test]
    fn endings_are_those_of_either_case() {
        assert!(has_ending(Path::new("a/Y.JSON"), &["json"]));
        assert!(!has_ending(Path::new("a/json"), &["json"]));
    }
}
