use std::collections::HashMap;

use crate::tape::{Form, Tape};

/// Up to so many keys are compared one by one, which is faster than to hash them.
const FEW: usize = 16;

/// The keys of a map that is being read.
#[derive(Debug, Default)]
pub(super) struct Keys {
    few: Vec<u32>,
    /// All of them by their decoded text, once there are many.
    many: Option<HashMap<Box<str>, u32>>,
}

impl Keys {
    /// Notes the key of a node, and returns the node of the first key with this text.
    pub(super) fn note(&mut self, text: &str, index: u32, tape: &Tape, source: &str) -> u32 {
        if let Some(many) = &mut self.many {
            return *many.entry(text.into()).or_insert(index);
        }
        let same = |key: &&u32| shown(**key, tape, source) == text;
        if let Some(first) = self.few.iter().find(same) {
            return *first;
        }
        self.few.push(index);
        if self.few.len() > FEW {
            let known = self.few.drain(..);
            let named = known.map(|key| (shown(key, tape, source).into(), key));
            self.many = Some(named.collect());
        }
        index
    }
}

/// The text of a key.
fn shown<'t>(index: u32, tape: &'t Tape, source: &'t str) -> &'t str {
    let node = tape.nodes[index as usize];
    match node.form {
        Form::Decoded => &tape.decoded[node.next as usize],
        Form::Plain
        | Form::Escaped
        | Form::Spelled
        | Form::Loose
        | Form::True
        | Form::LooseTrue
        | Form::LooseFalse
        | Form::NonFinite => {
            let raw = source.get(node.start as usize..node.end as usize);
            super::unquoted(raw.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::SyntaxFaultKind;
    use crate::{Tape, yaml};

    #[test]
    fn a_key_is_found_again_among_few_and_among_many_however_it_is_spelled() {
        for count in [1, 15, 16, 17, 40] {
            for (again, is_same) in [
                ("k0", true),
                ("\"k0\"", true),
                ("'k0'", true),
                ("\"\\x6b0\"", true),
                ("k", false),
            ] {
                let keys: Vec<String> = (0..count).map(|n| format!("k{n}: 1\n")).collect();
                let source = format!("{}{again}: 2\n", keys.concat());

                let faults = yaml::parse(&source, &mut Tape::new());

                let is_found = faults
                    .iter()
                    .any(|fault| matches!(fault.kind, SyntaxFaultKind::DuplicateKey { .. }));
                assert_eq!(is_found, is_same, "{count} keys and {again}");
            }
        }
    }
}
