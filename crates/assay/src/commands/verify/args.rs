use std::path::PathBuf;
use std::str::FromStr;

use assay_model::RepoId;
use clap::Args;

use crate::args::ShowFormat;
use crate::witnesses::WitnessArgs;

/// Verify a result file, a token or a proof
#[derive(Debug, Args)]
#[command(
    long_about = "\
Verify a result file, a token or a proof, without a network unless a hub is named.

Of a result file, every entry is compared with what its token says, field by field, and its digests are told. Of a token, \
the signature is checked. Of a proof, everything is checked that the hub checked: the file and its commit, the signature, the \
receipts of the log, and what was revoked when the proof was made; the verdict comes from the same function. The keys of the \
hub's logs come from the trust note that you give; without one, a proof only shows that it agrees with itself.",
    after_help = "\
Examples:
  assay verify row.proof --trust hub.note           a row of a leaderboard, offline
  assay verify row.proof --hub https://hub.example  the same, and whether it was revoked since
  assay verify row.proof --trust hub.note --witness KEY --witness KEY    and whether both have seen this history
  assay verify .eval_results/sums.yaml              every entry against its token
  assay verify .eval_results/sums.yaml --canonical  the bytes that are signed, and their digests
  assay verify - --keys jwks.json < token.txt       a token, with the keys of its issuer
  curl -s https://hub.example/.well-known/eval-trust > hub.note

Exit codes:
  0  verified: all that was given holds
  1  something does not hold, and the reason is told
  2  it holds, and what it is trusted by is too old, too weak or was not given
  3  wrong usage, or something could not be read or reached"
)]
pub(crate) struct VerifyArgs {
    /// A result file, a token or a proof: a path, `-` for standard input, or the token itself
    #[arg(value_name = "FILE|TOKEN|PROOF")]
    pub(crate) what: String,

    /// The trust note of the hub, fetched once over a way that you trust
    #[arg(long, value_name = "FILE")]
    pub(crate) trust: Option<PathBuf>,

    /// A hub to ask for its trust note, unless one is given, and for what was revoked until now
    #[arg(long, value_name = "URL")]
    pub(crate) hub: Option<String>,

    /// The public keys of an issuer, as a JWK set
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) witnesses: WitnessArgs,

    /// Maximum age of what is known of revocations: `30d`, `12h`, `90m`
    #[arg(long, value_name = "AGE")]
    pub(crate) max_trust_age: Option<Age>,

    /// The model that the entries of a result file are of [default: what their tokens say]
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<RepoId>,

    /// Only this entry of the result file, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) entry: Option<u16>,

    /// Print the canonical form of every entry and its digests, and verify nothing
    #[arg(long)]
    pub(crate) canonical: bool,

    /// Format of the verdict
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Age {
    pub(crate) seconds: i64,
}

/// The error of a text that is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a number and `d`, `h`, `m` or `s`: `30d`")]
pub(crate) struct AgeError;

impl FromStr for Age {
    type Err = AgeError;

    fn from_str(text: &str) -> Result<Self, AgeError> {
        let unit = text.chars().next_back().ok_or(AgeError)?;
        let seconds: i64 = match unit {
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            _ => return Err(AgeError),
        };
        let count: u32 = text[..text.len() - 1].parse().map_err(|_| AgeError)?;
        let seconds = seconds.checked_mul(i64::from(count)).ok_or(AgeError)?;
        Ok(Self { seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        let seconds = |text: &str| text.parse::<Age>().map(|age| age.seconds);

        assert_eq!(seconds("30d"), Ok(2_592_000));
        assert_eq!(seconds("90m"), Ok(5_400));
        assert_eq!(seconds("0s"), Ok(0));
        for text in ["", "d", "30", "-1d", "1.5h", "30 d", "1é", "99999999999d"] {
            assert_eq!(seconds(text), Err(AgeError), "{text}");
        }
    }
}
