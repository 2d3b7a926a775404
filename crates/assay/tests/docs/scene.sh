# The machine of somebody who types what a page prints: a home, a working directory, tools and a hub. Read by the test
# `every_shell_block_works_as_printed` before the blocks of a page, with BIN, ROOT, PLACE, PORT and FAILURES in the environment, and PAGE set.

export HOME="$PLACE/home" PATH="$BIN:$PATH" LANG=C.UTF-8 GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 EDITOR=true
export ASSAY_LISTEN="127.0.0.1:$PORT"
hub="http://127.0.0.1:$PORT"
work="$PLACE/work"
server=
beside=
mkdir -p "$HOME" "$work" "$PLACE/srv" "$PLACE/backup" "$PLACE/tmp"
ln -s "$ROOT/examples" "$work/examples"
git config --global user.name Alice
git config --global user.email alice@hub.example
git config --global init.defaultBranch main
trap 'printf "%s: \`%s\` ended with %s\n" "$at" "$BASH_COMMAND" "$?" >> "$FAILURES"' ERR
trap 'stop_server' EXIT
trap 'printf "%s took too long\n" "$at" >> "$FAILURES"; exit 1' TERM

# Stops the server that a block or the scene started.
stop_server() {
    [ -z "$server" ] || { kill -9 "$server"; wait "$server" || true; } 2> /dev/null
    [ -z "$beside" ] || { kill -9 "$beside"; wait "$beside" || true; } 2> /dev/null
    server=
    beside=
}

# Starts a server and returns when it answers, as a second shell would find it.
start_server() {
    stop_server
    command assay "$@" > "$PLACE/served" 2> "$PLACE/log" &
    server=$!
    for _ in $(seq 600); do
        if grep -q ' is at http' "$PLACE/served"; then return 0; fi
        kill -0 "$server" 2> /dev/null || break
        sleep 0.05
    done
    cat "$PLACE/log" >&2
    return 1
}

# Starts a server that runs beside the hub.
start_beside() {
    command assay "$@" > /dev/null 2> "$PLACE/beside-log" &
    beside=$!
    sleep 0.2
    kill -0 "$beside"
}

# Types what a command asks for, and leaves servers running behind the next line.
assay() {
    case "$1 ${2-} ${3-}" in
        serve*) start_server "$@" ;;
        "log witness serve") start_beside "$@" ;;
        "trust rename "*)
            local ran=$server
            stop_server
            command assay "$@"
            [ -z "$ran" ] || start_server serve
            ;;
        "admin token create")
            command assay "$@" | tee "$PLACE/token"
            HF_TOKEN_OF_ALICE=$(grep -o 'hf_[A-Za-z0-9_]*' "$PLACE/token")
            ;;
        "issuer credential create")
            command assay "$@" | tee "$PLACE/credential"
            CREDENTIAL=$(grep -o 'evp_[A-Za-z0-9_]*' "$PLACE/credential")
            ;;
        "hub login"*) printf '%s' "$HF_TOKEN_OF_ALICE" | command assay "$@" ;;
        *) command assay "$@" ;;
    esac
}

# Who is signed for: the integration of one harness, with a personal token.
cat > "$PLACE/policy.toml" << 'END'
version = 1

[[integration]]
id = "inspect-ai"
frameworks = [{ name = "inspect-ai", versions = ">=0.3" }]

  [[integration.identity]]
  kind = "token"
  name = "lab"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["*/*"]
  models = ["*/*"]
END

# A hub with an organisation `acme`, an `alice` who may do everything in it, and the policy of a harness.
a_hub() {
    cd "$work"
    ASSAY_ISSUER_POLICY="$PLACE/policy.toml" start_server serve --data "$PLACE/srv/assay" "$@"
    [ "$#" = 0 ] || until grep -q 'demonstration is' "$PLACE/log"; do sleep 0.05; done
    export ASSAY_DATA="$PLACE/srv/assay" ASSAY_ISSUER_POLICY="$PLACE/policy.toml"
    command assay admin user create alice --operator > /dev/null
    HF_TOKEN_OF_ALICE=$(command assay admin token create alice --scope admin | grep -o 'hf_[A-Za-z0-9_]*')
    command assay admin org create acme > /dev/null
    command assay admin org member acme alice --role admin > /dev/null
}

# Somebody who has signed in, for `git` too.
signed_in() {
    assay hub login --hub "$hub" --git > /dev/null 2>&1
}

# A benchmark, a model, and the names that the pages give to both.
with_benchmark() {
    command assay hub repo create acme/sums --type dataset > /dev/null
    command assay hub repo create acme/model-x > /dev/null
    git clone --quiet "$hub/datasets/acme/sums" "$PLACE/sums" 2> /dev/null
    cp "$work/eval.yaml" "$PLACE/sums"
    git -C "$PLACE/sums" add eval.yaml
    git -C "$PLACE/sums" commit --quiet -m 'Define the benchmark'
    git -C "$PLACE/sums" push --quiet 2> /dev/null
}

# A credential of the harness, a result that it signed, the proof of that, and what the hub's logs are checked with.
with_signer() {
    command assay issuer integration create inspect-ai > /dev/null
    CREDENTIAL=$(command assay issuer credential create inspect-ai/lab --days 1 | grep -o 'evp_[A-Za-z0-9_]*')
    export ASSAY_CREDENTIAL="$CREDENTIAL"
    command assay submit "$work/run.eval" --benchmark acme/sums --task words --model acme/model-x > "$PLACE/submitted" 2>&1
    JTI=$(curl -s "$hub/api/models/acme/model-x?expand=evalResults" | jq -r '.evalResults[0].standing.attested.jti')
    curl -s "$hub/.well-known/eval-trust" > "$work/hub.note"
    curl -s "$hub/.well-known/jwks.json" > "$work/jwks.json"
    command assay hub proof acme/model-x "$JTI" > "$work/row.proof"
    git clone --quiet "$hub/acme/model-x" "$PLACE/model-x" 2> /dev/null
    git -C "$PLACE/model-x" fetch --quiet origin refs/pr/1 2> /dev/null
    git -C "$PLACE/model-x" show FETCH_HEAD:.eval_results/sums.yaml > "$work/.eval_results/sums.yaml"
    TOKEN=$(sed -n 's/.*verify_token: *"\{0,1\}\([^" ]*\)"\{0,1\}$/\1/p' "$work/.eval_results/sums.yaml")
    printf '%s' "$TOKEN" > "$work/token.txt"
    VKEY=$(sed -n 's/^results //p' "$work/hub.note")
}

# Waits for the mirror of the logs, which the hub writes within seconds of what it signed.
with_mirror() {
    local mirror="$PLACE/first-mirror"
    for _ in $(seq 200); do
        rm -rf "$mirror"
        git clone --quiet "$hub/v1/log.git" "$mirror" 2> /dev/null || true
        if [ -d "$mirror/results" ]; then return 0; fi
        sleep 0.1
    done
    printf 'the mirror of the logs has no results after 20 s\n' >&2
    return 1
}

# The files of a model developer, a benchmark owner and a researcher.
files() {
    cp -R "$ROOT/examples/model/.eval_results" "$ROOT/examples/datastore/data" "$work"
    cp "$ROOT/examples/benchmarks/acme/sum-check/eval.yaml" "$work"
    mkdir -p "$work/logs" "$work/results" "$HOME/drafts" "$HOME/runs" "$HOME/checkouts"
    cp "$ROOT/examples/benchmarks/acme/sum-check/eval.yaml" "$HOME/drafts"
    cp "$ROOT"/examples/model/.eval_results/*.yaml "$work/results"
    cp "$ROOT"/examples/model/.eval_results/*.yaml "$HOME/runs"
    cp -R "$ROOT"/examples/benchmarks/* "$HOME/checkouts"
    cp "$ROOT/crates/assay-convert/tests/fixtures/inspect/mcq.eval" "$work/logs/run.eval"
    cp "$ROOT/crates/assay-convert/tests/fixtures/inspect/mcq.eval" "$work/run.eval"
    local x
    x=$(openssl genpkey -algorithm ed25519 | openssl pkey -pubout -outform DER | tail -c 32 | basenc --base64url | tr -d =)
    printf '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"%s"}]}' "$x" > "$work/keys.json"
}

README_md() {
    files
}

docs_benchmark_owners_md() {
    files
    a_hub
    signed_in
}

docs_cli_md() {
    files
    a_hub --demo
    signed_in
    with_benchmark
    with_signer
    with_mirror
    rm "$work/.eval_results/sums.yaml" "$work/token.txt" "$work/logs/run.eval"
}

# What happens between two blocks of a page.
after_block() {
    case "$PAGE" in
        docs/cli.md) files_of_the_command_line ;;
        # The tutorial verifies the proof after the hub was stopped.
        docs/tutorial.md) [ ! -f "$work/row.proof" ] || stop_server ;;
    esac
}

# What the later blocks of the page read; the first validates everything that lies there.
files_of_the_command_line() {
    cp "$work/run.eval" "$work/logs"
    cp "$work"/data/*/*/*/*.json "$work/record.json"
    git -C "$PLACE/model-x" show FETCH_HEAD:.eval_results/sums.yaml > "$work/.eval_results/sums.yaml"
    printf '%s' "$TOKEN" > "$work/token.txt"
    [ -d "$work/datastore" ] || cp -R "$ROOT/examples/datastore" "$work/datastore"
    [ -d "$work/mirror" ] || git clone --quiet "$hub/v1/log.git" "$work/mirror" 2> /dev/null
}

docs_convert_md() {
    files
    mkdir -p "$PLACE/benchmarks/acme/sums" "$work/runs"
    cp "$work/eval.yaml" "$PLACE/benchmarks/acme/sums"
    find "$ROOT/crates/assay-convert/tests/fixtures/lm_eval/runs" -name 'results_*.json' -exec cp {} "$work/runs" \;
}

# The configuration file that the page prints, for the data directory of the scene.
docs_deploy_md() {
    a_hub
    mkdir -p "$PLACE/etc/assay"
    sed -n '/^```toml$/,/^```$/p' "$ROOT/docs/deploy.md" | sed '/^```/d' | sed "s#/srv/assay#$PLACE/srv/assay#" \
        > "$PLACE/etc/assay/assay.toml"
}

docs_framework_authors_md() {
    files
    jq 'del(.detailed_evaluation_results)' "$work"/data/*/*/*/*.json > "$work/run.json"
    mkdir "$work/out"
    cp -R "$work/data" "$work/out"
    a_hub
    signed_in
    with_benchmark
    with_signer
}

docs_hub_clients_md() {
    files
    a_hub --demo
    signed_in
}

docs_hub_operators_md() {
    files
}

docs_issuer_md() {
    sed -n '/^```toml$/,/^```$/p' "$ROOT/docs/issuer.md" | sed '/^```/d' > "$work/policy.toml"
}

docs_lake_md() {
    a_hub --demo
}

docs_model_developers_md() {
    files
    a_hub
    signed_in
    with_benchmark
}

docs_researchers_md() {
    files
    a_hub --demo
    signed_in
    command assay hub repo create acme/evals --type dataset > /dev/null
    git clone --quiet "$hub/datasets/acme/evals" "$PLACE/evals" 2> /dev/null
    cp -R "$work/data" "$PLACE/evals"
    git -C "$PLACE/evals" add data
    git -C "$PLACE/evals" commit --quiet -m 'Add records'
    git -C "$PLACE/evals" push --quiet 2> /dev/null
}

docs_transparency_log_md() {
    files
    a_hub
    signed_in
    with_benchmark
    with_signer
    with_mirror
}

# The leaf of the newest revocation.
last_revocation() {
    command assay trust list | awk 'END { print $1 }'
}

# A key for tokens: one that has retired, where there is one.
a_key() {
    command assay keys list --format json \
        | jq -r '[.keys[] | select(.purpose == "token")] | sort_by(.state == "active") | .[0].kid'
}
