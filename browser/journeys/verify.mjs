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
  await reader.end();

  await keep(hub, proofAt, 'row.proof');
  await keep(hub, trust.split(' ').at(-1).slice(hub.url.length), 'hub.note');
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
