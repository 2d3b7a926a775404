//! Tables as text.

/// Rows under their headings, columns as wide as their widest cell; numbers to the right.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = headings.iter().map(|text| text.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let headings: Vec<String> = headings.iter().map(|text| (*text).to_owned()).collect();
    let mut text = line(&headings, &widths);
    for row in rows {
        text.push_str(&line(row, &widths));
    }
    text
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, &width) in cells.iter().zip(widths) {
        // Thousands may be separated.
        let is_number = cell.replace(',', "").parse::<f64>().is_ok();
        let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
        if is_number {
            text.push_str(&padding);
            text.push_str(cell);
        } else {
            text.push_str(cell);
            text.push_str(&padding);
        }
        text.push_str("  ");
    }
    let end = text.trim_end().len();
    text.truncate(end);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_numbers_stand_to_the_right() {
        let rows = [
            vec!["1".to_owned(), "a".to_owned()],
            vec!["10".to_owned(), "bcd".to_owned()],
        ];

        let text = table(&["rank", "model"], &rows);

        assert_eq!(text, "rank  model\n   1  a\n  10  bcd\n");
    }
}
