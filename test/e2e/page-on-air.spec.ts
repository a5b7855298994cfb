/** On air before the real server, in Chromium, with a real broadcast: the picture is what viewers get, and acts are seen in it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { endPlayer, twoSources } from '../helpers/two-sources.ts';
import { until } from '../helpers/until.ts';
import { sharedPageServer, troubleList, type OpenPage, type PageServer } from './page-fixture.ts';

describe('the page On air before a real broadcast', () => {
  const cleanUps: (() => unknown)[] = [];
  let server: PageServer;
  let show: SmallBroadcast;
  let opened: OpenPage;
  let page: Page;
  let tile: Locator;
  let sourceId: number;

  before(async () => {
    server = await sharedPageServer();
    const { service } = server;
    const refused = { name: 'Far', type: 'RTMP', settings: { url: 'rtmp://127.0.0.1:9/live', stream_key: 'key' } };
    show = await smallBroadcast(service, [refused]);
    await service.create('/channels', { name: 'Other clip', type: 'File', settings: { filename: 'clip.mp4' } });
    const [pushed, called] = await twoSources(service);
    sourceId = pushed.channelId;
    for (const { player } of [pushed, called]) cleanUps.push(() => endPlayer(player));
    opened = await server.open({ role: 2, route: 'on-air' });
    page = opened.page;
    tile = page.getByRole('article', { name: 'Show', exact: true });
  });
  after(async () => {
    for (const task of cleanUps.reverse()) await task();
    await page?.context().close();
  });

  /** Mean of all pixels of the tile's canvas, of 255. */
  const brightness = (): Promise<number> =>
    tile.getByRole('img', { name: 'Picture of Show' }).evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
      copy.drawImage(canvas as HTMLCanvasElement, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      return data.reduce((sum, value, place) => (place % 4 === 3 ? sum : sum + value), 0) / (data.length * 0.75);
    });
  const toolbar = (): Locator => page.getByRole('toolbar', { name: 'Acts on Show' });
  const pressKey = async (key: string): Promise<void> => {
    await tile.focus();
    await page.keyboard.press(key);
  };

  it('says that nothing is on air, and shows the tile with a picture after a start from elsewhere', async () => {
    await page.getByText('Nothing is on air.').waitFor();
    await goOnAir(server.service, show.livestreamId);
    await tile.waitFor();
    await until('a picture', async () => (await brightness()) > 40);
    await until('on air', async () => /on-air|failing/u.test((await tile.getAttribute('data-state')) ?? ''));
    await page.getByRole('status', { name: 'Summary' }).getByText('1 on air').waitFor();
    assert.equal(await page.evaluate(() => performance.getEntriesByName('useful').length > 0), true);
    const level = tile.getByRole('meter', { name: 'Left peak' });
    await until('sound', async () => Number(await level.getAttribute('aria-valuenow')) > -60);
  });

  it('B goes black, which is seen in the picture, pressed only when it is in force, and Undo takes it back', async () => {
    const button = toolbar().getByRole('button', { name: 'Blackout Show' });
    await pressKey('b');
    await until('pressed', async () => (await button.getAttribute('aria-pressed')) === 'true');
    await tile.getByText('BLACKOUT').waitFor();
    await until('a black picture', async () => (await brightness()) < 4);
    await page.getByRole('button', { name: /^Undo/u }).first().click();
    await until('a picture', async () => (await brightness()) > 40);
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
  });

  it('what another person does is on the tile, with who and by which API', async () => {
    const path = `/livestreams/${show.livestreamId}/runtimeOptions/blackout`;
    const reply = await server.service.rest('POST', path, { mode: 'Black Frame' });
    assert.equal(reply.status, 200);
    await tile.getByText('BLACKOUT').waitFor();
    await tile.getByText('by admin (rest)').waitFor();
    await server.service.rest('POST', path, { mode: 'Live' });
    await tile.getByText('BLACKOUT').waitFor({ state: 'detached' });
  });

  it('a text and another source are put on the air from their dialogs', async () => {
    await pressKey('Shift+T');
    const dialog = page.getByRole('dialog', { name: 'Text on Show' });
    await dialog.getByLabel('Words').fill('Goal');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await tile.getByText('Text Goal').waitFor();
    await pressKey('t');
    await tile.getByText('Text Goal').waitFor({ state: 'detached' });
    await pressKey('s');
    const sources = page.getByRole('dialog', { name: 'Switch source of Show' });
    assert.equal(await sources.getByRole('radio', { name: /Other clip/u }).isDisabled(), true, 'a file cannot');
    const candidate = sources.locator('label').filter({ hasText: /^RTMP-Push.*receiving · \d+ × \d+/u });
    await until('its picture', () =>
      candidate.locator('img').evaluateAll((images) => (images[0] as HTMLImageElement | undefined)?.naturalWidth ?? 0),
    );
    await sources.getByRole('radio', { name: /^RTMP-Push/u }).check();
    await sources.getByRole('status').getByText('Armed').waitFor();
    const armed = sources.getByRole('img', { name: 'Picture of RTMP-Push', exact: true });
    await until('a large one of what is armed', () =>
      armed.evaluate((image) => (image as HTMLImageElement).naturalWidth > 160),
    );
    await sources.getByRole('img', { name: 'Picture of Show', exact: true }).waitFor();
    await opened.assertAccessible();
    await sources.getByRole('button', { name: 'Switch Show' }).click();
    await tile.getByText('RTMP-Push').waitFor();
    const { body } = await server.service.rest('GET', `/livestreams/${show.livestreamId}/status`);
    assert.equal(body.data.source.channelId, sourceId);
  });

  it('a Destination that is not reached is a fault with its cause, and D and a digit switch it off', async () => {
    // The band tells the worst alone, and a machine that is behind has a row of its own.
    const what = (await troubleList(page)).locator('.trouble-what', { hasText: 'is not reached' });
    await what.waitFor();
    assert.equal(await tile.getAttribute('data-state'), 'failing');
    const item = tile.getByRole('list', { name: 'Destinations' }).getByText(/Far primary: (?:retrying|connecting)/u);
    await item.waitFor();
    await pressKey('d');
    const paths = page.getByRole('dialog', { name: 'Destinations of Show' });
    await paths.getByRole('button', { name: /^Far primary/u }).focus();
    await page.keyboard.press('2');
    await tile.getByText('Far primary: off').waitFor();
    await page.keyboard.press('Escape');
    await until('no fault', async () => (await tile.getAttribute('data-state')) !== 'failing');
    await what.locator('+ .trouble-since', { hasText: 'healed at' }).waitFor();
    await page.getByRole('region', { name: 'Attention' }).getByRole('button', { name: 'Hide' }).click();
  });

  it('a viewer sees the picture of the broadcast move on the watch page', async () => {
    const watch = await page.context().newPage();
    const faults: string[] = [];
    watch.on('pageerror', (error) => faults.push(error.message));
    watch.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await watch.goto(`${server.service.url}/watch?src=${encodeURIComponent(await show.playlist())}`);
    const seen = async (): Promise<[number, number]> =>
      watch.evaluate(() => {
        const video = document.querySelector('video');
        return [video?.currentTime ?? 0, video?.getVideoPlaybackQuality().totalVideoFrames ?? 0];
      });
    const [first] = await until('the picture to start', async () => (await seen())[0] > 0 && seen());
    await until('the picture to move on', async () => (await seen())[0] > first + 2 && (await seen())[1] > 0);
    assert.deepEqual(faults, []);
    await watch.close();
  });

  it('solo has the large picture and its tabs, and Esc brings focus back to the tile', async () => {
    await pressKey('Enter');
    const solo = page.getByRole('dialog', { name: 'Solo Show' });
    await solo.getByRole('img', { name: 'Picture of Show' }).waitFor();
    for (const name of ['Source', 'Graphics', 'Cues and ads', 'Next', 'Events', 'Figures', 'Destinations'])
      await solo.getByRole('tab', { name, exact: true }).click();
    await opened.assertAccessible();
    await solo.getByRole('tab', { name: 'Events', exact: true }).click();
    const link = solo.getByRole('link', { name: 'Report of the last run' });
    const [report] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await report
      .getByText(/viewers had a blackout that was ordered: admin: Viewers see black/u)
      .first()
      .waitFor();
    assert.ok((await report.locator('svg path').count()) >= 4, 'curves of its Device');
    const picture = report.getByRole('img', { name: /^What viewers saw at / }).first();
    assert.ok(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0), 'pictures of its Device');
    await report.close();
    await page.keyboard.press('Escape');
    await solo.waitFor({ state: 'detached' });
    assert.equal(await tile.evaluate((element) => element === document.activeElement), true);
    await opened.assertAccessible();
    await opened.assertReflow();
    assert.deepEqual(opened.faults(), []);
  });

  it('a server that is killed makes the page stale, which the tone tells of until it is known; after its return it is in step without a reload', async () => {
    const { service } = server;
    await page.evaluate(`{
      window.tones = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...of) { window.tones += 1; return start.apply(this, of); };
    }`);
    await page.getByRole('button', { name: 'Account ana' }).click();
    await page.getByRole('checkbox', { name: 'Tone at a fault' }).check();
    await page.keyboard.press('Escape');
    await until('the tone to try', async () => Number(await page.evaluate('window.tones')) === 2);
    await service.kill('SIGKILL');
    await until('stale', () => page.evaluate(() => 'stale' in document.documentElement.dataset));
    assert.match(
      (await page.getByRole('status', { name: 'Connection' }).textContent()) ?? '',
      /^As of \d\d:\d\d:\d\d$/u,
    );
    assert.equal(await tile.getAttribute('data-state'), 'unknown');
    await tile.getByText(/^Not known since \d\d:\d\d:\d\d$/u).waitFor();
    assert.doesNotMatch((await tile.textContent()) ?? '', /on air|: up|fps/iu);
    assert.equal(await tile.getByRole('meter').count(), 0);
    assert.equal(await page.getByRole('status', { name: 'Summary' }).textContent(), '1 not known');
    await page.getByRole('region', { name: 'Attention' }).getByText('Nothing is known since').waitFor();
    assert.match(await page.title(), /^\(\?\) /u);
    await until('the tone of the loss', async () => Number(await page.evaluate('window.tones')) >= 4);
    const loss = page.getByRole('button', { name: 'Acknowledge the loss' });
    await loss.click();
    assert.equal(await loss.count(), 0);
    await service.restart();
    await until('in step', async () => !(await page.evaluate(() => 'stale' in document.documentElement.dataset)));
    assert.equal(await tile.count(), 1);
    await until('known', async () => (await tile.getAttribute('data-state')) !== 'unknown');
    await until('a picture again', async () => (await brightness()) > 40);
  });

  it('X asks with the effect, Cancel in focus, and stops', async () => {
    await pressKey('x');
    const dialog = page.getByRole('dialog', { name: 'Stop Show?' });
    assert.equal(
      await dialog.getByRole('button', { name: 'Cancel' }).evaluate((one) => one === document.activeElement),
      true,
    );
    await dialog.getByText('1 Destination ends').waitFor();
    await dialog.getByRole('button', { name: 'Stop Show' }).click();
    await tile.waitFor({ state: 'detached' });
    assert.equal((await statusOf(server.service, show.livestreamId)).status, 0);
  });
});
