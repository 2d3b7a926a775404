use std::fmt::Write as _;

use serde_json::Value as Json;

/// A JSON document that keeps its numbers as they are spelled, so that `5.0` and `1e3` reach every
/// judge as text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    /// A null, boolean or number, in its spelling.
    Literal(String),
    String(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

/// The way to a value: the position among the children, from the root down.
pub(crate) type Path = Vec<usize>;

impl Tree {
    pub(crate) fn parse(text: &str) -> Self {
        Self::from(serde_json::from_str::<Json>(text).expect("a mutation puts in valid JSON"))
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// The ways to all values, the root's first.
    pub(crate) fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    pub(crate) fn at(&self, path: &[usize]) -> &Self {
        path.iter().fold(self, |here, &step| match here {
            Self::List(items) => &items[step],
            Self::Map(entries) => &entries[step].1,
            Self::Literal(_) | Self::String(_) => panic!("no way leads through a scalar"),
        })
    }

    pub(crate) fn at_mut(&mut self, path: &[usize]) -> &mut Self {
        path.iter().fold(self, |here, &step| match here {
            Self::List(items) => &mut items[step],
            Self::Map(entries) => &mut entries[step].1,
            Self::Literal(_) | Self::String(_) => panic!("no way leads through a scalar"),
        })
    }

    /// Returns the name of the value: the innermost key on the way to it, and nothing for the root.
    pub(crate) fn name_of(&self, path: &[usize]) -> &str {
        let (mut here, mut name) = (self, "");
        for &step in path {
            match here {
                Self::List(items) => here = &items[step],
                Self::Map(entries) => (name, here) = (&entries[step].0, &entries[step].1),
                Self::Literal(_) | Self::String(_) => panic!("no way leads through a scalar"),
            }
        }
        name
    }

    fn collect(&self, here: &mut Path, paths: &mut Vec<Path>) {
        paths.push(here.clone());
        let children: Vec<&Self> = match self {
            Self::List(items) => items.iter().collect(),
            Self::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            Self::Literal(_) | Self::String(_) => Vec::new(),
        };
        for (position, child) in children.into_iter().enumerate() {
            here.push(position);
            child.collect(here, paths);
            here.pop();
        }
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Literal(literal) => text.push_str(literal),
            Self::String(string) => write_string(string, text),
            Self::List(items) => {
                text.push('[');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        text.push(',');
                    }
                    item.write(text);
                }
                text.push(']');
            }
            Self::Map(entries) => {
                text.push('{');
                for (position, (key, value)) in entries.iter().enumerate() {
                    if position > 0 {
                        text.push(',');
                    }
                    write_string(key, text);
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }
}

fn write_string(string: &str, text: &mut String) {
    write!(text, "{}", Json::from(string)).expect("a string can always be written to");
}

impl From<Json> for Tree {
    fn from(json: Json) -> Self {
        match json {
            Json::Null | Json::Bool(_) | Json::Number(_) => Self::Literal(json.to_string()),
            Json::String(string) => Self::String(string),
            Json::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Json::Object(entries) => Self::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, Self::from(value)))
                    .collect(),
            ),
        }
    }
}
