//! What strangers send as parts of a transparency log.

use assay_tlog::{
    Bundle, LogPath, Note, Receipt, SignedCheckpoint, Tile, TreeHash, VerifierKey, WitnessKey,
};

use crate::harness::fuzz;

/// The key of the log that the corpus is from.
const VKEY: &str = "hub.example/log/results+28eeb5c9+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU";

fn key() -> VerifierKey {
    VKEY.parse().expect("it is the key of the corpus")
}

/// A note says the same when it is written, and so does a checkpoint.
#[test]
fn note() {
    fuzz("note", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(note) = text.parse::<Note>() {
            assert_eq!(note.to_string(), text);
            assert!(note.text().ends_with('\n'));
        }
        if let Ok(checkpoint) = text.parse::<SignedCheckpoint>() {
            assert_eq!(checkpoint.to_string(), text);
            // Whoever gets a signature past the key without the secret has changed nothing that was
            // signed.
            if let Ok(believed) = checkpoint.verify(&key()) {
                assert_eq!(believed.size, 2);
            }
        }
    });
}

/// A receipt says the same when it is written, and holds for nothing but what was logged.
#[test]
fn receipt() {
    fuzz("receipt", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(receipt) = text.parse::<Receipt>() {
            assert_eq!(receipt.to_string(), text);
            if let Ok(checkpoint) = receipt.verify(&key()) {
                let leaf = TreeHash::of_leaf(receipt.leaf());
                assert_eq!(receipt.proof().root(leaf), Ok(checkpoint.root));
                assert_eq!(receipt.index(), 1);
            }
        }
    });
}

/// A key is written in one way.
#[test]
fn vkey() {
    fuzz("vkey", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(key) = text.parse::<VerifierKey>() {
            assert_eq!(key.to_string(), text);
        }
        if let Ok(key) = text.parse::<WitnessKey>() {
            assert_eq!(key.to_string(), text);
        }
    });
}

/// A file of a log has one name, which stays below the log.
#[test]
fn log_path() {
    fuzz("log_path", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(path) = text.parse::<LogPath>() {
            assert_eq!(path.to_string(), text);
            assert!(!text.starts_with('/') && !text.contains(".."));
            assert!(path.max_length() > 0);
        }
    });
}

/// A tile and a bundle hold exactly what their names say: the first byte says how much.
#[test]
fn tile() {
    fuzz("tile", |bytes| {
        let Some((width, rest)) = bytes.split_first() else {
            return;
        };
        let width = u16::from(*width) + 1;
        let tile = Tile {
            level: 0,
            index: 0,
            width,
        };
        if let Ok(hashes) = tile.read(rest) {
            let written: Vec<u8> = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
            assert_eq!(written, rest);
        }
        if let Ok(leaves) = (Bundle { index: 0, width }).read(rest) {
            let mut written = Vec::new();
            for leaf in leaves {
                let length = u16::try_from(leaf.len()).expect("a length has two bytes");
                written.extend_from_slice(&length.to_be_bytes());
                written.extend_from_slice(leaf);
            }
            assert_eq!(written, rest);
        }
    });
}
