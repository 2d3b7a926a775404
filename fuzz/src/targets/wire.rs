//! What git clients send, and what they leave in a repository.

use assay_git::{Command, LargeFile, RefName, parse_commands};

use crate::harness::fuzz;

/// More than any file of the corpus has.
const MAX_COMMANDS: usize = 16;

/// What is read takes no more than there is, and says the same when it is written once more.
#[test]
fn commands() {
    fuzz("commands", |bytes| {
        let Ok(Some((read, used))) = parse_commands(bytes, MAX_COMMANDS) else {
            return;
        };
        assert!(used <= bytes.len());
        assert!(read.commands.len() + read.refused.len() <= MAX_COMMANDS);

        let written = write(&read.commands);
        let (again, length) = parse_commands(&written, MAX_COMMANDS)
            .expect("commands that were read are commands")
            .expect("they are all there");

        assert_eq!(length, written.len());
        assert_eq!(again.commands, read.commands);
    });
}

fn write(commands: &[Command]) -> Vec<u8> {
    let zero = "0".repeat(40);
    let mut bytes = Vec::new();
    for command in commands {
        let [old, new] = [command.old, command.new]
            .map(|id| id.map_or_else(|| zero.clone(), |id| id.to_string()));
        let line = format!("{old} {new} {}\n", command.name);
        bytes.extend_from_slice(format!("{:04x}{line}", line.len() + 4).as_bytes());
    }
    bytes.extend_from_slice(b"0000");
    bytes
}

/// A name prints as it was written, and is a path that stays below the repository.
#[test]
fn ref_name() {
    fuzz("ref_name", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(name) = text.parse::<RefName>() {
            assert_eq!(name.to_string(), text);
            assert!(name.as_str().starts_with("refs/"));
            assert!(
                name.as_str()
                    .split('/')
                    .all(|part| !part.is_empty() && part != "..")
            );
        }
    });
}

/// A pointer that is read stands for the same file when we write it ourselves.
#[test]
fn pointer() {
    fuzz("pointer", |bytes| {
        if let Some(file) = LargeFile::of_pointer(bytes) {
            let ours = LargeFile::new(file.oid, file.size);

            assert_eq!(file.pointer_size, bytes.len() as u64);
            assert_eq!(LargeFile::of_pointer(ours.pointer().as_bytes()), Some(ours));
        }
    });
}
