use assay_model::ObjectId;

use super::pkt::{self, Line};
use crate::RefName;

/// A client sent something that is not the git protocol, or more than it may send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A length that is no length, or a line that ends too soon.
    #[error("this is not a pkt-line")]
    Line,
    /// A command that is not `old new name`.
    #[error("this is not a command of `git push`")]
    Command,
    /// Too many commands.
    #[error("a push moves at most {0} refs")]
    TooManyCommands(usize),
    /// A pack that is too large.
    #[error("a push has at most {0} bytes")]
    TooLarge(u64),
}

/// One ref that a push wants to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The name of the ref.
    pub name: RefName,
    /// The current target in the eyes of the client; `None` when it knows of none.
    pub old: Option<ObjectId>,
    /// The new target; `None` deletes it.
    pub new: Option<ObjectId>,
}

/// The beginning of a push.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commands {
    /// The refs that it wants to move.
    pub commands: Vec<Command>,
    /// The names that are none, as they were sent and why not; a push with such a name is refused
    /// as a whole.
    pub refused: Vec<(String, String)>,
    /// The capabilities of the client.
    pub capabilities: Vec<String>,
}

impl Commands {
    /// Returns whether the client can do something.
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|can| can == capability)
    }
}

/// Reads the commands that a push begins with, and says how many bytes they took. `None` when they
/// are not all there yet.
pub fn parse_commands(
    bytes: &[u8],
    max_commands: usize,
) -> Result<Option<(Commands, usize)>, WireError> {
    let mut commands = Commands::default();
    let mut used = 0;
    let mut is_first = true;
    while let Some((line, length)) = pkt::read(&bytes[used..])? {
        used += length;
        let payload = match line {
            Line::Data(payload) => payload,
            Line::Flush => return Ok(Some((commands, used))),
        };
        // A client with a shallow clone says where its history ends. What it lacks we must have, or
        // refuse.
        if payload.starts_with(b"shallow ") {
            continue;
        }
        let command = if is_first {
            first(payload, &mut commands.capabilities)
        } else {
            payload
        };
        is_first = false;
        if commands.commands.len() + commands.refused.len() == max_commands {
            return Err(WireError::TooManyCommands(max_commands));
        }
        parse(command, &mut commands)?;
    }
    Ok(None)
}

/// The first command has the capabilities behind a zero.
fn first<'a>(payload: &'a [u8], capabilities: &mut Vec<String>) -> &'a [u8] {
    let mut halves = payload.splitn(2, |&byte| byte == 0);
    let command = halves.next().unwrap_or_default();
    let said = String::from_utf8_lossy(halves.next().unwrap_or_default());
    capabilities.extend(said.split_whitespace().map(str::to_owned));
    command
}

fn parse(command: &[u8], commands: &mut Commands) -> Result<(), WireError> {
    let text = std::str::from_utf8(command).map_err(|_| WireError::Command)?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut parts = text.splitn(3, ' ');
    let (Some(old), Some(new), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(WireError::Command);
    };
    let (old, new) = (object(old)?, object(new)?);
    let checked = name.parse::<RefName>().and_then(|name| match new {
        Some(_) => name.check_new().map(|()| name),
        None => Ok(name),
    });
    match checked {
        Err(error) => commands.refused.push((printable(name), error.to_string())),
        Ok(name) if commands.commands.iter().any(|other| other.name == name) => {
            let reason = "it is named twice".to_owned();
            commands.refused.push((name.to_string(), reason));
        }
        Ok(name) => commands.commands.push(Command { name, old, new }),
    }
    Ok(())
}

/// A hash; forty zeros are none.
fn object(text: &str) -> Result<Option<ObjectId>, WireError> {
    let id: ObjectId = text.parse().map_err(|_| WireError::Command)?;
    Ok((id.as_bytes() != &[0; 20]).then_some(id))
}

/// A name as it can stand in an answer.
fn printable(name: &str) -> String {
    let visible = |c: char| if c.is_control() { '?' } else { c };
    name.chars().take(RefName::MAX).map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: &str = "0000000000000000000000000000000000000000";
    const ONE: &str = "1111111111111111111111111111111111111111";

    fn push(lines: &[String]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in lines {
            pkt::write(&mut bytes, line.as_bytes());
        }
        bytes.extend_from_slice(pkt::FLUSH);
        bytes
    }

    #[test]
    fn a_push_says_what_it_moves_and_what_it_can_do() {
        let bytes = push(&[
            format!("shallow {ONE}"),
            format!("{ZERO} {ONE} refs/heads/new\0 report-status side-band-64k agent=git/2"),
            format!("{ONE} {ZERO} refs/heads/old"),
        ]);

        let (commands, used) = parse_commands(&bytes, 10).unwrap().unwrap();

        assert_eq!(used, bytes.len());
        assert!(commands.can("report-status") && commands.can("side-band-64k"));
        assert!(!commands.can("atomic"));
        let moved: Vec<_> = commands
            .commands
            .iter()
            .map(|command| {
                (
                    command.name.as_str(),
                    command.old.is_some(),
                    command.new.is_some(),
                )
            })
            .collect();
        assert_eq!(
            moved,
            [
                ("refs/heads/new", false, true),
                ("refs/heads/old", true, false)
            ]
        );
    }

    #[test]
    fn names_that_are_none_are_kept_apart_with_the_reason() {
        let bytes = push(&[
            format!("{ZERO} {ONE} refs/heads/../../x"),
            format!("{ZERO} {ONE} refs/heads/a"),
            format!("{ONE} {ZERO} refs/heads/a"),
        ]);

        let (commands, _) = parse_commands(&bytes, 10).unwrap().unwrap();

        let refused: Vec<_> = commands
            .refused
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(refused, ["refs/heads/../../x", "refs/heads/a"]);
    }

    #[test]
    fn more_commands_than_allowed_are_an_error() {
        let bytes = push(&[
            format!("{ZERO} {ONE} refs/heads/a"),
            format!("{ZERO} {ONE} refs/heads/b"),
        ]);

        assert_eq!(
            parse_commands(&bytes, 1),
            Err(WireError::TooManyCommands(1))
        );
    }

    #[test]
    fn what_is_no_command_is_an_error() {
        for line in [
            "",
            "x",
            "push-cert\0",
            &format!("{ONE} {ONE}"),
            &format!("{ONE} zz refs/heads/a"),
        ] {
            assert_eq!(
                parse_commands(&push(&[line.to_owned()]), 9),
                Err(WireError::Command),
                "{line:?}"
            );
        }
    }
}
