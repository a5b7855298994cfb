/** A person before the operators' page: the real program, Chromium, a user of either role, and everything that must stay silent. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestScope } from '../helpers/clean-up.ts';
import { launchChromium, PAGE_BOUND_MS, sharedBrowser } from '../helpers/browser.ts';
import { atProcessEnd } from '../helpers/process-end.ts';
import { PROGRAM, startService, type Service } from '../helpers/service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PASSWORD = 'a password of the page tests';
export const PEOPLE = { 1: 'admin', 2: 'ana' } as const;
export type Role = keyof typeof PEOPLE;

export interface PageServer {
  service: Service;
  browser: Browser;
  /** Opens the page in a browser context of its own, and signs in when a role is named. */
  open(options?: OpenOptions): Promise<OpenPage>;
}

export interface OpenOptions {
  role?: Role;
  width?: number;
  height?: number;
  theme?: 'dark' | 'light';
  /** A hash route: `live-streams/12`. */
  route?: string;
  context?: BrowserContextOptions;
  /** Runs before the page's own scripts. */
  script?: string;
}

export interface OpenPage {
  page: Page;
  /** Messages of the console and the policy, errors of scripts, and answers of 4xx and 5xx so far. */
  faults(): readonly string[];
  signIn(role: Role, password?: string): Promise<void>;
  /** Goes to a hash route and waits for its heading. */
  go(route: string, heading: string): Promise<void>;
  /** Runs axe on the page as it stands. Throws AssertionError with each violation. */
  assertAccessible(): Promise<void>;
  /** Throws AssertionError when the page is wider than the window, which two ways of scrolling would follow. */
  assertReflow(place?: string): Promise<void>;
}

let shared: Promise<PageServer> | undefined;

/** One program for the specs of a process that leave it as it was, with nothing on air. */
export function sharedPageServer(): Promise<PageServer> {
  shared ??= startPageServer({ after: (task) => void atProcessEnd(task as () => unknown) });
  return shared;
}

/** One program for all tests of a file; it ends after the test or suite of `t`. Chromium is that of the process. */
export async function startPageServer(t: Pick<TestScope, 'after'>, env: NodeJS.ProcessEnv = {}): Promise<PageServer> {
  const service = await startService({ ONAIR_LOG_LEVEL: 'error', ...env });
  t.after(() => service.dispose());
  setPassword(service, ['user', 'password', PEOPLE[1], '--password-stdin']);
  const about = ['--email', 'ana@example.org', '--first-name', 'Ana', '--role', 'operator'];
  setPassword(service, ['user', 'add', PEOPLE[2], ...about, '--password-stdin']);
  const browser = await sharedBrowser();
  return { service, browser, open: (options = {}) => openPage({ service, browser }, options) };
}

/** A Chromium with arguments of its own, which ends with the test or suite. */
export async function launchBrowser(t: Pick<TestScope, 'after'>, args: readonly string[]): Promise<Browser> {
  const browser = await launchChromium(args);
  t.after(() => browser.close());
  return browser;
}

function setPassword(service: Service, words: string[]): void {
  // The token of the first start may do everything, whatever the profile of the server is.
  const env = { ...service.env, ONAIR_URL: service.url };
  execFileSync(process.execPath, [PROGRAM, ...words], { env, input: PASSWORD, stdio: ['pipe', 'ignore', 'inherit'] });
}

/** The page of whatever listens there. */
export async function openPage(
  { service, browser }: { service: Pick<Service, 'url'>; browser: Browser },
  options: OpenOptions,
): Promise<OpenPage> {
  const { width = 1280, height = 800, role, theme, route, script } = options;
  const context = await browser.newContext({ viewport: { width, height }, locale: 'en-GB', ...options.context });
  context.setDefaultTimeout(PAGE_BOUND_MS);
  if (theme !== undefined) await context.addInitScript(`localStorage.setItem('onair.theme', '${theme}')`);
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => faults.push(`console ${message.type()}: ${message.text()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  await page.goto(`${service.url}/${route === undefined ? '' : `#/${route}`}`);
  const signIn = async (as: Role, password = PASSWORD): Promise<void> => {
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.getByLabel('User name').fill(PEOPLE[as]);
    await form.getByLabel('Password').fill(password);
    await form.getByRole('button', { name: 'Sign in' }).click();
    // A saved wall has no header.
    if (password === PASSWORD) await form.waitFor({ state: 'detached' });
  };
  if (role !== undefined) await signIn(role);
  return {
    page,
    faults: () => faults,
    signIn,
    async go(to, heading) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${to}`)}`);
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    },
    assertAccessible: () => assertAccessible(page),
    async assertReflow(place = 'the page') {
      const wide = Number(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      );
      const cause = await page.evaluate(
        `[location.hash, ...[...document.querySelectorAll('main *')]
          .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
          .slice(0, 3).map((each) => each.outerHTML.slice(0, 160))].join('\\n')`,
      );
      assert.ok(wide <= 0, `${place} is ${wide} px wider than the window: ${String(cause)}`);
    },
  };
}

interface AxeRun {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
}

async function assertAccessible(page: Page): Promise<void> {
  // A script tag would need an exception of the policy; what the debugger evaluates does not.
  await page.evaluate(AXE);
  const run = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeRun;
  const found = run.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 300)}\n${failureSummary}`),
  );
  assert.deepEqual(found, []);
}

/** The list of faults beside the wall, which it opens where it is closed. */
export async function troubleList(page: Page): Promise<Locator> {
  const attention = page.getByRole('region', { name: 'Attention' });
  // A page that has just been opened has neither yet.
  await attention.getByRole('button', { name: /^(?:Show all|Hide)$/u }).waitFor();
  const open = attention.getByRole('button', { name: 'Show all' });
  if ((await open.count()) > 0) await open.click();
  return page.getByRole('region', { name: 'Faults and warnings' });
}
