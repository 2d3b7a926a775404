#!/usr/bin/env bash
# Builds `assay` without default features and checks what it has: few crates, the commands of a linter, and a clear message
# for every command that is left out. The features between the small and the whole program are compiled, too.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/small"
most=160

fail() { printf 'small build: %s\n' "$*" >&2; exit 1; }

# expect CODE COMMAND...: runs a command and compares its exit code.
expect() {
    local wanted=$1 code=0
    shift
    output=$("$@" 2>&1) || code=$?
    [ "$code" = "$wanted" ] || fail "\`$*\` ended with $code instead of $wanted: $output"
}

crates=$(cargo tree --locked -p assay --no-default-features -e normal --prefix none | sort -u | wc -l)
[ "$crates" -le "$most" ] || fail "it has $crates crates, and $most are the limit"

cargo build --locked --quiet -p assay --no-default-features
assay="$CARGO_TARGET_DIR/debug/assay"

expect 0 "$assay" validate --no-progress --allow-warnings examples/benchmarks
expect 1 "$assay" validate --no-progress examples/faulty
expect 0 "$assay" explain AY101

expect 0 "$assay" --help
for command in validate explain schema upgrade verify; do
    grep -q "^  $command " <<<"$output" || fail "its help does not list \`$command\`"
done
for pair in convert:convert submit:client hub:client import:client serve:hub admin:hub query:hub; do
    command=${pair%:*} feature=${pair#*:}
    expect 0 "$assay" --help
    ! grep -q "^  $command " <<<"$output" || fail "its help lists \`$command\`"
    expect 3 "$assay" "$command"
    grep -q "made without the feature \`$feature\`" <<<"$output" || fail "\`assay $command\` does not name its feature: $output"
done
expect 3 "$assay" validate --hub https://hub.example examples/benchmarks
grep -q 'feature `client`' <<<"$output" || fail "\`--hub\` does not name its feature: $output"

for features in convert client; do
    cargo check --locked --quiet -p assay --no-default-features --features "$features"
done
printf 'small build: %s crates\n' "$crates"
