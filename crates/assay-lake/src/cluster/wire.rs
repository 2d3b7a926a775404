//! Threads that carry bytes between machines and never work on a query.
//!
//! An operator that is deep in its work does not yield for seconds. If connections shared its
//! threads, an executor that is only busy would look like one that is lost.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// How many threads carry bytes. What is costly, encoding and decoding of rows, is done where the
/// query is worked on.
const THREADS: usize = 2;

/// Returns the runtime of connections, which is started once and lasts as long as the process.
pub(super) fn wire() -> std::io::Result<&'static Handle> {
    static WIRE: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = WIRE.get() {
        return Ok(runtime.handle());
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("cluster-wire")
        .enable_all()
        .build()?;
    // Somebody else may have been faster; then this one ends without having done anything.
    if let Err(second) = WIRE.set(runtime) {
        second.shutdown_background();
    }
    Ok(WIRE.get().expect("it was set above").handle())
}
