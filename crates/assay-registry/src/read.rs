//! Reads the YAML of a registry.

use assay_formats::{Kind, Tape, Value, yaml};

use crate::{Error, Model, Organisation, Relation, Role};

/// Entities of one file, bases before what is made from them as far as the file has them so.
#[derive(Debug, Default)]
pub(crate) struct RegistryFile {
    pub(crate) organisations: Vec<Organisation>,
    pub(crate) models: Vec<Model>,
}

/// Reads a file: `organisations`, `providers`, `placeholders`, `families` and `models`, each a
/// list.
pub(crate) fn read(text: &str) -> Result<RegistryFile, Error> {
    let mut tape = Tape::new();
    let faults = yaml::parse(text, &mut tape);
    if let Some(fault) = faults.iter().find(|fault| fault.kind.is_fatal()) {
        let line = text[..fault.range.start.min(text.len())]
            .matches('\n')
            .count()
            + 1;
        return Err(Error::Syntax { line });
    }
    let Some(root) = tape.root(text) else {
        return Ok(RegistryFile::default());
    };
    let mut file = RegistryFile::default();
    for (key, value) in map(root)? {
        match key.as_str() {
            "organisations" => organisations(value, Role::Developer, &mut file)?,
            "providers" => organisations(value, Role::Provider, &mut file)?,
            "placeholders" => organisations(value, Role::Placeholder, &mut file)?,
            "families" => {
                for family in list(value)? {
                    read_family(family, &mut file)?;
                }
            }
            "models" => {
                for item in list(value)? {
                    file.models.push(model(item, &Model::default())?);
                }
            }
            _ => return Err(Error::UnknownKey(key)),
        }
    }
    Ok(file)
}

fn organisations(value: Value<'_>, role: Role, file: &mut RegistryFile) -> Result<(), Error> {
    for item in list(value)? {
        let mut organisation = Organisation {
            id: String::new(),
            spellings: Vec::new(),
            role,
            source: None,
        };
        if item.kind() == Kind::Map {
            for (key, value) in map(item)? {
                match key.as_str() {
                    "id" => organisation.id = text(value)?,
                    "spellings" => organisation.spellings = texts(value)?,
                    "source" => organisation.source = Some(text(value)?),
                    _ => return Err(Error::UnknownKey(key)),
                }
            }
        } else {
            organisation.id = text(item)?;
        }
        if organisation.id.is_empty() {
            return Err(form(item, "an `id`"));
        }
        file.organisations.push(organisation);
    }
    Ok(())
}

fn read_family(value: Value<'_>, file: &mut RegistryFile) -> Result<(), Error> {
    let mut shared = Model::default();
    let mut members = None;
    for (key, value) in map(value)? {
        match key.as_str() {
            "name" => shared.family = Some(text(value)?),
            "version" => shared.version = Some(text(value)?),
            "source" => shared.source = Some(text(value)?),
            "models" => members = Some(value),
            _ => return Err(Error::UnknownKey(key)),
        }
    }
    for item in members.map(list).transpose()?.unwrap_or_default() {
        file.models.push(model(item, &shared)?);
    }
    Ok(())
}

fn model(item: Value<'_>, shared: &Model) -> Result<Model, Error> {
    let mut model = shared.clone();
    if item.kind() == Kind::Map {
        let (mut base, mut relation) = (None, Relation::Finetune);
        for (key, value) in map(item)? {
            match key.as_str() {
                "id" => model.id = text(value)?,
                "aliases" => model.aliases = texts(value)?,
                "family" => model.family = Some(text(value)?),
                "version" => model.version = Some(text(value)?),
                "source" => model.source = Some(text(value)?),
                "base" => base = Some(text(value)?),
                "relation" => relation = read_relation(value)?,
                _ => return Err(Error::UnknownKey(key)),
            }
        }
        model.base = base.map(|base| (base, relation));
    } else {
        model.id = text(item)?;
    }
    if model.id.is_empty() {
        return Err(form(item, "an `id`"));
    }
    Ok(model)
}

fn read_relation(value: Value<'_>) -> Result<Relation, Error> {
    match text(value)?.as_str() {
        "quantized" => Ok(Relation::Quantized),
        "finetune" => Ok(Relation::Finetune),
        "merge" => Ok(Relation::Merge),
        "adapter" => Ok(Relation::Adapter),
        _ => Err(form(value, "`quantized`, `finetune`, `merge` or `adapter`")),
    }
}

fn map(value: Value<'_>) -> Result<Vec<(String, Value<'_>)>, Error> {
    if value.kind() != Kind::Map {
        return Err(form(value, "a mapping"));
    }
    value
        .entries()
        .map(|(key, value)| Ok((text(key)?, value)))
        .collect()
}

fn list(value: Value<'_>) -> Result<Vec<Value<'_>>, Error> {
    if value.kind() == Kind::List {
        Ok(value.items().collect())
    } else {
        Err(form(value, "a list"))
    }
}

fn texts(value: Value<'_>) -> Result<Vec<String>, Error> {
    list(value)?.into_iter().map(text).collect()
}

fn text(value: Value<'_>) -> Result<String, Error> {
    value
        .text()
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(|| form(value, "text"))
}

fn form(value: Value<'_>, wanted: &'static str) -> Error {
    Error::Form {
        place: value.path(),
        wanted,
        found: value.kind().words().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_wrong_form_says_where() {
        assert_eq!(
            read("models: 3")
                .expect_err("a number is no list")
                .to_string(),
            "the registry has a number where it needs a list (`models`)"
        );
        assert_eq!(
            read("modles: []").expect_err("nothing reads that key"),
            Error::UnknownKey("modles".to_owned())
        );
    }
}
