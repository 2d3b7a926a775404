// Every view of a hub, as it is after the journeys: how to get there, and who sees it.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { NARROWEST, SIZES, Visit } from './visit.mjs';

const PICTURES = fileURLToPath(new URL('../docs/screenshots', import.meta.url));
/** How much of a long page a picture shows, in pixels. */
const TALLEST = 2400;

const view = (name, path, more = {}) => ({ name, path, as: null, status: 200, ...more });
const stranger = { as: 'stranger' };
const reviewer = { as: 'reviewer' };
const operator = { as: 'operator' };
/** What is there when the hub found `assay-lake` beside it. */
const samples = { needs: 'lake' };

export const VIEWS = [
  view('home', '/'),
  view('results', '/results'),
  view('benchmarks', '/benchmarks'),
  view('models', '/models'),
  view('leaderboard', '/datasets/ScaleAI/SWE-bench_Pro'),
  view('leaderboard-tasks', '/datasets/esb/datasets?highlight=aurora-labs/murmur'),
  view('matrix', '/datasets/esb/datasets/matrix'),
  view('leaderboard-empty', '/datasets/stranger/sum-check/leaderboard/digits'),
  view('leaderboard-revoked', '/datasets/stranger/sum-check/leaderboard/words'),
  view('embed', '/datasets/MathArena/aime_2026/embed/leaderboard'),
  view('model', '/aurora-labs/aurora-large'),
  view('result', '/datasets/cocodataset/coco', { act: (visit) => visit.follow('#board .why:has(.verified)') }),
  view('result-revoked', '/datasets/stranger/sum-check/leaderboard/words', { act: (visit) => visit.follow('#board .why:has(.bad)') }),
  view('result-unsigned', '/aurora-labs/aurora-large', { act: (visit) => visit.follow('main a[href*="/results/at/"]') }),
  view('compare', '/compare?models=aurora-labs/aurora-large&models=northwind/borealis-2&models=quarry/slate-70b'),
  view('samples', '/samples', samples),
  view('samples-of-task', '/samples?benchmark=aime_2026&task=aime_2026&model=aurora-labs/aurora-large', samples),
  view('samples-none', '/samples?benchmark=aime_2026&task=aime_2026&q=zzzz', samples),
  view('transcript', '/samples?benchmark=aime_2026&task=aime_2026', {
    ...samples,
    act: (visit) => visit.follow('.samples tbody a'),
  }),
  view('head-to-head', '/head-to-head?a=aurora-labs/aurora-large&b=quarry/slate-70b&benchmark=aime_2026', samples),
  view('findings', '/results/findings'),
  view('findings-of-benchmark', '/datasets/ScaleAI/SWE-bench_Pro/findings'),
  view('changes', '/changes'),
  view('changes-of-board', '/changes?benchmark=MathArena%2Faime_2026&task=aime_2026&since=2026-01-01'),
  view('changes-between', '/changes?from=2026-01-01&to=2026-03-15'),
  view('changes-between-of-board', '/changes?benchmark=MathArena%2Faime_2026&task=aime_2026&from=2026-01-01'),
  view('search', '/search?q=aurora'),
  view('search-nothing', '/search?q=zzzz'),
  view('account', '/northwind'),
  view('files', '/quarry/slate-7b/tree/main'),
  view('file', '/datasets/esb/datasets/blob/main/eval.yaml'),
  view('readme', '/quarry/slate-7b/blob/main/README.md'),
  view('history', '/quarry/slate-70b/commits/main'),
  view('commit', '/quarry/slate-70b/commit/main'),
  view('discussions', '/northwind/borealis-2/discussions'),
  view('pull-request', '/northwind/borealis-2/discussions/1', reviewer),
  view('pull-request-files', '/northwind/borealis-2/discussions/1/files'),
  view('pull-request-merged', '/northwind/borealis-2-math/discussions/1'),
  view('new-discussion', '/northwind/borealis-2/discussions/new', stranger),
  view('submit-begin', '/new/result'),
  view('submit', '/aurora-labs/aurora-small/submit?benchmark=esb/datasets', stranger),
  view('submit-file', '/aurora-labs/aurora-small/submit?by=file', stranger),
  view('submit-preview', '/aurora-labs/aurora-small/submit?benchmark=ScaleAI/SWE-bench_Pro', {
    ...stranger,
    async act(visit) {
      await visit.type('#metric-1', '39.90');
      await visit.type('#framework', 'swe-agent');
      await visit.type('#framework_version', '1.1.0');
      await visit.press('Preview');
    },
  }),
  view('drop-log', '/new/log', stranger),
  view('new-benchmark', '/new/benchmark', stranger),
  view('new-model', '/new/model', stranger),
  view('new-organization', '/new/organization', stranger),
  view('sign-in', '/login'),
  view('inbox', '/inbox', reviewer),
  view('upload', '/northwind/borealis-2/upload/main', reviewer),
  view('profile', '/settings', stranger),
  view('tokens', '/settings/tokens', stranger),
  view('sessions', '/settings/sessions', stranger),
  view('webhooks', '/settings/webhooks', stranger),
  view('organization', '/organizations/northwind', reviewer),
  view('repository-settings', '/northwind/borealis-2/settings', operator),
  view('operator', '/admin', operator),
  view('operator-accounts', '/admin/accounts', operator),
  view('operator-benchmarks', '/admin/benchmarks', operator),
  view('operator-moderation', '/admin/moderation', operator),
  view('operator-audit', '/admin/audit?action=token', operator),
  view('operator-keys', '/admin/keys', operator),
  view('operator-issuers', '/admin/issuers', operator),
  view('operator-integrations', '/admin/integrations', operator),
  view('operator-policy', '/admin/policy', operator),
  view('operator-tokens', '/admin/tokens', operator),
  view('operator-revocations', '/admin/revocations', operator),
  view('operator-revoke', '/admin/revocations?scope=integration&value=demo-harness', {
    ...operator,
    async act(visit) {
      await visit.type('#reason', 'its scores were made up');
      await visit.press('Preview effect');
    },
  }),
  view('docs', '/docs'),
  view('docs-page', '/docs/model-developers'),
  view('tutorial', '/docs/tutorial'),
  view('codes', '/docs/codes'),
  view('code', '/docs/codes/AY416'),
  view('api', '/api/docs'),
  view('not-found', '/nobody/nothing', { status: 404 }),
];

/** Looks at every view; gives what is wrong with each. */
export async function look(browser, hub, { screenshots }) {
  if (screenshots) await mkdir(PICTURES, { recursive: true });
  const faults = [];
  const visits = new Map();
  for (const view of VIEWS) {
    if (view.needs === 'lake' && !hub.hasLake) {
      console.log(`${view.name}: skipped, there is no \`assay-lake\` beside \`assay\``);
      continue;
    }
    if (!visits.has(view.as)) visits.set(view.as, await arrive(browser, hub, view.as));
    const visit = visits.get(view.as);
    try {
      await visit.open(view.path, view.status);
      await view.act?.(visit);
      faults.push(...(await judge(visit, view)));
      if (screenshots) await take(visit, view.name);
    } catch (error) {
      faults.push(`${view.name}: ${error.message}`);
    }
  }
  for (const visit of visits.values()) await visit.end().catch((error) => faults.push(error.message));
  return faults;
}

async function arrive(browser, hub, name) {
  const visit = await Visit.begin(browser, hub, { scripts: true });
  if (name) await visit.signIn(hub.people[name]);
  return visit;
}

/** What is wrong with a view, in light and dark, on a desk, in a hand, and in the narrowest window. */
async function judge(visit, view) {
  const faults = [];
  for (const [size, viewport] of Object.entries(SIZES)) {
    await visit.page.setViewport(viewport);
    for (const scheme of ['light', 'dark']) {
      await wear(visit, scheme);
      const violations = await visit.violations();
      faults.push(...violations.map((one) => `${view.name}, ${scheme}, ${size}: ${one}`));
    }
  }
  await visit.page.setViewport({ width: NARROWEST, height: 700 });
  const out = await visit.stickingOut();
  if (out) faults.push(`${view.name}, ${NARROWEST} px: ${out}`);
  return faults;
}

function wear(visit, scheme) {
  return visit.page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
}

async function take(visit, name) {
  await wear(visit, 'light');
  for (const [size, viewport] of Object.entries(SIZES)) {
    await visit.page.setViewport(viewport);
    const whole = await visit.page.evaluate(() => document.documentElement.scrollHeight);
    const clip = { x: 0, y: 0, width: viewport.width, height: Math.min(Math.max(whole, viewport.height), TALLEST) };
    await visit.page.screenshot({ path: join(PICTURES, `${name}-${size}.png`), clip, captureBeyondViewport: true });
  }
}
