#!/usr/bin/env bash
# Walks through a hub in a real browser, as people do: with JavaScript and without, in light and dark, wide and narrow.
#
#   browser/run.sh                  every journey, and what axe-core says of every view
#   browser/run.sh --screenshots    the same, and writes docs/screenshots
#   browser/run.sh --no-views       the journeys alone
#   browser/run.sh --stopwatch      how many clicks and seconds eight questions take, for docs/stopwatch.md
#
# ASSAY is the program to test; without it, it is built. What npm installs is kept in ASSAY_BROWSER. CHROMIUM names the
# browser, else it is the first of `chromium`, `chromium-browser` and `google-chrome`.
#
# A machine without Node or a browser, on which neither can be installed, skips all of it and says so. With
# ASSAY_BROWSER_REQUIRED=1 that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    printf 'browser: skipped, %s\n' "$1"
    [ "${ASSAY_BROWSER_REQUIRED:-}" = 1 ] && exit 1
    exit 0
}

[ "$(browser/verifier/build.sh --digest)" = "$(cat crates/assay-server/static/verifier.wasm.sources)" ] || {
    printf 'browser: verifier.wasm was made from other sources; build it again with browser/verifier/build.sh\n'
    exit 1
}

install() { apt-get install -y -q --no-install-recommends "$@" >/dev/null 2>&1; }

find_browser() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome; do
        command -v "$name" && return
    done
    return 1
}

command -v npm >/dev/null || install nodejs npm || skip 'there is no npm, and apt-get cannot install it'
major="$(node --version | sed 's/^v\([0-9]*\).*/\1/')"
[ "$major" -ge 18 ] || skip "node is $(node --version), and 18 is the oldest that will do"
CHROMIUM="$(find_browser || { install chromium && find_browser; })" || skip 'there is no Chromium, and apt-get cannot install it'
export CHROMIUM

# The packages of one lock file; another lock file is another place.
lock="$(sha256sum browser/package-lock.json | cut -c 1-16)"
place="${ASSAY_BROWSER:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-browser}/$lock"
if [ ! -f "$place/complete" ]; then
    rm -rf "$place"
    mkdir -p "$place"
    cp browser/package.json browser/package-lock.json "$place"
    (cd "$place" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || skip 'npm cannot install its packages'
    touch "$place/complete"
fi
export ASSAY_BROWSER_MODULES="$place/node_modules"

if [ -z "${ASSAY:-}" ]; then
    cargo build --locked -p assay
    target="$(cargo metadata --locked --no-deps --format-version 1 | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')"
    ASSAY="$target/debug/assay"
fi
ASSAY="$(realpath "$(command -v "$ASSAY")")"
export ASSAY

exec node browser/main.mjs "$@"
