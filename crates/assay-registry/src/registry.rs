//! The registry: declared models and organisations, and the index of their names.

use std::collections::HashMap;

use crate::key::{join, spelling_key, tokens, word_key};
use crate::organisations::{OrganisationKey, Organisations};
use crate::{Error, Model, Organisation, Relation};

/// The registry that ships with the program.
const SHIPPED: &str = include_str!("../registry.yaml");

/// Models and organisations with all their names.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    models: Vec<Model>,
    pub(crate) organisations: Organisations,
    declared: Vec<Organisation>,
    /// Canonical ids and declared aliases, as they are written.
    exact: HashMap<Box<str>, Declared>,
    /// Names without organisation, by [`spelling_key`].
    pub(crate) by_spelling: HashMap<Box<str>, Vec<Hit>>,
    /// Names without organisation, by [`word_key`].
    pub(crate) by_words: HashMap<Box<str>, Vec<Hit>>,
}

/// A declared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) model: u32,
    pub(crate) is_alias: bool,
}

/// A model that a key may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) model: u32,
    /// Organisation of the declared name; none when the name has none.
    pub(crate) organisation: Option<OrganisationKey>,
    /// The key leaves out the organisation that the name repeats, so the organisation has to be
    /// named.
    pub(crate) needs_organisation: bool,
}

impl Registry {
    /// Returns the registry that ships with the program.
    pub fn shipped() -> Self {
        let mut registry = Self::default();
        registry
            .add_yaml(SHIPPED)
            .expect("the shipped registry is read by a test");
        registry
    }

    /// Adds the entities of a YAML file.
    pub fn add_yaml(&mut self, text: &str) -> Result<(), Error> {
        let file = crate::read::read(text)?;
        for organisation in file.organisations {
            self.add_organisation(organisation);
        }
        for model in file.models {
            self.add_model(model)?;
        }
        Ok(())
    }

    /// Adds an organisation. Models that are added later know its spellings.
    pub fn add_organisation(&mut self, organisation: Organisation) {
        self.organisations.insert(&organisation);
        self.declared.push(organisation);
    }

    /// Adds a model. Its base has to be there already.
    pub fn add_model(&mut self, model: Model) -> Result<(), Error> {
        if let Some((base, _)) = &model.base
            && !self.exact.contains_key(base.as_str())
        {
            return Err(Error::UnknownBase {
                model: model.id,
                base: base.clone(),
            });
        }
        let number = u32::try_from(self.models.len()).expect("names of models fit into memory");
        let names: Vec<(String, bool)> = std::iter::once((model.id.clone(), false))
            .chain(model.aliases.iter().map(|alias| (alias.clone(), true)))
            .collect();
        for (name, is_alias) in names {
            self.add_name(&name, number, is_alias, &model.id)?;
        }
        self.models.push(model);
        Ok(())
    }

    /// Adds a model by its canonical id alone, unless that is declared already.
    pub fn add_id(&mut self, id: &str) {
        if !self.exact.contains_key(id) {
            let model = Model {
                id: id.to_owned(),
                ..Model::default()
            };
            self.add_model(model)
                .expect("a new id without base claims nothing");
        }
    }

    /// All models, in the order in which they were declared.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// All organisations, in the order in which they were declared.
    pub fn organisations(&self) -> &[Organisation] {
        &self.declared
    }

    fn add_name(&mut self, name: &str, model: u32, is_alias: bool, id: &str) -> Result<(), Error> {
        if let Some(first) = self.exact.get(name) {
            if first.model == model {
                return Ok(());
            }
            return Err(Error::Claimed {
                name: name.to_owned(),
                first: self.models[first.model as usize].id.clone(),
                second: id.to_owned(),
            });
        }
        self.exact.insert(name.into(), Declared { model, is_alias });
        let (organisation, base) = split(name);
        let organisation = organisation.map(|text| self.organisations.find(text));
        let hit = |needs_organisation| Hit {
            model,
            organisation: organisation.clone(),
            needs_organisation,
        };
        push(&mut self.by_spelling, spelling_key(base), hit(false));
        // Community accounts tell their models apart by the order of words; makers that are
        // declared do not.
        if organisation.as_ref().is_none_or(|key| key.is_declared) {
            push(&mut self.by_words, word_key(base), hit(false));
        }
        if let Some(rest) = organisation
            .as_ref()
            .and_then(|key| self.without_organisation(base, key))
        {
            push(&mut self.by_spelling, rest, hit(true));
        }
        Ok(())
    }

    /// Returns the key of a name that begins with its own organisation, without that.
    fn without_organisation(&self, base: &str, own: &OrganisationKey) -> Option<String> {
        let words = tokens(base);
        (1..words.len().min(4)).find_map(|length| {
            let prefix: String = words[..length]
                .iter()
                .map(|word| word.text.as_str())
                .collect();
            let is_own = self
                .organisations
                .declared(&prefix)
                .map_or(*prefix == *own.group, |key| key.group == own.group);
            is_own.then(|| spelling_key(&join(&words[length..])))
        })
    }

    pub(crate) fn exact(&self, name: &str) -> Option<Declared> {
        self.exact.get(name).copied()
    }

    /// Returns the model with this number; for the same weights in fewer bits, their base.
    pub(crate) fn canonical(&self, number: u32) -> (&Model, Option<&Model>) {
        let model = &self.models[number as usize];
        match &model.base {
            Some((base, Relation::Quantized)) => {
                let base = self.exact.get(base.as_str()).expect("`add_model` needs it");
                (&self.models[base.model as usize], Some(model))
            }
            _ => (model, None),
        }
    }
}

/// Splits a name into organisation and rest.
pub(crate) fn split(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('/') {
        Some((organisation, base)) if !base.is_empty() => (Some(organisation), base),
        _ => (None, name),
    }
}

fn push(index: &mut HashMap<Box<str>, Vec<Hit>>, key: String, hit: Hit) {
    if key.is_empty() || key == "|" {
        return;
    }
    let hits = index.entry(key.into()).or_default();
    if !hits.contains(&hit) {
        hits.push(hit);
    }
}
