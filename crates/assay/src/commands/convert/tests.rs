mod discovery;
mod storing;

use std::path::Path;

use clap::Parser as _;

use super::{ConvertArgs, Source};
use crate::args::{Args, Command};

fn parsed(arguments: &[&str]) -> Result<ConvertArgs, clap::Error> {
    let line = ["assay", "convert"].iter().chain(arguments);
    match Args::try_parse_from(line)?.command {
        Command::Convert(args) => Ok(*args),
        other => panic!("`convert` was typed and {other:?} was read"),
    }
}

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn the_first_word_may_name_the_harness() {
    for (arguments, source, paths) in [
        (vec!["helm", "no/such/run"], "Known(Helm)", 1),
        (vec!["auto", "a", "b"], "Auto", 2),
        (vec!["a.eval"], "Auto", 1),
        // The only argument is a path, whatever it is called.
        (vec!["helm"], "Auto", 1),
        (vec!["--from", "lm-eval", "helm", "a"], "Known(LmEval)", 2),
        // This crate has a directory of that name.
        (vec!["src", "a"], "Auto", 2),
    ] {
        let line: Vec<&str> = arguments.iter().copied().chain(["--out", "o"]).collect();

        let args = parsed(&line).unwrap();

        let (own, rest) = args.source();
        assert_eq!(format!("{own:?}"), source, "{arguments:?}");
        assert_eq!(rest.len(), paths, "{arguments:?}");
    }
}

#[test]
fn wrong_usage_is_refused() {
    for arguments in [
        vec!["--out", "o"],
        vec!["a.eval"],
        vec!["a.eval", "--out", "o", "--from", "banana"],
        vec!["a.eval", "--out", "o", "--retrieved-at", "yesterday"],
        vec!["a.eval", "--out", "o", "--inference-engine-version", "1"],
        vec!["a.eval", "--out", "o", "--to", "eval-results"],
        vec!["a.eval", "--out", "o", "--metric", "accuracy"],
    ] {
        assert!(parsed(&arguments).is_err(), "{arguments:?}");
    }
}

#[test]
fn what_is_typed_reaches_the_converter() {
    let args = parsed(&[
        "a.eval",
        "--dry-run",
        "--no-samples",
        "--source-organization",
        "Acme",
        "--evaluator-relationship",
        "first_party",
        "--retrieved-at",
        "1767225600.5",
        "--jobs",
        "3",
    ])
    .unwrap();

    let options = args.options();

    assert_eq!(args.source().0, Source::Auto);
    assert_eq!(options.organization, "Acme");
    assert_eq!(options.relationship.as_str(), "first_party");
    assert_eq!(options.retrieved_timestamp.as_deref(), Some("1767225600.5"));
    assert_eq!((options.samples, options.jobs), (false, 3));
}
