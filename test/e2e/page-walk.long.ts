/** Every page below a path of a real proxy, in both roles, themes and languages, at four widths, with rows of everything. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { SMALL_VIDEO } from '../helpers/broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { proxyMissing, startReverseProxy } from '../helpers/servers/reverse-proxy.ts';
import type { Service } from '../helpers/service.ts';
import { startPageServer, type OpenPage, type PageServer } from './page-fixture.ts';

const PATH = '/station/';
const WIDTHS = [1920, 1280, 375, 320];

/** A row of everything that a page lists; nothing of it is started. */
async function makeRows(service: Service): Promise<void> {
  const { create } = service;
  const channelId = await create('/channels', {
    name: 'Cam 1',
    type: 'SRT',
    settings: { mode: 'listener', port: 9998 },
  });
  const rung = await create('/encodings', { name: '360p', settings_video: SMALL_VIDEO });
  const encodingGroupId = await create('/encodings/groups', { name: 'Ladder', elements: [rung] });
  const publishingId = await create('/publishings', { name: 'Web', type: 'HLS / TS' });
  const folder = {
    protocol: 'WEBDAV',
    host: 'nas.example.org',
    folder: '/recordings',
    user: 'onair',
    password: 'secret',
  };
  const remotefolder = await create('/remotefolders', { name: 'NAS', ...folder });
  await create('/publishings', { name: 'Archive', type: 'Record', settings: { remotefolder, delete_after: 30 } });
  const target = { type: 'SFTP', host: 'files.example.org', user: 'onair', password: 'secret' };
  await create('/targetfolders', { name: 'Agency', ...target });
  const livestreamId = await create('/livestreams', { name: 'Studio 1', channelId, encodingGroupId, publishingId });
  const plan = { start: '2030-01-05T10:00:00Z', end: '2030-01-05T11:00:00Z', recurrence: { type: 'weekly' } };
  await create('/schedules', { name: 'Weekly', livestreamId, ...plan });
  const keys = [{ kid: 'a'.repeat(32), key: 'b'.repeat(32) }];
  const drm = { name: 'Keys', provider_type: 'STATIC', credentials: { keys } };
  await create('/settings/integrations/drmproviders', drm);
  await create('/settings/integrations/cloud', { client: 'Cloud north', client_id: '7', password: 'token' });
  await create('/usergroups', { name: 'Night shift', elements: [1] });
  await create('/security/tokens', { name: 'a program with a rather long name that has to wrap somewhere' });
}

/** A list is read without scrolling it sideways, on a phone and at a desk. */
async function assertNotSideways(page: Page, name: string): Promise<void> {
  const { width } = page.viewportSize()!;
  if (width >= 600 && width < 1280) return;
  const wide = await page.evaluate(
    `[...document.querySelectorAll('main .table-scroll')].filter((list) => list.scrollWidth > list.clientWidth).length`,
  );
  assert.equal(wide, 0, `a list of ${name} at ${width} px`);
}

describe('all pages below a path of a proxy', { skip: proxyMissing }, () => {
  let server: PageServer;
  const cleanUps: (() => unknown)[] = [];
  before(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}${PATH}`;
    const later = (task: unknown): void => void cleanUps.unshift(task as () => unknown);
    const started = await startPageServer({ after: later }, { ONAIR_PUBLIC_URL: publicUrl });
    const proxy = await startReverseProxy({ port, path: PATH, target: started.service.url });
    later(() => proxy.stop());
    await makeRows(started.service);
    server = started;
    // Browsers know the address of the proxy alone.
    server.service.url = publicUrl.replace(/\/$/u, '');
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  async function walk({ page, assertAccessible, assertReflow }: OpenPage, links: number): Promise<void> {
    const names = page.locator('nav.rail a');
    assert.equal(await names.count(), links);
    for (let at = 0; at < links; at += 1) {
      const link = names.nth(at);
      const name = (await link.textContent()) ?? '';
      await link.click();
      await page.getByRole('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
      const tabs = page.getByRole('main').getByRole('tab');
      for (let tab = 0; tab < Math.max(1, await tabs.count()); tab += 1) {
        if (tab > 0) await tabs.nth(tab).click();
        await assertReflow(name);
        await assertNotSideways(page, name);
        await assertAccessible();
      }
    }
  }

  const looks = [
    { role: 1, theme: 'dark', language: 'en' },
    { role: 1, theme: 'light', language: 'es' },
    { role: 2, theme: 'light', language: 'en' },
    { role: 2, theme: 'dark', language: 'es' },
  ] as const;
  for (const { role, theme, language } of looks)
    for (const width of WIDTHS)
      it(`role ${role}, ${theme}, ${language}, ${width} px: no violation, no message, nothing refused, nothing lost`, async () => {
        const opened = await server.open({ role, theme, width });
        await opened.page.evaluate(`localStorage.setItem('onair.language', '${language}')`);
        await opened.page.reload();
        await opened.page.locator('nav.rail').waitFor();
        await walk(opened, role === 1 ? 18 : 12);
        assert.deepEqual(opened.faults(), []);
        await opened.page.context().close();
      });

  it('text of twice the size is wrapped and loses nothing, on every page', async () => {
    const opened = await server.open({ role: 1, width: 1280 });
    // A browser with larger text has larger pixels of the style: half as many in the same window.
    await opened.page.setViewportSize({ width: 640, height: 400 });
    await walk(opened, 18);
    assert.deepEqual(opened.faults(), []);
  });

  it('text follows the size that the browser is set to, and at twice the size no page is wider than the window', async () => {
    const opened = await server.open({ role: 1, width: 1280 });
    const heightOf = async (): Promise<number> =>
      (await opened.page.getByRole('link', { name: 'Recordings' }).boundingBox())!.height;
    const before = await heightOf();
    await opened.page.evaluate("document.documentElement.style.fontSize = '200%'");
    assert.ok((await heightOf()) > before * 1.2, 'the links of the pages have grown');
    await walk(opened, 18);
    await opened.page.context().close();
  });
});
