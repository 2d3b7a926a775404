use std::fmt;

use assay_model::RepoId;

use super::policy::{Integration, Rule, RuleEffect};

/// The subject of a request for a token.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// `framework.name`.
    pub framework: &'a str,
    /// `framework.version`.
    pub version: &'a str,
    /// The benchmark.
    pub benchmark: &'a RepoId,
    /// The model.
    pub model: &'a RepoId,
}

/// The decision of the policy, and the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Allowed {
        /// The line of the rule that allowed it.
        line: usize,
    },
    /// It may not.
    Denied(Denial),
}

/// The reason of a denial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The integration does not speak for this framework.
    Framework(String),
    /// It does, but not for this version.
    Version {
        /// The framework.
        framework: String,
        /// The version.
        version: String,
        /// The versions that it speaks for.
        range: String,
    },
    /// A rule denies it.
    Rule {
        /// The line of that rule.
        line: usize,
    },
    /// No rule allows it.
    NoRule,
}

impl Integration {
    /// Returns whether something is allowed. A deny outweighs every allow, what nobody allows is
    /// denied, and the order of the rules makes no difference.
    pub fn decide(&self, ask: &Ask<'_>) -> Decision {
        let rules: Vec<_> = self
            .frameworks
            .iter()
            .filter(|rule| rule.name.as_str() == ask.framework)
            .collect();
        let Some(first) = rules.first() else {
            return Decision::Denied(Denial::Framework(ask.framework.to_owned()));
        };
        if !rules.iter().any(|rule| rule.admits(ask.version)) {
            return Decision::Denied(Denial::Version {
                framework: ask.framework.to_owned(),
                version: ask.version.to_owned(),
                range: first
                    .versions
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            });
        }
        let about = |effect| {
            let mut rules = self.rules.iter();
            rules.find(move |rule| rule.effect == effect && rule.is_about(ask))
        };
        if let Some(rule) = about(RuleEffect::Deny) {
            return Decision::Denied(Denial::Rule { line: rule.line });
        }
        match about(RuleEffect::Allow) {
            Some(rule) => Decision::Allowed { line: rule.line },
            None => Decision::Denied(Denial::NoRule),
        }
    }
}

impl Rule {
    /// Returns whether a rule is about this. Where it has no list, everything will do; a list
    /// without a match will not.
    fn is_about(&self, ask: &Ask<'_>) -> bool {
        let benchmark = self.benchmarks.as_ref().is_none_or(|patterns| {
            let mut patterns = patterns.iter();
            patterns.any(|pattern| pattern.matches(ask.benchmark))
        });
        let model = self.models.as_ref().is_none_or(|patterns| {
            let mut patterns = patterns.iter();
            patterns.any(|pattern| pattern.matches(ask.model))
        });
        let organisation = self.organizations.as_ref().is_none_or(|patterns| {
            let namespace = ask.model.namespace();
            namespace.is_some_and(|name| patterns.iter().any(|pattern| pattern.matches(name)))
        });
        benchmark && model && organisation
    }
}

impl Decision {
    /// Returns whether it is allowed.
    pub fn is_allowed(&self) -> bool {
        match self {
            Self::Allowed { .. } => true,
            Self::Denied(_) => false,
        }
    }
}

impl Denial {
    /// The code of a refusal.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Framework(_) | Self::Version { .. } => "framework_not_allowed",
            Self::Rule { .. } | Self::NoRule => "target_not_allowed",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed { line } => {
                write!(f, "the rule on line {line} of the policy allows it")
            }
            Self::Denied(denial) => denial.fmt(f),
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Framework(name) => {
                write!(
                    f,
                    "this integration does not speak for the framework `{name}`"
                )
            }
            Self::Version {
                framework,
                version,
                range,
            } => write!(
                f,
                "this integration speaks for `{framework}` {range}, and `{version}` is none of these"
            ),
            Self::Rule { line } => write!(f, "the rule on line {line} of the policy denies it"),
            Self::NoRule => f.write_str("no rule of the policy allows it"),
        }
    }
}
