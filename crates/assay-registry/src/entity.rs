//! Entities of a registry.

use serde::Serialize;

/// A model that is declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// Canonical id: `organisation/name`.
    pub id: String,
    /// Other names that mean this model and nothing else.
    pub aliases: Vec<String>,
    /// Line of models that it belongs to, such as `Llama 3.1`.
    pub family: Option<String>,
    /// Version within the family, as its makers write it.
    pub version: Option<String>,
    /// Model that this one is made from, with how.
    pub base: Option<(String, Relation)>,
    /// Address where the facts can be checked.
    pub source: Option<String>,
}

/// The relation of a model to its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The same weights in fewer bits: the base in another setup, not a model of its own.
    Quantized,
    /// Trained further.
    Finetune,
    /// Mixed from several.
    Merge,
    /// Small weights on top of the base.
    Adapter,
}

/// An organisation that makes models, runs models of others, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// Canonical id, as in the ids of its models.
    pub id: String,
    /// Other spellings of it.
    pub spellings: Vec<String>,
    /// Its part in a name.
    pub role: Role,
    /// Address where the facts can be checked.
    pub source: Option<String>,
}

/// The part of an organisation in a name such as `organisation/model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It makes the models that carry its name.
    Developer,
    /// It runs or copies models of others: its name says where a model ran, not which model it is.
    Provider,
    /// It stands for nobody: `unknown`.
    Placeholder,
}
