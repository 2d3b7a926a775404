/// A file of the datastore, by its path: `data/{benchmark}/{developer}/{model}/{uuid}.json` or
/// `…_samples.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout<'p> {
    /// The collection.
    pub benchmark: &'p str,
    /// The developer of the model: the first part of its id.
    pub developer: &'p str,
    /// The model: the rest of its id.
    pub model: &'p str,
    /// The UUID that names the record.
    pub uuid: &'p str,
}

/// A departure of a path from the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutFault<'p> {
    /// Not five parts.
    Depth(usize),
    /// An empty part, `.`, `..` or a backslash.
    Unclean,
    /// The first part is not `data`.
    Root,
    /// A directory below `data` is called `data`.
    Reserved,
    /// A directory that some file systems cannot hold.
    NotPortable(&'p str),
    /// The file is not named by a version 4 UUID in lower case.
    FileName(&'p str),
}

/// The endings of samples files: since 0.3.0, and as 0.2 documented them.
pub(crate) const SAMPLES_SUFFIXES: [&str; 2] = ["_samples.jsonl", ".jsonl"];

/// Reads a path that begins at the datastore's root, and reports every departure from the layout.
pub fn layout_of(path: &str) -> (Option<Layout<'_>>, Vec<LayoutFault<'_>>) {
    let mut faults = Vec::new();
    let parts: Vec<&str> = path.split('/').collect();
    if path.contains('\\') || parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        faults.push(LayoutFault::Unclean);
    }
    if parts.first() != Some(&"data") {
        faults.push(LayoutFault::Root);
    }
    let (Some((file, directories)), true) = (parts.split_last(), parts.len() > 1) else {
        faults.push(LayoutFault::Depth(parts.len()));
        return (None, faults);
    };
    let names = directories.get(1..).unwrap_or_default();
    if parts.len() != 5 {
        faults.push(LayoutFault::Depth(parts.len()));
    }
    if names.contains(&"data") {
        faults.push(LayoutFault::Reserved);
    }
    faults.extend(
        names
            .iter()
            .filter(|name| !is_portable(name))
            .map(|name| LayoutFault::NotPortable(name)),
    );
    let uuid = uuid_of(file);
    if uuid.is_none() {
        faults.push(LayoutFault::FileName(file));
    }
    let layout = match (names, uuid) {
        (&[benchmark, developer, model], Some(uuid)) => Some(Layout {
            benchmark,
            developer,
            model,
            uuid,
        }),
        _ => None,
    };
    (layout, faults)
}

/// The part of a path from its `data` directory on, and whether there is one. Of several, the one
/// that gives the layout's depth; else the last.
pub fn from_root(path: &str) -> (&str, bool) {
    let mut last = None;
    let mut at = 0;
    for part in path.split('/') {
        if part == "data" && at + part.len() < path.len() {
            let rest = &path[at..];
            if rest.split('/').count() == 5 {
                return (rest, true);
            }
            last = Some(rest);
        }
        at += part.len() + 1;
    }
    match last {
        Some(rest) => (rest, true),
        None => (path.trim_start_matches("./"), false),
    }
}

/// Returns whether every common file system can hold a directory of this name.
pub fn is_portable(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
    const NUMBERED_DEVICES: [&str; 2] = ["COM", "LPT"];
    let forbidden =
        |c: char| c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*');
    let stem = name.split('.').next().unwrap_or(name);
    let is = |device: &&str| stem.eq_ignore_ascii_case(device);
    let is_numbered = |device: &&str| match stem.as_bytes() {
        [letters @ .., b'1'..=b'9'] => letters.eq_ignore_ascii_case(device.as_bytes()),
        _ => false,
    };
    !name.chars().any(forbidden)
        && !name.ends_with(['.', ' '])
        && !DEVICES.iter().any(is)
        && !NUMBERED_DEVICES.iter().any(is_numbered)
}

/// The UUID in a file name of the datastore.
pub fn uuid_of(file: &str) -> Option<&str> {
    let stem = file.strip_suffix(".json").or_else(|| {
        SAMPLES_SUFFIXES
            .iter()
            .find_map(|suffix| file.strip_suffix(suffix))
    })?;
    is_uuid4(stem, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).then_some(stem)
}

fn is_uuid4(text: &str, digit: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 36
        && bytes
            .iter()
            .enumerate()
            .all(|(position, &byte)| match position {
                8 | 13 | 18 | 23 => byte == b'-',
                14 => byte == b'4',
                19 => matches!(byte.to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b') && digit(byte),
                _ => digit(byte),
            })
}

/// Returns whether a text is a path that a record may give for its samples file.
pub fn is_companion_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let &["data", benchmark, developer, model, file] = parts.as_slice() else {
        return false;
    };
    let stem = file.strip_suffix("_samples.jsonl");
    [benchmark, developer, model]
        .iter()
        .all(|part| !part.is_empty())
        && stem.is_some_and(|stem| is_uuid4(stem, |byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "5eed0000-0000-4000-8000-000000000100";

    fn faults(path: &str) -> Vec<LayoutFault<'_>> {
        layout_of(path).1
    }

    #[test]
    fn a_record_and_its_samples_share_a_layout() {
        for file in [
            format!("{UUID}.json"),
            format!("{UUID}_samples.jsonl"),
            format!("{UUID}.jsonl"),
        ] {
            let path = format!("data/gsm8k/acme/model-x/{file}");

            let (layout, faults) = layout_of(&path);

            assert_eq!(faults, []);
            assert_eq!(
                layout,
                Some(Layout {
                    benchmark: "gsm8k",
                    developer: "acme",
                    model: "model-x",
                    uuid: UUID
                })
            );
        }
    }

    #[test]
    fn every_departure_is_named() {
        assert_eq!(
            faults(&format!("data/b/m/{UUID}.json")),
            [LayoutFault::Depth(4)]
        );
        assert_eq!(
            faults(&format!("datum/b/d/m/{UUID}.json")),
            [LayoutFault::Root]
        );
        assert_eq!(
            faults(&format!("data/data/d/m/{UUID}.json")),
            [LayoutFault::Reserved]
        );
        assert_eq!(
            faults(&format!("data/b/d/m.../{UUID}.json")),
            [LayoutFault::NotPortable("m...")]
        );
        assert_eq!(
            faults("data/b/d/m/run1.json"),
            [LayoutFault::FileName("run1.json")]
        );
        assert_eq!(
            faults(&format!("data/b//m/{UUID}.json")),
            [LayoutFault::Unclean]
        );
        assert_eq!(
            faults(&format!(
                "data/b/d/m/{}.json",
                UUID.to_uppercase().replace('D', "d")
            ))
            .len(),
            1
        );
    }

    #[test]
    fn device_names_and_colons_are_not_portable() {
        for name in [
            "con",
            "NUL.txt",
            "com1",
            "LPT9.x",
            "a:b",
            "a\u{1}",
            "trailing ",
            "dots...",
        ] {
            assert!(!is_portable(name), "{name:?}");
        }
        for name in ["console", "com10", "llama-3.1-8b", "com", ".hidden"] {
            assert!(is_portable(name), "{name:?}");
        }
    }

    #[test]
    fn version_1_uuids_name_nothing() {
        let path = "data/b/d/m/5eed0000-0000-1000-8000-000000000100.json";

        assert_eq!(faults(path).len(), 1);
    }
}
