use assay_formats::eee::{Layout, LayoutFault, from_root, layout_of};

use crate::context::LayoutPolicy;

/// The place of a record or samples file, and the meaning of its path.
#[derive(Debug)]
pub(crate) struct Location<'p> {
    /// The path from the root of the datastore, as far as one can tell.
    pub(crate) path: &'p str,
    /// True if the path runs through a directory `data`.
    pub(crate) in_datastore: bool,
    /// The parts of the path, when it has the layout.
    pub(crate) layout: Option<Layout<'p>>,
    /// The departures from the layout.
    pub(crate) faults: Vec<LayoutFault<'p>>,
    /// True if that matters.
    pub(crate) policy: LayoutPolicy,
}

impl<'p> Location<'p> {
    /// Reads a path.
    pub(crate) fn of(path: &'p str, policy: LayoutPolicy) -> Self {
        let (root, in_datastore) = from_root(path);
        let (layout, faults) = layout_of(root);
        Self {
            path: root,
            in_datastore,
            layout,
            faults,
            policy,
        }
    }

    /// The path of a sibling file in the datastore.
    pub(crate) fn sibling(&self, name: &str) -> String {
        self.path.rsplit_once('/').map_or_else(
            || name.to_owned(),
            |(directory, _)| format!("{directory}/{name}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_datastore_begins_where_the_depth_fits() {
        let file = "5eed0000-0000-4000-8000-000000000100.json";
        let cases = [
            (
                format!("/home/data/x/data/b/d/m/{file}"),
                format!("data/b/d/m/{file}"),
                true,
            ),
            (
                format!("data/b/d/data/{file}"),
                format!("data/b/d/data/{file}"),
                true,
            ),
            (
                format!("/srv/data/b/m/{file}"),
                format!("data/b/m/{file}"),
                true,
            ),
            (format!("./out/{file}"), format!("out/{file}"), false),
        ];
        for (path, expected, inside) in cases {
            let location = Location::of(&path, LayoutPolicy::Auto);

            assert_eq!(
                (location.path, location.in_datastore),
                (expected.as_str(), inside)
            );
        }
    }
}
