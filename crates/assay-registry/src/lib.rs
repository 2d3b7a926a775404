//! A registry of models and organisations under the many names that they are reported by.
//!
//! A [`Registry`] holds what is declared: models with their other names, their families, versions
//! and parents; organisations with their spellings; services that run models of others.
//! [`Registry::resolve`] finds the model that a name means and says why. It works offline, it gives
//! the same answer every time, and it changes nothing: the name stays as it was reported. Sizes,
//! versions, and instruct or base are never crossed. What is only likely comes back as a
//! suggestion, for a person to confirm.
//!
//! ```
//! # use assay_registry::{Certainty, Reason, Registry};
//! let registry = Registry::shipped();
//!
//! let answer = registry.resolve("Llama-3.1-70B-Instruct-Turbo");
//!
//! assert_eq!(answer.model, Some("meta-llama/Llama-3.1-70B-Instruct"));
//! assert_eq!(answer.reason, Some(Reason::Provider));
//! assert_eq!(answer.certainty, Certainty::Certain);
//! ```

mod answer;
mod entity;
mod error;
mod join;
mod key;
mod organisations;
mod read;
mod registry;
mod resolve;
mod suffix;

pub use answer::{Answer, Certainty, Reason, Suggestion};
pub use entity::{Model, Organisation, Relation, Role};
pub use error::Error;
pub use join::JoinedNames;
pub use key::{spelling_key, word_key};
pub use registry::Registry;
