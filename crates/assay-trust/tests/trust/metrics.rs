//! Metrics are compared as they are listed, and what is absent is not empty.

use assay_trust::{Field, Reason};

use crate::binding::edited;
use crate::support::{
    ENTRY, Hub, MODEL, NOW, PATH, Repo, canonical, is_verified, reason, with_token,
};

const ACCURACY: &str = "    - metric_id: \"accuracy\"\n      value: 20.90\n";
const STDERR: &str = "    - metric_id: \"stderr\"\n      value: 0.81\n";

#[test]
fn metric_reorder() {
    let (from, to) = (format!("{ACCURACY}{STDERR}"), format!("{STDERR}{ACCURACY}"));
    assert_eq!(edited(&from, &to), Reason::MetricsOrderMismatch);
}

#[test]
fn extra_metric() {
    let more = format!("{STDERR}    - metric_id: \"f1\"\n      value: 1\n");
    assert_eq!(edited(STDERR, &more), Reason::ClaimMismatch(Field::Metrics));
}

#[test]
fn dropped_metric() {
    assert_eq!(edited(STDERR, ""), Reason::ClaimMismatch(Field::Metrics));
    assert_eq!(edited(ACCURACY, ""), Reason::ClaimMismatch(Field::Metrics));
}

#[test]
fn duplicate_metric_id() {
    let better = format!("    - metric_id: \"accuracy\"\n      value: 99\n{ACCURACY}");
    assert_eq!(edited(ACCURACY, &better), Reason::DuplicateMetric);
    // One value for each slice is no repetition.
    let sliced = ENTRY.replace(
        ACCURACY,
        &format!("{ACCURACY}    - metric_id: \"accuracy\"\n      value: 30\n      slice: \"language=en\"\n"),
    );
    let subject = canonical(&sliced).subject(&MODEL.parse().unwrap()).unwrap();
    assert_eq!(subject.metrics.len(), 3);
    // And a token cannot carry a repetition either.
    let mut claims = Hub::new().claims(ENTRY, MODEL);
    claims.subject.metrics[1] = claims.subject.metrics[0].clone();
    assert!(assay_trust::Claims::read(&claims.to_jcs()).is_err());
}

#[test]
fn swapped_values() {
    let (from, to) = (
        format!("{ACCURACY}{STDERR}"),
        format!("{ACCURACY}{STDERR}")
            .replace("20.90", "x")
            .replace("0.81", "20.90")
            .replace('x', "0.81"),
    );
    assert_eq!(edited(&from, &to), Reason::ClaimMismatch(Field::Metrics));
}

#[test]
fn optional_absent_vs_empty_vs_null() {
    let command = "    command: \"inspect eval hle.py --model hf/acme/awesome-model\"\n";
    assert_eq!(
        edited(command, ""),
        Reason::ClaimMismatch(Field::FrameworkCommand)
    );
    assert_eq!(
        edited(command, "    command: \"\"\n"),
        Reason::ClaimMismatch(Field::FrameworkCommand)
    );
    assert_eq!(
        edited(command, "    command: null\n"),
        Reason::YamlAmbiguousScalar
    );
    assert_eq!(
        edited(command, "    command:\n"),
        Reason::YamlAmbiguousScalar
    );

    // The other way round: absent was signed, and something appears.
    let mut hub = Hub::new();
    let repo = Repo::new(1, MODEL);
    let bare = ENTRY.replace(command, "");
    let token = hub.issue(&bare, MODEL);
    let same = hub.push(&repo, PATH, &with_token(&bare, &token), NOW + 10);
    assert!(is_verified(&same[0]));
    for added in [
        "    command: \"\"\n",
        "    command: \"(absent)\"\n",
        command,
    ] {
        let entry = bare.replace(
            "    version: \"0.4.2\"\n",
            &format!("    version: \"0.4.2\"\n{added}"),
        );
        let verdicts = hub.look(&repo, PATH, &with_token(&entry, &token));
        assert_eq!(
            reason(&verdicts),
            Reason::ClaimMismatch(Field::FrameworkCommand),
            "{added}"
        );
    }
}
