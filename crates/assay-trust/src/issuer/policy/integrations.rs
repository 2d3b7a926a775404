use std::ops::Range;
use std::str::FromStr;

use toml::Spanned;

use super::super::framework::{FrameworkName, FrameworkRule};
use super::super::limit::Limits;
use super::super::policy_file::{FrameworkFile, IntegrationFile, LimitsFile, RuleFile, Text};
use super::super::provider::Provider;
use super::{Integration, Reader, Rule, RuleEffect, identities};
use crate::{Assurance, IntegrationId};

/// The default lifetime of a token, in minutes.
const DEFAULT_LIFETIME: i64 = 15;
/// The longest that one may be valid, in minutes.
const MAX_LIFETIME: i64 = 60;

/// The integrations, each with the place of its name.
pub(super) fn read(
    reader: &mut Reader<'_>,
    files: Vec<IntegrationFile>,
    providers: &[Provider],
) -> Vec<(Range<usize>, Integration)> {
    files
        .into_iter()
        .filter_map(|file| integration(reader, file, providers))
        .collect()
}

fn integration(
    reader: &mut Reader<'_>,
    file: IntegrationFile,
    providers: &[Provider],
) -> Option<(Range<usize>, Integration)> {
    let place = file.id.span();
    let id: IntegrationId = parsed(reader, &file.id)?;
    if file.frameworks.is_empty() {
        reader.wrong(
            place.clone(),
            "an integration speaks for at least one framework",
        );
    }
    let frameworks = file
        .frameworks
        .iter()
        .filter_map(|framework| framework_rule(reader, framework))
        .collect();
    let assurance_max = match &file.assurance_max {
        Some(word) => parsed(reader, word)?,
        None => Assurance::Attributed,
    };
    let mut known = Vec::new();
    for identity in file.identity {
        let range = identity.span();
        match identities::of(&id, identity.into_inner(), providers) {
            Ok(identity) => known.push(identity),
            Err(message) => reader.wrong(range, &message),
        }
    }
    let rules = file
        .rule
        .into_iter()
        .filter_map(|rule| read_rule(reader, &rule))
        .collect();
    let integration = Integration {
        id,
        frameworks,
        assurance_max,
        lifetime_seconds: lifetime(reader, file.lifetime_minutes),
        disclose_targets: file.disclose_targets,
        identities: known,
        rules,
        limits: limits(&file.limits.unwrap_or_default()),
    };
    Some((place, integration))
}

fn framework_rule(reader: &mut Reader<'_>, file: &FrameworkFile) -> Option<FrameworkRule> {
    let name: FrameworkName = parsed(reader, &file.name)?;
    let versions = match &file.versions {
        Some(range) => match range.get_ref().parse() {
            Ok(range) => Some(range),
            Err(error) => {
                let error: semver::Error = error;
                reader.wrong(
                    range.span(),
                    &format!("this is no range of versions: {error}"),
                );
                return None;
            }
        },
        None => None,
    };
    Some(FrameworkRule { name, versions })
}

fn lifetime(reader: &mut Reader<'_>, minutes: Option<Spanned<i64>>) -> i64 {
    let Some(minutes) = minutes else {
        return DEFAULT_LIFETIME * 60;
    };
    if !(1..=MAX_LIFETIME).contains(minutes.get_ref()) {
        let message = format!("a token is valid for 1 to {MAX_LIFETIME} minutes");
        reader.wrong(minutes.span(), &message);
    }
    minutes.get_ref().saturating_mul(60)
}

fn read_rule(reader: &mut Reader<'_>, file: &Spanned<RuleFile>) -> Option<Rule> {
    let line = reader.line(file.span().start);
    let rule = file.get_ref();
    let effect = match rule.effect.get_ref().as_str() {
        "allow" => RuleEffect::Allow,
        "deny" => RuleEffect::Deny,
        _ => {
            reader.wrong(
                rule.effect.span(),
                "the effect of a rule is `allow` or `deny`",
            );
            return None;
        }
    };
    let rule = Rule {
        effect,
        benchmarks: patterns(reader, rule.benchmarks.as_deref()),
        models: patterns(reader, rule.models.as_deref()),
        organizations: patterns(reader, rule.organizations.as_deref()),
        line,
    };
    let is_about_nothing =
        rule.benchmarks.is_none() && rule.models.is_none() && rule.organizations.is_none();
    if is_about_nothing {
        reader.wrong(
            file.span(),
            "a rule names `benchmarks`, `models` or `organizations`; `[\"*/*\"]` means all",
        );
    }
    Some(rule)
}

fn patterns<T>(reader: &mut Reader<'_>, texts: Option<&[Text]>) -> Option<Vec<T>>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let texts = texts?;
    Some(
        texts
            .iter()
            .filter_map(|text| parsed(reader, text))
            .collect(),
    )
}

fn parsed<T>(reader: &mut Reader<'_>, text: &Text) -> Option<T>
where
    T: FromStr<Err: std::fmt::Display>,
{
    match text.get_ref().parse() {
        Ok(value) => Some(value),
        Err(error) => {
            let error: T::Err = error;
            reader.wrong(text.span(), &error.to_string());
            None
        }
    }
}

fn limits(file: &LimitsFile) -> Limits {
    let default = Limits::default();
    Limits {
        issue_per_minute: file.issue_per_minute.unwrap_or(default.issue_per_minute),
        burst: file.burst.unwrap_or(default.burst),
        issue_per_day: file.issue_per_day.unwrap_or(default.issue_per_day),
        integration_per_day: file
            .integration_per_day
            .unwrap_or(default.integration_per_day),
        owner_per_day: file.owner_per_day.unwrap_or(default.owner_per_day),
        distinct_models_per_day: file
            .distinct_models_per_day
            .unwrap_or(default.distinct_models_per_day),
        same_target_per_day: file
            .same_target_per_day
            .unwrap_or(default.same_target_per_day),
        preview_per_minute: file
            .preview_per_minute
            .unwrap_or(default.preview_per_minute),
    }
}
