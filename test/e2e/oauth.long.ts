/** A person connects an assistant in a real browser: from another site, over the sign-in, and back to the program. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { PAGE_BOUND_MS } from '../helpers/browser.ts';
import { PASSWORD, PEOPLE, startPageServer, type PageServer } from './page-fixture.ts';

const VERIFIER = 'v'.repeat(43);
let server: PageServer;
/** The assistant's own site, which is another one than that of the server: a name in place of an address. */
let assistant: Server;
let assistantUrl: string;
let link = '';
let clientId = '';
const ended: (() => unknown)[] = [];

async function open(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(assistantUrl);
  await page.getByRole('link', { name: 'Connect' }).click();
  return page;
}

/** The answer that the assistant got by the browser. */
async function answerIn(page: Page): Promise<URLSearchParams> {
  await page.waitForURL((url) => url.pathname === '/callback');
  return new URL(page.url()).searchParams;
}

describe('connecting an assistant in a browser', () => {
  before(async () => {
    server = await startPageServer({ after: (task: () => unknown) => ended.push(task) } as unknown as TestContext);
    assistant = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(request.url === '/' ? `<a href="${link}">Connect</a>` : '<h1>Thank you</h1>');
    });
    await new Promise<void>((resolve) => assistant.listen(0, '127.0.0.1', resolve));
    assistantUrl = `http://localhost:${(assistant.address() as AddressInfo).port}/`;
    const redirect_uri = `${assistantUrl}callback`;
    const { url } = server.service;
    const registered = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Desk assistant', redirect_uris: [redirect_uri] }),
    });
    clientId = ((await registered.json()) as { client_id: string }).client_id;
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      state: 's',
    };
    link = `${url}/oauth/authorize?${new URLSearchParams(query).toString()}`.replaceAll('&', '&amp;');
  });
  after(async () => {
    for (const task of ended.reverse()) await task();
    assistant.closeAllConnections();
    assistant.close();
  });

  it('a person signs in, consents without a script, is not asked to sign in again, and sees the assistant on the page Tokens', async () => {
    const context = await server.browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' });
    context.setDefaultTimeout(PAGE_BOUND_MS);
    const faults: string[] = [];
    context.on('console', (message) => faults.push(message.text()));
    const page = await open(context);
    await page.getByLabel('User name').fill(PEOPLE[1]);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect Desk assistant?' }).waitFor();
    await page.getByText(/leads to a program on your own computer/u).waitFor();
    await page.getByRole('radio', { name: /^Read alone/u }).check();
    await page.getByLabel(/^Ends after days/u).fill('7');
    await page.getByRole('button', { name: 'Allow' }).click();
    const given = await answerIn(page);
    assert.deepEqual([given.get('state'), given.get('iss')], ['s', server.service.url]);
    const answer = await fetch(`${server.service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: given.get('code')!,
        client_id: clientId,
        redirect_uri: `${assistantUrl}callback`,
        code_verifier: VERIFIER,
      }),
    });
    assert.equal(((await answer.json()) as { scope: string }).scope, 'onair:read');

    const again = await open(context);
    await again.getByRole('button', { name: 'Decline' }).click();
    assert.equal((await answerIn(again)).get('error'), 'access_denied');
    assert.deepEqual(faults, [], 'no policy was broken');
    await context.close();

    const { page: tokens, go, assertAccessible } = await server.open({ role: 1 });
    await go('tokens', 'Tokens');
    const row = tokens.getByRole('row', { name: /Desk assistant/u });
    await row.getByText(/connected by admin, at localhost/u).waitFor();
    await assertAccessible();
    await row.getByRole('button', { name: 'Revoke Desk assistant' }).click();
    await tokens.getByRole('dialog').getByRole('button', { name: 'Revoke Desk assistant' }).click();
    await row.waitFor({ state: 'detached' });
    await tokens.context().close();
  });

  it('the pages of the consent are accessible and narrow enough for a phone', async () => {
    const opened = await server.open({ role: 1, width: 320 });
    const { page } = opened;
    await page.goto(assistantUrl);
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Connect Desk assistant?' }).waitFor();
    await opened.assertAccessible();
    await page.getByText('Only certain operations').click();
    await opened.assertReflow('the consent');
    await page.context().close();
  });
});
