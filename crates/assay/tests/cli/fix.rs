use crate::support::{BROKEN, RECORD, Workspace, misspelt_record, pretty, record};

#[test]
fn a_misspelt_key_is_mended_and_nothing_else_changes() {
    let misspelt = misspelt_record();
    let workspace = Workspace::new().with(RECORD, &misspelt);

    let run = workspace.run(&["validate", "--fix"]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(
        run.stdout.starts_with(&format!(
            "fixed[AY106]: {RECORD}:6:5: `source_nam` is not a key"
        )),
        "{run}"
    );
    assert_eq!(
        workspace.read(RECORD),
        misspelt.replace("source_nam\"", "source_name\"")
    );
}

#[test]
fn several_changes_in_one_file_are_made_together() {
    let spoilt = format!(
        "\u{feff}{}",
        misspelt_record().replace("\"1760000000\"", "1760000000")
    );
    let workspace = Workspace::new().with(RECORD, &spoilt);

    let run = workspace.run(&["validate", "--fix", "--format", "json"]);

    let document = run.json();
    let codes: Vec<&str> = document["fixed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fixed| fixed["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["AY005", "AY102", "AY106"], "{run}");
    assert_eq!(document["summary"]["errors"], 0);
    let expected = misspelt_record().replace("source_nam\"", "source_name\"");
    assert_eq!(workspace.read(RECORD), expected);
}

#[test]
fn what_cannot_be_mended_is_reported_and_left_alone() {
    let workspace = Workspace::new()
        .with("run.json", BROKEN)
        .with(RECORD, pretty(&record()));

    let run = workspace.run(&["validate", "--fix"]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(!run.stdout.contains("fixed["));
    assert_eq!(workspace.read("run.json"), BROKEN);
    assert_eq!(workspace.read(RECORD), pretty(&record()));
}

#[cfg(unix)]
#[test]
fn a_stream_cannot_be_mended() {
    let workspace = Workspace::new();
    for (path, name) in [("-", "<stdin>"), ("/dev/stdin", "/dev/stdin")] {
        let run = workspace.run_on(&["validate", "--fix", path], misspelt_record());

        assert_eq!(run.code, Some(3), "{run}");
        assert_eq!(
            run.stderr,
            format!("error: `--fix` cannot mend `{name}`; name a file\n")
        );
    }
}

#[test]
fn what_was_mended_is_listed_beside_a_log_that_has_no_room_for_it() {
    let workspace = Workspace::new().with(RECORD, misspelt_record());

    let run = workspace.run(&["validate", "--fix", "--format", "sarif"]);

    assert!(run.stderr.starts_with("fixed[AY106]: "), "{run}");
    assert_eq!(run.json()["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn without_the_flag_no_file_is_touched() {
    let misspelt = misspelt_record();
    let workspace = Workspace::new().with(RECORD, &misspelt);

    workspace.run(&["validate"]);

    assert_eq!(workspace.read(RECORD), misspelt);
}

#[test]
fn no_temporary_file_stays_behind() {
    let workspace = Workspace::new().with(RECORD, misspelt_record());

    workspace.run(&["validate", "--fix"]);

    let directory = workspace.path().join(RECORD);
    let names: Vec<_> = std::fs::read_dir(directory.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [directory.file_name().unwrap()]);
}
