// Runs the journeys on a hub with JavaScript and on another without, then looks at every view.

import { Hub } from './hub.mjs';
import * as drop from './journeys/drop.mjs';
import * as find from './journeys/find.mjs';
import * as matrix from './journeys/matrix.mjs';
import * as register from './journeys/register.mjs';
import * as review from './journeys/review.mjs';
import * as resume from './journeys/resume.mjs';
import * as revoke from './journeys/revoke.mjs';
import * as submit from './journeys/submit.mjs';
import * as verify from './journeys/verify.mjs';
import { stopwatch } from './stopwatch.mjs';
import { VIEWS, look } from './views.mjs';
import { Visit, launch } from './visit.mjs';

/** In this order: each goes on from what those before it left. */
const JOURNEYS = [find, matrix, submit, drop, resume, review, register, verify, revoke];
const FLAGS = ['--screenshots', '--no-views', '--stopwatch'];

async function walk(browser, hub, scripts) {
  let failed = 0;
  for (const { title, walk } of JOURNEYS) {
    const name = `${title}, ${scripts ? 'with' : 'without'} JavaScript`;
    const began = Date.now();
    const visits = [];
    const arrive = async () => {
      const visit = await Visit.begin(browser, hub, { scripts });
      visits.push(visit);
      return visit;
    };
    try {
      await walk({ hub, arrive });
      console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n  ${error.stack}`);
      for (const fault of visits.flatMap((visit) => visit.faults)) console.log(`  ${fault}`);
    }
    for (const { context } of visits) if (!context.closed) await context.close().catch(() => {});
  }
  return failed;
}

async function main(flags) {
  const unknown = flags.filter((flag) => !FLAGS.includes(flag));
  if (unknown.length > 0) {
    console.log(`unknown: ${unknown.join(' ')}; there are ${FLAGS.join(' and ')}`);
    return 2;
  }
  let failed = 0;
  const browser = await launch();
  try {
    console.log(`the browser is ${await browser.version()}`);
    if (flags.includes('--stopwatch')) return await time(browser);
    for (const scripts of [false, true]) {
      const hub = await Hub.start();
      try {
        failed += await walk(browser, hub, scripts);
        if (scripts && !flags.includes('--no-views')) failed += await views(browser, hub, flags);
      } finally {
        await hub.stop();
      }
    }
  } finally {
    await browser.close();
  }
  console.log(failed === 0 ? 'all of it is as it should be' : `${failed} faults`);
  return failed === 0 ? 0 : 1;
}

/** Prints how long the eight questions take. */
async function time(browser) {
  const hub = await Hub.start();
  try {
    for (const { title, clicks, seconds } of await stopwatch(browser, hub)) console.log(`| ${title} | ${clicks} | ${seconds.toFixed(1)} |`);
  } finally {
    await hub.stop();
  }
  return 0;
}

async function views(browser, hub, flags) {
  const faults = await look(browser, hub, { screenshots: flags.includes('--screenshots') });
  for (const fault of faults) console.log(`FAILED  ${fault}`);
  console.log(`${VIEWS.length} views in light and dark, desktop and phone: ${faults.length} faults`);
  return faults.length;
}

process.exitCode = await main(process.argv.slice(2));
