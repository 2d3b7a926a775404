//! Keys, revocations and issuers at the shell, without a server.

use serde_json::Value;

use crate::support::Workspace;

/// RFC 8037, appendix A.2.
const JWKS: &str = r#"{"keys": [
    {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "use": "sig"},
    {"kty": "RSA", "n": "x", "e": "AQAB"}
]}"#;
const RFC_KID: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

fn hub() -> Workspace {
    Workspace::new()
        .with("hub/here", "")
        .with("keys.json", JWKS)
}

fn json(workspace: &Workspace, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.extend(["--data", "hub", "--format", "json"]);
    let run = workspace.run(&all);
    assert_eq!(run.code, Some(0), "{args:?}: {run}");
    serde_json::from_str(&run.stdout).unwrap()
}

fn active(keys: &Value) -> Vec<&str> {
    let keys = keys["keys"].as_array().unwrap().iter();
    keys.filter(|key| key["purpose"] == "token" && key["state"] == "active" && key["own"] == true)
        .map(|key| key["kid"].as_str().unwrap())
        .collect()
}

#[test]
fn a_key_is_published_rotated_and_revoked_and_the_hub_keeps_one_that_signs() {
    let workspace = hub();
    let before = json(&workspace, &["keys", "list"]);
    let first = active(&before)[0].to_owned();

    let next = json(&workspace, &["keys", "generate"]);
    let next = next["key"]["kid"].as_str().unwrap().to_owned();
    json(&workspace, &["keys", "rotate", "--to", &next]);
    let rotated = json(&workspace, &["keys", "list"]);
    let reason = ["--reason", "a drill"];
    let planned = json(
        &workspace,
        &[&["keys", "revoke", &next, "--dry-run"][..], &reason].concat(),
    );
    json(
        &workspace,
        &[&["keys", "revoke", &next][..], &reason].concat(),
    );
    let after = json(&workspace, &["keys", "list"]);

    assert_eq!(active(&before).len(), 1);
    assert_eq!(active(&rotated), [next.as_str()]);
    assert_eq!(planned["index"], Value::Null);
    assert_eq!(planned["rows"], Value::Array(Vec::new()));
    let signing: Vec<&str> = active(&after)
        .into_iter()
        .filter(|kid| *kid != next)
        .collect();
    assert_eq!(signing.len(), 1, "{after:#}");
    assert_ne!(signing[0], first, "what has retired does not come back");
    let listed = json(&workspace, &["trust", "list"]);
    assert_eq!(listed["revocations"][0]["scope"], format!("key {next}"));
    let index = listed["revocations"][0]["index"].to_string();
    json(
        &workspace,
        &["trust", "unrevoke", &index, "--reason", "the drill is over"],
    );
    assert_eq!(
        json(&workspace, &["trust", "list"])["revocations"],
        Value::Array(Vec::new())
    );
}

#[test]
fn an_issuer_is_trusted_with_its_ed25519_keys_and_distrusted_again() {
    let workspace = hub();
    let name = "https://evals.example";

    let added = json(
        &workspace,
        &[
            "trust",
            "issuer",
            "add",
            name,
            "--jwks",
            "keys.json",
            "--framework",
            "inspect-ai",
        ],
    );
    let keys = json(&workspace, &["keys", "list"]);
    json(&workspace, &["trust", "issuer", "remove", name]);
    let issuers = json(&workspace, &["trust", "issuer", "list"]);

    assert_eq!(added["keys"], 1);
    let listed = keys["keys"].as_array().unwrap().iter();
    let of_issuer: Vec<&Value> = listed.filter(|key| key["issuer"] == name).collect();
    assert_eq!(of_issuer.len(), 1);
    assert_eq!(of_issuer[0]["kid"], RFC_KID);
    assert_eq!(of_issuer[0]["own"], false);
    let issuers = issuers["issuers"].as_array().unwrap();
    let own = issuers.iter().find(|own| own["issuer"] == name).unwrap();
    assert_eq!(own["trusted"], false);
    assert_eq!(issuers.len(), 2);
}

#[test]
fn what_cannot_be_done_says_why_and_exits_1_and_wrong_usage_exits_3() {
    let workspace = hub();
    let kid = RFC_KID;
    for (args, code, words) in [
        (&["keys", "retire", kid] as &[&str], 1, "knows no key"),
        (&["keys", "retire", "x"], 1, "not the identity of a key"),
        (
            &["trust", "revoke", "--kid", kid, "--reason", "x"],
            1,
            "knows no key",
        ),
        (
            &["trust", "revoke", "--integration", "a", "--reason", " "],
            1,
            "needs a reason",
        ),
        (
            &["trust", "unrevoke", "0", "--reason", "x"],
            1,
            "no revocation",
        ),
        (&["trust", "revoke", "--reason", "x"], 3, "required"),
        (
            &[
                "trust", "revoke", "--kid", kid, "--jti", "x", "--reason", "x",
            ],
            3,
            "cannot be used",
        ),
    ] {
        let mut all = args.to_vec();
        all.extend(["--data", "hub"]);

        let run = workspace.run(&all);

        assert_eq!(run.code, Some(code), "{args:?}: {run}");
        assert!(run.stderr.contains(words), "{args:?}: {run}");
    }
}
