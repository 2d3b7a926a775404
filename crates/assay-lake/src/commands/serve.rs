#[cfg(unix)]
use std::ffi::OsString;
#[cfg(unix)]
#[cfg(unix)]
use std::time::Duration;

use assay_cli::{Exit, Printer};
use assay_lake::Error;

use crate::args::{LakeServe, LakeWork};
use crate::config::Config;

/// How many threads read questions, write answers and look at the clock.
#[cfg(unix)]
const ANSWERING: usize = 2;
/// The size of the stacks of those threads, in bytes. No question is followed on them.
#[cfg(unix)]
const SMALL_STACK: usize = 4 << 20;
/// Number of threads that may wait for the disk. They are started at once, because the stack of
/// each counts against the memory of the process.
#[cfg(unix)]
const WAITING: usize = 12;
/// How long such a thread is kept: for as long as the process.
#[cfg(unix)]
const KEPT: Duration = Duration::from_hours(24 * 365);
/// What a process may take beyond what it had when it began, besides the memory of its question, in
/// bytes.
#[cfg(unix)]
const SLACK: u64 = 64 << 20;

/// Answers questions until it is told to stop.
#[cfg(unix)]
pub(super) fn run(
    command: &LakeServe,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    use crate::serve::{DOWNLOADS, Ends, Pool, Recipe, Served, serve};

    let failed = |source| Error::Io {
        doing: "answer on",
        path: command.socket.clone(),
        source,
    };
    offer_to_be_ended_first();
    let threads = command.jobs.map_or(config.cores, usize::from).max(1);
    let at_once = usize::from(command.at_once);
    let lake = super::lake(&command.place, config)?;
    let ends = if command.until_stdin_ends {
        Ends::WithStdin
    } else {
        Ends::WhenTold
    };
    // A download needs half of what a question does.
    let memory = (u64::from(command.memory) << 20) / (at_once + DOWNLOADS / 2) as u64;
    let recipe = Recipe {
        program: std::env::current_exe().map_err(failed)?,
        arguments: arguments_of_work(command, &lake, memory).map_err(failed)?,
        directory: command.socket.with_extension("spill"),
        reused_below: memory / 2,
    };
    // Files are taken in on these threads, and a record may be deep.
    let answering = runtime(ANSWERING, super::STACK).map_err(failed)?;
    let listener = {
        let _context = answering.enter();
        crate::serve::listen(&command.socket).map_err(failed)?
    };
    let pool = Pool::new(recipe).map_err(failed)?;
    printer.line(&format!("answering on {}", command.socket.display()));
    printer.flush();
    let outcome = answering.block_on(async {
        let served = Served::new(lake, threads, pool, at_once);
        serve(listener, served, ends).await
    });
    let _ = std::fs::remove_file(&command.socket);
    let _ = std::fs::remove_dir_all(command.socket.with_extension("spill"));
    // Somebody may still take files in, and nobody waits for that.
    answering.shutdown_background();
    outcome.map_err(failed)?;
    Ok(Exit::Clean)
}

/// Works on questions, one at a time, until nobody asks any more.
#[cfg(unix)]
pub(super) fn run_work(command: &LakeWork, config: &Config) -> Result<Exit, Error> {
    use crate::serve::{Work, work};

    let failed = |source| Error::Io {
        doing: "work on questions for",
        path: std::path::PathBuf::from("a lake"),
        source,
    };
    offer_to_be_ended_first();
    let threads = command.jobs.map_or(config.cores, usize::from).max(1);
    let workers = runtime(threads, super::STACK).map_err(failed)?;
    let answering = runtime(ANSWERING, SMALL_STACK).map_err(failed)?;
    let shared = Work {
        lake: super::lake(&command.place, config)?,
        cluster: super::cluster::with_token(command.cluster.as_ref(), config)?,
        workers: workers.handle().clone(),
        threads,
        memory: usize::try_from(command.memory).unwrap_or(usize::MAX),
    };
    limit_memory(command.memory).map_err(failed)?;
    let outcome = answering.block_on(work(shared));
    // A question that was stopped may still be deep in its work, and nobody waits for it.
    workers.shutdown_background();
    answering.shutdown_background();
    outcome.map_err(failed)?;
    Ok(Exit::Clean)
}

/// The arguments of a process that works on questions.
#[cfg(unix)]
fn arguments_of_work(
    command: &LakeServe,
    lake: &assay_lake::Lake,
    memory: u64,
) -> std::io::Result<Vec<OsString>> {
    let mut arguments: Vec<OsString> = ["lake", "work", "--lake"].map(OsString::from).into();
    arguments.push(if lake.is_remote() {
        lake.directory().into()
    } else {
        std::path::absolute(lake.directory())?.into()
    });
    arguments.extend(["--memory".into(), memory.to_string().into()]);
    if let Some(jobs) = command.jobs {
        arguments.extend(["--jobs".into(), jobs.to_string().into()]);
    }
    if let Some(cluster) = &command.cluster {
        arguments.extend(["--cluster".into(), cluster.to_string().into()]);
    }
    Ok(arguments)
}

/// Threads, all of which are there from the beginning.
#[cfg(unix)]
fn runtime(threads: usize, stack: usize) -> std::io::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(stack)
        .max_blocking_threads(WAITING)
        .thread_keep_alive(KEPT)
        .enable_all()
        .build()?;
    let all_there = std::sync::Arc::new(std::sync::Barrier::new(WAITING + 1));
    for _ in 0..WAITING {
        let all_there = std::sync::Arc::clone(&all_there);
        runtime.spawn_blocking(move || all_there.wait());
    }
    all_there.wait();
    Ok(runtime)
}

/// Lets the system refuse this process more memory than this, beyond what it has. What is refused
/// memory ends.
#[cfg(target_os = "linux")]
fn limit_memory(bytes: u64) -> std::io::Result<()> {
    use rlimit::Resource;

    let status = std::fs::read_to_string("/proc/self/status")?;
    let held = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    let held = held.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    let held = held.ok_or_else(|| std::io::Error::other("the system does not tell our memory"))?;
    let most = (held << 10).saturating_add(bytes).saturating_add(SLACK);
    let (_, allowed) = Resource::DATA.get()?;
    let most = most.min(allowed);
    Resource::DATA.set(most, most)?;
    // What ends for want of memory leaves no copy of it on the disk.
    Resource::CORE.set(0, 0)
}

/// Other systems count memory in other ways.
#[cfg(all(unix, not(target_os = "linux")))]
fn limit_memory(_: u64) -> std::io::Result<()> {
    Ok(())
}

/// When the memory of the whole machine ends, the system ends this process rather than the hub or
/// its database.
#[cfg(unix)]
fn offer_to_be_ended_first() {
    // Where there is no such file, the system decides by itself.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// There are no such sockets here.
#[cfg(not(unix))]
pub(super) fn run(command: &LakeServe, _: &Config, _: &mut Printer) -> Result<Exit, Error> {
    Err(Error::Io {
        doing: "answer on",
        path: command.socket.clone(),
        source: std::io::Error::new(
            std::io::ErrorKind::Unsupported,
            "this system has no such sockets",
        ),
    })
}

/// There are no such sockets here.
#[cfg(not(unix))]
pub(super) fn run_work(_: &LakeWork, _: &Config) -> Result<Exit, Error> {
    Err(Error::Io {
        doing: "work on questions for",
        path: std::path::PathBuf::from("a lake"),
        source: std::io::ErrorKind::Unsupported.into(),
    })
}
