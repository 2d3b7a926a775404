// A demonstration hub of its own for each run: a free port, a new data directory, and the people of the journeys.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { ensure } from './ensure.mjs';

const run = promisify(execFile);

/** Who the hub signs results for. */
export const POLICY = fileURLToPath(new URL('policy.toml', import.meta.url));
/** How long a hub may take to start and to fill itself, in milliseconds. */
const PATIENCE = 180_000;
/** The last thing that the demonstration makes: a pull request to this model. */
const LAST = 'meridian/dictate';

export class Hub {
  #process;
  #log = '';

  /** Starts a hub and waits until the demonstration is complete. */
  static async start() {
    const hub = new Hub();
    hub.work = await mkdtemp(join(tmpdir(), 'assay-browser-'));
    hub.environment = { PATH: process.env.PATH, HOME: hub.work, ASSAY_DATA: join(hub.work, 'data') };
    const settings = [`issuer.policy=${POLICY}`, 'limits.requests_per_token=0', 'limits.requests_per_address=0'];
    const line = ['serve', '--demo', '--listen', '127.0.0.1:0', ...settings.flatMap((one) => ['--set', one])];
    hub.#process = spawn(process.env.ASSAY, line, { env: hub.environment, cwd: hub.work });
    process.once('exit', () => hub.#process.kill());
    let said = '';
    hub.#process.stdout.on('data', (text) => (said += text));
    hub.#process.stderr.on('data', (text) => (hub.#log += text));
    try {
      const [, url, operator, token] = await hub.#until('the hub to start', () =>
        said.match(/^the hub is at (\S+)\nthe operator is `([^`]+)`.*\n\s+(\S+)\n/m),
      );
      hub.url = url;
      await hub.#until('the demonstration', () => hub.#isFilled());
      hub.hasLake = (await hub.#samples()) !== null;
      if (hub.hasLake) await hub.#until('the samples', async () => (await hub.#samples()) > 0);
      hub.people = { operator: { name: operator, token } };
      for (const name of ['stranger', 'reviewer']) hub.people[name] = { name, token: await hub.#newcomer(name) };
      await hub.assay('admin', 'org', 'member', 'northwind', 'reviewer', '--role', 'write');
    } catch (error) {
      await hub.stop();
      throw error;
    }
    return hub;
  }

  /** Ends the hub; it has to end well. */
  async stop() {
    if (this.#process.exitCode === null) {
      const ended = new Promise((done) => this.#process.once('exit', done));
      this.#process.kill('SIGTERM');
      await ended;
    }
    await rm(this.work, { recursive: true, force: true });
    ensure(this.#process.exitCode === 0, `the hub ended with ${this.#process.exitCode}:\n${this.log()}`);
  }

  /** The end of what the hub wrote to its log. */
  log() {
    return this.#log.split('\n').slice(-40).join('\n');
  }

  /** Runs `assay` as whoever sits at the machine of the hub, and gives what it printed. */
  async assay(...line) {
    return (await run(process.env.ASSAY, line, { env: this.environment, cwd: this.work })).stdout;
  }

  /** Runs `assay` as somebody elsewhere who has these variables and no others. */
  async elsewhere(variables, ...line) {
    const env = { PATH: process.env.PATH, HOME: this.work, ...variables };
    try {
      return { code: 0, ...(await run(process.env.ASSAY, line, { env, cwd: this.work })) };
    } catch (error) {
      if (typeof error.code !== 'number') throw error;
      return error;
    }
  }

  /** A document of the API, as anyone may read it. */
  async json(path) {
    const answer = await fetch(this.url + path);
    ensure(answer.ok, `GET ${path} answers ${answer.status}`);
    return answer.json();
  }

  async #newcomer(name) {
    await this.assay('admin', 'user', 'create', name);
    return JSON.parse(await this.assay('admin', 'token', 'create', name, '--format', 'json')).token;
  }

  async #isFilled() {
    const answer = await fetch(`${this.url}/api/models/${LAST}/discussions?p=0&type=pull_request&status=all`);
    return answer.ok && (await answer.json()).count > 0;
  }

  /** How many samples the lake has; null without one. */
  async #samples() {
    const body = JSON.stringify({ query: 'SELECT count(*) AS n FROM instances' });
    const answer = await fetch(`${this.url}/api/sql`, { method: 'POST', body });
    if (answer.status === 501) return null;
    return answer.ok ? (await answer.json()).rows[0].n : 0;
  }

  async #until(what, condition) {
    const end = Date.now() + PATIENCE;
    while (Date.now() < end) {
      ensure(this.#process.exitCode === null, `the hub ended early:\n${this.log()}`);
      const met = await condition();
      if (met) return met;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`waited in vain for ${what}:\n${this.log()}`);
  }
}
