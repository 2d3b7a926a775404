use std::io;
use std::path::{Path, PathBuf};

use assay_cli::{Exit, Printer};
use assay_registry::{Answer, Certainty, Registry};
use assay_render::visible;
use serde_json::json;

use crate::args::{PageFormat, Who};
use crate::plural::{count, grouped};

/// A registry or list of models that cannot be read.
#[derive(Debug, thiserror::Error)]
enum WhoError {
    #[error("cannot read {what}")]
    Read {
        what: String,
        #[source]
        source: io::Error,
    },
    #[error("`{}`: {source}", path.display())]
    Registry {
        path: PathBuf,
        source: assay_registry::Error,
    },
}

/// Tells which models names mean.
pub(crate) fn run(command: &Who, printer: &mut Printer) -> Exit {
    match answer(command, printer) {
        Ok(exit) => exit,
        Err(error) => {
            let cause = std::error::Error::source(&error)
                .filter(|_| matches!(error, WhoError::Read { .. }))
                .map_or_else(String::new, |source| format!(": {source}"));
            printer.error(&format!("{error}{cause}"));
            Exit::Failed
        }
    }
}

fn answer(command: &Who, printer: &mut Printer) -> Result<Exit, WhoError> {
    let registry = registry(command)?;
    let names = names(command)?;
    if command.join {
        print_groups(command, &registry, &names, printer);
        return Ok(Exit::Clean);
    }
    let mut exit = Exit::Clean;
    let mut answers = Vec::new();
    for name in &names {
        let answer = registry.resolve(name);
        if answer.certainty != Certainty::Certain {
            exit = Exit::Warnings;
        }
        match command.format {
            PageFormat::Json => answers.push(answer),
            PageFormat::Text => print_answer(&answer, printer),
        }
    }
    if command.format == PageFormat::Json {
        printer.json(&json!({ "version": 1, "names": answers }));
    }
    Ok(exit)
}

fn registry(command: &Who) -> Result<Registry, WhoError> {
    let shipped = Registry::shipped();
    let mut registry = if command.models.is_some() {
        let mut registry = Registry::default();
        for organisation in shipped.organisations() {
            registry.add_organisation(organisation.clone());
        }
        registry
    } else {
        shipped
    };
    for path in &command.registry {
        for file in yaml_files(path)? {
            let text = read(&file)?;
            registry
                .add_yaml(&text)
                .map_err(|source| WhoError::Registry { path: file, source })?;
        }
    }
    if let Some(path) = &command.models {
        // After the registries, so that the spellings of their organisations are known.
        for id in lines(&read(path)?) {
            registry.add_id(id);
        }
    }
    Ok(registry)
}

/// The file itself, or the YAML files of a directory in name order.
fn yaml_files(path: &Path) -> Result<Vec<PathBuf>, WhoError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |source| WhoError::Read {
        what: format!("`{}`", path.display()),
        source,
    };
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
        let entry = entry.map_err(|error| unreadable(error.into()))?;
        let extension = entry.path().extension().and_then(|text| text.to_str());
        if entry.file_type().is_file() && matches!(extension, Some("yaml" | "yml")) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

fn names(command: &Who) -> Result<Vec<String>, WhoError> {
    if !command.names.is_empty() {
        return Ok(command.names.clone());
    }
    let text = io::read_to_string(io::stdin()).map_err(|source| WhoError::Read {
        what: "names from standard input".to_owned(),
        source,
    })?;
    Ok(lines(&text).map(str::to_owned).collect())
}

fn read(path: &Path) -> Result<String, WhoError> {
    std::fs::read_to_string(path).map_err(|source| WhoError::Read {
        what: format!("`{}`", path.display()),
        source,
    })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

fn print_answer(answer: &Answer<'_>, printer: &mut Printer) {
    let name = visible(&answer.name);
    if let Some((model, reason)) = answer.model.zip(answer.reason) {
        let reason = serde_json::to_value(reason).unwrap_or_default();
        let reason = reason.as_str().unwrap_or_default();
        printer.line(&format!("{name}: {} ({reason})", visible(model)));
        for step in &answer.steps {
            printer.line(&format!("  {}", visible(step)));
        }
        for (key, value) in &answer.setup {
            printer.line(&format!("  {key}: {}", visible(value)));
        }
        for (key, value) in [
            ("family", answer.family),
            ("version", answer.version),
            ("base", answer.base),
            ("source", answer.source),
        ] {
            if let Some(value) = value {
                printer.line(&format!("  {key}: {}", visible(value)));
            }
        }
        return;
    }
    if answer.suggestions.is_empty() {
        printer.line(&format!("{name}: not known"));
        return;
    }
    printer.line(&format!("{name}: not certain; it may be"));
    for suggestion in &answer.suggestions {
        printer.line(&format!(
            "  {}, but {}",
            visible(suggestion.model),
            suggestion.because
        ));
    }
}

fn print_groups(command: &Who, registry: &Registry, names: &[String], printer: &mut Printer) {
    let groups = registry.join(names.iter().map(String::as_str));
    match command.format {
        PageFormat::Json => printer.json(&json!({ "version": 1, "models": groups })),
        PageFormat::Text => {
            let (mut joined, mut spellings) = (0_u64, 0_u64);
            for group in groups.iter().filter(|group| group.names.len() > 1) {
                joined += 1;
                spellings += group.names.len() as u64;
                printer.line(&visible(&group.model));
                for name in &group.names {
                    printer.line(&format!("  {}", visible(name)));
                }
            }
            printer.line(&format!(
                "{} of {} mean {}",
                grouped(spellings),
                count(names.len() as u64, "name", "names"),
                count(joined, "model", "models")
            ));
        }
    }
}
