//! The only place that writes to standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, Stderr, Stdout, Write};
use std::process::ExitCode;

/// How a run ended. The numbers are those of `assay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: everything was done.
    Clean,
    /// 1: some files were refused, or the lake is not sound.
    Errors,
    /// 3: the run could not do what it was asked to.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Errors => 1,
            Exit::Failed => 3,
        })
    }
}

/// Writes what the commands have to say. A reader that has seen enough and closes the pipe is no fault of the run; any other
/// failure to write is remembered and turns the exit code to 3.
pub(crate) struct Printer {
    out: BufWriter<Stdout>,
    err: Stderr,
    closed: bool,
    failure: Option<io::Error>,
}

impl Printer {
    /// A printer on the streams of the process.
    pub(crate) fn new() -> Self {
        Self {
            out: BufWriter::new(io::stdout()),
            err: io::stderr(),
            closed: false,
            failure: None,
        }
    }

    /// Writes a line to standard output.
    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self, "{text}");
    }

    /// Writes a document to standard output, with a line end.
    pub(crate) fn json(&mut self, document: &impl serde::Serialize) {
        if serde_json::to_writer_pretty(&mut *self, document).is_ok() {
            self.line("");
        }
    }

    /// Writes a line to standard error.
    pub(crate) fn aside(&self, text: &str) {
        let _ = writeln!(&self.err, "{text}");
    }

    /// Says on standard error why the run failed.
    pub(crate) fn error(&self, text: &str) {
        self.aside(&format!("error: {text}"));
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Brings everything out and returns the exit code.
    pub(crate) fn finish(mut self, exit: Exit) -> Exit {
        let _ = self.flush();
        match self.failure.take() {
            None => exit,
            Some(error) => {
                self.error(&format!("standard output cannot be written: {error}"));
                Exit::Failed
            }
        }
    }

    fn note(&mut self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            self.closed = true;
            if error.kind() != ErrorKind::BrokenPipe {
                self.failure = Some(error);
            }
        }
    }
}

/// Says on standard error what went wrong while others are being answered.
#[cfg(unix)]
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "error: {}", assay_render::visible(text));
}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.closed {
            let outcome = self.out.write_all(bytes);
            self.note(outcome);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.closed {
            let outcome = self.out.flush();
            self.note(outcome);
        }
        Ok(())
    }
}
