import { ensure, ensureHas } from '../ensure.mjs';
import { BOARD, MODEL, attestation } from './verify.mjs';

export const title = 'the operator revokes a key and sees the effect';

/** The operator sees what a revocation will do before it is written; then the effect is on the board, and with who kept the proof. */
export async function walk({ arrive, hub }) {
  const { kid, jti } = await attestation(hub);
  const operator = await arrive();
  await operator.signIn(hub.people.operator);
  await operator.open('/admin/keys');
  await operator.follow(`a[aria-label="Revoke ${kid}"]`);
  await operator.type('#reason', 'the key was stolen');
  await operator.press('Preview effect');
  ensureHas(await operator.text(), '1 result changes', 'the preview');
  ensureHas(await operator.text('tbody'), MODEL, 'the preview');
  ensure((await attestation(hub)).kid === kid, 'a preview changes nothing');
  await operator.press('Revoke');
  ensureHas(await operator.text('table'), 'the key was stolen', 'the list of revocations');

  await operator.open('/admin/keys');
  await operator.press('Rotate now');
  ensureHas(await operator.text('h1'), 'Sign with another key', 'the question before it');
  await operator.press('Rotate');
  ensureHas(await operator.text('table'), 'revoked from position', 'the list of keys');
  await operator.open(`/${MODEL}/results/${jti}`);
  ensureHas(await operator.text('.notice.bad'), 'the key was stolen', 'the page of the result');
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
