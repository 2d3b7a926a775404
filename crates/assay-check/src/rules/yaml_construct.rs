use std::ops::Range;

use assay_formats::syntax::YamlConstruct;
use assay_model::Severity;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// YAML that tools do not read alike
    ///
    /// Anchors and aliases, tags, directives, merge keys, several documents in one file, keys that
    /// are not words and tabs between tokens are YAML, but readers treat them differently, and a
    /// signature must mean the same to all of them. An entry that uses one can never be verified.
    ///
    /// Anchors, aliases, tags and directives are warnings; the rest are errors, because part of the
    /// file is not read, or not by every tool: `PyYAML` refuses a file with a tab outside quotes,
    /// comments and block scalars.
    ///
    /// ## What to do
    ///
    /// Write the value out. In Python, `yaml.safe_dump` writes anchors only when one object is used
    /// twice; dump a copy, or a dumper whose `ignore_aliases` returns `True`.
    YAML_CONSTRUCT = (13, "yaml-construct", Warning)
}

pub(crate) fn report(construct: YamlConstruct, at: Range<usize>, sink: &mut Sink<'_>) {
    let (severity, message, help) = match construct {
        YamlConstruct::Alias => (
            Severity::Warning,
            "anchors and aliases are not read alike by all tools",
            "write the value out",
        ),
        YamlConstruct::Tag => (
            Severity::Warning,
            "tags are not read alike by all tools",
            "remove the tag",
        ),
        YamlConstruct::Directive => (
            Severity::Warning,
            "directives are not read alike by all tools",
            "remove the line",
        ),
        YamlConstruct::SecondDocument => (
            Severity::Error,
            "a second document, which is not read",
            "keep one list of entries in a file",
        ),
        YamlConstruct::MergeKey => (
            Severity::Error,
            "merge keys are not part of YAML 1.2",
            "write the keys out",
        ),
        YamlConstruct::ComplexKey => (
            Severity::Error,
            "a key must be a plain word",
            "use a word as the key",
        ),
        YamlConstruct::Tab => (
            Severity::Error,
            "a tab outside quotes, which PyYAML cannot read",
            "use spaces",
        ),
    };
    sink.report_as(severity, &YAML_CONSTRUCT, at, || {
        Draft::new(message).help(help)
    });
}
