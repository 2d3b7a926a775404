//! The only place that writes to standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, Stderr, Stdout, Write};

use crate::exit::Exit;

/// Writes what the commands have to say.
///
/// A reader that has seen enough and closes the pipe is no fault of the run: what follows is
/// dropped in silence. Any other failure to write is remembered and turns the exit code to 3.
pub struct Printer {
    out: Channel<BufWriter<Stdout>>,
    err: Channel<Stderr>,
    failures: Failures,
}

/// What becomes of the failures of a run.
#[derive(Default)]
enum Failures {
    /// They are lines of standard error alone.
    #[default]
    Lines,
    /// They are also put together in one document on standard output, unless the command prints a
    /// document of its own.
    Document(Vec<String>),
    /// The command has printed a document.
    Told,
}

/// The version of the document that tells failures.
const FAILURE_VERSION: u32 = 1;

impl Default for Printer {
    fn default() -> Self {
        Self::new()
    }
}

impl Printer {
    /// Creates a printer on the two streams of the process.
    pub fn new() -> Self {
        Self {
            out: Channel::new(BufWriter::new(io::stdout())),
            err: Channel::new(io::stderr()),
            failures: Failures::default(),
        }
    }

    /// Prints failures as a JSON document on standard output too, for commands that were asked for
    /// JSON.
    #[must_use]
    pub fn with_json_failures(mut self, wanted: bool) -> Self {
        if wanted {
            self.failures = Failures::Document(Vec::new());
        }
        self
    }

    /// Writes data to standard output, as it is.
    pub fn data(&mut self, text: &str) {
        self.failures.told();
        self.out.attempt(|out| out.write_all(text.as_bytes()));
    }

    /// Writes a line to standard output.
    pub fn line(&mut self, text: &str) {
        self.failures.told();
        self.out.attempt(|out| writeln!(out, "{text}"));
    }

    /// Writes a document to standard output, with a line end.
    pub fn json(&mut self, document: &impl serde::Serialize) {
        self.failures.told();
        self.out.attempt(|out| {
            serde_json::to_writer_pretty(&mut *out, document)?;
            writeln!(out)
        });
    }

    /// Brings out what was written so far: a command that goes on for days has to say where it is
    /// first.
    pub fn flush(&mut self) {
        self.out.attempt(Write::flush);
    }

    /// Writes a line to standard error.
    pub fn aside(&mut self, text: &str) {
        self.err.attempt(|err| writeln!(err, "{text}"));
    }

    /// Says on standard error why the run failed.
    pub fn error(&mut self, text: &str) {
        self.aside(&format!("error: {text}"));
        if let Failures::Document(kept) = &mut self.failures {
            kept.push(text.to_owned());
        }
    }

    /// Says on standard error, in these words, how the command line cannot be followed; without
    /// colours in a document.
    pub fn usage(&mut self, shown: &str, plain: &str) {
        self.aside(shown);
        if let Failures::Document(kept) = &mut self.failures {
            kept.push(plain.trim_end().trim_start_matches("error: ").to_owned());
        }
    }

    /// Returns whether standard output is written no more: nobody reads it, or it cannot be
    /// written.
    pub fn is_closed(&self) -> bool {
        self.out.closed
    }

    /// Brings everything out and returns the exit code, which is a failure when something could not
    /// be written.
    pub fn finish(mut self, exit: Exit) -> Exit {
        if let Failures::Document(kept) = std::mem::take(&mut self.failures)
            && exit != Exit::Clean
            && !kept.is_empty()
        {
            self.json(&serde_json::json!({
                "version": FAILURE_VERSION,
                "error": kept.join("\n"),
                "exit_code": exit.number(),
            }));
        }
        self.out.attempt(Write::flush);
        match self.out.failure.take() {
            None => exit,
            Some(error) => {
                self.error(&format!("standard output cannot be written: {error}"));
                Exit::Failed
            }
        }
    }
}

/// Writes to standard output. It never fails: the printer remembers what could not be written.
impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.failures.told();
        self.out.attempt(|out| out.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.attempt(Write::flush);
        Ok(())
    }
}

impl Failures {
    /// Notes that the command prints its own document.
    fn told(&mut self) {
        if matches!(self, Self::Document(_)) {
            *self = Self::Told;
        }
    }
}

/// Writes an error to standard error while others are being answered.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "error: {text}");
}

struct Channel<W> {
    writer: W,
    closed: bool,
    failure: Option<io::Error>,
}

impl<W: Write> Channel<W> {
    fn new(writer: W) -> Self {
        Self {
            writer,
            closed: false,
            failure: None,
        }
    }

    fn attempt(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.closed {
            return;
        }
        if let Err(error) = write(&mut self.writer) {
            self.closed = true;
            if error.kind() != ErrorKind::BrokenPipe {
                self.failure = Some(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refusing(ErrorKind, usize);

    impl Write for Refusing {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_and_is_not_written_to_again() {
        let mut channel = Channel::new(Refusing(ErrorKind::BrokenPipe, 0));

        channel.attempt(|out| out.write_all(b"one"));
        channel.attempt(|out| out.write_all(b"two"));

        assert!(channel.failure.is_none());
        assert_eq!(channel.writer.1, 1);
    }

    #[test]
    fn a_full_disk_is_a_failure() {
        let mut channel = Channel::new(Refusing(ErrorKind::StorageFull, 0));

        channel.attempt(|out| out.write_all(b"one"));

        assert_eq!(
            channel.failure.map(|error| error.kind()),
            Some(ErrorKind::StorageFull)
        );
    }
}
