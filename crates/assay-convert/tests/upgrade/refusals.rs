use assay_convert::upgrade::{self, ReasonKind};
use serde_json::{Value, json};

use crate::fixture::{changed, plain, refused, upgraded};

#[test]
fn a_score_that_is_not_a_number_is_refused() {
    let text = plain("0.2.0")
        .to_string()
        .replace("\"score\":0.5", "\"score\":NaN");

    let reasons = refused(&text);

    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].kind, ReasonKind::Shape);
    assert_eq!(reasons[0].path, "evaluation_results[0].score_details.score");
}

#[test]
fn bounds_cannot_be_guessed() {
    let missing = changed("0.2.0", |record| {
        let metric = record["evaluation_results"][0]["metric_config"]
            .as_object_mut()
            .unwrap();
        metric.remove("min_score");
        metric["max_score"] = Value::Null;
    });

    let reasons = refused(&missing);

    assert!(
        reasons
            .iter()
            .all(|reason| reason.kind == ReasonKind::BoundsMissing)
    );
    assert_eq!(reasons.len(), 2);
}

#[test]
fn a_sentinel_outside_the_bounds_is_refused() {
    let text = plain("0.2.0")
        .to_string()
        .replace("\"score\":0.5", "\"score\":-1.0");

    let reasons = refused(&text);

    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].kind, ReasonKind::ScoreOutOfBounds);
    assert_eq!(
        reasons[0].message,
        "the score -1.0 lies outside its bounds 0 to 1"
    );
}

#[test]
fn every_reason_is_told_at_once() {
    let text = plain("0.2.0")
        .to_string()
        .replace("\"score\":0.5", "\"score\":2");

    let refusal = upgrade::record(&text, "data/b/m.../run.json").unwrap_err();

    let kinds: Vec<&str> = refusal
        .reasons
        .iter()
        .map(|reason| reason.kind.slug())
        .collect();
    assert_eq!(
        kinds,
        [
            "path-depth",
            "path-not-portable",
            "file-name",
            "score-out-of-bounds"
        ]
    );
}

#[test]
fn text_that_tools_read_differently_is_refused() {
    let twice = plain("0.2.0")
        .to_string()
        .replace("\"score\":0.5", "\"score\":0.5,\"score\":0.6");
    let half = plain("0.2.0").to_string().replace("Acme", "\\ud800");
    for text in [
        twice.as_str(),
        half.as_str(),
        "",
        "[]",
        "{",
        "3",
        "{\"schema_version\": \"0.2.9\"}",
        "{\"schema_version\": 2}",
        "{}",
    ] {
        let reasons = refused(text);

        assert_eq!(reasons.len(), 1, "{text}");
        assert!(
            matches!(
                reasons[0].kind,
                ReasonKind::NotJson | ReasonKind::NotAnObject | ReasonKind::UnknownVersion
            ),
            "{text}: {reasons:?}"
        );
    }
}

#[test]
fn a_current_record_is_refused_for_its_faults_too() {
    let once = upgraded(&plain("0.2.0").to_string());

    let reasons = refused(&once.json.replace("\"score\": 0.5", "\"score\": 5"));

    assert_eq!(reasons[0].kind, ReasonKind::ScoreOutOfBounds);
}

#[test]
fn a_record_that_names_samples_needs_them() {
    let text = changed("0.2.2", |record| {
        record["detailed_evaluation_results"] =
            json!({"format": "jsonl", "file_path": "/home/me/out.jsonl"});
    });

    let reasons = refused(&text);

    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].kind, ReasonKind::SamplesMissing);
}
