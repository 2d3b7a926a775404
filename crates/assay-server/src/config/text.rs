use std::path::Path;

use assay_app::{NewIssuer, WitnessAddress};
use toml::{Table, Value};

use super::faults::ConfigFault;
use super::{Given, Origin, issuers, witnesses};

/// The content of a configuration file.
#[derive(Default)]
pub(super) struct FromFile {
    /// Its values, with dotted names.
    pub(super) given: Vec<Given>,
    /// The issuers that it names.
    pub(super) issuers: Vec<NewIssuer>,
    /// The witnesses that it names.
    pub(super) witnesses: Vec<WitnessAddress>,
}

/// Reads a configuration file; unreadable parts become faults.
pub(super) fn read_file(path: &Path, faults: &mut Vec<ConfigFault>) -> FromFile {
    let origin = Origin::File(path.to_owned());
    let text = match fs_err::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            faults.push(ConfigFault::new("config", &origin, &error.to_string()));
            return FromFile::default();
        }
    };
    let mut table: Table = match text.parse() {
        Ok(table) => table,
        Err(error) => {
            faults.push(ConfigFault::new("config", &origin, &syntax(&text, &error)));
            return FromFile::default();
        }
    };
    let issuers = issuers::take(&mut table, path, faults);
    let witnesses = witnesses::take(&mut table, path, faults);
    let mut given = Vec::new();
    flatten("", &table, &origin, &mut given, faults);
    FromFile {
        given,
        issuers,
        witnesses,
    }
}

/// The message of a syntax fault on one line, with the line it is on.
fn syntax(text: &str, error: &toml::de::Error) -> String {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map_or(1, |before| before.matches('\n').count() + 1);
    let message = error.message().replace('\n', ", ");
    format!("line {line}: {message}")
}

fn flatten(
    prefix: &str,
    table: &Table,
    origin: &Origin,
    given: &mut Vec<Given>,
    faults: &mut Vec<ConfigFault>,
) {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        let value = match value {
            Value::Table(inner) => {
                flatten(&format!("{key}."), inner, origin, given, faults);
                continue;
            }
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Boolean(truth) => truth.to_string(),
            Value::Float(_) | Value::Datetime(_) | Value::Array(_) => {
                let reason = "the value is neither text, a whole number nor `true` or `false`";
                faults.push(ConfigFault::new(&key, origin, reason));
                continue;
            }
        };
        given.push(Given {
            key,
            value,
            origin: origin.clone(),
        });
    }
}
