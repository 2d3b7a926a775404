//! The cost of a whole program: CPU seconds and memory.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The cost of a run of the program.
pub(crate) struct Run {
    pub(crate) exit: Option<i32>,
    pub(crate) wall: f64,
    /// User and system time.
    pub(crate) cpu: f64,
    pub(crate) peak_kib: u64,
}

/// Runs the program and watches it.
pub(crate) fn run(arguments: &[&str]) -> Run {
    run_other(env!("CARGO_BIN_EXE_assay").as_ref(), arguments)
}

/// Runs a program and watches it.
pub(crate) fn run_other(program: &Path, arguments: &[&str]) -> Run {
    let before = children_seconds();
    let start = Instant::now();
    #[expect(
        clippy::disallowed_methods,
        reason = "the benchmark measures the real program"
    )]
    let child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (exit, peak_kib) = watch(child);
    Run {
        exit,
        wall: start.elapsed().as_secs_f64(),
        cpu: children_seconds() - before,
        peak_kib,
    }
}

/// Waits for a program and returns its exit code and its peak memory.
fn watch(mut child: Child) -> (Option<i32>, u64) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let own = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = own
                .and_then(|rest| rest.split_whitespace().next())
                .and_then(|number| number.parse().ok());
            peak = peak.max(kib.unwrap_or_default());
        }
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak);
        }
        // The kernel keeps the peak, so looking rarely loses little, and looking often slows what
        // is measured.
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// User and system time of all children that have ended, in seconds.
pub(crate) fn children_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = text.rsplit_once(')').unwrap().1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<f64>().unwrap();
    (ticks(13) + ticks(14)) / TICKS_PER_SECOND
}
