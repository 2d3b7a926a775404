import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ensure, ensureHas } from '../ensure.mjs';
import { POLICY } from '../hub.mjs';
import { BENCHMARK, TASK } from './register.mjs';

export const title = 'check a verified row offline';
export const MODEL = 'quarry/slate-7b';
export const BOARD = `/datasets/${BENCHMARK}/leaderboard/${TASK}`;

const result = (value) => `- dataset:
    id: "${BENCHMARK}"
    task_id: "${TASK}"
  metrics:
    - metric_id: "accuracy"
      value: ${value}
  framework:
    name: "inspect-ai"
    version: "0.4.2"
  date: "2026-03-01"
`;

/** A framework submits a signed result; a reader sees the badge, takes the proof away, and checks it without the hub. */
export async function walk({ arrive, hub }) {
  await hub.assay('issuer', 'integration', 'add', 'example', '--policy', POLICY);
  // The demonstration keeps its key; this result gets one that can be revoked alone.
  await hub.assay('keys', 'rotate');
  await submit(hub, MODEL, '71.5');
  const reader = await arrive();
  await reader.open(BOARD);
  ensureHas((await reader.row(MODEL)).text, 'Verified', 'the row');
  await reader.tick('input[name=verified]', 'Apply');
  ensure((await reader.rows()).length === 1, 'it is the one verified row');

  await reader.follow('#board .why:has(.verified)');
  const { jti } = await attestation(hub);
  ensure(reader.here() === `/${MODEL}/results/${jti}`, `the badge leads to the evidence, not to ${reader.here()}`);
  ensureHas(await reader.text('.head'), 'scored 71.5', 'the page');
  const same = await reader.texts('.claims tbody td:first-of-type');
  ensure(same.length > 8 && same.every((text) => text === 'matches'), `every claim matches: ${same}`);
  const [proofAt] = await reader.addresses('a[download="row.proof"]');
  const [trust, , check] = (await reader.text('.side pre')).split('\n');
  ensureHas(check, 'assay verify row.proof --trust hub.note', 'the command');
  await keep(hub, proofAt, 'row.proof');
  await keep(hub, trust.split(' ').at(-1).slice(hub.url.length), 'hub.note');
  if (reader.scripts) await verifyHere(reader, hub);
  else ensure(!(await reader.page.$eval('[data-verify]', (box) => box.checkVisibility())), 'without scripts nothing offers to verify here');
  await reader.end();

  const verdict = await hub.elsewhere({}, 'verify', 'row.proof', '--trust', 'hub.note', '--format', 'json');
  ensure(verdict.code === 0, `the proof holds: ${verdict.stdout}${verdict.stderr}`);
  const { state, claims } = JSON.parse(verdict.stdout);
  ensure(state === 'verified' && claims.metrics[0].value === 71.5, `the proof is of this row: ${verdict.stdout}`);

  const proof = await readFile(join(hub.work, 'row.proof'), 'utf8');
  ensure(proof.includes('71.5'), 'the proof has the value');
  await writeFile(join(hub.work, 'forged.proof'), proof.replaceAll('71.5', '99.5'));
  const forged = await hub.elsewhere({}, 'verify', 'forged.proof', '--trust', 'hub.note');
  ensure(forged.code !== 0, 'a forged proof is refused');
}

/** Has the page verify: by no note, by the note that was kept, and a proof that was tampered with; then forges proofs. */
async function verifyHere(reader, hub) {
  const verify = async (state) => {
    await reader.page.click('[data-verify] button');
    await reader.page.waitForSelector(`[data-verify] [data-state=${state}]`);
  };
  const give = async (name, file) => (await reader.page.$(`[data-verify] [name=${name}]`)).uploadFile(join(hub.work, file));
  await verify('consistent');
  ensureHas(await reader.text('[data-verify] [role=status]'), 'You gave no trust note', 'a verdict without a note');
  await give('note', 'hub.note');
  await verify('verified');
  ensureHas(await reader.text('[data-verify] [role=status]'), `${MODEL} on ${TASK}`, 'the verdict');

  const [proof, note] = await Promise.all(['row.proof', 'hub.note'].map((name) => readFile(join(hub.work, name), 'utf8')));
  await writeFile(join(hub.work, 'forged.proof'), proof.replaceAll('71.5', '99.5'));
  await give('proof', 'forged.proof');
  await verify('broken');

  const outcome = await reader.page.evaluate(forge, proof, note);
  ensure(outcome.true === 'verified', `the verifier believes the true proof: ${outcome.true}`);
  ensure(outcome.tried > 500, `only ${outcome.tried} proofs were forged`);
  ensure(outcome.believed.length === 0, `forged proofs are believed, changed at ${outcome.believed}`);
}

/**
 * Runs in the page. Changes one byte of a proof in many places, each once as it is and once with the digest of everything made to fit
 * again, as a forger would, and gives the places at which the verifier believes it.
 */
async function forge(proof, note) {
  const answer = await fetch(document.querySelector('[data-verify]').dataset.program);
  const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer());
  const wasm = instance.exports;
  const bytes = (text) => new TextEncoder().encode(text);
  const judge = (text) => {
    const [given, trusted] = [bytes(text), bytes(note)];
    const address = wasm.room_for(given.length + trusted.length);
    const room = new Uint8Array(wasm.memory.buffer, address, given.length + trusted.length);
    room.set(given);
    room.set(trusted, given.length);
    const length = wasm.verify(given.length);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.answer(), length).slice())).state;
  };
  const DIGEST = /,"sha256":"sha256:[0-9a-f]{64}"/;
  const repaired = async (text) => {
    const body = text.replace(DIGEST, '');
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(`assay-proof/v1\n${body}`)));
    const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return text.replace(DIGEST, `,"sha256":"sha256:${hex}"`);
  };
  const believed = [];
  let tried = 0;
  const at = proof.search(DIGEST);
  const isDigest = (place) => place >= at && place < at + 84;
  const step = Math.max(1, Math.floor(proof.length / 400));
  for (let place = 0; place < proof.length; place += step) {
    const changed = String.fromCharCode(proof.charCodeAt(place) ^ (1 << (place % 7)));
    const text = proof.slice(0, place) + changed + proof.slice(place + 1);
    const tries = isDigest(place) ? [text] : [text, await repaired(text)];
    for (const one of tries) {
      tried += 1;
      if (judge(one) === 'verified') believed.push(place);
    }
  }
  const same = await repaired(proof);
  return { true: same === proof ? judge(proof) : 'the digest is made otherwise', tried, believed };
}

/** Who signed the row, as the board says. */
export async function attestation(hub) {
  const rows = await hub.json(`/api/datasets/${BENCHMARK}/leaderboard?task_id=${TASK}`);
  const row = rows.find((one) => one.modelId === MODEL);
  ensure(row?.standing?.attested, `the row is signed: ${JSON.stringify(row)}`);
  return row.standing.attested;
}

/** Has a result signed and brings it to the hub, as the machine of a framework does. */
async function submit(hub, model, value) {
  await mkdir(join(hub.work, '.eval_results'), { recursive: true });
  await writeFile(join(hub.work, '.eval_results', 'sum-check.yaml'), result(value));
  const made = await hub.assay('issuer', 'credential', 'add', 'example/ci', '--policy', POLICY, '--format', 'json');
  const variables = { ASSAY_TOKEN: hub.people.stranger.token, ASSAY_CREDENTIAL: JSON.parse(made).secret };
  const line = ['submit', '.eval_results/sum-check.yaml', '--model', model, '--hub', hub.url];
  const sent = await hub.elsewhere(variables, ...line);
  ensure(sent.code === 0, `the result is taken: ${sent.stdout}${sent.stderr}`);
}

async function keep(hub, path, name) {
  const answer = await fetch(hub.url + path);
  ensure(answer.ok, `GET ${path} answers ${answer.status}`);
  await writeFile(join(hub.work, name), Buffer.from(await answer.arrayBuffer()));
}
