use std::ops::Range;

use saphyr_parser::Span;

use super::{Run, Stop, node, offset, stop, unquoted};
use crate::syntax::{SyntaxFaultKind, YamlConstruct, limits};
use crate::tape::{Form, Kind, Node};
use crate::yaml::locate::Role;

/// The target of an alias.
#[derive(Debug, Clone)]
pub(super) enum Anchored {
    /// The list or map is still being read.
    Open,
    /// It was part of a key and is not kept.
    Lost,
    /// A scalar, and the index of its text when an alias has asked for it.
    Scalar { node: Node, decoded: Option<u32> },
    /// A list or map, and how deep it nests.
    Tree { nodes: Range<usize>, height: usize },
}

impl Run<'_> {
    pub(super) fn remember(&mut self, anchor: usize, anchored: Anchored) {
        if anchor > 0 {
            self.anchors.insert(anchor, anchored);
        }
    }

    pub(super) fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let range = self.locator.byte(span.start)..self.locator.byte(span.end);
        self.locator.advance(range.end);
        self.construct(YamlConstruct::Alias, range.clone());
        if self.complex_key.is_none() {
            if self.role() == Role::Key {
                self.construct(YamlConstruct::ComplexKey, range.clone());
                let text = self.source.get(range.clone()).unwrap_or_default();
                self.push_key(node(range, Kind::String, Form::Plain), text)?;
            } else {
                self.expand(anchor, range)?;
            }
        }
        self.done();
        Ok(())
    }

    fn expand(&mut self, anchor: usize, range: Range<usize>) -> Result<(), Stop> {
        let refuse = |message: &str, range| stop(SyntaxFaultKind::Yaml(message.to_owned()), range);
        match self.anchors.get(&anchor).cloned() {
            None => refuse("this alias has no anchor before it", range),
            Some(Anchored::Open) => refuse("this alias stands inside what it refers to", range),
            Some(Anchored::Lost) => refuse("this alias refers to part of a key", range),
            Some(Anchored::Scalar { node, decoded }) => {
                let node = self.moved(anchor, node, decoded, range);
                self.push(node)?;
                Ok(())
            }
            Some(Anchored::Tree { nodes, height }) => self.copy(nodes, height, range),
        }
    }

    /// Copies the nodes of a list or map to the end of the tape.
    fn copy(&mut self, nodes: Range<usize>, height: usize, to: Range<usize>) -> Result<(), Stop> {
        if self.stack.len() + height > limits::MAX_YAML_DEPTH {
            return stop(SyntaxFaultKind::TooDeep, to);
        }
        let copy = self.tape.nodes.len();
        if copy + nodes.len() > limits::MAX_YAML_VALUES {
            return stop(SyntaxFaultKind::TooManyValues, to);
        }
        let distance = offset(copy - nodes.start);
        self.tape.nodes.extend_from_within(nodes);
        for node in &mut self.tape.nodes[copy..] {
            if matches!(node.kind, Kind::List | Kind::Map) {
                node.next += distance;
            }
        }
        let outermost = &mut self.tape.nodes[copy];
        outermost.start = offset(to.start);
        outermost.end = offset(to.end);
        self.raise(height + 1);
        Ok(())
    }

    /// A scalar as it stands at an alias.
    ///
    /// The text of a number, and of what tools disagree on, is only to be had from the source, so
    /// such a node stays where it was written.
    fn moved(&mut self, anchor: usize, node: Node, decoded: Option<u32>, to: Range<usize>) -> Node {
        if node.kind == Kind::Number || node.form == Form::Loose {
            return node;
        }
        let mut moved = Node {
            start: offset(to.start),
            end: offset(to.end),
            ..node
        };
        if node.kind == Kind::String && node.form == Form::Plain {
            // One text serves all aliases: a megabyte has room for a long text and for many names
            // of it.
            moved.form = Form::Decoded;
            moved.next = decoded.unwrap_or_else(|| {
                let raw = self.source.get(node.start as usize..node.end as usize);
                self.decode(unquoted(raw.unwrap_or_default()))
            });
            let decoded = Some(moved.next);
            self.remember(anchor, Anchored::Scalar { node, decoded });
        }
        moved
    }
}
