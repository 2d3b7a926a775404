#!/usr/bin/env bash
# Builds the verifier of proofs for browsers and puts it into the hub's static files, with the digest of what it was made from.
#
#   browser/verifier/build.sh            builds it
#   browser/verifier/build.sh --digest   prints the digest of the sources alone
#
# It needs the target: rustup target add wasm32-unknown-unknown
set -euo pipefail
cd "$(dirname "$0")/../.."
static=crates/assay-server/static

# The digest of the code that decides about a proof: file by file in order, without comments and empty lines.
digest() {
    local file
    find browser/verifier/src browser/verifier/Cargo.toml crates/assay-trust/src crates/assay-tlog/src -type f | LC_ALL=C sort \
        | while read -r file; do
            printf '%s\n' "$file"
            grep -vE '^[[:space:]]*(//.*)?$' "$file" || true
        done | sha256sum | cut -c 1-64
}

if [ "${1:-}" = --digest ]; then
    digest
    exit 0
fi
target="${CARGO_TARGET_DIR:-$PWD/target}/verifier"
# Nothing is random in a verifier, and the names of directories are none of a reader's business.
export RUSTFLAGS="--cfg getrandom_backend=\"unsupported\" --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    RUSTFLAGS+=" --remap-path-prefix=$sources=crates"
done
cargo build --locked --release --manifest-path browser/verifier/Cargo.toml --target wasm32-unknown-unknown --target-dir "$target"
cp "$target/wasm32-unknown-unknown/release/assay_verifier.wasm" "$static/verifier.wasm"
digest >"$static/verifier.wasm.sources"
ls -l "$static/verifier.wasm"
