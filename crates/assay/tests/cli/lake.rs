//! The commands that another program does.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// This program in a directory of its own, where nothing lies beside it.
fn alone() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("assay");
    let own = env!("CARGO_BIN_EXE_assay");
    // A link is enough where both lie on one file system.
    if std::fs::hard_link(own, &program).is_err() {
        std::fs::copy(own, &program).unwrap();
    }
    (directory, program)
}

fn put_script(directory: &TempDir, name: &str, script: &str) {
    let path = directory.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program is run as a shell runs it"
)]
fn run(program: &PathBuf, path: &str, args: &[&str]) -> Output {
    Command::new(program)
        .args(args)
        .env("PATH", path)
        .output()
        .unwrap()
}

#[test]
fn without_the_program_it_is_said_how_to_get_it() {
    let (directory, program) = alone();
    let nowhere = directory.path().join("nowhere");

    for command in ["query", "ingest", "compare", "lake"] {
        let output = run(&program, nowhere.to_str().unwrap(), &[command, "--help"]);

        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(
            told.contains(&format!("`assay {command}` needs the program `assay-lake`")),
            "{told}"
        );
        assert!(
            told.contains("cargo install --path crates/assay-lake --locked"),
            "{told}"
        );
    }
}

#[test]
fn what_was_typed_goes_to_the_program_beside_it_and_its_exit_code_comes_back() {
    let (directory, program) = alone();
    put_script(
        &directory,
        "assay-lake",
        "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 1\n",
    );
    put_script(&directory, "path/assay-lake", "#!/bin/sh\nexit 2\n");
    let path = format!("{}:/usr/bin:/bin", directory.path().join("path").display());

    let output = run(
        &program,
        &path,
        &["query", "SELECT 1", "--format", "csv", "-j", "2"],
    );

    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "<query><SELECT 1><--format><csv><-j><2>"
    );
}

#[test]
fn a_program_on_the_path_is_found_too() {
    let (directory, program) = alone();
    put_script(
        &directory,
        "path/assay-lake",
        "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 0\n",
    );
    let path = format!("{}:/usr/bin:/bin", directory.path().join("path").display());

    let output = run(&program, &path, &["lake", "stats", "--help"]);

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "<lake><stats><--help>"
    );
}

#[test]
fn the_four_commands_are_listed() {
    let (_directory, program) = alone();

    let output = run(&program, "", &["--help"]);

    let help = String::from_utf8(output.stdout).unwrap();
    for command in ["  ingest ", "  query ", "  compare ", "  lake "] {
        assert!(help.contains(command), "{help}");
    }
}
