use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files to the highest that this process may have, and returns it; none
/// when there is no limit.
pub(crate) fn raise_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return current;
    }
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::warn!(%error, "failed to raise the limit of open files");
            current
        }
    }
}

/// The most connections that leave a quarter of the descriptors for files, the database and git.
pub(crate) fn connections_within(descriptors: Option<u64>, wanted: usize) -> usize {
    let Some(descriptors) = descriptors else {
        return wanted;
    };
    let room = descriptors - descriptors / 4;
    wanted
        .min(usize::try_from(room).unwrap_or(usize::MAX))
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_rest() {
        assert_eq!(connections_within(Some(1024), 4096), 768);
        assert_eq!(connections_within(Some(1024), 100), 100);
        assert_eq!(connections_within(None, 4096), 4096);
    }

    #[test]
    fn the_limit_that_was_raised_is_the_highest() {
        let raised = raise_limit();

        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!((raised, current), (maximum, maximum));
    }
}
