//! Answers to "which model is this?".

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Relation;

/// The model that a name means, with the reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer<'r> {
    /// The name as it was given.
    pub name: String,
    /// Canonical id of the model; none unless it is certain.
    pub model: Option<&'r str>,
    /// The certainty of the answer.
    pub certainty: Certainty,
    /// The weakest step that led to the model.
    pub reason: Option<Reason>,
    /// Each step, in words, in order.
    pub steps: Vec<String>,
    /// Service that ran the model, as far as the name tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Setup that the name tells of: `precision`, `effort`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub setup: BTreeMap<&'static str, String>,
    /// Line of models that the model belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<&'r str>,
    /// Version within the family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<&'r str>,
    /// Model that the model is made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<&'r str>,
    /// The relation of the model to its base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// Address where the facts about the model can be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'r str>,
    /// Models that the name may mean, for a person to confirm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Suggestion<'r>>,
    /// The name in normal spelling. Equal keys under one organisation mean one model, declared or
    /// not.
    pub key: String,
}

/// The certainty of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Safe to join without asking.
    Certain,
    /// A person has to confirm one of the suggestions.
    Likely,
    /// Nothing declared comes near.
    Unknown,
}

/// A reason why a name means a model; from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It is the canonical id.
    Exact,
    /// It is declared as another name of the model.
    Alias,
    /// It is declared as the same weights in fewer bits.
    Base,
    /// It differs in case, punctuation or the spelling of the organisation.
    Spelling,
    /// It differs in the order of its words or in how a version is written.
    Order,
    /// It names the service that ran the model.
    Provider,
    /// It names a setup of the run, such as a quantisation.
    Setup,
}

/// A model that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion<'r> {
    /// Canonical id.
    pub model: &'r str,
    /// The reason against it, in words.
    pub because: String,
}
