//! Packs that no honest client sends.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The size of the one blob that is really there.
const BASE_BYTES: usize = 16 << 20;
/// The number of times that a delta copies it.
const COPIES: usize = 6;
/// The number of deltas.
const DELTAS: u32 = 400;
/// The types of objects in a pack.
const BLOB: u8 = 3;
const OFFSET_DELTA: u8 = 6;
/// A commit that the pack does not have: no client gets that far.
const SOME_COMMIT: &str = "1111111111111111111111111111111111111111";

/// The body of a push with a pack of about 40 kB that unpacks to 37 GiB.
pub(crate) fn delta_bomb() -> Vec<u8> {
    let zero = "0".repeat(40);
    let command = format!("{zero} {SOME_COMMIT} refs/heads/bomb\0report-status");
    let mut body = format!("{:04x}{command}0000", command.len() + 4).into_bytes();
    let mut pack = b"PACK\0\0\0\x02".to_vec();
    pack.extend((DELTAS + 1).to_be_bytes());
    let base = pack.len();
    add_object(&mut pack, BLOB, None, &vec![0; BASE_BYTES]);
    for _ in 0..DELTAS {
        let distance = pack.len() - base;
        add_object(&mut pack, OFFSET_DELTA, Some(distance), &delta());
    }
    let mut hasher = sha1dc::Hasher::new();
    hasher.update(&pack);
    let digest = hasher.finalize().unwrap();
    pack.extend(digest.as_bytes());
    body.extend(pack);
    body
}

/// A delta that copies its base several times.
fn delta() -> Vec<u8> {
    // A copy says its size in three bytes, so it is one byte short of the base.
    let size = BASE_BYTES - 1;
    let mut delta = Vec::new();
    write_size(&mut delta, BASE_BYTES);
    write_size(&mut delta, size * COPIES);
    for _ in 0..COPIES {
        let [low, middle, high, ..] = size.to_le_bytes();
        delta.extend([0b1111_0000, low, middle, high]);
    }
    delta
}

fn add_object(pack: &mut Vec<u8>, kind: u8, distance: Option<usize>, data: &[u8]) {
    let mut size = data.len();
    let mut byte = (kind << 4) | u8::try_from(size & 0xf).unwrap();
    size >>= 4;
    while size > 0 {
        pack.push(byte | 0x80);
        byte = u8::try_from(size & 0x7f).unwrap();
        size >>= 7;
    }
    pack.push(byte);
    if let Some(mut distance) = distance {
        let mut bytes = vec![u8::try_from(distance & 0x7f).unwrap()];
        distance >>= 7;
        while distance > 0 {
            distance -= 1;
            bytes.push(0x80 | u8::try_from(distance & 0x7f).unwrap());
            distance >>= 7;
        }
        pack.extend(bytes.iter().rev());
    }
    let mut encoder = ZlibEncoder::new(pack, Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap();
}

fn write_size(bytes: &mut Vec<u8>, mut size: usize) {
    while size > 0x7f {
        bytes.push(0x80 | u8::try_from(size & 0x7f).unwrap());
        size >>= 7;
    }
    bytes.push(u8::try_from(size).unwrap());
}
