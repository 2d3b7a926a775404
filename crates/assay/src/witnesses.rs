//! Witnesses that the one who asks relies upon, as arguments.

use assay_tlog::{SignedCheckpoint, WitnessKey};
use clap::Args;

/// The witnesses that must have signed.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WitnessArgs {
    /// The key of a witness that must have signed the checkpoints; may be given several times
    #[arg(long, value_name = "KEY", value_parser = witness)]
    pub(crate) witness: Vec<WitnessKey>,

    /// Number of witnesses that must have signed [default: all that are given]
    #[arg(long, value_name = "N", requires = "witness", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) quorum: Option<u16>,
}

/// The reason why witnesses cannot be relied upon in this way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QuorumError {
    /// One of them would count twice.
    #[error("the witness `{0}` is given twice")]
    Twice(String),
    /// There are not so many.
    #[error("`--quorum {wanted}` is asked for, and only {given} witnesses are given")]
    TooMany { wanted: usize, given: usize },
}

impl WitnessArgs {
    /// Returns the number of must that have signed; 0 when no witness is given.
    pub(crate) fn at_least(&self) -> Result<usize, QuorumError> {
        let keys = &self.witness;
        let repeated = (1..keys.len()).find(|at| keys[..*at].contains(&keys[*at]));
        if let Some(at) = repeated {
            return Err(QuorumError::Twice(keys[at].name().to_owned()));
        }
        let given = keys.len();
        let wanted = self.quorum.map_or(given, usize::from);
        if wanted > given {
            return Err(QuorumError::TooMany { wanted, given });
        }
        Ok(wanted)
    }

    /// Returns the number of them that signed a checkpoint.
    pub(crate) fn count(&self, signed: &SignedCheckpoint) -> usize {
        signed.witnesses(&self.witness).len()
    }

    /// The time since which so many of them have signed it again, in seconds since 1970. One
    /// witness with a wrong clock does not make it newer.
    pub(crate) fn signed_since(&self, signed: &SignedCheckpoint, at_least: usize) -> Option<u64> {
        let signed = signed.witnesses(&self.witness);
        let mut times: Vec<u64> = signed.into_iter().map(|(_, seconds)| seconds).collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        times.get(at_least.checked_sub(1)?).copied()
    }
}

fn witness(text: &str) -> Result<WitnessKey, String> {
    text.parse()
        .map_err(|error: assay_tlog::KeyError| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(seeds: &[u8], quorum: Option<u16>) -> WitnessArgs {
        let key = |seed: &u8| {
            let name = format!("witness.example/{seed}");
            let cosigner = assay_tlog::Cosigner::from_seed(&name, &[*seed; 32]);
            cosigner.unwrap().key().clone()
        };
        WitnessArgs {
            witness: seeds.iter().map(key).collect(),
            quorum,
        }
    }

    #[test]
    fn all_witnesses_count_unless_fewer_are_enough_and_each_counts_once() {
        assert_eq!(args(&[], None).at_least(), Ok(0));
        assert_eq!(args(&[1, 2, 3], None).at_least(), Ok(3));
        assert_eq!(args(&[1, 2, 3], Some(2)).at_least(), Ok(2));
        assert_eq!(
            args(&[1, 2], Some(3)).at_least(),
            Err(QuorumError::TooMany {
                wanted: 3,
                given: 2
            })
        );
        assert_eq!(
            args(&[1, 2, 1], Some(2)).at_least(),
            Err(QuorumError::Twice("witness.example/1".to_owned()))
        );
    }
}
