//! Results of the demonstration that a harness signs, by the issuer of the hub itself.

use std::path::{Path, PathBuf};

use assay_hub_api::CommitAnswer;
use assay_hub_api::client::{Client, ClientError};
use assay_model::{RepoKind, chain};
use assay_trust::Canonical;
use serde_json::json;

use super::repo_id;
use super::runs::Run;

/// The harness, as the policy names it.
pub(in super::super) const INTEGRATION: &str = "demo-harness";
/// The machine that it runs on.
pub(in super::super) const IDENTITY: &str = "demo-harness/runner";
/// The framework whose results are signed.
const FRAMEWORK: &str = "pycocotools";
/// The issuing policy of a hub that demonstrates.
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
    let made = assay_app::make_data_directory(data).map_err(|error| chain(&error));
    let written =
        made.and_then(|()| fs_err::write(&file, POLICY).map_err(|error| error.to_string()));
    match written {
        Ok(()) => Some(file),
        Err(reason) => {
            tracing::warn!("the demonstration has no policy: {reason}");
            None
        }
    }
}

/// Returns whether the harness signs a run.
pub(super) fn is_signed(run: &Run) -> bool {
    run.board.framework.0 == FRAMEWORK
}

/// The entry of a run with its token, for the commit that brought the model.
pub(super) fn text(
    operator: &Client,
    signer: &Client,
    run: &Run,
    carded: &CommitAnswer,
) -> Result<String, ClientError> {
    let benchmark = repo_id(run.board.benchmark);
    let benchmark = operator.repo_at(RepoKind::Dataset, &benchmark, "main")?;
    let Some(revision) = benchmark.sha else {
        return Ok(run.text());
    };
    let model = carded.commit_oid;
    let commits =
        format!("    revision: \"{revision}\"\n  model_revision: \"{model}\"\n  metrics:\n");
    let text = run.text().replacen("  metrics:\n", &commits, 1);
    let Some(Ok(canonical)) = Canonical::read_file(&text).into_iter().next() else {
        return Ok(text);
    };
    let body = format!(
        "{{\"model_repo\":{},\"entry\":{}}}",
        json!(run.model),
        canonical.as_json()
    );
    let key = canonical.digest().to_string().replace(':', "-");
    match signer.issue_token(&body, &key) {
        Ok(issued) => Ok(format!(
            "{text}  verify_token: {}\n",
            issued.value.verify_token
        )),
        Err(error) => {
            tracing::warn!("a result of the demonstration stays unsigned: {error}");
            Ok(run.text())
        }
    }
}
