use std::fmt;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The commands that not every build has, each with the feature that brings it.
const COMMANDS: [(&str, &str); 20] = [
    ("convert", "convert"),
    ("submit", "client"),
    ("run", "client"),
    ("outbox", "client"),
    ("token", "client"),
    ("hub", "client"),
    ("import", "client"),
    ("log", "client"),
    ("issuer", "hub"),
    ("ingest", "hub"),
    ("query", "hub"),
    ("compare", "hub"),
    ("lake", "hub"),
    ("serve", "hub"),
    ("admin", "hub"),
    ("keys", "hub"),
    ("trust", "hub"),
    ("reindex", "hub"),
    ("migrate", "hub"),
    ("config", "hub"),
];

/// A part of the program that this build was made without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// The command or flag.
    name: &'static str,
    /// The feature that brings it.
    feature: &'static str,
}

impl LeftOut {
    /// The flag `--hub`, which needs the client.
    #[cfg(not(feature = "client"))]
    pub(crate) const HUB: Self = Self {
        name: "--hub",
        feature: "client",
    };

    /// The command that was typed, if this build was made without it.
    pub(crate) fn from_error(error: &clap::Error) -> Option<Self> {
        if error.kind() != ErrorKind::InvalidSubcommand {
            return None;
        }
        let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
            return None;
        };
        COMMANDS
            .into_iter()
            .find(|(name, feature)| name == typed && !has(feature))
            .map(|(name, feature)| Self { name, feature })
    }
}

impl std::error::Error for LeftOut {}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, feature } = self;
        write!(
            f,
            "`{name}` is not in this build of `assay`, which was made without the feature `{feature}`; \
             `cargo install --path crates/assay --features {feature}` has it"
        )
    }
}

/// Returns whether this build has a feature.
fn has(feature: &str) -> bool {
    match feature {
        "convert" => cfg!(feature = "convert"),
        "client" => cfg!(feature = "client"),
        _ => cfg!(feature = "hub"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::args::Args;

    /// The commands of every build.
    const ALWAYS: [&str; 8] = [
        "validate",
        "upgrade",
        "explain",
        "schema",
        "verify",
        "completions",
        "man",
        "who",
    ];

    #[test]
    fn this_build_has_the_commands_of_its_features_and_no_others() {
        let expected: BTreeSet<&str> = COMMANDS
            .into_iter()
            .filter(|(_, feature)| has(feature))
            .map(|(name, _)| name)
            .chain(ALWAYS)
            .collect();

        let command = Args::command();
        let own: BTreeSet<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();

        assert_eq!(own, expected);
    }

    #[test]
    fn a_command_of_another_build_is_named_with_its_feature_and_a_misspelt_one_is_not() {
        for (name, feature) in COMMANDS {
            let outcome = Args::try_parse_from(["assay", name, "--no-such-flag"]);

            let left_out = outcome.err().as_ref().and_then(LeftOut::from_error);
            let expected = (!has(feature)).then_some(LeftOut { name, feature });
            assert_eq!(left_out, expected);
        }
        let misspelt = Args::try_parse_from(["assay", "valdate"]).unwrap_err();
        assert_eq!(LeftOut::from_error(&misspelt), None);
    }
}
