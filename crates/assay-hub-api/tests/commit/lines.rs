use assay_hub_api::{CommitFault, CommitOperation, FileContent};

use crate::read::{LIMITS, file, in_pieces, with_header};

/// The content of the only file.
fn content(line: &str) -> Vec<u8> {
    let commit = with_header(line).unwrap();
    let [CommitOperation::File { content, .. }] = &commit.operations[..] else {
        panic!("{:?}", commit.operations);
    };
    assert_eq!(content.size, content.written.len() as u64);
    content.written.clone()
}

/// Returns the message about a body that is refused, and the party at fault.
fn refusal(lines: &str) -> (CommitFault, String) {
    let error = with_header(lines).unwrap_err();
    (error.fault(), error.to_string())
}

#[test]
fn every_operation_of_a_recorded_commit_is_read() {
    let sha256 = "7".repeat(64);
    let body = format!(
        r#"{{"key": "header", "value": {{"summary": "late", "description": "more", "parentCommit": "6713d6a6bd3be7fbee6e01867bf2bff97a650932"}}}}
{{"key": "file", "value": {{"content": "eA==", "path": "x.txt", "encoding": "base64"}}}}
{{"key": "lfsFile", "value": {{"path": "big.bin", "algo": "sha256", "oid": "{sha256}", "size": 20971520}}}}
{{"key": "deletedFile", "value": {{"path": "README.md"}}}}
{{"key": "deletedFolder", "value": {{"path": ".eval_results/"}}}}
"#
    );

    let commit = in_pieces(body.as_bytes(), 7, LIMITS).unwrap();

    assert_eq!(commit.summary, "late");
    assert_eq!(commit.description, "more");
    assert!(commit.parent.is_some());
    let path = |text: &str| text.parse().unwrap();
    assert_eq!(
        commit.operations,
        [
            CommitOperation::File {
                path: path("x.txt"),
                old_path: None,
                content: FileContent {
                    written: b"x".to_vec(),
                    size: 1
                },
            },
            CommitOperation::LargeFile {
                path: path("big.bin"),
                old_path: None,
                oid: sha256,
                size: Some(20_971_520),
            },
            CommitOperation::DeleteFile {
                path: path("README.md")
            },
            CommitOperation::DeleteFolder {
                path: path(".eval_results")
            },
        ]
    );
}

#[test]
fn the_order_of_keys_does_not_matter() {
    for line in [
        r#"{"key":"file","value":{"path":"a.txt","encoding":"base64","content":"aGk="}}"#,
        r#"{"value":{"content":"aGk=","path":"a.txt","encoding":"base64"},"key":"file"}"#,
        r#" { "key" : "file" , "value" : { "content" : "aGk=" , "encoding" : "base64", "path" : "a.txt" } } "#,
        r#"{"key":"file","value":{"c\u006fntent":"aGk=","path":"a.txt","encoding":"base64"}}"#,
        r#"{"key":"file","value":{"more":{"content":"no"},"list":[{"content":"\""}],"content":"aGk=","path":"a.txt","encoding":"base64"}}"#,
        r#"{"content":"no","key":"file","value":{"content":"aGk=","path":"a.txt","encoding":"base64"}}"#,
    ] {
        assert_eq!(content(line), b"hi", "{line}");
    }
}

#[test]
fn content_may_be_escaped_as_json_allows() {
    assert_eq!(content(&file(r"aGk\u003d", "base64")), b"hi");
    assert_eq!(content(&file(r"Pz8\/", "base64")), b"???");
    assert_eq!(
        content(&file(r#"caf\u00e9 \ud83d\ude00\n\t\"\\ é"#, "utf-8")),
        "café 😀\n\t\"\\ é".as_bytes()
    );
    assert_eq!(content(&file("", "base64")), b"");
    assert_eq!(content(&file("", "utf-8")), b"");
}

#[test]
fn content_that_is_not_what_it_says_is_refused() {
    for content in [
        "aGk", "aG=k", "aGk=aGk=", "aG k=", "aGl=", "====", "ä", "-_8=",
    ] {
        let (fault, text) = refusal(&file(content, "base64"));

        assert_eq!(fault, CommitFault::Malformed, "{content}");
        assert!(text.contains("base64"), "{content}: {text}");
    }
    for content in [
        r"\x",
        r"\ud83d",
        r"\ude00",
        r"\ud83d\u0041",
        r"\u00g0",
        "\u{1}",
    ] {
        let (fault, text) = refusal(&file(content, "utf-8"));

        assert_eq!(fault, CommitFault::Malformed, "{content}");
        assert!(text.contains("`content` of line 2"), "{content}: {text}");
    }
}

#[test]
fn a_line_that_ends_inside_content_is_refused_at_once() {
    let body = b"{\"key\":\"header\",\"value\":{\"summary\":\"s\"}}\n{\"key\":\"file\",\"value\":{\"content\":\"aGk=\n";

    for piece in 1..body.len() {
        let error = in_pieces(body, piece, LIMITS).unwrap_err();

        assert!(error.to_string().contains("not closed"), "{error}");
    }
    assert!(in_pieces(&body[..body.len() - 1], 9, LIMITS).is_err());
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    for (line, said) in [
        (
            r#"{"key":"file","value":{"path":"a","encoding":"base64"}}"#,
            "no `content`",
        ),
        (
            r#"{"key":"file","value":{"path":"a","content":""}}"#,
            "no `encoding`",
        ),
        (
            r#"{"key":"file","value":{"encoding":"base64","content":""}}"#,
            "no `path`",
        ),
        (
            r#"{"key":"file","value":{"path":"a","encoding":"hex","content":""}}"#,
            "the encoding `hex`",
        ),
        (r#"{"key":"copy","value":{}}"#, "the key `copy`"),
        (
            r#"{"key":"header","value":{"summary":"again"}}"#,
            "second `header`",
        ),
        (r#"{"key":"lfsFile","value":{"path":"a"}}"#, "no `oid`"),
        (
            r#"{"key":"lfsFile","value":{"path":"a","oid":"12"}}"#,
            "`sha256`",
        ),
        (
            r#"{"key":"file","value":{"path":"a","path":"b","content":"","encoding":"base64"}}"#,
            "duplicate field `path`",
        ),
        (
            r#"{"key":"file","value":{"path":"a","content":"","content":"","encoding":"base64"}}"#,
            "duplicate field `content`",
        ),
        (
            r#"{"key":"file","value":{"path":"a","content":"","c\u006fntent":"","encoding":"base64"}}"#,
            "duplicate field `content`",
        ),
        (r#"{"value":{}}"#, "missing field `key`"),
        ("[]", "is not an operation"),
        ("{", "is not an operation"),
        (
            r#"{"key":"deletedFile","value":{"path":"a"}} x"#,
            "is not an operation",
        ),
    ] {
        let (fault, text) = refusal(line);

        assert_eq!(fault, CommitFault::Malformed, "{line}");
        assert!(text.contains(said), "{line}: {text}");
        assert!(text.contains("line 2"), "{line}: {text}");
        assert!(!text.contains("column"), "{line}: {text}");
    }
}

#[test]
fn paths_that_leave_the_repository_are_told_apart() {
    for path in [
        "../a",
        "/etc/passwd",
        "a/../b",
        ".git/config",
        "a\\\\b",
        "",
        "a//b",
    ] {
        let line = format!(r#"{{"key":"deletedFile","value":{{"path":"{path}"}}}}"#);

        let (fault, text) = refusal(&line);

        assert_eq!(fault, CommitFault::UnsafePath, "{path}: {text}");
    }
}

#[test]
fn the_header_comes_first_and_is_there() {
    for body in ["", "\n\n", r#"{"key":"deletedFile","value":{"path":"a"}}"#] {
        let error = in_pieces(body.as_bytes(), 8, LIMITS).unwrap_err();

        assert_eq!(error.to_string(), "the first line must be the `header`");
    }
}

#[test]
fn a_parent_that_is_no_commit_is_refused() {
    for parent in ["abc", "xyzzy", "ABCDEF1", &"a".repeat(41)] {
        let body =
            format!(r#"{{"key":"header","value":{{"summary":"s","parentCommit":"{parent}"}}}}"#);

        let error = in_pieces(body.as_bytes(), 8, LIMITS).unwrap_err();

        assert_eq!(
            error.to_string(),
            "line 1: a parent commit has 5 to 40 lower-case hexadecimal digits"
        );
    }
}

#[test]
fn lines_may_end_as_on_any_system_or_not_at_all() {
    let body = "{\"key\":\"header\",\"value\":{\"summary\":\"s\"}}\r\n\r\n  \n{\"key\":\"deletedFile\",\"value\":{\"path\":\"a\"}}";

    let commit = in_pieces(body.as_bytes(), 3, LIMITS).unwrap();

    assert_eq!(commit.operations.len(), 1);
}
