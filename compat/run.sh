#!/usr/bin/env bash
# Drives a hub with the real huggingface_hub, in every version that evaluation frameworks pin, the hf command and git.
#
#   compat/run.sh                 all versions of huggingface_hub and of datasets
#   compat/run.sh 2.4.0           one version of huggingface_hub
#   compat/run.sh datasets==5.2.0 one version of datasets
#   compat/run.sh wheel           the wheel of the Python package in a clean environment: its commands, and the examples of its functions
#   compat/run.sh inspect         the hook of the package in Inspect AI, and docs/quickstart-inspect.md and -run.md as printed
#   compat/run.sh lm-eval         docs/quickstart-lm-eval.md as printed, with lm-evaluation-harness
#   compat/run.sh lighteval       docs/quickstart-lighteval.md as printed; installs 4 GB, so that it is not run unless it is named
#   compat/run.sh hook            the hook of this repository with the real pre-commit, and Python classes of the schemas
#   compat/run.sh ci              the steps of the GitHub Action and of the GitLab example
#   compat/run.sh transformers    configurations and tokenizers of transformers, pushed and loaded
#   compat/run.sh inspect-hub     a benchmark of the hub, run by Inspect AI by its name
#   compat/run.sh lm-eval-hub     a task of lm-evaluation-harness from the hub, and its results pushed there
#   compat/run.sh mcp           the Model Context Protocol with its official client, the newest and the last with a handshake
#   compat/run.sh publisher       a CI job without a stored secret, and sign-in by device code
#   compat/run.sh storage         large files in object storage, which is moto
#
# ASSAY is the program to test; without it, it is built. The Python environments are kept in ASSAY_COMPAT.
set -euo pipefail
cd "$(dirname "$0")/.."

versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(2.4.0 1.33.0 0.36.2 datasets==5.2.0 datasets==4.8.5 datasets==3.6.0 wheel inspect inspect-hub lm-eval lm-eval-hub transformers hook ci mcp publisher storage)
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

# Starts a hub in a directory, with flags: its address is in `url`, and its process in `server`.
start_hub() {
    local work="$1"
    shift
    export ASSAY_DATA="$work/data"
    "$ASSAY" serve --listen 127.0.0.1:0 "$@" >"$work/out" 2>"$work/log" &
    server=$!
    for _ in $(seq 300); do
        grep -q '^the hub is at' "$work/out" && break
        kill -0 "$server" 2>/dev/null || { cat "$work/log"; return 1; }
        sleep 0.1
    done
    url="$(sed -n 's/^the hub is at //p' "$work/out")"
}

check() {
    local version="$1" work server url owner stranger outcome=0
    work="$(mktemp -d)"
    start_hub "$work" --set "issuer.policy=$PWD/compat/policy.toml" || return 1
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

# The wheel of our package around the program that is tested; built once.
wheel_file() {
    wheel_directory="${wheel_directory:-$(mktemp -d)}"
    trap 'rm -rf "$wheel_directory"' EXIT
    wheel="${wheel:-$(scripts/wheel.py "$ASSAY" "$wheel_directory")}"
}

# An environment with the wheel beside a harness. A harness that cannot be installed is skipped.
harness_environment() {
    local name="$1" place="$environments/$1"
    shift
    wheel_file
    if [ ! -f "$place/complete" ]; then
        rm -rf "$place"
        python3 -m venv "$place"
        if ! "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; then
            printf '%s: skipped, it cannot be installed here\n' "$name"
            rm -rf "$place"
            return 1
        fi
        touch "$place/complete"
    fi
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
}

# Runs a script with the Python of an environment and a directory to work in; shows the log of the hub when it fails.
harness_check() {
    local place="$environments/$1" work outcome=0
    shift
    work="$(mktemp -d)"
    "$place/bin/python" "$@" "$work" >"$work/checks" 2>&1 || outcome=1
    cat "$work/checks"
    [ "$outcome" = 0 ] || tail -n 20 "$work/log"
    rm -rf "$work"
    return "$outcome"
}

wheel_check() {
    harness_environment wheel pandas pyarrow || return 0
    harness_check wheel compat/wheel.py
}

inspect_check() {
    local outcome=0
    harness_environment inspect "inspect_ai==0.3.285" || return 0
    harness_check inspect compat/inspect_hook.py || outcome=1
    harness_check inspect compat/quickstart.py inspect || outcome=1
    harness_check inspect compat/quickstart.py run || outcome=1
    return "$outcome"
}

lm_eval_check() {
    harness_environment lm-eval "lm-eval==0.4.13" || return 0
    harness_check lm-eval compat/quickstart.py lm-eval
}

# A library that pushes to a hub by itself, as `compat/libraries.py` calls it, in an environment with the packages.
library_check() {
    local name="$1" environment="$2" place="$environments/$2" work server url owner outcome=0
    shift 2
    harness_environment "$environment" "$@" || return 0
    work="$(mktemp -d)"
    start_hub "$work" || return 1
    "$ASSAY" admin user create alice >/dev/null
    owner="$("$ASSAY" admin token create alice --format json | field token)"
    HF_ENDPOINT="$url" HF_TOKEN="$owner" HF_HOME="$work/cache" HF_HUB_DISABLE_PROGRESS_BARS=1 \
        "$place/bin/python" compat/libraries.py "$name" >"$work/checks" 2>&1 || outcome=1
    kill "$server"
    wait "$server" || outcome=1
    tail -n $([ "$outcome" = 0 ] && echo 1 || echo 50) "$work/checks"
    [ "$outcome" = 0 ] || tail -n 20 "$work/log"
    rm -rf "$work"
    return "$outcome"
}

lighteval_check() {
    harness_environment lighteval "lighteval==0.13.0" "inspect_ai==0.3.150" "huggingface_hub<1" || return 0
    # Whatever is evaluated, it fetches this table of another task at the start.
    touch "$environments"/lighteval/lib/python3*/site-packages/lighteval/tasks/tasks/tinyBenchmarks.pkl
    harness_check lighteval compat/quickstart.py lighteval
}

ci_check() {
    harness_environment ci pyyaml 'pyjwt[crypto]' || return 0
    WHEEL="$wheel" harness_check ci compat/ci.py
}

hook_check() {
    local place="$environments/hook" work outcome=0
    if [ ! -f "$place/complete" ]; then
        rm -rf "$place"
        python3 -m venv "$place"
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check pre-commit==4.7.0 datamodel-code-generator==0.89.0 pydantic
        touch "$place/complete"
    fi
    work="$(mktemp -d)"
    "$place/bin/python" compat/hook.py "$work" || outcome=1
    rm -rf "$work"
    return "$outcome"
}

mcp_check() {
    local version name outcome=0
    for version in 2.3.0 1.30.0; do
        name="mcp-$version"
        if [ ! -f "$environments/$name/complete" ]; then
            rm -rf "${environments:?}/$name"
            python3 -m venv "$environments/$name"
            "$environments/$name/bin/python" -m pip install --quiet --disable-pip-version-check "mcp==$version"
            touch "$environments/$name/complete"
        fi
        harness_check "$name" compat/mcp_client.py || outcome=1
    done
    return "$outcome"
}

# The newest client as it is installed, beside an identity provider of our own.
publisher() {
    local place="$environments/publisher" work outcome=0
    if [ ! -f "$place/complete" ]; then
        rm -rf "$place"
        python3 -m venv "$place"
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check huggingface_hub==2.4.0 'pyjwt[crypto]'
        touch "$place/complete"
    fi
    work="$(mktemp -d)"
    "$place/bin/python" compat/publisher.py "$work" >"$work/checks" 2>&1 || outcome=1
    cat "$work/checks"
    [ "$outcome" = 0 ] || tail -n 50 "$work/log"
    rm -rf "$work"
    return "$outcome"
}

# The newest client as it is installed, and object storage of our own. Storage that cannot be installed is skipped.
storage_check() {
    local place="$environments/storage" work outcome=0
    if [ ! -f "$place/complete" ]; then
        rm -rf "$place"
        python3 -m venv "$place"
        if ! "$place/bin/python" -m pip install --quiet --disable-pip-version-check huggingface_hub==2.4.0 'moto[server]==5.2.5'; then
            printf 'storage: skipped, moto cannot be installed here\n'
            rm -rf "$place"
            return 0
        fi
        touch "$place/complete"
    fi
    work="$(mktemp -d)"
    "$place/bin/python" compat/storage.py "$work" >"$work/checks" 2>&1 || outcome=1
    grep -v '^ *$' "$work/checks" | tail -n $([ "$outcome" = 0 ] && echo 1 || echo 50)
    [ "$outcome" = 0 ] || tail -n 50 "$work/log"
    rm -rf "$work"
    return "$outcome"
}

failed=0
for version in "${versions[@]}"; do
    case "$version" in
        wheel) wheel_check || failed=1 ;;
        inspect) inspect_check || failed=1 ;;
        lm-eval) lm_eval_check || failed=1 ;;
        inspect-hub) library_check inspect inspect-hub "inspect_ai==0.3.285" datasets==5.2.0 || failed=1 ;;
        lm-eval-hub) library_check lm_eval lm-eval "lm-eval==0.4.13" || failed=1 ;;
        transformers) library_check transformers transformers transformers==5.23.0 tokenizers jinja2 || failed=1 ;;
        lighteval) lighteval_check || failed=1 ;;
        hook) hook_check || failed=1 ;;
        ci) ci_check || failed=1 ;;
        mcp) mcp_check || failed=1 ;;
        publisher) publisher || failed=1 ;;
        storage) storage_check || failed=1 ;;
        *)
            environment "$version"
            check "$version" || failed=1
            ;;
    esac
done
exit "$failed"
