use assay_formats::eee::{LayoutFault, from_root, layout_of};
use assay_model::quote;

use super::refusal::{Reason, ReasonKind};

/// The place of a record in the datastore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    /// The path from `data` on.
    pub(crate) path: String,
    /// The collection: the first directory below `data`.
    pub(crate) collection: String,
}

impl Home {
    /// Reads where a record lies. The names are kept as they are: another name would be another
    /// record.
    pub(crate) fn of(path: &str) -> Result<Self, Vec<Reason>> {
        let (path, _) = from_root(path);
        let (layout, faults) = layout_of(path);
        let mut reasons: Vec<Reason> = faults.iter().map(|fault| reason(path, fault)).collect();
        // The layout covers samples files as well; this is about the record.
        if reasons.is_empty() && path.strip_suffix(".json").is_none() {
            reasons.push(reason(path, &LayoutFault::FileName(path)));
        }
        match layout {
            Some(layout) if reasons.is_empty() => Ok(Self {
                path: path.to_owned(),
                collection: layout.benchmark.to_owned(),
            }),
            Some(_) | None => Err(reasons),
        }
    }

    /// A place that no record can have, for one that is refused anyway.
    pub(crate) fn nowhere() -> Self {
        Self {
            path: String::new(),
            collection: String::new(),
        }
    }

    /// Returns the path of the samples of the record.
    pub(crate) fn samples(&self) -> String {
        let stem = self.path.strip_suffix(".json").unwrap_or(&self.path);
        format!("{stem}_samples.jsonl")
    }
}

fn reason(path: &str, fault: &LayoutFault<'_>) -> Reason {
    const LAYOUT: &str = "`data/{benchmark}/{developer}/{model}/{uuid}.json`";
    match fault {
        LayoutFault::Depth(depth) => Reason::whole(
            ReasonKind::PathDepth,
            format!("the path {} has {depth} parts; {LAYOUT} has 5", quote(path)),
        ),
        LayoutFault::Unclean => Reason::whole(
            ReasonKind::PathUnclean,
            format!(
                "the path {} has empty parts, dots or backslashes",
                quote(path)
            ),
        ),
        LayoutFault::Root => Reason::whole(
            ReasonKind::PathRoot,
            format!(
                "the path {} does not lie below `data`; records belong at {LAYOUT}",
                quote(path)
            ),
        ),
        LayoutFault::Reserved => Reason::whole(
            ReasonKind::PathReserved,
            format!(
                "a directory below `data` is called `data` in {}",
                quote(path)
            ),
        ),
        LayoutFault::NotPortable(name) => Reason::whole(
            ReasonKind::PathNotPortable,
            format!(
                "some file systems cannot hold a directory called {}",
                quote(name)
            ),
        ),
        LayoutFault::FileName(name) => Reason::whole(
            ReasonKind::FileName,
            format!(
                "the file {} is not named by a version 4 UUID in lower case",
                quote(name)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_names_from_data_on() {
        let file = "5eed0000-0000-4000-8000-000000000100";

        let home = Home::of(&format!("/srv/x/data/gsm8k/acme/Model-X/{file}.json")).unwrap();

        assert_eq!(home.path, format!("data/gsm8k/acme/Model-X/{file}.json"));
        assert_eq!(home.collection, "gsm8k");
        assert_eq!(
            home.samples(),
            format!("data/gsm8k/acme/Model-X/{file}_samples.jsonl")
        );
    }

    #[test]
    fn every_fault_of_a_path_is_a_reason() {
        let reasons = Home::of("data/b/model.../run.json").unwrap_err();

        let kinds: Vec<ReasonKind> = reasons.iter().map(|reason| reason.kind).collect();
        assert_eq!(
            kinds,
            [
                ReasonKind::PathDepth,
                ReasonKind::PathNotPortable,
                ReasonKind::FileName
            ]
        );
    }
}
