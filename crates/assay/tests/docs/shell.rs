//! The shell blocks of the pages, typed as they are printed.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{pages, root};

/// The things that a line needs and a test does not have; such lines are left out and counted.
const OUTSIDE: &[(&str, &str)] = &[
    ("cargo ", "builds the workspace"),
    ("./test.sh", "runs this test"),
    ("just ", "runs for long"),
    ("sudo ", "the root user"),
    ("docker ", "a container engine"),
    ("pip install", "the network"),
    ("https://github.com", "the network"),
    ("hf ", "a Python package"),
    ("inspect eval", "a Python package"),
    ("postgres", "a database server"),
    ("createuser", "a database server"),
    ("s3://", "object storage"),
    ("0.0.0.0:443", "a certificate, and the port of root"),
    ("--listen 10.0.0.5", "an address of its own"),
    ("ID_TOKEN", "a job of GitHub"),
    ("$ISSUER", "a job of GitHub"),
    ("--witness KEY", "a witness"),
    ("admin purge", "what a page does not make"),
    ("admin publisher", "what a page does not make"),
    ("--as 17=", "what a page does not make"),
    ("--at 2026", "a backup of that hour"),
    ("/tmp/drill", "a backup in object storage"),
    (
        "admin benchmark official cais/hle",
        "what a page does not make",
    ),
    ("admin benchmark unofficial", "what a page does not make"),
    ("man -l", "a pager"),
    ("duckdb", "another program"),
    ("assay ingest", "the program `assay-lake`"),
    ("/api/sql", "the program `assay-lake`"),
    ("/api/lake", "the program `assay-lake`"),
];

/// Pages whose blocks are run elsewhere, or need data that a test does not have.
const OTHER_PAGES: &[(&str, &str)] = &[
    ("docs/adr/", "decisions, not instructions"),
    (
        "docs/quickstart-",
        "`compat/run.sh` runs them as printed, with the harnesses",
    ),
    ("docs/imported-boards.md", "a datastore of 5,566 records"),
];

/// Replaces the placeholders for things of the reader's own.
fn own(text: &str, place: &Path, port: u16) -> String {
    let hub = format!("http://127.0.0.1:{port}");
    let under = |name: &str| place.join(name).display().to_string();
    let stands_for = [
        ("/tmp/", format!("{}/", under("tmp"))),
        ("http://127.0.0.1:8460", hub.clone()),
        ("https://hub.example", hub),
        ("127.0.0.1:8080", format!("127.0.0.1:{port}")),
        ("127.0.0.1:8999", format!("127.0.0.1:{port}")),
        ("hf_…", "$HF_TOKEN_OF_ALICE".to_owned()),
        ("evp_…", "$CREDENTIAL".to_owned()),
        (" KID", " $(a_key)".to_owned()),
        (" VKEY", " $VKEY".to_owned()),
        ("AAAAAAAAAAAAAAAAAAAAAQ", "$JTI".to_owned()),
        ("unrevoke 17", "unrevoke \"$(last_revocation)\"".to_owned()),
        ("/srv/assay", under("srv/assay")),
        ("/etc/assay", under("etc/assay")),
        ("/backup/hub", under("backup/hub")),
    ];
    stands_for
        .iter()
        .fold(text.to_owned(), |text, (printed, own)| {
            text.replace(printed, own)
        })
}

/// The commands of a block: lines that go on are put together.
fn commands(block: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in block.lines() {
        match commands.last_mut().filter(|_| is_open) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None => commands.push(line.to_owned()),
        }
        let whole = commands.last().map_or("", String::as_str);
        let bare = whole.split(" # ").next().unwrap_or_default();
        is_open = bare.matches('\'').count() % 2 == 1 || bare.ends_with('\\');
    }
    commands.retain(|command| !command.trim().is_empty());
    commands
}

/// A command with the exit code that its remark announces: `# exits with 2`.
fn expected(command: &str) -> String {
    let Some((bare, remark)) = command.split_once(" # ") else {
        return command.to_owned();
    };
    let code = remark.strip_prefix("exits with ");
    let code = code.and_then(|rest| rest.chars().next().filter(char::is_ascii_digit));
    code.map_or_else(
        || command.to_owned(),
        |code| format!("{bare} || [ $? = {code} ]"),
    )
}

/// The shell blocks of a page, with the number of the line on which each begins.
fn shell_blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line) {
            (None, "```sh") => open = Some((number + 1, String::new())),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some((_, block)), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}

/// A port on which nobody listens.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The outcome of the blocks of one page.
#[derive(Default)]
struct Typed {
    lines: usize,
    outside: usize,
    failed: Vec<String>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the shell is the program under test; its home and its git are of the test alone"
)]
fn type_page(page: &str, text: &str) -> Typed {
    let blocks = shell_blocks(text);
    let mut typed = Typed::default();
    if blocks.is_empty() {
        return typed;
    }
    let place = tempfile::tempdir().unwrap();
    let port = free_port();
    let scene: String = page
        .trim_start_matches("./")
        .chars()
        .map(|letter| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    let mut script = format!(
        "PAGE={page}; at={page}\nsource \"$ROOT/crates/assay/tests/docs/scene.sh\"\nif declare -F {scene} > /dev/null; then {scene}; fi\n"
    );
    for (number, block) in &blocks {
        let place_of_block = format!("at={page}:{}; cd \"$work\"\n", number + 1);
        script.push_str(&place_of_block);
        for command in commands(block) {
            let bare = command.split(" # ").next().unwrap_or_default();
            if OUTSIDE.iter().any(|(needs, _)| bare.contains(needs)) {
                typed.outside += 1;
                continue;
            }
            typed.lines += 1;
            // Of `a && b` the shell would not report that `a` failed.
            let command = own(&expected(&command), place.path(), port).replace(" && ", "\n");
            script.push_str(&command);
            script.push('\n');
        }
        script.push_str("after_block\n");
    }
    script.push_str("touch \"$PLACE/ended\"\n");
    let file = place.path().join("script.sh");
    std::fs::write(&file, script).unwrap();
    let failures = place.path().join("failures");
    let program = Path::new(env!("CARGO_BIN_EXE_assay"));
    // Files and no pipes: a server that outlives the shell would hold a pipe open.
    let said = place.path().join("said");
    let errors = std::fs::File::create(&said).unwrap();
    let status = Command::new("timeout")
        .args(["--kill-after=2", PATIENCE, "bash"])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("BIN", program.parent().unwrap())
        .env("ROOT", root())
        .env("PLACE", place.path())
        .env("PORT", port.to_string())
        .env("FAILURES", &failures)
        .status()
        .unwrap();
    if !place.path().join("ended").exists() {
        let failure = format!("{page}: the shell did not come to the end: {status}");
        typed.failed.push(failure);
    }
    if let Ok(text) = std::fs::read_to_string(&failures) {
        typed.failed.extend(text.lines().map(ToOwned::to_owned));
        let said = std::fs::read_to_string(&said).unwrap_or_default();
        typed
            .failed
            .extend(said.lines().map(|line| format!("  {line}")));
    }
    typed
}

/// The seconds after which the blocks of one page are ended. Several pages fill a demonstration at
/// the same time, which takes 18 s alone on two idle cores without optimisation.
const PATIENCE: &str = "360";

/// The number of lines of all pages that need the outside. A page that adds one says so here.
const LINES_OUTSIDE: usize = 75;
/// The programs that the pages use beside `assay` and git.
const TOOLS: &[&str] = &["bash", "curl", "jq", "openssl", "basenc", "timeout"];

fn is_on_path(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(tool).is_file())
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests should know")]
fn skip(missing: &str) {
    eprintln!("skipped: `{missing}` is not installed");
}

#[test]
fn every_shell_block_works_as_printed() {
    if let Some(missing) = TOOLS.iter().find(|tool| !is_on_path(tool)) {
        skip(missing);
        return;
    }
    let only = std::env::var_os("ASSAY_PAGE").and_then(|page| page.into_string().ok());
    let pages = pages().into_iter().filter(|(page, _)| {
        only.as_ref()
            .is_none_or(|only| page.contains(only.as_str()))
            && !OTHER_PAGES.iter().any(|(start, _)| page.starts_with(start))
    });
    let typed: Vec<Typed> = std::thread::scope(|scope| {
        let running: Vec<_> = pages
            .map(|(page, text)| scope.spawn(move || type_page(&page, &text)))
            .collect();
        running
            .into_iter()
            .map(|page| page.join().unwrap())
            .collect()
    });

    let failed: Vec<String> = typed.iter().flat_map(|page| page.failed.clone()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    if only.is_none() {
        assert_eq!(
            typed.iter().map(|page| page.outside).sum::<usize>(),
            LINES_OUTSIDE
        );
        assert!(typed.iter().map(|page| page.lines).sum::<usize>() > 100);
    }
}
