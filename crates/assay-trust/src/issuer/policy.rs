use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use assay_model::skeleton;

use super::framework::FrameworkRule;
use super::identity::{Identity, IdentityKey};
use super::limit::Limits;
use super::pattern::{Pattern, SegmentPattern};
use super::policy_file::PolicyFile;
use super::provider::Provider;
use crate::{Assurance, Digest, IntegrationId};

mod identities;
mod integrations;
mod providers;

/// An operator's policy: who may be given tokens, for what and how many. Anything that it does not
/// allow is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    digest: Digest,
    providers: Vec<Provider>,
    integrations: BTreeMap<IntegrationId, Integration>,
}

/// A framework integration: what it may speak for and who may speak for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integration {
    /// The name of the integration.
    pub id: IntegrationId,
    /// The frameworks that it may name.
    pub frameworks: Vec<FrameworkRule>,
    /// The most that its runs are worth.
    pub assurance_max: Assurance,
    /// The lifetime of its tokens, in seconds.
    pub lifetime_seconds: i64,
    /// True if everybody may count how often it was given a token for one target.
    pub disclose_targets: bool,
    /// The identities that may speak for it, as the policy lists them.
    pub identities: Vec<Identity>,
    /// The rules on models and benchmarks.
    pub rules: Vec<Rule>,
    /// The rate limit.
    pub limits: Limits,
}

/// Something that is allowed or denied. Each list that is there must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The effect of the rule: allow or deny.
    pub effect: RuleEffect,
    /// The benchmarks that the rule is about.
    pub benchmarks: Option<Vec<Pattern>>,
    /// The models that the rule is about.
    pub models: Option<Vec<Pattern>>,
    /// The models of which organisations.
    pub organizations: Option<Vec<SegmentPattern>>,
    /// The line of the policy that it begins on.
    pub line: usize,
}

/// The effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEffect {
    /// It allows.
    Allow,
    /// It denies, whatever others allow.
    Deny,
}

/// A fault of a policy, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The fault in words.
    pub message: String,
}

/// The largest policy that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

impl Policy {
    /// The policy that denies everything to everybody.
    pub fn nothing() -> Self {
        Self {
            digest: Digest::of(b""),
            providers: Vec::new(),
            integrations: BTreeMap::new(),
        }
    }

    /// Reads a policy; every fault is told, not only the first, unless the text is no TOML of this
    /// shape.
    pub fn read(text: &str) -> Result<Self, Vec<PolicyFault>> {
        if text.len() > MAX_BYTES {
            let whole = Reader::new(text);
            return Err(vec![whole.fault(0..0, "a policy has at most a mebibyte")]);
        }
        let mut reader = Reader::new(text);
        let file: PolicyFile = match toml::from_str(text) {
            Ok(file) => file,
            Err(error) => {
                let range = error.span().unwrap_or_default();
                return Err(vec![reader.fault(range, error.message())]);
            }
        };
        if *file.version.get_ref() != 1 {
            reader.wrong(file.version.span(), "the version of a policy is 1");
        }
        let providers = providers::read(&mut reader, file.issuer, &file.integration);
        let integrations = integrations::read(&mut reader, file.integration, &providers);
        let integrations = reader.distinct(integrations);
        if reader.faults.is_empty() {
            Ok(Self {
                digest: Digest::of(text.as_bytes()),
                providers,
                integrations,
            })
        } else {
            Err(reader.faults)
        }
    }

    /// The digest of the file, byte for byte. Every token carries it, and the control log has it.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The identity providers that are trusted.
    pub fn providers(&self) -> &[Provider] {
        &self.providers
    }

    /// An integration, when the policy has one of this name.
    pub fn integration(&self, id: &IntegrationId) -> Option<&Integration> {
        self.integrations.get(id)
    }

    /// Every integration, by name.
    pub fn integrations(&self) -> impl Iterator<Item = &Integration> {
        self.integrations.values()
    }

    /// Every identity that the policy names.
    pub fn identities(&self) -> impl Iterator<Item = &Identity> {
        self.integrations().flat_map(|one| one.identities.iter())
    }

    /// An identity that was added at the shell, in the words of a policy and as JSON. It may use
    /// the providers of the policy, and an integration that the policy has.
    pub fn added_identity(
        &self,
        integration: &IntegrationId,
        json: &str,
    ) -> Result<Identity, String> {
        let file = serde_json::from_str(json).map_err(|error| error.to_string())?;
        identities::of(integration, file, &self.providers)
    }
}

impl fmt::Display for PolicyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The text of a policy, and what is wrong with it so far.
struct Reader<'t> {
    text: &'t str,
    faults: Vec<PolicyFault>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            faults: Vec::new(),
        }
    }

    fn line(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    fn fault(&self, range: Range<usize>, message: &str) -> PolicyFault {
        let before = self.text.get(..range.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        PolicyFault {
            line: self.line(range.start),
            column: line.chars().count() + 1,
            message: message.trim().replace('\n', " "),
        }
    }

    fn wrong(&mut self, range: Range<usize>, message: &str) {
        let fault = self.fault(range, message);
        self.faults.push(fault);
    }

    /// The integrations by name. Names that are equal, or that look alike, are faults; so are
    /// frameworks that look like the frameworks of others.
    fn distinct(
        &mut self,
        integrations: Vec<(Range<usize>, Integration)>,
    ) -> BTreeMap<IntegrationId, Integration> {
        let mut names: BTreeMap<String, IntegrationId> = BTreeMap::new();
        let mut frameworks: BTreeMap<String, String> = BTreeMap::new();
        let mut known: BTreeSet<IdentityKey> = BTreeSet::new();
        let mut clients: BTreeMap<String, IdentityKey> = BTreeMap::new();
        let mut all = BTreeMap::new();
        for (range, one) in integrations {
            if let Some(other) = names.insert(skeleton(one.id.as_str()), one.id.clone()) {
                let message = format!("`{}` looks like the integration `{other}`", one.id);
                self.wrong(range.clone(), &message);
            }
            for rule in &one.frameworks {
                let name = rule.name.as_str();
                let other = frameworks.insert(skeleton(name), name.to_owned());
                if let Some(other) = other.filter(|other| other != name) {
                    let message = format!("`{name}` looks like the framework `{other}`");
                    self.wrong(range.clone(), &message);
                }
            }
            for identity in &one.identities {
                if !known.insert(identity.key.clone()) {
                    let message = format!("the identity `{}` is there twice", identity.key);
                    self.wrong(range.clone(), &message);
                }
                if let super::IdentityKind::Client { client_id, .. } = &identity.kind
                    && let Some(other) = clients.insert(client_id.clone(), identity.key.clone())
                {
                    let message = format!("the client `{client_id}` is `{other}` already");
                    self.wrong(range.clone(), &message);
                }
            }
            all.insert(one.id.clone(), one);
        }
        all
    }
}

#[cfg(test)]
mod tests;
