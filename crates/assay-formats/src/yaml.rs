//! stub
use crate::{Tape, syntax::SyntaxFault};
/// stub
pub fn parse(_source: &str, _tape: &mut Tape) -> Vec<SyntaxFault> {
    Vec::new()
}
