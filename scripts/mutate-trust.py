#!/usr/bin/env python3
"""Takes one defence after the other out of `assay-trust` and `assay-tlog`, and demands that the test which is named after it fails.

    scripts/mutate-trust.py              every defence
    scripts/mutate-trust.py aud iss      those whose test has one of these words in its name

A test that passes without the defence proves nothing. The changes are made in a copy, so a tree with work in it stays as
it is; what is tested is the tree as it is on disk.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The test, the file, what stands there, and what stands there instead. Tests are those of `tests/trust` in `assay-trust`, unless
# a name in front of them, of `TARGETS`, says otherwise. The file is below `src` of the same crate.
MUTATIONS = [
    (
        "tokens::jose_header_smuggling",
        "token.rs",
        ".find_map(|(before, after)| text.strip_prefix(before)?.strip_suffix(after))",
        '.find_map(|_| Some(text.split_once("\\"kid\\":\\"")?.1.split_once(\'"\')?.0))',
    ),
    (
        "tokens::jose_crit_b64_refused",
        "token.rs",
        ".find_map(|(before, after)| text.strip_prefix(before)?.strip_suffix(after))",
        '.find_map(|_| Some(text.split_once("\\"kid\\":\\"")?.1.split_once(\'"\')?.0))',
    ),
    ("tokens::token_limits", "token.rs", "if token.len() > MAX_TOKEN {", "if false {"),
    (
        "tokens::any_changed_byte_of_a_token_is_refused",
        "key.rs",
        "self.point.verify_strict(message, &signature).is_ok()",
        "self.point.verify_strict(message, &signature).is_ok() || true",
    ),
    (
        "lib:key::tests::a_signature_of_small_order_fits_the_equation_and_is_refused",
        "key.rs",
        "self.point.verify_strict(message, &signature).is_ok()",
        "ed25519_dalek::Verifier::verify(&self.point, message, &signature).is_ok()",
    ),
    (
        "claims::claims_must_be_jcs",
        "exact.rs",
        "self.check(number.spell(&mut Spelling::new()) == value.raw())?;",
        "number.spell(&mut Spelling::new());",
    ),
    (
        "claims::claims_unknown_member",
        "members.rs",
        "if self.object.entries().count() == self.taken.len() {",
        "if self.object.entries().count() >= self.taken.len() {",
    ),
    ("claims::aud_exact_single", "trust.rs", "if !issuer.audiences.contains(&claims.aud) {", "if false {"),
    ("claims::iss_kid_pairing", "trust.rs", "if key.issuer != *name {", "if false {"),
    ("claims::ttl_cap_enforced_by_verifier", "trust.rs", "&& exp - iat <= Claims::MAX_LIFETIME", ""),
    ("claims::future_iat_refused", "verdict.rs", "if seconds < claims.nbf - CLOCK_SKEW {", "if false {"),
    (
        "claims::a_retired_key_signs_nothing_new",
        "verdict/admit.rs",
        "if key.is_some_and(|key| key.state == KeyState::Retired) {",
        "if false && key.is_some_and(|key| key.state == KeyState::Retired) {",
    ),
    (
        "claims::late_push_expired_at_first_seen",
        "verdict.rs",
        "if seconds > claims.exp + CLOCK_SKEW {",
        "if false {",
    ),
    ("control::trust_rejects_small_order_keys", "key.rs", "if point.is_weak() {", "if false {"),
    (
        "binding::fork_is_unverified",
        "verdict.rs",
        "if facts.owner.is_some_and(|(owner, _)| owner != repo.uid) {",
        "if false {",
    ),
    ("binding::cross_model_replay", "verdict.rs", "if claimed == repo.name {", "if true {"),
    ("binding::token_twice_in_tree", "verdict.rs", "if submission.is_repeat {", "if false {"),
    ("binding::edited_value", "verdict/compare.rs", "if !canonical.is_claim(signed) {", "if false {"),
    ("binding::edited_notes", "verdict/compare.rs", "if *digest != claims.digests.entry {", "if false {"),
    ("binding::path_must_be_canonical", "verdict/compare.rs", "name.bytes().eq(benchmark.name().bytes().map(spelled))", "name.len() < benchmark.name().bytes().map(spelled).count() * 9"),
    (
        "metrics::duplicate_metric_id",
        "canon/subject.rs",
        "match repeated_metric(&metrics) {",
        "match None::<&MetricClaim> {",
    ),
    ("binding::unknown_model_revision", "verdict/admit.rs", "if !world.model_revision_exists {", "if false {"),
    (
        "binding::eval_yaml_pinned_to_revision",
        "verdict/admit.rs",
        "check_benchmark(&held.claims, world.benchmark)?;",
        "let _ = check_benchmark(&held.claims, world.benchmark);",
    ),
    (
        "logged::stolen_key_off_log",
        "verdict.rs",
        "if issuer.is_some_and(|issuer| !issuer.trust.must_be_logged) {",
        "if issuer.is_some() {",
    ),
    (
        "logged::an_admission_that_does_not_fit_is_not_believed",
        "verdict.rs",
        "if *decide == expected && is_after {",
        "if is_after || *decide == expected {",
    ),
    (
        "revocation::revoke_from_index",
        "trust/revocation.rs",
        "position >= self.from_index && self.names(claims, kid)",
        "position <= u64::MAX && self.names(claims, kid)",
    ),
    (
        "text::yaml_norway_family",
        "canon/profile.rs",
        "if self.is_plain(value) && !format::is_text(&text) {",
        "if false {",
    ),
    (
        "text::yaml_duplicate_keys",
        "canon/profile.rs",
        "SyntaxFaultKind::NonFinite => return Ok(()),",
        "SyntaxFaultKind::NonFinite | SyntaxFaultKind::DuplicateKey { .. } => return Ok(()),",
    ),
    (
        "text::yaml_alias_bomb_constant_time",
        "canon/profile.rs",
        'YamlConstruct::Alias => (Reason::YamlAnchor, "an anchor or an alias"),',
        "YamlConstruct::Alias => return Ok(()),",
    ),
    (
        "text::forbidden_codepoints",
        "canon/profile.rs",
        "hidden.or_else(|| text.chars().find(|c| is_invisible(*c)))",
        "hidden.filter(|c| is_invisible(*c) && c.is_alphabetic())",
    ),
    ("text::yaml_limits", "canon/profile.rs", "if depth < limits::MAX_DEPTH {", "if true {"),
    (
        "proofs::a_revocation_cannot_be_left_out",
        "proof/verify.rs",
        "if !is_whole || TreeHash::of_leaves(&self.control) != checkpoint.root {",
        "if false {",
    ),
    (
        "proofs::the_file_must_be_a_plain_file_of_the_commit_under_its_name",
        "proof/verify.rs",
        "self.git.verify(entry.path.name())?;",
        "let _ = self.git.verify(entry.path.name());",
    ),
    (
        "proofs::a_hub_that_made_everything_itself_does_not_pass_for_the_one_that_is_trusted",
        "proof/verify.rs",
        "if self.note == *note {",
        "if true {",
    ),
    (
        "log-lib:witness::tests::a_forked_history_is_not_signed_at_any_size",
        "witness.rs",
        "if new.size == known && new.root != root {",
        "if false {",
    ),
    (
        "log-lib:witness::tests::a_log_that_was_set_back_is_not_signed_even_after_a_restart",
        "witness.rs",
        "if request.old != known {",
        "if false {",
    ),
    (
        "log-lib:witness::tests::a_log_that_was_set_back_is_not_signed_even_after_a_restart",
        "witness/state.rs",
        "self.replace(&name, signed.to_string().as_bytes())\n    }",
        "let _ = name;\n        Ok(())\n    }",
    ),
    (
        "log-lib:witness::tests::only_logs_that_are_watched_are_signed_and_only_what_they_signed",
        "witness.rs",
        "signed.verify(key).map_err(|_| WitnessRefusal::NotSigned)",
        "Ok(signed.verify(key).unwrap_or(signed.claimed()))",
    ),
    (
        "log:witnesses::a_history_that_contradicts_what_witnesses_signed_is_found_at_the_first_audit",
        "audit/quorum.rs",
        "match proof.verify(old.root, now.root) {",
        "match Ok::<(), ()>(drop(proof)) {",
    ),
    (
        "log:witnesses::too_few_witnesses_or_old_signatures_are_not_enough",
        "audit/quorum.rs",
        "if fresh.len() < self.at_least {",
        "if fresh.len() + stale.len() < self.at_least {",
    ),
]


def main(words):
    chosen = [m for m in MUTATIONS if not words or any(word in m[0] for word in words)]
    with tempfile.TemporaryDirectory(prefix="assay-mutate-") as place:
        copy = pathlib.Path(place) / "assay"
        ignore = shutil.ignore_patterns(".git", "target", "node_modules")
        shutil.copytree(ROOT, copy, ignore=ignore, symlinks=True)
        tests = sorted({test for test, *_ in chosen})
        for target in sorted({target_of(test) for test in tests}):
            outcome, said = run(copy, [test for test in tests if target_of(test) == target])
            if outcome != "passed":
                sys.exit(f"the tests do not pass as they are ({outcome}):\n{said}")
        print(f"{len(tests)} tests pass as they are", flush=True)
        survivors = [test for test, *change in chosen if not is_killed(copy, test, *change)]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} defences are held by their tests")
    if survivors:
        sys.exit("no test noticed: " + ", ".join(survivors))


def is_killed(copy, test, name, before, after):
    path = copy / "crates" / target_of(test)[0] / "src" / name
    text = path.read_text()
    if text.count(before) < 1:
        sys.exit(f"{name} has no `{before}`: the list is out of date")
    path.write_text(text.replace(before, after))
    outcome, said = run(copy, [test])
    path.write_text(text)
    print(f"{outcome:>7}  {test}  without  {before}", flush=True)
    if outcome == "broken":
        sys.exit(said)
    return outcome == "failed"


def is_plain(test):
    """Whether nothing stands in front of the name of the test: what stands there ends with one colon, and modules with two."""
    return test.partition(":")[2].startswith(":")


# The crate of a test, and what cargo calls the tests among which it is, by the name in front of it.
TARGETS = {
    "": ("assay-trust", "--test", "trust"),
    "lib": ("assay-trust", "--lib"),
    "log": ("assay-tlog", "--test", "log"),
    "log-lib": ("assay-tlog", "--lib"),
}


def target_of(test):
    """The row of `TARGETS` that a test belongs to."""
    return TARGETS["" if is_plain(test) else test.partition(":")[0]]


def run(copy, tests):
    """Whether the tests, all of one target, passed or failed, or could not be built, which proves nothing."""
    names = [test if is_plain(test) else test.partition(":")[2] for test in tests]
    command = ["cargo", "test", "--locked", "-q", "-p", *target_of(tests[0]), "--", "--exact", *names]
    environment = {**os.environ, "RUST_BACKTRACE": "0"}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if "test result: FAILED" in said:
        return "failed", said
    if done.returncode == 0 and f"{len(tests)} passed" in said:
        return "passed", said
    return "broken", said


if __name__ == "__main__":
    main(sys.argv[1:])
