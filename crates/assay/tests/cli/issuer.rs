use crate::support::Workspace;

const POLICY: &str = "\
version = 1
[[integration]]
id = 'inspect-ai'
frameworks = [{ name = 'inspect-ai', versions = '>=0.3.100' }]
  [[integration.identity]]
  name = 'lab'
  kind = 'token'
  [[integration.rule]]
  effect = 'allow'
  benchmarks = ['cais/*']
  [[integration.rule]]
  effect = 'deny'
  models = ['acme/internal-*']
";

fn workspace() -> Workspace {
    Workspace::new()
        .with("policy.toml", POLICY)
        .with("assay-data/.keep", "")
}

#[test]
fn a_policy_is_checked_and_every_fault_has_its_place() {
    let workspace = workspace().with(
        "bad.toml",
        "version = 1\n[[integration]]\nid = 'A'\nframeworks = []\n",
    );

    let good = workspace.run(&["issuer", "policy", "check", "policy.toml"]);
    let bad = workspace.run(&["issuer", "policy", "check", "bad.toml"]);
    let json = workspace.run(&["issuer", "policy", "check", "bad.toml", "--format", "json"]);
    let missing = workspace.run(&["issuer", "policy", "check", "none.toml"]);

    assert_eq!(good.code, Some(0), "{good}");
    assert!(
        good.stdout.starts_with("the policy can be used: sha256:"),
        "{good}"
    );
    assert_eq!(bad.code, Some(1), "{bad}");
    assert!(bad.stdout.starts_with("bad.toml:3:6: "), "{bad}");
    assert_eq!(json.json()["faults"][0]["line"], 3);
    assert_eq!(missing.code, Some(3), "{missing}");
}

#[test]
fn a_policy_tells_which_rule_decides() {
    let workspace = workspace();
    let ask = |framework: &str, model: &str| {
        let (framework, model) = (format!("framework={framework}"), format!("model={model}"));
        workspace.run(&[
            "issuer",
            "policy",
            "check",
            "policy.toml",
            "--as-if",
            "integration=inspect-ai",
            &framework,
            "benchmark=cais/hle",
            &model,
        ])
    };

    let allowed = ask("inspect-ai@0.4.2", "acme/a");
    let denied = ask("inspect-ai@0.4.2", "acme/internal-7b");
    let framework = ask("lighteval@1.0", "acme/a");
    let nonsense = ask("inspect-ai", "acme/a");

    assert_eq!(allowed.code, Some(0), "{allowed}");
    assert_eq!(
        allowed.stdout,
        "allowed: the rule on line 8 of the policy allows it\n"
    );
    assert_eq!(denied.code, Some(1), "{denied}");
    assert_eq!(
        denied.stdout,
        "denied: the rule on line 11 of the policy denies it\n"
    );
    assert_eq!(framework.code, Some(1), "{framework}");
    assert_eq!(nonsense.code, Some(3), "{nonsense}");
}

#[test]
fn integrations_identities_and_credentials_are_managed_at_the_shell() {
    let workspace = workspace();
    let run = |args: &[&str]| {
        let all = [&["issuer", "--policy", "policy.toml"], args].concat();
        workspace.run(&all)
    };

    assert_eq!(run(&["integration", "add", "inspect-ai"]).code, Some(0));
    assert_eq!(run(&["integration", "add", "1nspect-ai"]).code, Some(1));
    let added = run(&[
        "credential",
        "add",
        "inspect-ai/lab",
        "--days",
        "30",
        "--format",
        "json",
    ])
    .json();
    assert!(
        added["secret"].as_str().unwrap().starts_with("evp_"),
        "{added}"
    );
    assert_eq!(
        run(&["credential", "add", "inspect-ai/lab", "--days", "91"]).code,
        Some(1)
    );
    assert_eq!(
        run(&["credential", "add", "inspect-ai/nobody"]).code,
        Some(1)
    );
    let listed = run(&["credential", "list", "--format", "json"]);
    assert!(
        !listed.stdout.contains(added["secret"].as_str().unwrap()),
        "{listed}"
    );
    assert_eq!(listed.json()[0]["id"], added["id"]);
    assert_eq!(
        run(&["credential", "revoke", added["id"].as_str().unwrap()]).code,
        Some(0)
    );

    let box_ = [
        "identity",
        "add",
        "inspect-ai",
        "--kind",
        "oauth_client",
        "--client-id",
        "ins",
    ];
    assert_eq!(run(&box_).code, Some(0));
    assert_eq!(
        run(&[
            "identity",
            "suspend",
            "inspect-ai/ins",
            "--reason",
            "stolen"
        ])
        .code,
        Some(0)
    );
    let identities = run(&["identity", "list", "--format", "json"]).json();
    assert_eq!(identities[0]["identity"], "inspect-ai/ins");
    assert_eq!(identities[0]["suspended"]["reason"], "stolen");
    assert_eq!(run(&["identity", "resume", "inspect-ai/ins"]).code, Some(0));
    assert_eq!(
        run(&["identity", "remove", "inspect-ai/lab"]).code,
        Some(1),
        "it is in the policy"
    );
    assert_eq!(run(&["identity", "remove", "inspect-ai/ins"]).code, Some(0));

    let log = run(&["log", "--format", "json"]).json();
    let actions: Vec<&str> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions.last(), Some(&"add integration"), "{actions:?}");
    assert!(
        actions.contains(&"revoke credential") && actions.contains(&"remove identity"),
        "{actions:?}"
    );
}
