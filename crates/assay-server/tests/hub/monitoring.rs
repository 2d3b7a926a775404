//! The metrics of a hub, and the alert rules and the dashboard that are built on them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use assay_app::{WitnessAddress, Witnesses};
use assay_formats::{Tape, yaml};
use assay_server::{Person, TestHub};

use crate::web_support::Browser;

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/monitoring");
    fs_err::read_to_string(root.join(name)).unwrap()
}

/// A hub with a witness that has answered a request, so that no metric is absent.
async fn watched_hub() -> TestHub {
    let hub = TestHub::new().await;
    let key = "witness.example/w1+d9ed62c5+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR";
    let witness = WitnessAddress {
        url: "https://witness.example".to_owned(),
        key: key.parse().unwrap(),
    };
    let _witnesses = Witnesses::new(Arc::clone(hub.hub()), vec![witness]);
    hub.get(Person::Nobody, "/healthz").await.expect(200);
    hub
}

async fn metrics(hub: &TestHub) -> String {
    hub.get(Person::Nobody, "/metrics").await.expect(200).text()
}

/// The names of what a hub exposes, those of histograms with their suffixes.
fn exposed(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("# TYPE ") else {
            continue;
        };
        let (name, kind) = rest.split_once(' ').unwrap();
        let suffixes: &[&str] = match kind {
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        names.extend(suffixes.iter().map(|suffix| format!("{name}{suffix}")));
    }
    names
}

/// The metrics of ours that an expression names.
fn named(expression: &str) -> BTreeSet<String> {
    expression
        .split(|own: char| !own.is_ascii_alphanumeric() && own != '_')
        .filter(|word| word.starts_with("assay_"))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_metric_of_the_alert_rules_and_the_dashboard_exists() {
    let hub = watched_hub().await;
    let exposed = exposed(&metrics(&hub).await);
    let rules = read("alerts.yml");
    let mut tape = Tape::new();
    let faults = yaml::parse(&rules, &mut tape);
    let dashboard: serde_json::Value = serde_json::from_str(&read("grafana.json")).unwrap();

    let mut expressions = vec![dashboard["templating"].to_string()];
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            expressions.push(target["expr"].as_str().unwrap().to_owned());
        }
    }
    for group in tape.root(&rules).unwrap().get("groups").unwrap().items() {
        for rule in group.get("rules").unwrap().items() {
            let expression = rule.get("expr").unwrap().text().unwrap();
            expressions.push(expression.into_owned());
        }
    }

    assert!(faults.is_empty(), "{faults:?}");
    assert!(expressions.len() > 35, "{}", expressions.len());
    for expression in expressions {
        for name in named(&expression) {
            assert!(exposed.contains(&name), "no `{name}`, as in {expression}");
        }
    }
}

#[tokio::test]
async fn the_documentation_names_every_metric() {
    let hub = watched_hub().await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs_err::read_to_string(root.join("docs/hub-operators.md")).unwrap();

    let text = metrics(&hub).await;

    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let name = rest.split(' ').next().unwrap();
            assert!(
                page.contains(&format!("`{name}`")),
                "`{name}` is not documented"
            );
        }
    }
}

#[tokio::test]
async fn writes_refusals_and_failed_sign_ins_are_counted() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(409);
    hub.commit(Person::Alice, "models/alice/small", &[("a", "1")])
        .await
        .expect(200);
    let mut browser = Browser::new(&hub);
    let wrong = [("name", "alice"), ("password", "wrong"), ("token", "")];
    browser
        .fill_in("/login", "/login", &wrong)
        .await
        .expect(401);
    let request = axum::http::Request::get("/api/whoami-v2")
        .header("authorization", "Bearer hf_wrong")
        .body(axum::body::Body::empty())
        .unwrap();
    hub.send(Person::Nobody, request).await.expect(401);

    let text = metrics(&hub).await;

    for line in [
        "assay_writes_total{kind=\"repository\",outcome=\"accepted\"} 1",
        "assay_writes_total{kind=\"repository\",outcome=\"refused\"} 1",
        "assay_writes_total{kind=\"commit\",outcome=\"accepted\"} 1",
        "assay_session_sign_in_failures_total 1",
        "assay_token_failures_total 1",
        "assay_database_up 1",
        "assay_webhooks_due 0",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    let number = |name: &str| -> f64 {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap().parse().unwrap()
    };
    assert!(number("assay_disk_total_bytes") >= number("assay_disk_free_bytes"));
    assert!(number("assay_disk_free_bytes") > 0.0);
    assert!(number("assay_database_bytes") > 0.0);
    assert!(number("assay_writer_wait_seconds_count") > 3.0);
    assert!(number("assay_audit_rows") >= 8.0);
}
