use super::commands::Commands;
use super::pkt;
use crate::RefName;

/// Writes the answer to a push in the words that its client understands.
#[derive(Debug, Clone)]
pub struct Reply {
    has_report: bool,
    has_bands: bool,
}

/// The band of a side-band answer that is for git, and the one that is for the person.
const DATA: u8 = 1;
const PROGRESS: u8 = 2;

/// The longest reason that is given for one ref, in characters.
const MAX_REASON: usize = 1000;

impl Reply {
    pub(super) fn new(commands: &Commands) -> Self {
        Self {
            has_report: commands.can("report-status") || commands.can("report-status-v2"),
            has_bands: commands.can("side-band-64k"),
        }
    }

    /// Reports the outcome of each ref, with text for the person: its lines are shown as `remote:
    /// ...`.
    pub fn report(&self, results: &[(RefName, Result<(), String>)], messages: &str) -> Vec<u8> {
        let results = results.iter().map(|(name, result)| {
            (
                name.as_str(),
                result.as_ref().map_err(String::as_str).copied(),
            )
        });
        self.write("ok", results, messages)
    }

    /// The objects themselves were of no use.
    pub(super) fn unusable(&self, commands: &Commands, reason: &str) -> Vec<u8> {
        let names = commands
            .commands
            .iter()
            .map(|command| command.name.as_str());
        let names = names.chain(commands.refused.iter().map(|(name, _)| name.as_str()));
        self.write(reason, names.map(|name| (name, Err("unpacker error"))), "")
    }

    pub(super) fn write<'a>(
        &self,
        unpack: &str,
        results: impl Iterator<Item = (&'a str, Result<(), &'a str>)>,
        messages: &str,
    ) -> Vec<u8> {
        let mut report = Vec::new();
        if self.has_report {
            pkt::write(&mut report, format!("unpack {}\n", line(unpack)).as_bytes());
            for (name, result) in results {
                let text = match result {
                    Ok(()) => format!("ok {name}\n"),
                    Err(reason) => format!("ng {name} {}\n", line(reason)),
                };
                pkt::write(&mut report, text.as_bytes());
            }
            report.extend_from_slice(pkt::FLUSH);
        }
        if !self.has_bands {
            return report;
        }
        let mut answer = Vec::new();
        write_band(&mut answer, PROGRESS, visible(messages).as_bytes());
        write_band(&mut answer, DATA, &report);
        answer.extend_from_slice(pkt::FLUSH);
        answer
    }
}

fn write_band(out: &mut Vec<u8>, band: u8, bytes: &[u8]) {
    for chunk in bytes.chunks(pkt::MAX_PAYLOAD - 1) {
        let mut payload = vec![band];
        payload.extend_from_slice(chunk);
        pkt::write(out, &payload);
    }
}

/// One line of bounded length; an empty one would not be read.
fn line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().take(MAX_REASON).map(plain).collect();
    match text.trim() {
        "" => "refused".to_owned(),
        text => text.to_owned(),
    }
}

/// Lines that cannot move the cursor of a terminal about, each of them ended.
fn visible(text: &str) -> String {
    let allowed = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let mut text: String = text.chars().filter(allowed).collect();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn main_refused() -> Vec<(RefName, Result<(), String>)> {
        vec![(RefName::main(), Err("not\ntoday".to_owned()))]
    }

    #[test]
    fn a_report_is_what_git_itself_would_write() {
        let reply = Reply {
            has_report: true,
            has_bands: true,
        };

        let bytes = reply.report(&[(RefName::main(), Ok(()))], "");

        assert_eq!(
            bytes,
            b"002e\x01000eunpack ok\n0017ok refs/heads/main\n00000000"
        );
    }

    #[test]
    fn a_reason_stays_on_its_line_and_messages_cannot_move_the_cursor() {
        let reply = Reply {
            has_report: true,
            has_bands: true,
        };

        let bytes = reply.report(&main_refused(), "two\nlines\x1b[2J");

        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("0012\x02two\nlines[2J\n"), "{text:?}");
        assert!(text.contains("ng refs/heads/main not today\n"), "{text:?}");
    }

    #[test]
    fn a_client_that_wants_no_report_gets_none() {
        let reply = Reply {
            has_report: false,
            has_bands: false,
        };

        assert_eq!(reply.report(&main_refused(), "text"), b"");
    }
}
