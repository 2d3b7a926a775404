//! The layout of a document, into which the next one is poured.
//!
//! Rows of a file, and items of a list, mostly differ in a few of their scalars. What stands
//! between those (brackets, keys, commas, spaces, and scalars that never change) is compared with
//! an earlier document in one go, and its nodes are copied; only the scalars that differ are read.
//! The tape is the same as without: text that is the same letter by letter means the same.

use super::parse::{Run, Stop, offset};
use crate::tape::{Kind, Node};

/// Maximum number of values and keys of a document to be remembered.
const MAX_NODES: usize = 1 << 13;
/// Maximum number of bytes of it.
const MAX_TEXT: usize = 1 << 18;
/// Number of documents that may depart from a layout before another is remembered, at first and at
/// most. The number doubles while no document fits, so that documents of which no two are alike
/// cost little more than without layouts.
const PATIENCE: (u32, u32) = (2, 256);
/// The number of times in a row that a scalar must be the same before it is expected to stay so.
const OFTEN: u8 = 16;

/// A document that others are expected to resemble.
#[derive(Debug, Default)]
struct ExpectedLayout {
    /// Its text, to the end of its root.
    text: Vec<u8>,
    nodes: Vec<Node>,
    /// Its lists and maps in the order in which they end.
    ends: Vec<u32>,
    gaps: Vec<Gap>,
    /// True if other scalars than before are expected to stay the same.
    has_changed: bool,
}

/// The text in front of a scalar, or behind the last.
#[derive(Debug, Clone, Copy)]
struct Gap {
    /// The start of the text.
    start: usize,
    end: usize,
    /// The number of nodes in front of the scalar, and of lists and maps that have ended.
    nodes: usize,
    ends: usize,
    /// The number of times in a row that the scalar was the same.
    same: u8,
    /// The gap in front of the next scalar that is not expected to be the same.
    until: usize,
}

/// The layout that is expected of the next document.
#[derive(Debug, Default)]
pub(super) struct LayoutCache {
    expected: ExpectedLayout,
    /// The number of further documents that may depart from the layout.
    patience: u32,
    /// The patience at the moment the layout was remembered.
    given: u32,
    /// True if a document was ever read.
    is_used: bool,
}

impl LayoutCache {
    /// Learns from a document without faults: whether it fitted, and if it did not, perhaps its
    /// layout. The first document is not remembered, because many readers read only one.
    pub(super) fn learn(&mut self, fitted: bool, nodes: &[Node], source: &[u8]) {
        if fitted {
            (self.patience, self.given) = (PATIENCE.0, 0);
            return;
        }
        if !std::mem::replace(&mut self.is_used, true) {
            return;
        }
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 {
            self.given = (self.given * 2).clamp(PATIENCE.0, PATIENCE.1);
            self.patience = self.given;
            self.expected.remember(nodes, source);
        }
    }
}

impl ExpectedLayout {
    /// Remembers a document, unless it is too large for that.
    fn remember(&mut self, nodes: &[Node], source: &[u8]) {
        self.text.clear();
        self.nodes.clear();
        self.ends.clear();
        self.gaps.clear();
        let text = nodes
            .first()
            .and_then(|root| source.get(..root.end as usize));
        let Some(text) = text.filter(|text| text.len() <= MAX_TEXT) else {
            return;
        };
        if nodes.len() > MAX_NODES {
            return;
        }
        self.text.extend_from_slice(text);
        self.nodes.extend_from_slice(nodes);
        let mut open: Vec<u32> = Vec::new();
        let mut start = 0;
        for (index, node) in (0..).zip(nodes) {
            let ended = |last: &mut u32| nodes[*last as usize].next <= index;
            self.ends.extend(std::iter::from_fn(|| open.pop_if(ended)));
            if is_scalar(node) {
                self.gap(start..node.start as usize, index as usize);
                start = node.end as usize;
            } else if matches!(node.kind, Kind::List | Kind::Map) {
                open.push(index);
            }
        }
        self.ends.extend(open.into_iter().rev());
        self.gap(start..text.len(), nodes.len());
    }

    fn gap(&mut self, text: std::ops::Range<usize>, nodes: usize) {
        self.gaps.push(Gap {
            start: text.start,
            end: text.end,
            nodes,
            ends: self.ends.len(),
            same: 0,
            until: self.gaps.len(),
        });
    }

    /// The first node of a gap, and the first list or map that ends in it.
    fn first(&self, gap: usize) -> (usize, usize) {
        let before = gap.checked_sub(1).map(|before| self.gaps[before]);
        before.map_or((0, 0), |before| (before.nodes + 1, before.ends))
    }

    /// Returns how many gaps from one on match a text, with the scalars between them; `None` when
    /// not even that gap does.
    fn reach(&self, gap: usize, text: &[u8]) -> Option<usize> {
        let (start, until) = (self.gaps[gap].start, self.gaps[gap].until);
        let expected = &self.text[start..self.gaps[until].end];
        if text.starts_with(expected) {
            return Some(until);
        }
        let pairs = expected.iter().zip(text);
        let end = start + pairs.take_while(|(own, other)| own == other).count();
        (gap..until).rev().find(|gap| self.gaps[*gap].end <= end)
    }

    /// Notes whether the scalar behind a gap is the same as here.
    #[inline]
    fn compare(&mut self, gap: usize, scalar: &[u8]) {
        let own = &self.text[self.gaps[gap].end..self.gaps[gap + 1].start];
        let same = match self.gaps[gap].same {
            _ if own != scalar => 0,
            same => same.saturating_add(1).min(OFTEN),
        };
        self.has_changed |= (same == OFTEN) != (self.gaps[gap].same == OFTEN);
        self.gaps[gap].same = same;
    }

    /// Joins the gaps between which scalars are expected to stay the same.
    fn join(&mut self) {
        let mut until = self.gaps.len();
        for (index, gap) in self.gaps.iter_mut().enumerate().rev() {
            if gap.same < OFTEN {
                until = index;
            }
            gap.until = until;
        }
        self.has_changed = false;
    }
}

/// Returns whether a node is a value that holds no other; the keys of maps have a fingerprint.
fn is_scalar(node: &Node) -> bool {
    match node.kind {
        Kind::Null | Kind::Bool | Kind::Number => true,
        Kind::String => node.next == 0,
        Kind::List | Kind::Map => false,
    }
}

impl Run<'_> {
    /// Reads a document as far as it is laid out as expected; returns whether that is all of it.
    /// What has been read then ends after a scalar, or nothing has been read.
    pub(super) fn parse_by_layout(&mut self) -> Result<bool, Stop> {
        let mut layouts = std::mem::take(&mut self.parser.layouts);
        let parsed = self.parse_into_layout(&mut layouts.expected);
        if layouts.expected.has_changed {
            layouts.expected.join();
        }
        self.parser.layouts = layouts;
        parsed
    }

    fn parse_into_layout(&mut self, expected: &mut ExpectedLayout) -> Result<bool, Stop> {
        let mut gap = 0;
        while gap < expected.gaps.len() {
            let Some(until) = expected.reach(gap, &self.bytes[self.at..]) else {
                return Ok(false);
            };
            self.copy(expected, gap, until);
            if until + 1 == expected.gaps.len() {
                return Ok(true);
            }
            let start = self.at;
            if !self.scalar()? {
                let Gap { start, end, .. } = expected.gaps[until];
                self.tape.nodes.truncate(expected.first(until).0);
                self.at -= end - start;
                return Ok(false);
            }
            expected.compare(until, &self.bytes[start..self.at]);
            gap = until + 1;
        }
        Ok(false)
    }

    /// Passes over gaps that have the expected text, and the scalars between them.
    #[inline]
    fn copy(&mut self, expected: &ExpectedLayout, gap: usize, until: usize) {
        let (start, last) = (expected.gaps[gap].start, expected.gaps[until]);
        let (first_node, first_end) = expected.first(gap);
        // Places may lie in front of those of the other document; those of lists that go on are
        // mended at their end.
        let moved = offset(self.at).wrapping_sub(offset(start));
        let nodes = expected.nodes[first_node..last.nodes].iter();
        self.tape.nodes.extend(nodes.map(|node| Node {
            start: node.start.wrapping_add(moved),
            end: node.end.wrapping_add(moved),
            ..*node
        }));
        for ended in &expected.ends[first_end..last.ends] {
            let ended = *ended as usize;
            self.tape.nodes[ended].end = expected.nodes[ended].end.wrapping_add(moved);
        }
        self.at += last.end - start;
    }

    /// Reads a scalar, if there is one.
    #[inline]
    fn scalar(&mut self) -> Result<bool, Stop> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| true),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| true),
            Some(b't' | b'f' | b'n') => self.value().map(|()| true),
            Some(_) | None => Ok(false),
        }
    }

    /// Puts the lists and maps on the stack that are open behind the last scalar.
    pub(super) fn reopen(&mut self) {
        let count = offset(self.tape.nodes.len());
        let mut next = Some(0);
        while let Some(index) = next.filter(|index| self.is_open(*index, count)) {
            let is_map = self.tape.nodes[index as usize].kind == Kind::Map;
            self.parser.push_frame(index, is_map);
            next = None;
            let mut child = index + 1;
            while child < count && next.is_none() {
                if is_map {
                    self.parser
                        .remember_key(self.tape.nodes[child as usize].next);
                    child += 1;
                }
                next = Some(child).filter(|child| self.is_open(*child, count));
                child = self.after(child);
            }
        }
    }

    /// Returns whether a node is a list or map that has not ended before `count`.
    fn is_open(&self, index: u32, count: u32) -> bool {
        let node = self.tape.nodes.get(index as usize);
        node.is_some_and(|node| matches!(node.kind, Kind::List | Kind::Map) && node.next >= count)
    }

    fn after(&self, index: u32) -> u32 {
        match self.tape.nodes.get(index as usize) {
            Some(node) if matches!(node.kind, Kind::List | Kind::Map) => node.next,
            Some(_) | None => index + 1,
        }
    }
}

#[cfg(test)]
mod tests;
