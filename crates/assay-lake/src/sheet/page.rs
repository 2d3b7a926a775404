//! The head of a page, in the compact spelling of Thrift that Parquet has.

use parquet::basic::Encoding;

/// The kinds of a field that a head has.
const INTEGER: u8 = 5;
const STRUCT: u8 = 12;
/// The two kinds of pages.
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
/// Where a head tells more of a page of each kind.
const OF_DATA: u8 = 5;
const OF_DICTIONARY: u8 = 7;

/// A page that is about to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    /// Whether it is a dictionary or has rows.
    pub(super) is_dictionary: bool,
    /// How many values it has, empty ones included.
    pub(super) values: i32,
    /// How they are spelled.
    pub(super) encoding: Encoding,
    /// How many bytes they are.
    pub(super) bytes: i32,
    /// How many they are once packed.
    pub(super) packed: i32,
}

impl Head {
    /// Writes the head.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let (kind, more, by) = if self.is_dictionary {
            (DICTIONARY_PAGE, OF_DICTIONARY, 4)
        } else {
            (DATA_PAGE, OF_DATA, 2)
        };
        for number in [kind, self.bytes, self.packed] {
            write_integer(1, number, out);
        }
        out.push(by << 4 | STRUCT);
        debug_assert_eq!(3 + by, more, "fields are numbered from the one before");
        write_integer(1, self.values, out);
        write_integer(1, code(self.encoding), out);
        if !self.is_dictionary {
            write_integer(1, code(Encoding::RLE), out);
            write_integer(1, code(Encoding::RLE), out);
        }
        // The end of what is told of its kind, and the end of the head.
        out.extend_from_slice(&[0, 0]);
    }
}

/// The number of an encoding in the format.
fn code(encoding: Encoding) -> i32 {
    match encoding {
        Encoding::RLE => 3,
        Encoding::RLE_DICTIONARY => 8,
        _ => 0,
    }
}

/// A field whose number is by so many greater than that of the field before.
fn write_integer(by: u8, number: i32, out: &mut Vec<u8>) {
    out.push(by << 4 | INTEGER);
    let mut zigzag = ((number << 1) ^ (number >> 31)).cast_unsigned();
    while zigzag >= 0x80 {
        out.push(zigzag.to_le_bytes()[0] | 0x80);
        zigzag >>= 7;
    }
    out.push(zigzag.to_le_bytes()[0]);
}
