import { ensure, ensureHas } from '../ensure.mjs';
import { BOARD, MODEL, attestation } from './verify.mjs';

export const title = 'the operator revokes a key and sees the effect';

/** The key is revoked at the shell, where the operator does it; the effect is seen on the board, and by who kept the proof. */
export async function walk({ arrive, hub }) {
  const { kid } = await attestation(hub);
  await hub.assay('keys', 'revoke', kid, '--reason', 'the key was stolen');

  const operator = await arrive();
  await operator.signIn(hub.people.operator);
  await operator.open(BOARD);
  const row = await operator.row(MODEL);
  ensureHas(row.text, 'Not verified', 'the row');
  ensure(!/(^|\s)Verified/.test(row.text), `the badge is gone: ${row.text}`);
  const why = await operator.page.$eval('#board .badge.bad', (badge) => badge.title);
  ensureHas(why, 'the key was stolen', 'the badge');
  await operator.tick('input[name=verified]', 'Apply');
  ensure((await operator.rows()).length === 0, 'no row is verified any more');
  await operator.end();

  const verdict = await hub.elsewhere({}, 'verify', 'row.proof', '--hub', hub.url, '--format', 'json');
  ensure(verdict.code !== 0, 'the proof that was kept no longer holds');
  ensureHas(verdict.stdout, 'key_revoked', 'the verdict');
}
