import { ensure, ensureHas } from '../ensure.mjs';

export const title = 'submit a result as a stranger, see the preview and the community badge';
export const MODEL = 'northwind/borealis-2-math';
export const BOARD = '/datasets/ScaleAI/SWE-bench_Pro';

/** Somebody brings a result for a model of others, makes a mistake on the way, and finds it on the board at once. */
export async function walk({ arrive, hub }) {
  const stranger = await arrive();
  await stranger.signIn(hub.people.stranger);
  await stranger.open(BOARD);
  await stranger.press('Submit a result');
  await stranger.type('#model', MODEL);
  await stranger.press('Continue');
  await stranger.type('#metric-1', '47.50');
  await stranger.type('#metric-2', '3.40');
  await stranger.type('#framework', 'swe-agent');
  await stranger.type('#framework_version', '1.1.0');
  await stranger.type('#notes', 'turn_limit=250, run again by a stranger');
  await stranger.press('Preview');

  ensureHas(await stranger.text('[data-verdict]'), 'This file is valid', 'the preview');
  ensureHas(await stranger.text('tr.own'), MODEL, 'the ranks of the preview');
  await mistake(stranger);
  await stranger.press('Open the pull request');

  ensureHas(await stranger.text('[role=status]'), 'with the community badge', 'the new pull request');
  ensureHas(await stranger.text('tr.own'), 'this model', 'the ranks of the pull request');
  ensure(!(await stranger.has('form[action$="/merge"]')), 'a stranger cannot merge');
  await stranger.open(BOARD);
  const row = await stranger.row(MODEL);
  ensure(row.rank === '1', `the result has rank ${row.rank}`);
  ensureHas(row.text, 'Community #1', 'its row');
  ensure(!row.text.includes('Verified'), 'a result without a token is not verified');
  await stranger.end();
}

/** A value that is no number is found: as it is typed where scripts run, else when it is previewed. */
async function mistake(stranger) {
  const good = await stranger.page.$eval('#text', (field) => field.value);
  ensureHas(good, '47.50', 'the file');
  await stranger.type('#text', good.replace('47.50', '"plenty"'));
  if (stranger.scripts) {
    await stranger.sees('[data-findings] .finding .bad', 'error');
  } else {
    await stranger.press('Preview again');
    ensureHas(await stranger.text('[data-verdict]'), 'This file is invalid', 'the preview of a mistake');
  }
  ensureHas(await stranger.text('[data-findings]'), 'plenty', 'the finding');
  await stranger.type('#text', good);
  if (stranger.scripts) await stranger.sees('[data-findings] tr.own', MODEL);
}
