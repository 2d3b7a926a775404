# One plain command a recipe; each line also works typed by hand.

default:
    @just --list

# Everything CI runs, in CI's order
ci:
    ./test.sh

fmt-check:
    cargo fmt --all --check

lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

doc $RUSTDOCFLAGS="-D warnings":
    cargo doc --workspace --no-deps --document-private-items --locked

test *args:
    cargo test --workspace --locked {{args}}

# Accept changed snapshots and generated pages; read the diff before committing it
accept:
    INSTA_UPDATE=always ASSAY_UPDATE=1 cargo test --workspace

# The program without default features: a linter of few crates
small:
    scripts/small-build.sh

# The real Python client, the hf command and git against a hub
compat *versions:
    compat/run.sh {{versions}}

# The journeys of people through a hub, in a real browser; `--screenshots` takes the pictures of the documentation
browser *flags:
    browser/run.sh {{flags}}

deny:
    cargo deny --locked check bans licenses sources

# Ratios against named peers, measured in one run: `just bench validate`
bench name *args:
    cargo bench --locked {{ if name == "lake" { "--profile lake" } else { "" } }} --bench {{ if name == "web" { "hub" } else { name } }} -- {{ if name == "web" { "only=pages" } else { "" } }} {{args}}

# Take the defences of signed evidence and of the log out one by one, and see the tests fail
mutate *words:
    scripts/mutate-trust.py {{words}}

# Fuzz every parser for longer than the tests do, on the stable toolchain
fuzz seconds="60":
    ASSAY_FUZZ_SECONDS={{seconds}} cargo test --release --locked -p assay-fuzz

# Try the validator on the examples
demo:
    cargo run --release --locked -p assay -- validate examples

# Faults of every kind at random moments under a mixed load, for half an hour: `just chaos 60` for a minute
chaos seconds="1800":
    ASSAY_CHAOS_SECONDS={{seconds}} cargo test --locked -p assay --test crash chaos -- --nocapture --test-threads 1

# Backups under load, each restored elsewhere and searched for every commit acknowledged before it
backups rounds="50":
    ASSAY_BACKUPS={{rounds}} cargo test --locked -p assay --test crash backups_under_load -- --nocapture

# Slow and hostile clients beside ordinary ones: how long the others wait, and how much memory the hub takes
hostile commits="15000":
    ASSAY_HOSTILE_COMMITS={{commits}} cargo test --locked -p assay --test crash hostile -- --nocapture

# How often the rank intervals of a board hold at once, in more simulations than the tests have; the least are printed
coverage boards="20000":
    ASSAY_COVERAGE_BOARDS={{boards}} cargo test --release --locked -p assay-board all_ranks_hold_at_once -- --nocapture
    ASSAY_COVERAGE_BOARDS={{boards}} cargo test --release --locked -p assay-board --test board separated -- --nocapture
