use assay_formats::hub_api::{ValidateYaml, YamlMessage, YamlReport};
use assay_formats::syntax::SyntaxFaultKind;
use assay_formats::{Kind, Tape, yaml};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};

use crate::extract::JsonBody;
use crate::state::AppState;

pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/api/validate-yaml", post(validate))
}

/// What is wrong with the front matter of a card. Clients ask before they commit a `README.md`.
async fn validate(JsonBody(request): JsonBody<ValidateYaml>) -> (StatusCode, Json<YamlReport>) {
    let report = judge(&request.content);
    let status = if report.is_valid() {
        StatusCode::OK
    } else {
        StatusCode::BAD_REQUEST
    };
    (status, Json(report))
}

fn judge(card: &str) -> YamlReport {
    let mut report = YamlReport::default();
    let Some(matter) = front_matter(card) else {
        report.warnings.push(message(
            "the card has no metadata: begin it with a block of YAML between two lines of `---`",
        ));
        return report;
    };
    let mut tape = Tape::new();
    for fault in yaml::parse(matter, &mut tape) {
        // The block begins on the second line of the card.
        let line = matter.get(..fault.range.start).unwrap_or_default();
        let line = line.matches('\n').count() + 2;
        let text = format!("line {line}: {}", words(&fault.kind));
        if fault.kind.is_fatal() {
            report.errors.push(message(&text));
        } else {
            report.warnings.push(message(&text));
        }
    }
    let root = tape.root(matter);
    let is_mapping = root.is_none_or(|root| matches!(root.kind(), Kind::Map | Kind::Null));
    if report.errors.is_empty() && !is_mapping {
        report
            .errors
            .push(message("the metadata must be a mapping of keys to values"));
    }
    report
}

/// The block of YAML at the top, without the lines round it.
fn front_matter(card: &str) -> Option<&str> {
    let card = card.strip_prefix('\u{feff}').unwrap_or(card);
    let rest = card
        .strip_prefix("---\n")
        .or_else(|| card.strip_prefix("---\r\n"))?;
    let mut start = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&rest[..start]);
        }
        start += line.len();
    }
    None
}

fn message(text: &str) -> YamlMessage {
    YamlMessage {
        message: text.to_owned(),
    }
}

fn words(kind: &SyntaxFaultKind) -> String {
    match kind {
        SyntaxFaultKind::Yaml(text) => text.clone(),
        SyntaxFaultKind::Expected(what) => format!("{what} should stand here"),
        SyntaxFaultKind::UnexpectedEnd => "the metadata ends too early".to_owned(),
        SyntaxFaultKind::TrailingText => "there is more after the metadata".to_owned(),
        SyntaxFaultKind::TrailingComma => "a comma has nothing after it".to_owned(),
        SyntaxFaultKind::DuplicateKey { .. } => "the key is there twice".to_owned(),
        SyntaxFaultKind::NonFinite => "this is no finite number".to_owned(),
        SyntaxFaultKind::LoneSurrogate
        | SyntaxFaultKind::ControlCharacter
        | SyntaxFaultKind::BadEscape => "this text has a character that cannot be".to_owned(),
        SyntaxFaultKind::TooDeep => "the metadata nests too deeply".to_owned(),
        SyntaxFaultKind::TooManyValues => "the metadata has too many values".to_owned(),
        SyntaxFaultKind::YamlConstruct(_) => {
            "anchors, tags and merge keys are read differently by other tools".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(card: &str) -> (usize, usize) {
        let report = judge(card);
        (report.errors.len(), report.warnings.len())
    }

    #[test]
    fn a_good_card_has_nothing_to_say_about() {
        assert_eq!(count("---\nlicense: mit\ntags:\n- a\n---\n# hi\n"), (0, 0));
        assert_eq!(count("---\r\nlicense: mit\r\n---\r\n"), (0, 0));
        assert_eq!(count("---\n---\n"), (0, 0));
    }

    #[test]
    fn a_card_without_metadata_is_a_warning() {
        assert_eq!(count("# hi\n"), (0, 1));
        assert_eq!(count("---\nlicense: mit\n"), (0, 1));
    }

    #[test]
    fn metadata_that_is_no_mapping_or_no_yaml_is_an_error_with_its_line() {
        assert_eq!(count("---\n- a\n- b\n---\n"), (1, 0));

        let report = judge("---\nlicense: mit\ntags: [a\n---\n");

        assert!(!report.is_valid());
        assert!(
            report.errors[0].message.starts_with("line "),
            "{:?}",
            report.errors
        );
    }
}
