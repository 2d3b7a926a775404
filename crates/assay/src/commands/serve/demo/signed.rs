//! Results of the demonstration that a harness signs, by the issuer of the hub itself.

use std::path::{Path, PathBuf};

use assay_trust::Canonical;
use serde_json::{Value as Json, json};

use super::runs::Run;
use crate::client::{Client, ClientError};

/// The harness, as the policy names it.
pub(in super::super) const INTEGRATION: &str = "demo-harness";
/// The machine that it runs on.
pub(in super::super) const IDENTITY: &str = "demo-harness/runner";
/// The framework whose results are signed.
const FRAMEWORK: &str = "pycocotools";
/// Who may ask for tokens of a hub that demonstrates.
const POLICY: &str = r#"version = 1

[[integration]]
id = "demo-harness"
frameworks = [{ name = "pycocotools" }]

  [[integration.identity]]
  name = "runner"
  kind = "token"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["*/*"]
  models = ["*/*"]
"#;

/// Writes the policy of the demonstration beside the data; none when that cannot be done.
pub(in super::super) fn policy_in(data: &Path) -> Option<PathBuf> {
    let file = data.join("demo-policy.toml");
    let written = fs_err::create_dir_all(data).and_then(|()| fs_err::write(&file, POLICY));
    match written {
        Ok(()) => Some(file),
        Err(error) => {
            tracing::warn!("the demonstration has no policy: {error}");
            None
        }
    }
}

/// Whether the harness signs a run.
pub(super) fn is_signed(run: &Run) -> bool {
    run.board.framework.0 == FRAMEWORK
}

/// The entry of a run with its token, for the commit that brought the model.
pub(super) fn text(
    operator: &Client,
    signer: &Client,
    run: &Run,
    carded: &Json,
) -> Result<String, ClientError> {
    let benchmark = operator.get(&format!("/api/datasets/{}", run.board.benchmark))?;
    let (Some(revision), Some(model)) = (benchmark["sha"].as_str(), carded["commitOid"].as_str())
    else {
        return Ok(run.text());
    };
    let commits =
        format!("    revision: \"{revision}\"\n  model_revision: \"{model}\"\n  metrics:\n");
    let text = run.text().replacen("  metrics:\n", &commits, 1);
    let Some(Ok(canonical)) = Canonical::read_file(&text).into_iter().next() else {
        return Ok(text);
    };
    let entry: Json = serde_json::from_str(canonical.as_json()).unwrap_or_default();
    let asked = json!({ "model_repo": run.model, "entry": entry });
    let answer = match signer.send("POST", "/v1/eval-tokens", &asked) {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!("a result of the demonstration stays unsigned: {error}");
            return Ok(run.text());
        }
    };
    Ok(match answer["verify_token"].as_str() {
        Some(token) => format!("{text}  verify_token: {token}\n"),
        None => text,
    })
}
