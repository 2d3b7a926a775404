//! The only place that writes to standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, Stderr, Stdout, Write};

use crate::exit::Exit;

/// Writes what the commands have to say.
///
/// A reader that has seen enough and closes the pipe is no fault of the run: what follows is dropped in silence. Any
/// other failure to write is remembered and turns the exit code to 3.
pub struct Printer {
    out: Channel<BufWriter<Stdout>>,
    err: Channel<Stderr>,
}

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
        }
    }

    /// Writes data to standard output, as it is.
    pub fn data(&mut self, text: &str) {
        self.out.attempt(|out| out.write_all(text.as_bytes()));
    }

    /// Writes a line to standard output.
    pub fn line(&mut self, text: &str) {
        self.out.attempt(|out| writeln!(out, "{text}"));
    }

    /// Writes a document to standard output, with a line end.
    pub fn json(&mut self, document: &impl serde::Serialize) {
        self.out.attempt(|out| {
            serde_json::to_writer_pretty(&mut *out, document)?;
            writeln!(out)
        });
    }

    /// Brings out what was written so far: a command that goes on for days has to say where it is first.
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
    }

    /// Whether standard output is written no more: nobody reads it, or it cannot be written.
    pub fn is_closed(&self) -> bool {
        self.out.closed
    }

    /// Brings everything out and returns the exit code, which is a failure when something could not be written.
    pub fn finish(mut self, exit: Exit) -> Exit {
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
        self.out.attempt(|out| out.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.attempt(Write::flush);
        Ok(())
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
