import { ensure, ensureHas } from '../ensure.mjs';

export const title = 'choose models in the matrix, compare them, and read where one stands';

/** Rows that a first view at this height should show. */
const DESK = { width: 1280, height: 900 };
const ROWS_ON_A_DESK = 21;

/** Somebody looks for a model in the matrix of all results, ticks two and compares them. */
export async function walk({ arrive }) {
  const visitor = await arrive();
  await visitor.page.setViewport(DESK);
  await visitor.open('/results');
  const seen = await visitor.page.$$eval('#matrix tbody tr', (rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length);
  ensure(seen >= ROWS_ON_A_DESK, `${seen} rows are seen at once`);

  for (const words of ['gemini', 'borealis']) {
    await visitor.open('/results');
    await visitor.type('#view [name=q]', words);
    await visitor.enter();
    const found = await visitor.texts('#matrix tbody th a');
    ensure(found.length > 0 && found.every((name) => name.includes(words)), `found ${found}`);
  }

  // A model without a result here is found from there.
  await visitor.open('/results?q=zzzz');
  await visitor.press('look among all models');
  ensure(visitor.here() === '/models?q=zzzz', `it led to ${visitor.here()}`);

  await visitor.open('/results');
  for (const model of ['google/gemini-2.5-pro', 'google/gemini-2.5-flash']) {
    await (await visitor.page.$(`#matrix input[value="${model}"]`)).evaluate((box) => {
      box.checked = true;
    });
  }
  await visitor.page.$eval('#matrix', (table) => table.scrollIntoView());
  await visitor.press('Compare', '#view');
  ensure(visitor.here().startsWith('/compare?'), `it led to ${visitor.here()}`);
  ensure((await visitor.page.$$('#matrix tbody tr')).length === 2, 'the two chosen rows are a matrix');
  ensureHas(await visitor.text(), 'Differences', 'the comparison');

  await visitor.open('/aurora-labs/aurora-large');
  ensureHas(await visitor.text('.verdict'), 'needed for a rank over all', 'the page of a model with few results');
  await visitor.open('/google/gemini-2.5-pro');
  ensureHas(await visitor.text('.verdict'), 'with an expected win rate of', 'the page of the model');
  ensureHas(await visitor.text('.turned'), 'median percentile', 'the turned matrix');

  if (visitor.scripts) {
    await visitor.open('/results');
    await visitor.page.keyboard.press('j');
    await visitor.page.keyboard.press('j');
    const focused = await visitor.page.evaluate(() => document.activeElement.closest('tr')?.rowIndex);
    ensure(focused > 1, `j moves down the rows: ${focused}`);
  }
  await visitor.end();
}
