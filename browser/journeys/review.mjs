import { ensure, ensureHas } from '../ensure.mjs';
import { BOARD, MODEL } from './submit.mjs';

export const title = 'review and merge, with the rank change';

/** Somebody of the organisation finds the pull request, reads what it changes, says so, and merges it. */
export async function walk({ arrive, hub }) {
  const reviewer = await arrive();
  await reviewer.signIn(hub.people.reviewer);
  await reviewer.open(`/${MODEL}`);
  await reviewer.follow('.side a[href*="/discussions/"]');
  const moved = await reviewer.texts('.ranks tbody tr');
  ensure(moved.some((row) => row.includes('aurora-labs/aurora-large')), `the leader moves: ${moved}`);
  const own = await reviewer.page.$$eval('tr.own td', (cells) => cells.map((cell) => cell.textContent.trim()));
  ensure(own[1] === '1', `the model gets rank ${own[1]}`);

  await reviewer.press('Files', 'nav[aria-label="Pull request"]');
  ensureHas(await reviewer.text(), '47.50', 'the difference');
  await reviewer.press('Conversation');
  await reviewer.type('#text', 'The logs look right to me.');
  await reviewer.press('Comment');
  ensureHas(await reviewer.text('.talk'), 'The logs look right to me.', 'the conversation');
  await reviewer.press('Merge');
  ensureHas(await reviewer.text('[role=status]'), 'Merged', 'the pull request');

  await reviewer.open(BOARD);
  const row = await reviewer.row(MODEL);
  ensure(row.rank === '1' && !row.text.includes('Community'), `the model's own result leads: ${row.text}`);
  ensure((await reviewer.row('aurora-labs/aurora-large')).rank === '2', 'who led before is second');
  await reviewer.open('/');
  ensureHas(await reviewer.text('section[aria-labelledby=moved]'), MODEL, 'the latest rank changes');
  await reviewer.end();
}
