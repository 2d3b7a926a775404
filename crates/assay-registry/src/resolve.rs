//! From a name to the model that it means.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::key::{Token, ends_in_date, join, spelling_key, tokens, word_key};
use crate::organisations::OrganisationKey;
use crate::registry::{Hit, Registry, split};
use crate::suffix::{LOOSE, Suffix, Tells, find_suffix};
use crate::{Answer, Certainty, Reason, Role, Suggestion};

/// The most suffixes that are taken from one name.
const MOST_SUFFIXES: usize = 3;
/// The most suggestions for one name.
const MOST_SUGGESTIONS: usize = 5;

/// A name taken apart.
#[derive(Debug, Clone)]
struct Parts {
    organisation: Option<OrganisationKey>,
    provider: Option<String>,
    base: String,
    steps: Vec<String>,
}

/// The outcome of a lookup.
enum NameMatch {
    /// One model, by its number, and how.
    One(u32, Reason),
    /// Models that cannot be told apart, or that belong to another organisation.
    Unsure(Vec<u32>, &'static str),
    Nothing,
}

impl Registry {
    /// Finds the model that a name means.
    pub fn resolve(&self, name: &str) -> Answer<'_> {
        let given = name.trim();
        if let Some(declared) = self.exact(given) {
            let reason = if declared.is_alias {
                Reason::Alias
            } else {
                Reason::Exact
            };
            return self.certain(name, declared.model, reason, Parts::of_base(given));
        }
        let mut suggestions = BTreeSet::new();
        for parts in self.readings(given) {
            match self.lookup(&parts) {
                NameMatch::One(model, reason) => {
                    let reason = if parts.provider.is_some() {
                        reason.max(Reason::Provider)
                    } else {
                        reason
                    };
                    return self.certain(name, model, reason, parts);
                }
                NameMatch::Unsure(models, because) => {
                    suggestions.extend(models.into_iter().map(|model| (model, because)));
                    continue;
                }
                NameMatch::Nothing => {}
            }
            if let Some(answer) = self.without_suffixes(name, &parts, &mut suggestions) {
                return answer;
            }
        }
        if suggestions.is_empty() {
            self.suggest(given, &mut suggestions);
        }
        self.unsure(name, &suggestions)
    }

    /// Returns the ways to read a name, the plainest first.
    fn readings(&self, given: &str) -> Vec<Parts> {
        let mut readings = Vec::with_capacity(3);
        let plain = self.parts(given);
        let prefixed = self.organisation_in_base(&plain);
        readings.push(plain);
        readings.extend(prefixed);
        readings
    }

    /// Takes organisation, provider and revision of a service off a name.
    fn parts(&self, given: &str) -> Parts {
        let mut parts = Parts::of_base(given);
        // `openai__gpt-4o`, as file names have it.
        let slashed = match given.split_once("__") {
            Some((left, right)) if !given.contains('/') && self.is_declared(left) => {
                Some(format!("{left}/{right}"))
            }
            _ => None,
        };
        let given = slashed.as_deref().unwrap_or(given);
        let (path, base) = split(given);
        base.clone_into(&mut parts.base);
        // `openrouter/anthropic/claude-3-opus`: the last one made it, those before ran it.
        for segment in path.into_iter().flat_map(|path| path.split('/')) {
            parts.take_organisation(segment, self.organisations.find(segment));
        }
        self.take_service_form(&mut parts);
        parts
    }

    /// Reads `bedrock.amazon.nova-2-lite-v1:0`: names of a service with dots before and a revision
    /// behind.
    fn take_service_form(&self, parts: &mut Parts) {
        let mut is_service = parts.provider.is_some();
        while let Some((left, right)) = parts.base.split_once('.') {
            if left.ends_with(|letter: char| letter.is_ascii_digit())
                || right.is_empty()
                || !self.is_declared(left)
            {
                break;
            }
            let (left, right) = (left.to_owned(), right.to_owned());
            parts.take_organisation(&left, self.organisations.find(&left));
            parts.base = right;
            is_service = true;
        }
        if let Some((left, revision)) = parts.base.rsplit_once(':')
            && revision.bytes().all(|byte| byte.is_ascii_digit())
        {
            let version = left.rsplit_once('-').filter(|(_, version)| {
                let digits = version.strip_prefix('v').unwrap_or(version);
                (is_service || version.starts_with('v'))
                    && (1..=2).contains(&digits.len())
                    && digits.bytes().all(|byte| byte.is_ascii_digit())
            });
            if let Some((rest, _)) = version {
                parts.steps.push(format!(
                    "`{}` is a revision of the service",
                    &parts.base[rest.len()..]
                ));
                parts.base = rest.to_owned();
            }
        }
    }

    /// Reads `Moonshot Kimi K2` and `azure-gpt-4o`: the organisation as the first words of the
    /// name.
    fn organisation_in_base(&self, parts: &Parts) -> Option<Parts> {
        let words = tokens(&parts.base);
        let (length, key) = (1..words.len().min(4)).rev().find_map(|length| {
            let key = self.organisations.declared(&concat(&words[..length]))?;
            Some((length, key.clone()))
        })?;
        if key.role == Role::Placeholder {
            return None;
        }
        if key.role == Role::Developer
            && parts
                .organisation
                .as_ref()
                .is_some_and(|own| own.group != key.group)
        {
            return None;
        }
        let prefix = join(&words[..length]);
        let mut inner = parts.clone();
        inner.base = join(&words[length..]);
        inner.take_organisation(&prefix, key);
        Some(inner)
    }

    fn is_declared(&self, text: &str) -> bool {
        self.organisations
            .declared(&crate::organisations::plain(text))
            .is_some()
    }

    fn lookup(&self, parts: &Parts) -> NameMatch {
        let spelled = self.choose(&self.by_spelling, &spelling_key(&parts.base), parts);
        match spelled {
            NameMatch::One(model, _) => return NameMatch::One(model, Reason::Spelling),
            NameMatch::Unsure(..) => return spelled,
            NameMatch::Nothing => {}
        }
        match self.choose(&self.by_words, &word_key(&parts.base), parts) {
            NameMatch::One(model, _) => NameMatch::One(model, Reason::Order),
            other => other,
        }
    }

    fn choose(&self, index: &HashMap<Box<str>, Vec<Hit>>, key: &str, parts: &Parts) -> NameMatch {
        let Some(hits) = index.get(key) else {
            return NameMatch::Nothing;
        };
        if let Some(own) = &parts.organisation {
            let same: Vec<u32> = canonical_of(
                self,
                hits.iter().filter(|hit| {
                    hit.organisation
                        .as_ref()
                        .is_some_and(|key| key.group == own.group)
                }),
            );
            match same.as_slice() {
                [] => {}
                [one] => return NameMatch::One(*one, Reason::Spelling),
                _ => return self.closest_spelling(same, parts),
            }
            let others = hits.iter().filter(|hit| !hit.needs_organisation);
            let others = canonical_of(self, others);
            return if others.is_empty() {
                NameMatch::Nothing
            } else {
                NameMatch::Unsure(others, "it is of another organisation")
            };
        }
        let open = || hits.iter().filter(|hit| !hit.needs_organisation);
        // Copies under the name of a service are not who made the model.
        let made = canonical_of(
            self,
            open().filter(|hit| {
                hit.organisation
                    .as_ref()
                    .is_none_or(|key| key.role == Role::Developer)
            }),
        );
        let chosen = if made.is_empty() {
            canonical_of(self, open())
        } else {
            made
        };
        match chosen.as_slice() {
            [] => NameMatch::Nothing,
            [one] => NameMatch::One(*one, Reason::Spelling),
            _ => self.closest_spelling(chosen, parts),
        }
    }

    /// Of several models with one key, returns the one whose name is the same but for case.
    fn closest_spelling(&self, models: Vec<u32>, parts: &Parts) -> NameMatch {
        let mut same = models.iter().filter(|number| {
            let (model, _) = self.canonical(**number);
            split(&model.id).1.eq_ignore_ascii_case(&parts.base)
        });
        match (same.next(), same.next()) {
            (Some(one), None) if parts.organisation.is_some() => {
                NameMatch::One(*one, Reason::Spelling)
            }
            _ => NameMatch::Unsure(models, "several models are spelled like it"),
        }
    }

    fn without_suffixes<'r>(
        &'r self,
        name: &str,
        parts: &Parts,
        suggestions: &mut BTreeSet<(u32, &'static str)>,
    ) -> Option<Answer<'r>> {
        let mut words = tokens(&parts.base);
        let mut setup = BTreeMap::new();
        let mut steps = Vec::new();
        let mut weakest = Reason::Provider;
        for _ in 0..MOST_SUFFIXES {
            let Suffix { tells, length } = find_suffix(&words)?;
            let rest = words.len() - length;
            let text = concat(&words[rest..]);
            steps.push(match tells {
                Tells::Precision => format!("`{text}` is a precision: a setup of the same model"),
                Tells::Effort => format!("`{text}` is an effort: a setup of the same model"),
                Tells::Provider => format!("`{text}` is an offer of a service"),
            });
            let key = match tells {
                Tells::Precision => Some("precision"),
                Tells::Effort => Some("effort"),
                Tells::Provider => None,
            };
            if let Some(key) = key {
                setup.insert(key, text);
                weakest = Reason::Setup;
            }
            words.truncate(rest);
            let shorter = Parts {
                base: join(&words),
                ..parts.clone()
            };
            match self.lookup(&shorter) {
                NameMatch::One(model, reason) => {
                    let mut shorter = shorter;
                    shorter.steps.extend(steps);
                    let mut answer = self.certain(name, model, reason.max(weakest), shorter);
                    answer.setup.extend(setup);
                    return Some(answer);
                }
                NameMatch::Unsure(models, because) => {
                    suggestions.extend(models.into_iter().map(|model| (model, because)));
                }
                NameMatch::Nothing => {}
            }
        }
        None
    }

    /// Looks for models that the name may mean, by leaving out what may or may not matter.
    fn suggest(&self, given: &str, suggestions: &mut BTreeSet<(u32, &'static str)>) {
        for parts in self.readings(given) {
            let words = tokens(&parts.base);
            let undated = ends_in_date(&words).map(|at| (at, "it has no date"));
            let last = words
                .last()
                .filter(|word| LOOSE.contains(&word.text.as_str()));
            let loose = last.map(|_| (words.len() - 1, "its name is shorter by a word"));
            for (at, because) in undated.into_iter().chain(loose) {
                let shorter = Parts {
                    base: join(&words[..at]),
                    ..parts.clone()
                };
                match self.lookup(&shorter) {
                    NameMatch::One(model, _) => {
                        suggestions.insert((model, because));
                    }
                    NameMatch::Unsure(models, _) => {
                        suggestions.extend(models.into_iter().map(|model| (model, because)));
                    }
                    NameMatch::Nothing => {}
                }
            }
        }
    }

    fn certain<'r>(&'r self, name: &str, number: u32, reason: Reason, parts: Parts) -> Answer<'r> {
        let (model, quantized) = self.canonical(number);
        let reason = if quantized.is_some() {
            reason.max(Reason::Base)
        } else {
            reason
        };
        let mut steps = parts.steps;
        steps.push(match reason {
            Reason::Exact => "it is the canonical id".to_owned(),
            Reason::Alias => format!("it is declared as a name of `{}`", model.id),
            Reason::Base => format!("it is declared as a quantisation of `{}`", model.id),
            Reason::Order => format!("it has the words and versions of `{}`", model.id),
            Reason::Spelling | Reason::Provider | Reason::Setup => {
                format!("what is left is a spelling of `{}`", model.id)
            }
        });
        Answer {
            name: name.to_owned(),
            model: Some(&model.id),
            certainty: Certainty::Certain,
            reason: Some(reason),
            steps,
            provider: parts.provider,
            setup: BTreeMap::new(),
            family: model.family.as_deref(),
            version: model.version.as_deref(),
            base: model.base.as_ref().map(|(base, _)| base.as_str()),
            relation: model.base.as_ref().map(|(_, relation)| *relation),
            source: model.source.as_deref(),
            suggestions: Vec::new(),
            key: spelling_key(split(name.trim()).1),
        }
    }

    fn unsure(&self, name: &str, found: &BTreeSet<(u32, &'static str)>) -> Answer<'_> {
        let suggestions: Vec<Suggestion<'_>> = found
            .iter()
            .take(MOST_SUGGESTIONS)
            .map(|(number, because)| Suggestion {
                model: &self.canonical(*number).0.id,
                because: (*because).to_owned(),
            })
            .collect();
        let certainty = if suggestions.is_empty() {
            Certainty::Unknown
        } else {
            Certainty::Likely
        };
        Answer {
            name: name.to_owned(),
            model: None,
            certainty,
            reason: None,
            steps: Vec::new(),
            provider: None,
            setup: BTreeMap::new(),
            family: None,
            version: None,
            base: None,
            relation: None,
            source: None,
            suggestions,
            key: spelling_key(split(name.trim()).1),
        }
    }
}

impl Parts {
    fn of_base(base: &str) -> Self {
        Self {
            organisation: None,
            provider: None,
            base: base.to_owned(),
            steps: Vec::new(),
        }
    }

    fn take_organisation(&mut self, text: &str, key: OrganisationKey) {
        match key.role {
            Role::Placeholder => self.steps.push(format!("`{text}` names no organisation")),
            Role::Provider => {
                self.steps
                    .push(format!("`{text}` runs or copies models of others"));
                self.provider = Some(text.to_owned());
            }
            Role::Developer => self.organisation = Some(key),
        }
    }
}

/// Distinct models of hits, in order; quantised copies count as their base.
fn canonical_of<'h>(registry: &Registry, hits: impl Iterator<Item = &'h Hit>) -> Vec<u32> {
    let mut numbers: Vec<u32> = Vec::new();
    for hit in hits {
        let id = &registry.canonical(hit.model).0.id;
        if !numbers
            .iter()
            .any(|number| registry.canonical(*number).0.id == *id)
        {
            numbers.push(hit.model);
        }
    }
    numbers
}

fn concat(words: &[Token]) -> String {
    words.iter().map(|word| word.text.as_str()).collect()
}
