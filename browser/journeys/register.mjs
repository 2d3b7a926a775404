import { ensure, ensureHas } from '../ensure.mjs';

export const title = 'register a benchmark';
export const BENCHMARK = 'stranger/sum-check';
export const TASK = 'words';

/** Somebody without any standing defines a benchmark, leaves something out, mends it, and has a leaderboard. */
export async function walk({ arrive, hub }) {
  const author = await arrive();
  await author.signIn(hub.people.stranger);
  await author.open('/benchmarks');
  await author.press('New benchmark');
  await author.choose('#owner', 'stranger');
  await author.type('#name', 'sum-check');
  await author.type('#title', 'Sum Check');
  await author.type('#about', 'Two-digit additions in words; the answer is a number.');
  await author.type('[name=metric-1]', 'accuracy');
  await author.type('[name=metric-name-1]', 'Accuracy');
  await author.type('[name=metric-unit-1]', 'percentage');
  await author.type('#tasks', `${TASK}\ndigits`);
  await author.press('Preview');
  ensureHas(await author.text('[data-verdict]'), 'This definition is valid', 'the preview');

  const good = await author.page.$eval('#text', (field) => field.value);
  await author.type('#text', good.replace('higher_is_better: true', 'higher_is_better: perhaps'));
  if (author.scripts) {
    await author.sees('[data-findings] .finding .bad', 'error');
  } else {
    await author.press('Register the benchmark');
    ensureHas(await author.text('[data-verdict]'), 'This definition is invalid', 'a faulty definition');
  }
  ensureHas(await author.text('[data-findings]'), 'perhaps', 'the finding');
  await author.type('#text', good);
  await author.press('Register the benchmark');

  ensure(author.here().startsWith(`/datasets/${BENCHMARK}`), `it leads to the benchmark, not to ${author.here()}`);
  ensure((await author.text('h1')) === 'Sum Check', 'the benchmark has its name');
  ensureHas(await author.text(), 'No result yet', 'the new board');
  await author.open('/benchmarks?q=sum');
  ensureHas(await author.text('ul.grid'), 'Sum Check', 'the list of benchmarks');
  await author.end();
}
