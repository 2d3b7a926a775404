import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ensure, ensureHas } from '../ensure.mjs';

export const title = 'drop a log, see what is in it, and open a pull request';
const MODEL = 'aurora-labs/murmur';
const BENCHMARK = 'MathArena/aime_2026';
const QUESTION = 'a question that nobody else may read';

/** A log of Inspect, small and made here. */
const LOG = {
  version: 2,
  status: 'success',
  eval: { task: 'aime_2026', model: MODEL, created: '2026-05-01T10:00:00Z', dataset: { name: BENCHMARK, samples: 1 } },
  results: {
    total_samples: 1,
    completed_samples: 1,
    scores: [{ name: 'match', scorer: 'match', metrics: { accuracy: { name: 'accuracy', value: 0.155 } } }],
  },
  samples: [{ id: 1, epoch: 1, input: QUESTION, target: '1', scores: { match: { value: 'C' } } }],
};

/** Somebody brings the log of a run, is asked what the log does not say, and opens a pull request. */
export async function walk({ arrive, hub }) {
  const stranger = await arrive();
  await stranger.signIn(hub.people.stranger);
  await stranger.open(`/new/result?benchmark=${encodeURIComponent(BENCHMARK)}`);
  const log = join(hub.work, 'run.json');
  await writeFile(log, JSON.stringify(LOG));
  await stranger.upload('#files', log);
  await stranger.press('Read the files');

  ensureHas(await stranger.text('[data-evaluation]'), 'Inspect AI', 'what was found');
  ensure((await stranger.value('#model')) === MODEL, 'the model is the one that the log names');
  ensure((await stranger.value('#benchmark-0')) === BENCHMARK, 'the benchmark is the one that the log names');
  ensure(!(await stranger.page.content()).includes(QUESTION), 'samples are left out');
  await stranger.press('Preview');

  ensureHas(await stranger.text('[data-verdict]'), 'This file is valid', 'the preview');
  ensureHas(await stranger.text('tr.own'), MODEL, 'the ranks of the preview');
  await stranger.press('Open the pull request');
  ensureHas(await stranger.text('[role=status]'), 'with the community badge', 'the new pull request');
  await stranger.open(`/datasets/${BENCHMARK}`);
  ensureHas((await stranger.row(MODEL)).text, 'Community #', 'its row');
  await stranger.end();
}
