//! The cost of signed evidence: `cargo bench -p assay-trust --bench trust`. Figures are compared
//! within one run, as ratios.
//!
//! Options (after `--`): `only=NAME` one of `verify`, `issuance` and `log`; `tokens=100000` that
//! are issued, `leaves=10000000` of the large log. The logs are made in the directory that the
//! bench runs in.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::unwrap_used, reason = "what is measured here is made here")]

#[path = "trust/cost.rs"]
mod cost;
#[path = "trust/issuance.rs"]
mod issuance;
#[path = "trust/large_log.rs"]
mod large_log;
#[path = "trust/verify.rs"]
mod verify;

fn main() {
    let settings = Settings::from_arguments();
    if settings.wants("verify") {
        verify::run();
    }
    if settings.wants("issuance") {
        issuance::run(settings.tokens);
    }
    if settings.wants("log") {
        large_log::run(settings.leaves);
    }
}

struct Settings {
    only: Option<String>,
    tokens: u64,
    leaves: u64,
}

impl Settings {
    fn from_arguments() -> Self {
        let mut settings = Self {
            only: None,
            tokens: 100_000,
            leaves: 10_000_000,
        };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("only", value)) => settings.only = Some(value.to_owned()),
                Some(("tokens", value)) => settings.tokens = value.parse().unwrap(),
                Some(("leaves", value)) => settings.leaves = value.parse().unwrap(),
                Some(_) | None => {}
            }
        }
        settings
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }
}
