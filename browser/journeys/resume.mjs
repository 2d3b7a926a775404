import { ensure, ensureHas } from '../ensure.mjs';

export const title = 'begin a result while signed out, sign in, and open the pull request';
const MODEL = 'aurora-labs/aurora-small';
const NOTES = 'turn_limit=50, typed before the sign-in';

/** Somebody fills in a form first and is asked who they are last; what they typed is still there. */
export async function walk({ arrive, hub }) {
  const stranger = await arrive();
  await stranger.open(`/${MODEL}/submit?benchmark=ScaleAI/SWE-bench_Pro`);
  await stranger.type('#metric-1', '21.50');
  await stranger.type('#framework', 'swe-agent');
  await stranger.type('#framework_version', '1.1.0');
  await stranger.type('#notes', NOTES);
  await stranger.press('Preview');
  ensureHas(await stranger.text('[data-verdict]'), 'This file is valid', 'the preview');
  await stranger.expects(401, () => stranger.press('Sign in and open the pull request'));

  ensureHas(await stranger.text(), 'What you typed is kept', 'the sign-in');
  await stranger.type('#token', hub.people.stranger.token);
  await stranger.press('Sign in with the token');
  ensureHas(await stranger.text('[data-kept]'), NOTES, 'the kept form');
  await stranger.press('Continue');

  ensureHas(await stranger.text('[role=status]'), 'with the community badge', 'the new pull request');
  ensure((await stranger.text('.person a[href="/settings"]')) === hub.people.stranger.name, 'the stranger is signed in');
  await stranger.end();
}
