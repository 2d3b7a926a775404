//! The ways through a list or a map.

use super::{Kind, Node, Value};

/// The keys and values of a map as nodes.
pub(crate) struct Pairs<'d> {
    pub(super) nodes: &'d [Node],
    pub(super) index: u32,
}

impl Iterator for Pairs<'_> {
    type Item = (u32, Node, Node);

    #[inline]
    fn next(&mut self) -> Option<(u32, Node, Node)> {
        let index = self.index;
        let [key, value, ..] = self.nodes.get(index as usize..)? else {
            return None;
        };
        self.index = match value.kind {
            Kind::List | Kind::Map => value.next,
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => index + 2,
        };
        Some((index, *key, *value))
    }
}

/// The items of a list.
#[derive(Debug, Clone)]
pub struct Items<'d> {
    pub(super) at: Value<'d>,
    pub(super) end: u32,
}

impl<'d> Iterator for Items<'d> {
    type Item = Value<'d>;

    #[inline]
    fn next(&mut self) -> Option<Value<'d>> {
        if self.at.index >= self.end {
            return None;
        }
        let item = self.at;
        self.at.index = item.after();
        Some(item)
    }
}

/// The keys and values of a map.
#[derive(Debug, Clone)]
pub struct Entries<'d> {
    pub(super) at: Value<'d>,
    pub(super) end: u32,
}

impl<'d> Iterator for Entries<'d> {
    type Item = (Value<'d>, Value<'d>);

    #[inline]
    fn next(&mut self) -> Option<(Value<'d>, Value<'d>)> {
        if self.at.index >= self.end {
            return None;
        }
        let key = self.at;
        let value = key.at(key.index + 1);
        self.at.index = value.after();
        Some((key, value))
    }
}
