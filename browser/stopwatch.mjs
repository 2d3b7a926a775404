// Answers eight questions on a demonstration hub, as somebody who knows where things are, and says how many clicks and seconds each
// takes: `browser/run.sh --stopwatch` prints the rows of docs/stopwatch.md.

import { ensure, ensureHas } from './ensure.mjs';
import { Visit } from './visit.mjs';

/** How often each question is asked; the median counts. */
const TIMES = 5;

const QUESTIONS = [
  {
    title: 'Which model is best at X?',
    async ask(visitor, act) {
      await act(() => visitor.type('#q', 'gaia'));
      await act(() => visitor.enter());
      await act(() => visitor.follow('main a[href^="/datasets/"]'));
      ensureHas(await visitor.text('.says'), 'leads with', 'the board');
    },
  },
  {
    title: 'How do Llama 3 variants compare?',
    async ask(visitor, act) {
      await act(() => visitor.press('Results', '.sections'));
      await act(() => visitor.type('#view [name=q]', 'llama-3'));
      await act(() => visitor.enter());
      for (const box of (await visitor.page.$$('#matrix tbody input[type=checkbox]')).slice(0, 4)) await act(() => box.click());
      await act(() => press(visitor, /^Compare/, '#view'));
      ensure((await visitor.page.$$('#matrix tbody tr')).length === 4, 'four models side by side');
    },
  },
  {
    title: 'Is the difference real?',
    async ask(visitor, act) {
      await act(() => visitor.press('Compare', '.sections'));
      for (const model of ['aurora-labs/aurora-large', 'northwind/borealis-2']) {
        await act(() => visitor.type('main [name=models]:not([type=hidden])', model));
        await act(() => visitor.enter());
      }
      ensure((await visitor.texts('.verdict')).some((text) => /better|worse|no clear difference/.test(text)), 'a verdict is given');
    },
  },
  {
    title: 'What changed last month?',
    async ask(visitor, act) {
      await act(() => visitor.press('All changes'));
      ensure((await visitor.page.$$('.feed li')).length > 0, 'changes are listed');
    },
  },
  {
    title: 'Data for my paper',
    async ask(visitor, act) {
      await act(() => visitor.press('Results', '.sections'));
      await act(() => visitor.page.evaluate(() => document.querySelector('#view ~ * a[href*="format=tex"], a[href*="format=tex"]').click()));
      const [address] = await visitor.addresses('a[href*="format=tex"]');
      const file = await fetch(visitor.hub.url + address);
      ensureHas(await file.text(), '\\toprule', 'the table');
    },
  },
  {
    title: 'Share this view',
    async ask(visitor, act) {
      await act(() => visitor.press('Results', '.sections'));
      await act(() => visitor.type('#view [name=q]', 'claude'));
      await act(() => visitor.enter());
      const names = await visitor.texts('#matrix tbody th a');
      const other = await Visit.begin(visitor.page.browser(), visitor.hub, { scripts: true });
      await other.open(visitor.here());
      ensure((await other.texts('#matrix tbody th a')).join() === names.join(), 'the address is the view');
      await other.end();
    },
  },
  {
    title: 'Embed a board',
    from: '/datasets/MathArena/aime_2026',
    async ask(visitor, act) {
      await act(() => visitor.page.$eval('details.cite:has(pre) summary', (summary) => summary.click()));
      ensure((await visitor.page.$$eval('pre', (all) => all.some((pre) => pre.textContent.includes('<iframe')))) === true, 'the HTML is there');
    },
  },
  {
    title: 'Who else reports this?',
    from: '/datasets/MathArena/aime_2026',
    async ask(visitor, act) {
      await act(() => visitor.follow('#board tbody a.evidence'));
      ensureHas(await visitor.text(), 'Other results for this model on this task', 'the evidence');
    },
  },
];

/** Clicks what leads to another page, by a pattern of the text on it. */
async function press(visitor, name, within) {
  for (const one of await visitor.page.$$(`${within} :is(a, button)`)) {
    const text = await one.evaluate((element) => element.textContent.trim());
    if (!name.test(text)) continue;
    await Promise.all([visitor.page.waitForNavigation({ waitUntil: 'load' }), one.click()]);
    return;
  }
  throw new Error(`${visitor.here()} has no ${name} in ${within}`);
}

/** Asks every question and gives a row of the table for each. */
export async function stopwatch(browser, hub) {
  const rows = [];
  for (const { title, from = '/', ask } of QUESTIONS) {
    const seconds = [];
    let clicks = 0;
    for (let time = 0; time < TIMES; time += 1) {
      const visitor = await Visit.begin(browser, hub, { scripts: true });
      await visitor.open(from);
      clicks = 0;
      const began = performance.now();
      await ask(visitor, (act) => {
        clicks += 1;
        return act();
      });
      seconds.push((performance.now() - began) / 1000);
      await visitor.end();
    }
    seconds.sort((one, other) => one - other);
    rows.push({ title, clicks, seconds: seconds[Math.floor(TIMES / 2)] });
  }
  return rows;
}
