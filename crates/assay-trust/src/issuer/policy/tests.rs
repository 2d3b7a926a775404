use assay_model::RepoId;
use proptest::prelude::*;

use super::super::{Ask, Decision, Denial, IdentityKind};
use super::*;

const POLICY: &str = r#"
version = 1

[[integration]]
id = "inspect-ai"
frameworks = [{ name = "inspect-ai", versions = ">=0.3.100" }]
assurance_max = "hosted"
disclose_targets = true

  [[integration.identity]]
  kind   = "oidc"
  issuer = "https://token.actions.githubusercontent.com"
  require = { repository_owner_id = "1234", repository_id = "5678", job_workflow_ref = "org/evals/.github/workflows/eval.yml@refs/tags/v3" }
  events = ["workflow_dispatch", "schedule", "push"]
  assurance = "hosted"

  [[integration.identity]]
  kind = "oauth_client"
  client_id = "ins-prod"
  auth = "private_key_jwt"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["cais/hle", "Idavidrein/*"]
  models = ["*/*"]

  [[integration.rule]]
  effect = "deny"
  models = ["acme/internal-*"]

  [integration.limits]
  issue_per_minute = 30
  same_target_per_day = 3
"#;

fn decide(policy: &str, framework: (&str, &str), benchmark: &str, model: &str) -> Decision {
    let policy = Policy::read(policy).unwrap();
    let integration = policy.integrations().next().unwrap();
    let (benchmark, model): (RepoId, RepoId) = (benchmark.parse().unwrap(), model.parse().unwrap());
    integration.decide(&Ask {
        framework: framework.0,
        version: framework.1,
        benchmark: &benchmark,
        model: &model,
    })
}

fn faults(policy: &str) -> Vec<String> {
    let faults = Policy::read(policy).unwrap_err();
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn a_policy_says_who_may_speak_for_what() {
    let policy = Policy::read(POLICY).unwrap();

    let integration = policy.integration(&"inspect-ai".parse().unwrap()).unwrap();
    assert_eq!(integration.lifetime_seconds, 15 * 60);
    assert_eq!(integration.limits.same_target_per_day, 3);
    assert_eq!(integration.limits.issue_per_day, 5_000);
    assert_eq!(
        policy.providers()[0].class,
        super::super::ProviderClass::Github
    );
    let kinds: Vec<&IdentityKind> = policy.identities().map(|one| &one.kind).collect();
    assert!(matches!(kinds[0], IdentityKind::Oidc { events, .. } if events.len() == 3));
    assert!(matches!(kinds[1], IdentityKind::Client { client_id, .. } if client_id == "ins-prod"));
    assert_eq!(policy.digest(), Digest::of(POLICY.as_bytes()));
    assert_ne!(
        policy.digest(),
        Policy::read(&POLICY.replace("= 3", "= 4"))
            .unwrap()
            .digest()
    );
}

/// Row 59 of the threat table, the part that decides.
#[test]
fn framework_not_allowed() {
    let ask = |framework| decide(POLICY, framework, "cais/hle", "acme/a");

    assert!(ask(("inspect-ai", "0.4.2")).is_allowed());
    for framework in [
        ("lighteval", "0.4.2"),
        ("Inspect-ai", "0.4.2"),
        ("inspect-ai ", "0.4.2"),
        ("", ""),
    ] {
        let Decision::Denied(denial) = ask(framework) else {
            panic!("{framework:?}");
        };
        assert_eq!(denial.code(), "framework_not_allowed");
    }
    let Decision::Denied(denial) = ask(("inspect-ai", "0.3.99")) else {
        panic!("an older version");
    };
    assert_eq!(denial.code(), "framework_not_allowed");
    assert!(denial.to_string().contains(">=0.3.100"), "{denial}");
}

#[test]
fn deny_wins_and_what_nobody_allows_is_denied_and_the_rule_is_named() {
    let ask = |benchmark, model| decide(POLICY, ("inspect-ai", "1.0.0"), benchmark, model);

    assert_eq!(ask("cais/hle", "acme/a"), Decision::Allowed { line: 22 });
    assert_eq!(
        ask("Idavidrein/gpqa", "acme/a"),
        Decision::Allowed { line: 22 }
    );
    assert_eq!(
        ask("cais/hle", "acme/internal-7b"),
        Decision::Denied(Denial::Rule { line: 27 })
    );
    assert_eq!(ask("cais/mmlu", "acme/a"), Decision::Denied(Denial::NoRule));
    // Names are compared as the hub compares them.
    assert_eq!(ask("Cais/HLE", "acme/a"), Decision::Allowed { line: 22 });
    assert_eq!(
        ask("cais/hle", "Acme/INTERNAL-7b"),
        Decision::Denied(Denial::Rule { line: 27 })
    );
}

#[test]
fn an_integration_without_rules_may_nothing() {
    let policy = "version = 1\n[[integration]]\nid = 'a'\nframeworks = [{ name = 'f' }]\n";

    let decision = decide(policy, ("f", "1"), "cais/hle", "acme/a");

    assert_eq!(decision, Decision::Denied(Denial::NoRule));
    assert_eq!(Policy::nothing().integrations().count(), 0);
}

#[test]
fn an_organisation_is_the_namespace_of_the_model() {
    let policy = "version = 1\n[[integration]]\nid = 'a'\nframeworks = [{ name = 'f' }]\n\
        [[integration.rule]]\neffect = 'allow'\norganizations = ['acme', 'lab-*']\n";
    let ask = |model| decide(policy, ("f", "1"), "cais/hle", model).is_allowed();

    assert!(ask("acme/a") && ask("lab-7/a"));
    assert!(!ask("acme2/a") && !ask("other/acme") && !ask("acme"));
}

#[test]
fn unknown_keys_are_errors_with_their_place() {
    for (text, place) in [
        ("version = 1\nallow = true\n", "2:1: "),
        (
            "version = 1\n[[integration]]\nid = 'a'\nframeworks = []\nlifetime = 3\n",
            "5:1: ",
        ),
        (
            "version = 1\n[[integration]]\nid = 'a'\nframeworks = [{ name = 'f', min = '1' }]\n",
            "4:",
        ),
        (
            "version = 1\n[[integration]]\nid = 'a'\nframeworks = [{ name = 'f' }]\n[[integration.identity]]\nkind = 'token'\nname = 'x'\nscope = 'all'\n",
            "8:1: ",
        ),
    ] {
        let told = faults(text);

        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(place), "{told:?}");
        assert!(told[0].contains("unknown field"), "{told:?}");
    }
}

#[test]
fn every_other_fault_is_told_with_its_place() {
    let told = faults(
        r#"version = 2

[[integration]]
id = "a"
frameworks = [{ name = "x y" }, { name = "f", versions = "newer" }]
lifetime_minutes = 61
  [[integration.identity]]
  kind = "oidc"
  issuer = "https://token.actions.githubusercontent.com"
  require = { repository_id = "1" }
  events = ["push"]
  [[integration.identity]]
  kind = "token"
  [[integration.rule]]
  effect = "permit"
  [[integration.rule]]
  effect = "allow"
  [[integration.rule]]
  effect = "allow"
  models = ["acme/**"]
"#,
    );

    let expected = [
        "1:11: the version of a policy is 1",
        "5:24: the name of a framework",
        "5:58: this is no range of versions",
        "7:3: `require` must fix `repository_owner_id`",
        "12:3: give an identity of this kind a `name`",
        "15:12: the effect of a rule is `allow` or `deny`",
        "16:3: a rule names `benchmarks`",
        "20:13: a pattern is a name",
        "6:20: a token is valid for 1 to 60 minutes",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for start in expected {
        assert!(
            told.iter().any(|fault| fault.starts_with(start)),
            "{start} in {told:#?}"
        );
    }
}

/// Row 68 of the threat table, the part that a policy cannot allow.
#[test]
fn events_that_are_not_known_to_be_safe_cannot_be_listed() {
    for event in [
        "pull_request_target",
        "workflow_run",
        "pull_request",
        "issues",
        "fork",
        "watch",
        "discussion",
        "discussion_comment",
        "pull_request_review",
        "pull_request_review_comment",
        "gollum",
        "an_event_of_next_year",
    ] {
        let told = faults(&POLICY.replace("\"push\"]", &format!("\"{event}\"]")));

        assert!(
            told[0].contains(&format!("`{event}` is not among the events")),
            "{told:?}"
        );
    }
    for event in ["push", "release", "repository_dispatch", "deployment"] {
        let policy = POLICY.replace("\"push\"]", &format!("\"{event}\"]"));
        assert!(Policy::read(&policy).is_ok(), "{event}");
    }
}

#[test]
fn names_that_look_alike_are_refused() {
    let twice = |other: &str, framework: &str| {
        format!(
            "version = 1\n[[integration]]\nid = 'inspect-ai'\nframeworks = [{{ name = 'inspect-ai' }}]\n\
             [[integration]]\nid = '{other}'\nframeworks = [{{ name = '{framework}' }}]\n"
        )
    };

    assert!(Policy::read(&twice("other", "inspect-ai")).is_ok());
    assert!(faults(&twice("1nspect-ai", "f"))[0].contains("looks like the integration"));
    assert!(faults(&twice("other", "inspect_ai"))[0].contains("looks like the framework"));
    assert!(faults(&twice("inspect-ai", "f"))[0].contains("looks like the integration"));
}

#[test]
fn an_issuer_of_another_kind_cannot_take_the_name_of_a_known_one() {
    let policy = format!(
        "{POLICY}\n[[issuer]]\nurl = 'https://gitlab.com'\nkind = 'generic'\njwks = 'https://evil.example/keys'\n"
    );

    assert!(faults(&policy)[0].contains("is of the kind `gitlab`"));
    for url in [
        "http://idp.example",
        "https://",
        "ftp://x",
        "https://a?b",
        "https://u@h",
    ] {
        let policy = format!("version = 1\n[[issuer]]\nurl = '{url}'\njwks = 'https://a/k'\n");
        assert!(faults(&policy)[0].contains("address of an issuer"), "{url}");
    }
}

proptest! {
    /// Row 61: the order of rules makes no difference to what is allowed.
    #[test]
    fn the_order_of_rules_makes_no_difference(order in Just(vec![0_usize, 1, 2, 3, 4]).prop_shuffle(), model in 0_usize..4, benchmark in 0_usize..3) {
        let rules = [
            "[[integration.rule]]\neffect='allow'\nmodels=['acme/*']\n",
            "[[integration.rule]]\neffect='deny'\nmodels=['acme/internal-*']\n",
            "[[integration.rule]]\neffect='allow'\nbenchmarks=['cais/*']\nmodels=['lab/*']\n",
            "[[integration.rule]]\neffect='deny'\nbenchmarks=['cais/old']\n",
            "[[integration.rule]]\neffect='allow'\nmodels=['acme/internal-ok']\n",
        ];
        let head = "version = 1\n[[integration]]\nid = 'a'\nframeworks = [{ name = 'f' }]\n";
        let text = |order: &[usize]| {
            let rules: String = order.iter().map(|&at| rules[at]).collect();
            format!("{head}{rules}")
        };
        let model = ["acme/a", "acme/internal-ok", "lab/a", "else/a"][model];
        let benchmark = ["cais/hle", "cais/old", "other/b"][benchmark];

        let one = decide(&text(&[0, 1, 2, 3, 4]), ("f", "1"), benchmark, model);
        let other = decide(&text(&order), ("f", "1"), benchmark, model);

        prop_assert_eq!(one.is_allowed(), other.is_allowed());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = Policy::read(&text);
        let _ = Policy::read(&format!("version = 1\n[[integration]]\n{text}"));
    }
}
