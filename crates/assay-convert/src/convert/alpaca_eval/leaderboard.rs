use csv::{ByteRecord, ReaderBuilder};

use crate::convert::Refusal;

/// The names of the column of the model: empty, when pandas wrote it as an index.
pub(super) const MODEL_COLUMNS: [&str; 5] = ["", "Unnamed: 0", "model", "Model", "name"];

/// A leaderboard.
pub(super) struct Leaderboard {
    pub(super) entries: Vec<Entry>,
    /// True if there is a column of length-controlled win rates.
    pub(super) is_length_controlled: bool,
    /// Number of rows that name no model.
    pub(super) unnamed: u64,
    /// Number of rows that could not be read.
    pub(super) broken: u64,
}

/// One row. Rates are between 0 and 100; what is not a finite number is absent.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entry {
    /// The number of the row, from 0.
    pub(super) place: u64,
    pub(super) model: String,
    pub(super) win_rate: Option<f64>,
    pub(super) standard_error: Option<f64>,
    pub(super) length_controlled: Option<f64>,
    pub(super) length_controlled_error: Option<f64>,
    pub(super) discrete: Option<f64>,
    pub(super) average_length: Option<f64>,
    pub(super) total: Option<u64>,
    /// The way the entry came onto the board: `minimal`, `verified`, `community` or `dev`.
    pub(super) mode: Option<String>,
}

impl Leaderboard {
    pub(super) fn read(bytes: &[u8], path: &str) -> Result<Self, Refusal> {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(text);
        let header = reader
            .byte_headers()
            .map_err(|error| Refusal::damaged(path, error.to_string()))?
            .clone();
        let columns = Columns(
            header
                .iter()
                .map(|name| String::from_utf8_lossy(name).trim().to_owned())
                .collect(),
        );
        let model = MODEL_COLUMNS.iter().find_map(|name| columns.position(name));
        let (Some(model), Some(_)) = (model, columns.position("win_rate")) else {
            let message = format!(
                "`{path}` has no columns for a model and its `win_rate`, as a leaderboard of AlpacaEval has"
            );
            return Err(Refusal::Nothing(message));
        };
        let mut board = Self {
            entries: Vec::new(),
            is_length_controlled: columns.position("length_controlled_winrate").is_some(),
            unnamed: 0,
            broken: 0,
        };
        for (place, row) in (0..).zip(reader.byte_records()) {
            match row {
                Ok(row) => board.add(columns.entry(&row, model, place)),
                Err(_) => board.broken += 1,
            }
        }
        Ok(board)
    }

    fn add(&mut self, entry: Entry) {
        if entry.model.is_empty() {
            self.unnamed += 1;
        } else {
            self.entries.push(entry);
        }
    }
}

/// The names of the columns.
struct Columns(Vec<String>);

impl Columns {
    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|own| own == name)
    }

    fn entry(&self, row: &ByteRecord, model: usize, place: u64) -> Entry {
        let cell = |at: usize| {
            let text = String::from_utf8_lossy(row.get(at)?).trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let named = |name: &str| cell(self.position(name)?);
        let number = |name: &str| {
            let number: f64 = named(name)?.parse().ok()?;
            number.is_finite().then_some(number)
        };
        let rate = |name: &str| number(name).filter(|rate| (0.0..=100.0).contains(rate));
        let positive = |name: &str| number(name).filter(|number| *number >= 0.0);
        Entry {
            place,
            model: cell(model).unwrap_or_default(),
            win_rate: rate("win_rate"),
            standard_error: positive("standard_error"),
            length_controlled: rate("length_controlled_winrate"),
            length_controlled_error: positive("lc_standard_error"),
            discrete: rate("discrete_win_rate"),
            average_length: positive("avg_length"),
            total: named("n_total").and_then(|total| whole(&total)),
            mode: named("mode"),
        }
    }
}

/// A count; a column with gaps was written as `805.0`.
fn whole(text: &str) -> Option<u64> {
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_hold_no_number_are_absent() {
        let text = "model,win_rate,n_total,avg_length\na,nan,805.0,-3\nb,101,x,12\n\"c, d\",50\n";

        let board = Leaderboard::read(text.as_bytes(), "board.csv").unwrap();

        let summary: Vec<_> = board
            .entries
            .iter()
            .map(|entry| {
                (
                    entry.model.as_str(),
                    entry.win_rate,
                    entry.total,
                    entry.average_length,
                )
            })
            .collect();
        assert_eq!(
            summary,
            [
                ("a", None, Some(805), None),
                ("b", None, None, Some(12.0)),
                ("c, d", Some(50.0), None, None)
            ]
        );
    }
}
