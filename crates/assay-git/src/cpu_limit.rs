//! A limit on the processor time of a child, where the system has one.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// The time that a process may go on after the signal that its time is over.
#[cfg(target_os = "linux")]
const GRACE_SECONDS: u64 = 2;

/// Limits the processor time of a process, all its threads together. One that has ended already
/// needs no limit.
#[cfg(target_os = "linux")]
pub(crate) fn set(pid: Option<u32>, limit: Duration) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.cast_signed())) else {
        return Ok(());
    };
    let limits = Rlimit {
        current: Some(limit.as_secs()),
        maximum: Some(limit.as_secs() + GRACE_SECONDS),
    };
    match prlimit(Some(pid), Resource::Cpu, limits) {
        Ok(_) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere only the clock on the wall limits it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn set(_pid: Option<u32>, _limit: Duration) -> io::Result<()> {
    Ok(())
}

/// Returns whether a process was ended because its processor time was over.
#[cfg(target_os = "linux")]
pub(crate) fn has_ended(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

/// Elsewhere none is.
#[cfg(not(target_os = "linux"))]
pub(crate) fn has_ended(_status: ExitStatus) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Stdio;

    use super::*;
    use crate::command::Git;

    #[test]
    fn a_process_is_ended_when_its_processor_time_is_over() {
        let directory = tempfile::tempdir().unwrap();
        // The same lines in two orders: git would look for the shortest difference for minutes.
        for (name, factor) in [("a", 7919_u64), ("b", 104_729)] {
            let lines: Vec<String> = (0..150_000_u64)
                .map(|line| format!("{}\n", line * factor % 150_001))
                .collect();
            std::fs::write(directory.path().join(name), lines.concat()).unwrap();
        }
        let mut command = Git::new("diff")
            .args(["--no-index", "--minimal", "a", "b"])
            .into_command();
        command.current_dir(directory.path()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();

        set(Some(child.id()), Duration::from_secs(1)).unwrap();

        let status = child.wait().unwrap();
        assert!(has_ended(status), "{status:?}");
    }
}
