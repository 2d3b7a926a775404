#!/usr/bin/env bash
# Sets up whatever the tests need on a fresh machine (cargo, gcc, git and python3 are enough) and runs all of them.
# Every step is a plain command that also works typed by hand; `just --list` names them.
set -euo pipefail
cd "$(dirname "$0")"

# In CI every run is a fresh clone: the compiled dependencies are kept outside of it, and nothing is kept that serves the
# next change of the same files (13 GB).
if [ "${CI:-}" = true ]; then
    export CARGO_INCREMENTAL=0
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-ci/target}"
fi

# Runs a command and says how many minutes it took.
minutes=""
step() {
    local begun=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    minutes+="$(printf '%5.1f  %s' "$(python3 -c "print(($SECONDS - $begun) / 60)")" "$*")"$'\n'
}

step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --document-private-items --locked
if command -v cargo-deny >/dev/null; then
    step cargo deny --locked check bans licenses sources
else
    printf '\n== cargo deny: skipped, cargo-deny is not installed\n'
fi
# One test needs git-lfs, and says so where it cannot be had.
if ! git lfs version >/dev/null 2>&1; then
    apt-get install -y -q git-lfs >/dev/null 2>&1 || printf '\n== git-lfs: not installed, its test is skipped\n'
fi
# The pages print commands of jq.
if ! command -v jq >/dev/null; then
    apt-get install -y -q jq >/dev/null 2>&1 || printf '\n== jq: not installed, the shell blocks of the pages are not run\n'
fi
# One test lets the clock jump; without libfaketime it says so and lets everything else fail.
if ! ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1; then
    apt-get install -y -q libfaketime >/dev/null 2>&1 || printf '\n== libfaketime: not installed, the clock of its test does not jump\n'
fi
# An independent program checks proofs; it wants a Python with `cryptography`, and is passed over without one.
if ! python3 -c 'import cryptography' 2>/dev/null; then
    evidence="${ASSAY_COMPAT:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-compat}/evidence"
    if [ ! -f "$evidence/complete" ]; then
        rm -rf "$evidence"
        python3 -m venv "$evidence" && "$evidence/bin/python" -m pip install --quiet --disable-pip-version-check cryptography \
            && touch "$evidence/complete" || printf '\n== no Python with cryptography: its check of proofs is skipped\n'
    fi
    [ -f "$evidence/complete" ] && export ASSAY_PYTHON="$evidence/bin/python"
fi
# Comparisons with real logs, records and published schemas want the corpus, and are passed over without it.
if [ -z "${ASSAY_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
    ASSAY_CORPUS="$(cd ../shared/corpus && pwd)"
    export ASSAY_CORPUS
fi
[ -n "${ASSAY_CORPUS:-}" ] || printf '\n== no corpus in ASSAY_CORPUS: comparisons with real data are skipped\n'
# The store and the hub run on PostgreSQL as well, on a private socket, and say so where it cannot be had.
if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null; then
    apt-get install -y -q postgresql >/dev/null 2>&1 || printf '\n== postgresql: not installed, its tests run on SQLite alone\n'
fi
# Other programs read the tables of a lake, and one pretends to be S3; they want a Python with these packages, and are passed over
# without one.
if ! python3 -c 'import duckdb, deltalake, polars, pandas, pyarrow, moto.server, boto3' 2>/dev/null; then
    peers="${ASSAY_COMPAT:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-compat}/lake"
    if [ ! -f "$peers/complete" ]; then
        rm -rf "$peers"
        python3 -m venv "$peers" && "$peers/bin/python" -m pip install --quiet --disable-pip-version-check \
            duckdb deltalake polars pandas pyarrow 'moto[s3,server]' \
            && touch "$peers/complete" || printf '\n== no Python with deltalake and the like: their reading of a lake is skipped\n'
    fi
    [ -f "$peers/complete" ] && export ASSAY_LAKE_PYTHON="$peers/bin/python"
fi
# The whole workspace each time: a selection of packages has other features and would be compiled again.
step cargo test --workspace --locked
step scripts/small-build.sh
ASSAY_TEST_DATABASE=postgres step cargo test --workspace --locked --test hub
# Clients and browsers use the program that the tests used.
target="$(cargo metadata --locked --no-deps --format-version 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')"
export ASSAY="${ASSAY:-$target/debug/assay}"
step compat/run.sh
step browser/run.sh
printf '\nMinutes of each step:\n%s' "$minutes"
