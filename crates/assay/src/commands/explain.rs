use assay_check::{Rule, closest, rules};
use assay_cli::{Exit, Printer};
use assay_model::Code;
use assay_render::visible;
use serde_json::{Value, json};

use crate::args::{Color, Explain, PageFormat};
use crate::config::Config;
use crate::render::markdown;

/// Prints the pages of codes, or the list of all.
pub(crate) fn run(command: &Explain, color: Color, config: &Config, printer: &mut Printer) -> Exit {
    let (chosen, unknown) = choose(command);
    match (command.format, command.list) {
        (PageFormat::Json, _) => {
            let rules: Vec<Value> = chosen.iter().map(|rule| to_json(rule)).collect();
            printer.json(&json!({ "version": 1, "rules": rules }));
        }
        (PageFormat::Text, true) => {
            let width = chosen.iter().map(|rule| rule.name.len()).max();
            for rule in &chosen {
                printer.line(&list_line(rule, width.unwrap_or_default()));
            }
        }
        (PageFormat::Text, false) => {
            let styled = config.colors(color);
            let pages: Vec<String> = chosen
                .iter()
                .map(|rule| markdown::page(&rule.page(), styled))
                .collect();
            printer.data(&pages.join("\n"));
        }
    }
    for typed in &unknown {
        printer.error(&no_such_code(typed));
    }
    if unknown.is_empty() {
        Exit::Clean
    } else {
        Exit::Failed
    }
}

fn choose(command: &Explain) -> (Vec<&'static Rule>, Vec<&str>) {
    if command.list {
        return (rules::ALL.to_vec(), Vec::new());
    }
    let (mut chosen, mut unknown) = (Vec::new(), Vec::new());
    for typed in &command.codes {
        match find(typed) {
            Some(rule) => chosen.push(rule),
            None => unknown.push(typed.as_str()),
        }
    }
    (chosen, unknown)
}

fn find(typed: &str) -> Option<&'static Rule> {
    if let Ok(code) = typed.parse::<Code>() {
        return rules::find(code);
    }
    let name = typed.trim().to_ascii_lowercase();
    rules::ALL.iter().find(|rule| rule.name == name).copied()
}

fn no_such_code(typed: &str) -> String {
    let codes: Vec<String> = rules::ALL
        .iter()
        .map(|rule| rule.code.to_string())
        .collect();
    let names = rules::ALL.iter().map(|rule| rule.name);
    let known = codes.iter().map(String::as_str).chain(names);
    let hint = closest(typed, known).map_or_else(
        || "`assay explain --list` lists all codes".to_owned(),
        |name| format!("did you mean `{name}`?"),
    );
    format!("there is no code `{}`; {hint}", visible(typed))
}

fn list_line(rule: &Rule, width: usize) -> String {
    format!(
        "{}  {:<7}  {:<width$}  {}",
        rule.code,
        rule.severity.to_string(),
        rule.name,
        rule.title()
    )
}

fn to_json(rule: &Rule) -> Value {
    json!({
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "title": rule.title(),
        "page": rule.page(),
    })
}
