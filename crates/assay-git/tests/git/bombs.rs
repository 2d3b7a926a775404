//! Packs that are small on the wire and cost much to unpack or to read.

use std::io::{Cursor, Write as _};

use assay_git::ReceiveLimits;
use assay_model::ObjectId;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::hostile::body;
use crate::server::publish;
use crate::support::Hub;

const BLOB: u8 = 3;
const OFS_DELTA: u8 = 6;
const REF_DELTA: u8 = 7;
const MIB: usize = 1 << 20;

/// A pack that is being made.
struct Pack {
    bytes: Vec<u8>,
    count: u32,
}

impl Pack {
    fn new() -> Self {
        Self {
            bytes: b"PACK\0\0\0\x02\0\0\0\0".to_vec(),
            count: 0,
        }
    }

    /// Adds an entry, and says where it begins.
    fn add(&mut self, kind: u8, base: &[u8], data: &[u8]) -> usize {
        let offset = self.bytes.len();
        let mut rest = data.len() >> 4;
        let mut byte = kind << 4 | u8::try_from(data.len() & 0xf).unwrap();
        while rest > 0 {
            self.bytes.push(byte | 0x80);
            byte = u8::try_from(rest & 0x7f).unwrap();
            rest >>= 7;
        }
        self.bytes.push(byte);
        self.bytes.extend_from_slice(base);
        let mut encoder = ZlibEncoder::new(&mut self.bytes, Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap();
        self.count += 1;
        offset
    }

    /// Adds a delta upon what begins at an offset.
    fn add_upon(&mut self, base: usize, delta: &[u8]) -> usize {
        let mut distance = self.bytes.len() - base;
        let mut digits = vec![u8::try_from(distance & 0x7f).unwrap()];
        while distance >> 7 > 0 {
            distance = (distance >> 7) - 1;
            digits.push(u8::try_from(distance & 0x7f).unwrap() | 0x80);
        }
        digits.reverse();
        self.add(OFS_DELTA, &digits, delta)
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes[8..12].copy_from_slice(&self.count.to_be_bytes());
        let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
        hasher.update(&self.bytes);
        let checksum = hasher.try_finalize().unwrap();
        self.bytes.extend_from_slice(checksum.as_slice());
        self.bytes
    }
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >> 7 > 0 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

/// A delta that repeats a base of 64 KiB, and ends with a text of its own.
fn repeat(times: usize, text: &str) -> Vec<u8> {
    let mut delta = varint(64 * 1024);
    delta.extend(varint(times * 64 * 1024 + text.len()));
    // A copy that names neither offset nor size is of the first 64 KiB.
    delta.extend(vec![0x80; times]);
    delta.push(u8::try_from(text.len()).unwrap());
    delta.extend_from_slice(text.as_bytes());
    delta
}

/// A delta that puts one text in the place of another.
fn replace(base: usize, text: &str) -> Vec<u8> {
    let mut delta = varint(base);
    delta.extend(varint(text.len()));
    delta.push(u8::try_from(text.len()).unwrap());
    delta.extend_from_slice(text.as_bytes());
    delta
}

/// Pushes a pack and returns the answer. Its ref points at nothing, so an accepted pack is refused
/// as incomplete.
async fn push(hub: &Hub, pack: &[u8], limits: &ReceiveLimits) -> String {
    let body = body(None, ObjectId::from_bytes([7; 20]), "refs/heads/new", pack);
    let received = hub.repository.receive(Cursor::new(body), limits).await;
    let answer = publish(&hub.repository, received.unwrap(), &|_, _| Ok(()));
    assert_eq!(hub.unfinished(), 0);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_pack_that_unpacks_to_37_gib_is_refused_before_git_sees_it() {
    let hub = Hub::with(&[("a", "1")]);
    let mut pack = Pack::new();
    let base = pack.add(BLOB, b"", &vec![0; 64 * 1024]);
    for number in 0..400 {
        pack.add_upon(base, &repeat(96 * 16, &number.to_string()));
    }
    let pack = pack.finish();
    assert!(pack.len() < 40_000, "{}", pack.len());

    let answer = push(&hub, &pack, &ReceiveLimits::default()).await;

    assert!(
        answer.contains("more than 1073741824 bytes when they are unpacked"),
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_a_limit_each_and_together_packed_well_or_not() {
    let hub = Hub::with(&[("a", "1")]);
    let limits = ReceiveLimits {
        object_bytes: MIB as u64,
        unpacked_bytes: 4 * MIB as u64,
        objects: 8,
        ..ReceiveLimits::default()
    };
    let zeros = |sizes: &[usize]| {
        let mut pack = Pack::new();
        for size in sizes {
            pack.add(BLOB, b"", &vec![0; *size]);
        }
        pack.finish()
    };
    let mut delta = Pack::new();
    let base = delta.add(BLOB, b"", &vec![0; 64 * 1024]);
    delta.add_upon(base, &repeat(16, "x"));
    for (pack, reason) in [
        (zeros(&[MIB, MIB, MIB]), "the push lacks objects"),
        (zeros(&[MIB + 1]), "a file of 1048577 bytes"),
        (zeros(&[MIB; 5]), "more than 4194304 bytes"),
        (zeros(&[1; 9]), "the push has 9 objects"),
        (delta.finish(), "a file of 1048577 bytes"),
    ] {
        let answer = push(&hub, &pack, &limits).await;

        assert!(answer.contains(reason), "{reason}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_is_longer_than_it_says_is_refused() {
    let hub = Hub::with(&[("a", "1")]);
    let mut pack = Pack::new();
    let entry = pack.add(BLOB, b"", &vec![0; 10 * MIB]);
    // The size of the entry: now fifteen bytes.
    pack.bytes.splice(entry..entry + 4, [BLOB << 4 | 0xf]);

    let answer = push(&hub, &pack.finish(), &ReceiveLimits::default()).await;

    assert!(answer.contains("the pack is broken"), "{answer}");
}

/// So many deltas, each upon the one before: by its place, or by its hash.
fn chain(deltas: usize, is_by_hash: bool) -> Vec<u8> {
    let mut pack = Pack::new();
    let text = |number: usize| format!("{number:04}");
    let mut offset = pack.add(BLOB, b"", text(0).as_bytes());
    for number in 1..=deltas {
        let delta = replace(4, &text(number));
        if is_by_hash {
            let base = text(number - 1);
            let kind = gix::objs::Kind::Blob;
            let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, base.as_bytes());
            pack.add(REF_DELTA, id.unwrap().as_slice(), &delta);
        } else {
            offset = pack.add_upon(offset, &delta);
        }
    }
    pack.finish()
}

#[tokio::test(flavor = "multi_thread")]
async fn chains_of_more_than_fifty_deltas_are_refused_however_they_name_their_bases() {
    let hub = Hub::with(&[("a", "1")]);
    for is_by_hash in [false, true] {
        for (deltas, reason) in [(50, "the push lacks objects"), (51, "a chain of 51 deltas")] {
            let pack = chain(deltas, is_by_hash);

            let answer = push(&hub, &pack, &ReceiveLimits::default()).await;

            assert!(answer.contains(reason), "{is_by_hash} {deltas}: {answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_to_a_repository_that_was_deleted_meanwhile_finds_none() {
    let hub = Hub::with(&[("a", "1")]);
    let mut pack = Pack::new();
    pack.add(BLOB, b"", b"x");
    let body = body(
        None,
        ObjectId::from_bytes([7; 20]),
        "refs/heads/new",
        &pack.finish(),
    );
    hub.repositories.delete(hub.repository.key()).unwrap();

    let received = hub
        .repository
        .receive(Cursor::new(body), &ReceiveLimits::default())
        .await;

    assert!(
        matches!(received, Err(assay_git::Error::NoRepository(_))),
        "{received:?}"
    );
}
