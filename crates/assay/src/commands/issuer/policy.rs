use std::path::Path;

use assay_cli::{Exit, Printer};
use assay_render::visible;
use assay_trust::issuer::{Ask, Decision, Policy, PolicyFault};
use serde_json::json;

use super::args::{AsIf, PolicyAction};
use super::done::{Done, show};
use crate::args::ShowFormat;

/// Says what is wrong with a policy, or what it allows.
pub(super) fn run(action: &PolicyAction, format: ShowFormat, printer: &mut Printer) -> Exit {
    let PolicyAction::Check { file, as_if } = action;
    let text = match fs_err::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            printer.error(&visible(&error.to_string()));
            return Exit::Failed;
        }
    };
    let policy = match Policy::read(&text) {
        Ok(policy) => policy,
        Err(faults) => {
            show(&faulty(file, &faults), format, printer);
            return Exit::Errors;
        }
    };
    if as_if.is_empty() {
        show(&summary(&policy), format, printer);
        return Exit::Clean;
    }
    match AsIf::read(as_if).and_then(|asked| decide(&policy, &asked)) {
        Ok(decision) => {
            let json =
                json!({ "allowed": decision.is_allowed(), "decision": decision.to_string() });
            let word = if decision.is_allowed() {
                "allowed"
            } else {
                "denied"
            };
            show(
                &Done::new(format!("{word}: {decision}\n"), json),
                format,
                printer,
            );
            if decision.is_allowed() {
                Exit::Clean
            } else {
                Exit::Errors
            }
        }
        Err(message) => {
            printer.error(&visible(&message));
            Exit::Failed
        }
    }
}

fn decide(policy: &Policy, asked: &AsIf) -> Result<Decision, String> {
    let id = asked
        .integration
        .parse()
        .map_err(|error| format!("`{}`: {error}", asked.integration))?;
    let integration = policy
        .integration(&id)
        .ok_or_else(|| format!("the policy has no integration `{id}`"))?;
    Ok(integration.decide(&Ask {
        framework: &asked.framework,
        version: &asked.version,
        benchmark: &asked.benchmark,
        model: &asked.model,
    }))
}

fn faulty(file: &Path, faults: &[PolicyFault]) -> Done {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}:{fault}\n", file.display()))
        .collect();
    let json = faults
        .iter()
        .map(
            |fault| json!({ "line": fault.line, "column": fault.column, "message": fault.message }),
        )
        .collect::<Vec<_>>();
    Done::new(lines.concat(), json!({ "faults": json }))
}

fn summary(policy: &Policy) -> Done {
    let mut text = format!("the policy can be used: {}\n", policy.digest());
    let mut integrations = Vec::new();
    for one in policy.integrations() {
        let frameworks: Vec<&str> = one
            .frameworks
            .iter()
            .map(|rule| rule.name.as_str())
            .collect();
        let line = format!(
            "  {}: {}; {} identities, {} rules, tokens for {} minutes\n",
            one.id,
            frameworks.join(", "),
            one.identities.len(),
            one.rules.len(),
            one.lifetime_seconds / 60
        );
        text.push_str(&line);
        let identities: Vec<String> = one
            .identities
            .iter()
            .map(|one| one.key.to_string())
            .collect();
        integrations.push(json!({
            "id": one.id.as_str(),
            "frameworks": frameworks,
            "identities": identities,
            "rules": one.rules.len(),
            "lifetime_seconds": one.lifetime_seconds,
        }));
    }
    let json = json!({ "digest": policy.digest().to_string(), "integrations": integrations });
    Done::new(text, json)
}
