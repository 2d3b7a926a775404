use std::process::ExitCode;

/// The end of a run. The numbers are part of the interface: scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: nothing is wrong; notes do not count.
    Clean,
    /// 2: there are warnings and no errors.
    Warnings,
    /// 1: there are errors.
    Errors,
    /// 3: the run could not do all it was asked to: wrong usage, or a file or hub that could not be
    /// read.
    Failed,
    /// The exit code of a command that was run for the user.
    Command(u8),
}

impl Exit {
    /// The number that the shell sees.
    pub fn number(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Errors => 1,
            Self::Warnings => 2,
            Self::Failed => 3,
            Self::Command(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
