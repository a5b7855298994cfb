/** The page of the API at /docs: it shows every operation, works under the policy, asks no other host, and calls as whoever is signed in. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type * as Client from '../../client/types.d.ts';
import type { ApiDocument } from '../contract/typed-calls.ts';
import { itLong, someOf } from '../helpers/counts.ts';
import { TOKEN } from '../helpers/service.ts';
import { startPageServer, type PageServer } from './page-fixture.ts';

describe('the page of the API', () => {
  const ends: (() => unknown)[] = [];
  let server: PageServer;

  before(async () => {
    server = await startPageServer({ after: (end: () => unknown) => void ends.push(end) });
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  /** Opens the operation at its address; each call is refused by the policy of the browser where it goes to another host. */
  async function openOperation(page: Page, tag: string, operationId: string): Promise<string[]> {
    const hosts: string[] = [];
    page.on('request', (request) => hosts.push(new URL(request.url()).host));
    await page.goto(`${server.service.url}/docs#/${encodeURIComponent(tag)}/${operationId}`);
    await page.locator(`#operations-${tag.replaceAll(' ', '_')}-${operationId} .opblock-body`).waitFor();
    return hosts;
  }

  it('the page of the API shows every operation without a sign-in, by files of this server alone', async () => {
    const { page, faults } = await server.open();
    const hosts = await openOperation(page, 'Live streams', 'startLivestream');
    assert.deepEqual([...new Set(hosts.filter((host) => host !== ''))], [new URL(server.service.url).host]);
    const document = (await server.service.rest('GET', '/openapi.json')).body as ApiDocument & {
      tags: { name: string }[];
      paths: Record<string, Record<string, { tags: string[]; operationId: string }>>;
    };
    await page.goto(`${server.service.url}/docs#/`);
    await page.reload();
    const shown: string[] = [];
    // One tag at a time: of a long list only what is near the window is there.
    const tags = someOf(document.tags, 4).map(({ name }) => name);
    for (const name of tags) {
      const tag = page.locator(`.opblock-tag[data-tag="${name}"]`);
      await tag.click();
      const ids = page.locator('.opblock-summary-operation-id');
      await ids.first().waitFor();
      shown.push(...(await ids.allTextContents()).map((id) => id.replace(/\u200b/gu, '')));
      await tag.click();
      await ids.first().waitFor({ state: 'detached' });
    }
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const wanted = all.filter((operation) => operation.tags?.some((tag) => tags.includes(tag)));
    assert.deepEqual(shown.sort(), wanted.map(({ operationId }) => operationId).sort());
    assert.match((await page.locator('#caller').textContent()) ?? '', /Nobody is signed in/u);
    if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });
    assert.deepEqual(faults(), []);
  });

  it('whoever is signed in tries a change there, and it is theirs', async () => {
    const { page, faults } = await server.open({ role: 2 });
    await openOperation(page, 'Encodings', 'addEncoding');
    await page.getByText('Signed in as ana, Operator.', { exact: false }).waitFor();
    const operation = page.locator('#operations-Encodings-addEncoding');
    await operation.locator('.body-param textarea').fill('{ "name": "Tried on the page" }');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
    const { rows } = (await server.service.rest('GET', '/encodings?search=Tried')).body as { rows: { name: string }[] };
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['Tried on the page'],
    );
    const audit = (await server.service.rest('GET', '/system/audit?operation=addEncoding')).body as {
      rows: { user: string; via: string }[];
    };
    assert.deepEqual(
      audit.rows.map(({ user, via }) => `${user} ${via}`),
      ['ana ui'],
    );
    assert.deepEqual(faults(), []);
  });

  itLong('the typed client works in a browser, from a page of the same origin', async () => {
    const { page } = await server.open();
    await page.route('**/client.js', (route) => route.fulfill({ path: 'dist/client/client.js' }));
    const answer = await page.evaluate(
      async ([address, url, token]) => {
        const { createClient } = (await import(address as string)) as typeof Client;
        const client = createClient({ url: url as string, token });
        const { data } = await client.addChannel({
          name: 'Of a browser',
          type: 'Stream',
          settings: { url: 'https://origin.example/a.m3u8' },
        });
        const refusal = await client.getChannelById({ channelId: 999_999 }).catch((error: unknown) => error);
        return [data.name, (refusal as Client.OnairProblem).code];
      },
      [`${server.service.url}/client.js`, server.service.url, TOKEN],
    );
    assert.deepEqual(answer, ['Of a browser', 'not_found']);
  });

  itLong('the address with a slash at its end leads to the page', async () => {
    const { page } = await server.open();
    await page.goto(`${server.service.url}/docs/`);
    await page.locator('.opblock-tag').first().waitFor();
    assert.equal(new URL(page.url()).pathname, '/docs');
  });
});
