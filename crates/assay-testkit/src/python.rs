//! A Python with a package, for comparisons with programs that are not ours.

use std::process::Command;

/// Returns the Python that `ASSAY_PYTHON` names, or else the one of the system, if it has the
/// package. Without, it prints that the test is skipped.
#[expect(
    clippy::disallowed_methods,
    reason = "the interpreter of the tests comes from outside"
)]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn find_python(package: &str) -> Option<Command> {
    let name = std::env::var("ASSAY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_package = Command::new(&name)
        .args(["-c", &format!("import {package}")])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_package {
        eprintln!("skipped: there is no Python with `{package}`; set ASSAY_PYTHON");
    }
    has_package.then(|| Command::new(name))
}
