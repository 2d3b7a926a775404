// One person in front of a browser: what they can see, choose, type and press, and everything that went wrong meanwhile.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { ensure } from './ensure.mjs';

const modules = createRequire(join(process.env.ASSAY_BROWSER_MODULES, 'of-the-tests.js'));
const puppeteer = modules('puppeteer-core');
const axe = await readFile(modules.resolve('axe-core/axe.min.js'), 'utf8');

/** How long a page may take, in milliseconds. The program is a debug build. */
const PATIENCE = 30_000;
/** The sizes that views are looked at in. */
export const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
/** The narrowest window that nothing may stick out of, in pixels. */
export const NARROWEST = 320;

/** A browser without a profile, an extension or a network but this machine. */
export function launch() {
  const args = ['--no-first-run', '--disable-extensions', '--disable-background-networking', '--disable-dev-shm-usage'];
  // Chromium refuses its sandbox to root, which tests in a container often are.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return puppeteer.launch({ executablePath: process.env.CHROMIUM, args, headless: true });
}

export class Visit {
  /** What went wrong on the pages so far. */
  faults = [];
  #expected = 200;

  /** A person with no cookies. Without scripts, the pages' own never run. */
  static async begin(browser, hub, { scripts }) {
    const visit = new Visit();
    visit.hub = hub;
    visit.scripts = scripts;
    visit.context = await browser.createBrowserContext();
    visit.page = await visit.context.newPage();
    visit.page.setDefaultTimeout(PATIENCE);
    await visit.page.setViewport(SIZES.desktop);
    await visit.page.setJavaScriptEnabled(scripts);
    visit.#listen();
    return visit;
  }

  async end() {
    await this.context.close();
    ensure(this.faults.length === 0, `the pages are at fault:\n  ${this.faults.join('\n  ')}`);
  }

  /** Opens an address of the hub. */
  async open(path, status = 200) {
    this.#expected = status;
    const answer = await this.page.goto(this.hub.url + path, { waitUntil: 'load' });
    ensure(answer.status() === status, `${path} answers ${answer.status()}`);
    this.#expected = 200;
  }

  /** Does something whose answer has this status. */
  async expects(status, act) {
    this.#expected = status;
    await act();
    this.#expected = 200;
  }

  /** Signs in by the form, with a token. */
  async signIn(person) {
    await this.open('/login');
    await this.type('#token', person.token);
    await this.press('Sign in with the token');
    ensure((await this.text('.person a[href="/settings"]')) === person.name, `${person.name} should be signed in`);
  }

  /** The address of this page on the hub. */
  here() {
    return this.page.url().slice(this.hub.url.length);
  }

  /** The text that is seen at the first such place. */
  async text(selector = 'main') {
    const found = await this.page.$(selector);
    ensure(found, `${this.here()} has no ${selector}`);
    return (await found.evaluate((element) => element.innerText)).trim();
  }

  /** The texts of all such places. */
  texts(selector) {
    return this.page.$$eval(selector, (all) => all.map((element) => element.innerText.trim()));
  }

  /** Where such links lead. */
  addresses(selector) {
    return this.page.$$eval(selector, (all) => all.map((element) => element.getAttribute('href')));
  }

  /** The rows of a leaderboard, as they are seen. */
  rows() {
    return this.page.$$eval('#board tbody tr', (rows) =>
      rows.map((row) => ({
        rank: row.querySelector('.rank').firstChild.textContent.trim(),
        model: row.querySelector('th a').textContent.trim(),
        text: row.innerText.replaceAll(/\s+/g, ' ').trim(),
      })),
    );
  }

  /** The row of a model. */
  async row(model) {
    const found = (await this.rows()).find((row) => row.model === model);
    ensure(found, `${model} is not on ${this.here()}`);
    return found;
  }

  async has(selector) {
    return (await this.page.$(selector)) !== null;
  }

  /** Replaces what a field holds, key by key. */
  async type(selector, text) {
    const field = await this.page.$(selector);
    ensure(field, `${this.here()} has no field ${selector}`);
    await field.evaluate((element) => {
      element.focus();
      element.select?.();
    });
    await this.page.keyboard.press('Backspace');
    await this.page.keyboard.type(text);
  }

  /** Chooses a file of this machine. */
  async upload(selector, path) {
    const field = await this.page.$(selector);
    ensure(field, `${this.here()} has no field ${selector}`);
    await field.uploadFile(path);
  }

  /** What a field holds. */
  value(selector) {
    return this.page.$eval(selector, (field) => field.value);
  }

  /** Chooses from a list. */
  choose(selector, value) {
    return this.page.select(selector, value);
  }

  /** Clicks what leads to another page: a link or button by the text on it, within a part of this page. */
  async press(name, within = 'main') {
    await this.#leave(await this.#named(name, within));
  }

  /** Sends the form that is typed in. */
  async enter() {
    await Promise.all([this.page.waitForNavigation({ waitUntil: 'load' }), this.page.keyboard.press('Enter')]);
  }

  /** Clicks the first such thing, which leads to another page. */
  async follow(selector) {
    const found = await this.page.$(selector);
    ensure(found, `${this.here()} has no ${selector}`);
    await this.#leave(found);
  }

  /** Ticks a filter. With scripts that is enough; without them, a button has to be pressed. */
  async tick(selector, button) {
    const box = await this.page.$(selector);
    ensure(box, `${this.here()} has no ${selector}`);
    if (this.scripts) {
      await this.#leave(box);
    } else {
      await box.click();
      await this.press(button);
    }
  }

  /** Waits until a place on this page has a text. Only for what scripts do. */
  async sees(selector, part) {
    const end = Date.now() + PATIENCE;
    while (Date.now() < end) {
      const found = await this.texts(selector);
      if (found.some((text) => text.includes(part))) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`${this.here()}: ${selector} never said "${part}"`);
  }

  /** Whether the scripts of this page run: a filter that hides rows as one types is theirs. */
  async runsScripts() {
    const before = (await this.texts('#board tbody tr:not([hidden])')).length;
    await this.type('[data-filter]', 'no model is called this');
    const after = (await this.texts('#board tbody tr:not([hidden])')).length;
    ensure(before > 0, `${this.here()} has rows`);
    return after < before;
  }

  /** What axe-core has against this page as it is now. */
  async violations() {
    if (!(await this.page.evaluate('"axe" in window'))) await this.page.evaluate(axe);
    return this.page.evaluate(async () => {
      const options = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } };
      const { violations } = await window.axe.run(document, options);
      return violations.map((one) => {
        const [first] = one.nodes;
        return `${one.id}, ${one.nodes.length} times (${one.help}): ${first.html.slice(0, 160)} ${first.failureSummary.replaceAll(/\s+/g, ' ')}`;
      });
    });
  }

  /** What sticks out at the side, if the page can be moved sideways. */
  stickingOut() {
    return this.page.evaluate(() => {
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= width) return null;
      const out = [...document.body.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > width + 1);
      const names = out.slice(0, 4).map((element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className}`);
      return `${document.documentElement.scrollWidth} of ${width} px wide: ${names.join(', ')}`;
    });
  }

  async #named(name, within) {
    const all = await this.page.$$(`${within} :is(a, button)`);
    for (const one of all) {
      const text = await one.evaluate((element) => element.textContent.replaceAll(/\s+/g, ' ').trim());
      if (text === name) return one;
    }
    throw new Error(`${this.here()} has no link or button "${name}" in ${within}`);
  }

  async #leave(element) {
    const [answer] = await Promise.all([this.page.waitForNavigation({ waitUntil: 'load' }), element.click()]);
    const isFine = !answer || answer.status() < 400 || answer.status() === this.#expected;
    ensure(isFine, `${this.here()} answers ${answer?.status()}`);
  }

  #listen() {
    const fault = (text) => this.faults.push(`${this.here()}: ${text}`);
    this.page.on('console', (message) => {
      const isExpected = this.#expected !== 200 && message.text().includes(` ${this.#expected} `);
      if (message.type() === 'error' && !isExpected) fault(`the console says: ${message.text()}`);
    });
    this.page.on('pageerror', (error) => fault(`a script failed: ${error.message}`));
    this.page.on('request', (request) => {
      const to = request.url();
      if (!to.startsWith(`${this.hub.url}/`) && !to.startsWith('data:')) fault(`something is asked of others: ${to}`);
    });
    this.page.on('response', (answer) => {
      if (answer.status() >= 400 && answer.status() !== this.#expected) fault(`${answer.url()} answers ${answer.status()}`);
    });
    this.page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText;
      // Whoever leaves a page gives up what it still asked for.
      if (why !== 'net::ERR_ABORTED') fault(`${request.url()} failed: ${why}`);
    });
  }
}
