import { ensure, ensureHas } from '../ensure.mjs';

export const title = 'find the best model for a task and see why';

/** Somebody who has no account looks for a task, reads who leads, why, and on what evidence. */
export async function walk({ arrive }) {
  const visitor = await arrive();
  await visitor.open('/');
  ensure((await visitor.page.$$('#matrix tbody tr')).length === 15, 'the first rows of the matrix are on the first page');
  await visitor.type('#q', 'swe');
  await visitor.enter();
  await visitor.press('SWE-Bench Pro (Public)');

  ensureHas(await visitor.text('.says'), 'aurora-labs/aurora-large leads with 43.6', 'the board');
  const rows = await visitor.rows();
  ensure(rows.length === 11, `the board has ${rows.length} rows`);
  ensure(rows[0].rank === '1' && rows[0].model === 'aurora-labs/aurora-large', `the first row is ${rows[0].model}`);
  ensureHas(rows[0].text, 'Logs of the run', 'the first row');
  ensureHas(await visitor.text('#how'), 'the higher the better', 'the box on the ranking');

  ensure((await visitor.runsScripts()) === visitor.scripts, 'scripts run when they may, and only then');

  await visitor.press('Model', '#board thead');
  const names = (await visitor.rows()).map((row) => row.model);
  const sorted = [...names].sort();
  ensure((await visitor.page.$$('#board th[aria-sort]')).length === 1, 'one column says that it is sorted by');
  ensure([sorted.join(), sorted.reverse().join()].includes(names.join()), `rows are sorted by model: ${names}`);

  await visitor.tick('input[name=verified]', 'Apply');
  ensure(new URL(visitor.page.url()).searchParams.get('verified') === '1', 'the filter is in the address');
  ensure((await visitor.rows()).length === 0, 'nothing on this board is verified');

  await visitor.open('/datasets/ScaleAI/SWE-bench_Pro');
  await visitor.press('aurora-labs/aurora-large', '#board');
  ensureHas(await visitor.text(), 'Rank 1 of 11', 'the page of the model');
  if (visitor.scripts) await quicker(visitor);
  await visitor.end();
}

/** What scripts add: the search completes, and a selection is in the address of a board. */
async function quicker(visitor) {
  await visitor.open('/');
  await visitor.type('#q', 'aurora-large');
  await visitor.page.waitForFunction(() => document.querySelectorAll('#q-hits option').length > 0);
  const hits = await visitor.page.$$eval('#q-hits option', (options) => options.map((option) => option.value));
  ensure(hits.includes('aurora-labs/aurora-large'), `the search offers ${hits}`);

  await visitor.open('/datasets/ScaleAI/SWE-bench_Pro');
  await visitor.page.click('#board tbody input[name=models]');
  const { searchParams } = new URL(visitor.page.url());
  ensure(searchParams.get('models') === 'aurora-labs/aurora-large', `the selection is not in ${visitor.page.url()}`);
  await visitor.open(visitor.here());
  ensure((await visitor.page.$$('#board input[name=models]:checked')).length === 1, 'the selection is kept');
}
