use crate::tile::{Bundle, LogPath, Tile};

impl LogPath {
    /// The files that a log of the new size has and one of the old size does not have yet, the
    /// checkpoint last: whoever copies them in this order has a log that is whole at every moment.
    /// An old size of 0 gives all files.
    pub fn between(old: u64, new: u64) -> impl Iterator<Item = Self> {
        let bundles = widths(old, new).map(|(index, width)| Self::Bundle(Bundle { index, width }));
        let tiles = (0..Tile::LEVELS).flat_map(move |level| {
            let (old, new) = (Tile::count(level, old), Tile::count(level, new));
            widths(old, new).map(move |(index, width)| {
                Self::Tile(Tile {
                    level,
                    index,
                    width,
                })
            })
        });
        bundles.chain(tiles).chain([Self::Checkpoint])
    }
}

/// The files, and how much is in them, that so many things more are spread over.
fn widths(old: u64, new: u64) -> impl Iterator<Item = (u64, u16)> {
    let full = u64::from(Tile::WIDTH);
    let whole = (old / full..new / full).map(|index| (index, Tile::WIDTH));
    let rest = u16::try_from(new % full).expect("a remainder is smaller than a file is wide");
    let partial = (rest > 0 && new > old).then_some((new / full, rest));
    whole.chain(partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(old: u64, new: u64) -> Vec<String> {
        LogPath::between(old, new)
            .map(|path| path.to_string())
            .collect()
    }

    #[test]
    fn a_mirror_fetches_what_is_new_and_the_checkpoint_last() {
        assert_eq!(names(0, 0), ["checkpoint"]);
        assert_eq!(
            names(0, 3),
            ["tile/entries/000.p/3", "tile/0/000.p/3", "checkpoint"]
        );
        assert_eq!(
            names(255, 513),
            [
                "tile/entries/000",
                "tile/entries/001",
                "tile/entries/002.p/1",
                "tile/0/000",
                "tile/0/001",
                "tile/0/002.p/1",
                "tile/1/000.p/2",
                "checkpoint"
            ]
        );
        assert_eq!(names(513, 513), ["checkpoint"]);
    }
}
