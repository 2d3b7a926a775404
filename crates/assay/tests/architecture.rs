//! The edges between crates. A new edge is a change to a table here, with a decision in `docs/adr`
//! to go with it.

#![cfg(test)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

/// Our crates, from the bottom up, and what each may use.
const EDGES: [(&str, &[&str]); 20] = [
    ("assay-cli", &[]),
    ("assay-model", &[]),
    ("assay-formats", &["assay-model"]),
    ("assay-hub-api", &["assay-formats", "assay-model"]),
    ("assay-board", &["assay-model"]),
    ("assay-check", &["assay-formats", "assay-model"]),
    ("assay-convert", &["assay-formats", "assay-model"]),
    ("assay-git", &["assay-model"]),
    ("assay-registry", &["assay-formats"]),
    ("assay-render", &["assay-model"]),
    ("assay-store", &["assay-model"]),
    // It knows nothing of evaluations, so it uses nothing of ours, not even the vocabulary.
    ("assay-tlog", &[]),
    ("assay-xet", &[]),
    (
        "assay-trust",
        &["assay-formats", "assay-model", "assay-tlog"],
    ),
    (
        "assay-lake",
        &[
            "assay-board",
            "assay-check",
            "assay-cli",
            "assay-formats",
            "assay-model",
            "assay-render",
        ],
    ),
    (
        "assay-app",
        &[
            "assay-board",
            "assay-check",
            "assay-convert",
            "assay-formats",
            "assay-git",
            "assay-hub-api",
            "assay-model",
            "assay-render",
            "assay-store",
            "assay-tlog",
            "assay-trust",
            "assay-xet",
        ],
    ),
    (
        "assay-server",
        &[
            "assay-app",
            "assay-board",
            "assay-formats",
            "assay-hub-api",
            "assay-model",
            "assay-tlog",
            "assay-xet",
        ],
    ),
    (
        "assay",
        &[
            "assay-app",
            "assay-check",
            "assay-cli",
            "assay-convert",
            "assay-formats",
            "assay-hub-api",
            "assay-model",
            "assay-registry",
            "assay-render",
            "assay-server",
            "assay-tlog",
            "assay-trust",
        ],
    ),
    // Used by tests alone.
    ("assay-testkit", &["assay-model"]),
    // The fuzz targets are tests: what they use, they use as tests.
    ("assay-fuzz", &[]),
];

/// Crates of others, with their families (`axum` is also `axum-extra`), and the only crates of ours
/// that may use them.
const CONFINED: [(&str, &[&str]); 14] = [
    ("annotate-snippets", &["assay-render"]),
    ("axum", &["assay-lake", "assay-server"]),
    ("clap", &["assay", "assay-lake"]),
    ("datafusion", &["assay-lake"]),
    ("ed25519-dalek", &["assay-tlog", "assay-trust"]),
    ("gix", &["assay-git"]),
    ("jsonwebtoken", &["assay-trust"]),
    ("object_store", &["assay-app", "assay-lake"]),
    ("rmcp", &["assay-server"]),
    ("saphyr-parser", &["assay-formats"]),
    ("sqlx", &["assay-store"]),
    ("tonic", &["assay-lake"]),
    ("tower", &["assay-lake", "assay-server"]),
    ("ureq", &["assay-hub-api", "assay-server"]),
];

/// Number of crates of others `assay-trust` that may bring along.
const TRUST_BUDGET: usize = 110;

/// A crate of the workspace and what it uses outside tests.
#[derive(Debug)]
struct Member {
    name: String,
    uses: Vec<String>,
}

/// Every edge that the tables do not allow, as a sentence.
fn violations(members: &[Member]) -> Vec<String> {
    let mut violations = Vec::new();
    for Member { name, uses } in members {
        let Some((_, allowed)) = EDGES.iter().find(|(own, _)| own == name) else {
            violations.push(format!("`{name}` is not in the table of crates"));
            continue;
        };
        for used in uses {
            let is_ours = used == "assay" || used.starts_with("assay-");
            if is_ours && !allowed.contains(&used.as_str()) {
                violations.push(format!("`{name}` may not use `{used}`"));
            }
            let fence = CONFINED
                .iter()
                .find(|(outside, _)| is_of_family(used, outside));
            if let Some((_, places)) = fence
                && !places.contains(&name.as_str())
            {
                violations.push(format!(
                    "`{name}` may not use `{used}`, which only `{}` may",
                    places.join("` and `")
                ));
            }
        }
    }
    violations
}

/// Returns whether a crate is the named one or an offshoot of it.
fn is_of_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// The crates of the workspace, as cargo sees them.
fn members() -> Vec<Member> {
    let metadata = metadata();
    let packages = metadata["packages"]
        .as_array()
        .expect("cargo lists packages");
    packages
        .iter()
        .map(|package| Member {
            name: text(&package["name"]),
            uses: package["dependencies"]
                .as_array()
                .expect("cargo lists dependencies")
                .iter()
                // Tests may use anything; only what is shipped has layers.
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| text(&dependency["name"]))
                .collect(),
        })
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo is the only one who knows the edges, and it runs the test with its own environment"
)]
fn metadata() -> Json {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .expect("cargo runs, because it runs this test");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

fn text(json: &Json) -> String {
    json.as_str().expect("cargo names what it lists").to_owned()
}

fn member(name: &str, uses: &[&str]) -> Member {
    Member {
        name: name.to_owned(),
        uses: uses.iter().map(|&used| used.to_owned()).collect(),
    }
}

#[test]
fn the_workspace_has_only_the_edges_that_the_tables_allow() {
    let members = members();

    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    assert!(
        names.contains(&"assay-model") && names.contains(&"assay"),
        "{names:?}"
    );
    assert_eq!(violations(&members), Vec::<String>::new());
}

/// An edge that nobody uses is a door that nobody watches.
#[test]
fn the_tables_allow_no_edge_that_no_manifest_has() {
    let members = members();

    for (name, allowed) in EDGES {
        let member = members.iter().find(|member| member.name == name);
        let uses = &member.expect("every crate of the table exists").uses;
        for edge in allowed {
            assert!(
                uses.iter().any(|used| used == edge),
                "`{name}` does not use `{edge}`"
            );
        }
    }
}

/// Returns the lines of a source that hand on a whole crate of ours: whoever uses them uses that
/// crate, and no manifest says so.
fn tunnels(source: &str) -> Vec<&str> {
    let is_tunnel = |line: &&str| {
        let Some(handed_on) = line.trim().strip_prefix("pub use assay_") else {
            return false;
        };
        let path = handed_on.trim_end_matches(';');
        path.ends_with("::*") || !path.contains("::")
    };
    source.lines().filter(is_tunnel).collect()
}

#[test]
fn no_crate_hands_on_another_crate_as_a_whole() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut libraries = 0;
    for entry in std::fs::read_dir(crates).expect("the crates can be listed") {
        let library = entry
            .expect("the crates can be listed")
            .path()
            .join("src/lib.rs");
        let Ok(source) = std::fs::read_to_string(&library) else {
            continue;
        };
        libraries += 1;

        assert_eq!(
            tunnels(&source),
            Vec::<&str>::new(),
            "{}",
            library.display()
        );
    }
    assert!(libraries > 10, "{libraries}");
    assert_eq!(
        tunnels(
            "pub use assay_app as app;\npub use assay_store::*;\npub use assay_trust::{Key as TrustKey};"
        ),
        ["pub use assay_app as app;", "pub use assay_store::*;"]
    );
}

#[test]
fn the_table_itself_only_points_down() {
    for (position, (name, uses)) in EDGES.iter().enumerate() {
        for used in *uses {
            assert!(
                EDGES[..position].iter().any(|(below, _)| below == used),
                "`{name}` is not above `{used}`"
            );
        }
    }
    for (outside, places) in CONFINED {
        for place in places {
            assert!(
                EDGES.iter().any(|(name, _)| name == place),
                "`{outside}` is confined to `{place}`, which is no crate of ours"
            );
        }
    }
}

/// Everything of others that a crate of ours brings along outside its tests, on this platform, as
/// cargo resolves it.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo is the only one who knows the edges, and it runs the test with its own environment"
)]
fn brought_along(name: &str) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "-e", "normal", "-p", name])
        .args(["--prefix", "none", "--format", "{p}", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .expect("cargo runs, because it runs this test");
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.split(' ').next());
    let brought: BTreeSet<String> = names
        .filter(|name| *name != "assay" && !name.starts_with("assay-"))
        .map(ToOwned::to_owned)
        .collect();
    assert!(
        !brought.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    brought
}

/// Row 100 of the threat table: whoever verifies has to believe all of this, so it does not grow
/// unseen.
#[test]
fn verify_crate_dep_budget() {
    let brought = brought_along("assay-trust");

    assert!(
        brought.len() <= TRUST_BUDGET,
        "{}: {brought:?}",
        brought.len()
    );
    for never in ["axum", "gix", "hyper", "mio", "reqwest", "sqlx", "ureq"] {
        assert!(
            !brought.contains(never),
            "assay-trust brings `{never}` along"
        );
    }
}

/// Row 96: a pattern of a stranger, or a text that one is matched with, costs time in proportion to
/// its length.
#[test]
fn no_backtracking_regex() {
    let brought = brought_along("assay");

    for never in ["fancy-regex", "pcre2", "onig", "regress"] {
        assert!(!brought.contains(never), "assay brings `{never}` along");
    }
    assert!(
        brought.contains("regex-automata"),
        "the linear one is found: {brought:?}"
    );
}

#[test]
fn an_edge_that_points_up_is_named() {
    let planted = member("assay-formats", &["assay-model", "assay-check", "memchr"]);

    assert_eq!(
        violations(&[planted]),
        ["`assay-formats` may not use `assay-check`"]
    );
}

#[test]
fn an_outside_crate_beyond_its_fence_is_named_with_its_fence() {
    let planted = [
        member("assay-check", &["saphyr-parser", "serde"]),
        member("assay-app", &["axum-extra"]),
        member("assay-model", &["clap_complete"]),
        member("assay-server", &["axum", "tower-http"]),
    ];

    assert_eq!(
        violations(&planted),
        [
            "`assay-check` may not use `saphyr-parser`, which only `assay-formats` may",
            "`assay-app` may not use `axum-extra`, which only `assay-lake` and `assay-server` may",
            "`assay-model` may not use `clap_complete`, which only `assay` and `assay-lake` may",
        ]
    );
}

#[test]
fn a_crate_that_nobody_entered_is_named() {
    let planted = member("assay-extras", &[]);

    assert_eq!(
        violations(&[planted]),
        ["`assay-extras` is not in the table of crates"]
    );
}
