use std::ops::Range;

use saphyr_parser::{Marker, ScalarStyle, Span};

use super::place::{Places, Prolog, block_range, property_end, quoted_end, skip_space};
use crate::syntax::YamlConstruct;
use crate::tape::Kind;

/// Finds the exact range of what the parser reports.
#[derive(Debug)]
pub(super) struct Locator<'a> {
    source: &'a str,
    places: Places<'a>,
    /// The end of what has been read.
    at: usize,
    /// The last place that blanks and comments were skipped from, and the place that led to. A
    /// comment can be as long as the source, and several values that are not written can stand
    /// before it.
    gap: (usize, usize),
    /// Number of brackets that are open.
    flow: usize,
}

/// The role of a value in the list or map that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Root,
    Item,
    Key,
    Value,
}

/// The beginning of a value.
#[derive(Debug)]
pub(super) struct Opening {
    /// The start of the value itself, after its anchor and tag.
    pub(super) start: usize,
    /// Its anchor and tag.
    pub(super) properties: Vec<(YamlConstruct, Range<usize>)>,
}

/// The beginning of a list or map.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) start: usize,
    /// True if it stands in brackets.
    is_flow: bool,
}

impl<'a> Locator<'a> {
    pub(super) fn new(source: &'a str, prolog: &Prolog) -> Self {
        Self {
            source,
            places: Places::new(source, prolog),
            at: prolog.end,
            gap: (source.len(), source.len()),
            flow: 0,
        }
    }

    /// The byte that a mark of the parser stands at.
    pub(super) fn byte(&self, mark: Marker) -> usize {
        self.places.byte(mark.index())
    }

    /// The end of what has been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Notes that everything before `at` has been read.
    pub(super) fn advance(&mut self, at: usize) {
        self.at = at;
    }

    /// Skips the given number of anchors and tags, which the parser counts as part of the value.
    pub(super) fn opening(&mut self, properties: usize, span: Span) -> Opening {
        let mut opening = Opening {
            start: self.byte(span.start),
            properties: Vec::new(),
        };
        for _ in 0..properties {
            let construct = match self.byte_at(opening.start) {
                Some(b'&') => YamlConstruct::Alias,
                Some(b'!') => YamlConstruct::Tag,
                _ => break,
            };
            let end = property_end(self.source, opening.start);
            opening.properties.push((construct, opening.start..end));
            opening.start = self.skip_space(end);
        }
        opening
    }

    /// Enters a list or map, and returns how it begins.
    pub(super) fn enter(
        &mut self,
        kind: Kind,
        opening: &Opening,
        role: Role,
        span: Span,
    ) -> Bounds {
        let mut start = opening.start;
        let is_bracket = matches!(self.byte_at(start), Some(b'[' | b'{'));
        let is_flow = is_bracket && start < self.byte(span.end);
        let is_in_map = matches!(role, Role::Key | Role::Value);
        if kind == Kind::List && is_in_map && !is_flow && opening.properties.is_empty() {
            // The parser points past the dash of a list that is indented no further than its key.
            let dash = self.skip_indicators(b"?:");
            if self.byte_at(dash) == Some(b'-') {
                start = dash;
            }
        }
        self.flow += usize::from(is_flow);
        self.at = start + usize::from(is_flow);
        Bounds { start, is_flow }
    }

    /// Leaves a list or map, and returns its range.
    pub(super) fn leave(&mut self, bounds: &Bounds, span: Span) -> Range<usize> {
        // What is not in brackets ends with the last thing in it, wherever the parser notices.
        if bounds.is_flow {
            let mut end = self.byte(span.start);
            // The parser takes a last comma for the end of a map.
            if self.byte_at(end) == Some(b',') {
                end = self.skip_space(end + 1);
            }
            self.at = (end + 1).min(self.source.len());
            self.flow -= 1;
        }
        bounds.start..self.at
    }

    /// Reads past a scalar, and returns its range.
    pub(super) fn scalar(
        &mut self,
        is_empty: bool,
        style: ScalarStyle,
        opening: &Opening,
        role: Role,
        span: Span,
    ) -> Range<usize> {
        let start = opening.start;
        let range = match style {
            ScalarStyle::Plain if is_empty => {
                let at = match opening.properties.last() {
                    Some((_, property)) => property.end,
                    None => self.unwritten(role),
                };
                at..at
            }
            ScalarStyle::Plain => start..self.byte(span.end).max(start),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                start..quoted_end(self.source, start)
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                // Without an anchor or tag the parser points at the text, past the `|` or `>`.
                let start = if opening.properties.is_empty() {
                    self.skip_indicators(b"-?:")
                } else {
                    start
                };
                block_range(self.source, start, self.byte(span.end))
            }
        };
        self.at = range.end;
        range
    }

    /// Returns the place of a value that is not written: after the indicator that announces it, or
    /// where it was expected.
    fn unwritten(&mut self, role: Role) -> usize {
        let next = self.skip_space(self.at);
        match role {
            Role::Item if self.is_indicator(next, b'-') => next + 1,
            Role::Value if self.is_indicator(next, b':') && self.is_beside(next) => next + 1,
            Role::Key => {
                let is_after_comma = self.byte_at(next) == Some(b',');
                let next = if is_after_comma {
                    self.skip_space(next + 1)
                } else {
                    next
                };
                next + usize::from(self.is_indicator(next, b'?'))
            }
            Role::Root | Role::Item | Role::Value => self.at,
        }
    }

    /// Returns whether a colon belongs to the key that was just read. On another line it can be
    /// that of an outer map.
    fn is_beside(&self, colon: usize) -> bool {
        let between = self.source.get(self.at..colon).unwrap_or_default();
        self.flow > 0 || !between.contains(['\n', '\r'])
    }

    fn is_indicator(&self, at: usize, indicator: u8) -> bool {
        self.byte_at(at) == Some(indicator)
            && self.byte_at(at + 1).is_none_or(|next| {
                b" \t\r\n".contains(&next) || self.flow > 0 && b",[]{}".contains(&next)
            })
    }

    fn skip_indicators(&mut self, indicators: &[u8]) -> usize {
        let mut at = self.skip_space(self.at);
        while self
            .byte_at(at)
            .is_some_and(|byte| indicators.contains(&byte))
        {
            at = self.skip_space(at + 1);
        }
        at
    }

    fn skip_space(&mut self, from: usize) -> usize {
        if self.gap.0 != from {
            self.gap = (from, skip_space(self.source, from));
        }
        self.gap.1
    }

    fn byte_at(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }
}
