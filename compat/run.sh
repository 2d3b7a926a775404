#!/usr/bin/env bash
# Drives a hub with the real huggingface_hub, in every version that evaluation frameworks pin, the hf command and git.
#
#   compat/run.sh                 all versions of huggingface_hub and of datasets
#   compat/run.sh 2.4.0           one version of huggingface_hub
#   compat/run.sh datasets==5.2.0 one version of datasets
#   compat/run.sh inspect         the hook of the Python package in Inspect AI
#
# ASSAY is the program to test; without it, it is built. The Python environments are kept in ASSAY_COMPAT.
set -euo pipefail
cd "$(dirname "$0")/.."

versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(2.4.0 1.33.0 0.36.2 datasets==5.2.0 datasets==4.8.5 datasets==3.6.0 inspect)
environments="${ASSAY_COMPAT:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-compat}"

if [ -z "${ASSAY:-}" ]; then
    cargo build --locked -p assay
    target="$(cargo metadata --locked --no-deps --format-version 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')"
    ASSAY="$target/debug/assay"
fi
export ASSAY

# The package that a version means.
package() { case "$1" in *==*) echo "$1" ;; *) echo "huggingface_hub==$1" ;; esac }

# The script that drives a hub with it.
script() { case "$1" in datasets==*) echo compat/datasets_client.py ;; *) echo compat/client.py ;; esac }

# A Python environment with one version of the client, and whatever it brings along. Some systems ship Python without `venv`: Debian has it in a package.
environment() {
    local place="$environments/$1"
    [ -x "$place/bin/python" ] && [ -f "$place/complete" ] && return
    rm -rf "$place"
    if ! python3 -m venv "$place" 2>/dev/null; then
        apt-get install -y -q python3-venv >/dev/null
        python3 -m venv "$place"
    fi
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$(package "$1")"
    touch "$place/complete"
}

# One field of a JSON document on standard input.
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

check() {
    local version="$1" work server url owner stranger outcome=0
    work="$(mktemp -d)"
    export ASSAY_DATA="$work/data"
    "$ASSAY" serve --listen 127.0.0.1:0 --set "issuer.policy=$PWD/compat/policy.toml" >"$work/out" 2>"$work/log" &
    server=$!
    for _ in $(seq 300); do
        grep -q '^the hub is at' "$work/out" && break
        kill -0 "$server" 2>/dev/null || { cat "$work/log"; return 1; }
        sleep 0.1
    done
    url="$(sed -n 's/^the hub is at //p' "$work/out")"
    "$ASSAY" admin user create alice >/dev/null
    "$ASSAY" admin user create bob >/dev/null
    owner="$("$ASSAY" admin token create alice --format json | field token)"
    stranger="$("$ASSAY" admin token create bob --format json | field token)"
    HF_ENDPOINT="$url" HF_TOKEN_OWNER="$owner" HF_TOKEN_STRANGER="$stranger" \
        "$environments/$version/bin/python" "$(script "$version")" >"$work/checks" 2>&1 || outcome=1
    kill "$server"
    wait "$server" || outcome=1
    "$ASSAY" reindex --check --no-progress >"$work/reindex" 2>&1 || outcome=1
    if [ "$outcome" = 0 ]; then
        tail -n 1 "$work/checks"
    else
        cat "$work/checks" "$work/reindex"
        printf 'the log of the hub:\n'
        tail -n 50 "$work/log"
    fi
    rm -rf "$work"
    return "$outcome"
}

# The Python part of our package with its entry points, beside a harness; the program is the one that is tested.
harness_environment() {
    local place="$environments/$1" package
    if [ ! -f "$place/complete" ]; then
        rm -rf "$place"
        python3 -m venv "$place"
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$2" setuptools wheel
        touch "$place/complete"
    fi
    package="$(mktemp -d)"
    cp -r python/assay_hub "$package/"
    sed -n '/^\[project\]/,/^\[tool/p' pyproject.toml | sed '/^\[tool/d; s/^dynamic = .*/version = "0.0.0"/' >"$package/pyproject.toml"
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --force-reinstall --no-deps "$package"
    rm -rf "$package"
}

inspect_hook() {
    local work outcome=0
    harness_environment inspect "inspect_ai==0.3.285"
    work="$(mktemp -d)"
    "$environments/inspect/bin/python" compat/inspect_hook.py "$work" >"$work/checks" 2>&1 || outcome=1
    cat "$work/checks"
    [ "$outcome" = 0 ] || tail -n 50 "$work/log"
    rm -rf "$work"
    return "$outcome"
}

failed=0
for version in "${versions[@]}"; do
    if [ "$version" = inspect ]; then
        inspect_hook || failed=1
        continue
    fi
    environment "$version"
    check "$version" || failed=1
done
exit "$failed"
