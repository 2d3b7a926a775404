//! Lists of tables in the configuration file, such as `[[trust.issuers]]`.

use std::path::Path;

use toml::{Table, Value};

use super::Origin;
use super::faults::ConfigFault;

/// A list below `[trust]`.
pub(super) struct Listed {
    /// The last part of its name.
    pub(super) name: &'static str,
    /// The name of one of its members.
    pub(super) one: &'static str,
    /// The largest number of members.
    pub(super) max: usize,
}

impl Listed {
    /// Takes the list out of a configuration file. Every fault is told, and what has one, or what
    /// is called as one before it, is left out.
    pub(super) fn take<T>(
        &self,
        table: &mut Table,
        file: &Path,
        faults: &mut Vec<ConfigFault>,
        read: impl Fn(&Value) -> Result<T, String>,
        called: impl Fn(&T) -> String,
    ) -> Vec<T> {
        let Self { name, one, max } = self;
        let trust = table.get_mut("trust").and_then(Value::as_table_mut);
        let Some(list) = trust.and_then(|trust| trust.remove(*name)) else {
            return Vec::new();
        };
        let mut fault = |reason: String| {
            faults.push(ConfigFault {
                key: format!("trust.{name}"),
                origin: Some(Origin::File(file.to_owned())),
                reason,
            });
        };
        let Value::Array(list) = list else {
            fault(format!("write each {one} below a line `[[trust.{name}]]`"));
            return Vec::new();
        };
        if list.len() > *max {
            fault(format!("there are more than {max}"));
            return Vec::new();
        }
        let mut taken: Vec<T> = Vec::new();
        for (number, value) in (1..).zip(&list) {
            match read(value) {
                Ok(new) if taken.iter().any(|known| called(known) == called(&new)) => {
                    fault(format!(
                        "number {number}: `{}` is there twice",
                        called(&new)
                    ));
                }
                Ok(new) => taken.push(new),
                Err(reason) => fault(format!("number {number}: {reason}")),
            }
        }
        taken
    }
}
